/* Arguments of the rules of distribution (genblock, wgtblock, multblock, indirect).  No verdict on an access depends on them:
 * they are only checked. */
#ifndef DVMRT_RULE_H
#define DVMRT_RULE_H
#include "runtime/data/array.h"

/* Inside dvmrt_mem_enter.  'own' has the rules of array (or template) 'a', as directive 'd' gives them. */
void dvmrt_rule_check(const struct dvmrt_directive *d, const struct dvmrt_item *own, const struct dvmrt_array *a, const int64_t *args);
/* Has each element of the array, if it is aligned, a place in the target?  Judged once for each placement, when the target is known. */
void dvmrt_rule_alignment(struct dvmrt_array *a);
#endif
