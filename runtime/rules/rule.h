/* What directives say that can only be checked, no verdict on an access depends on it: arguments of the rules of distribution (genblock,
 * wgtblock, multblock, indirect), alignments and subscripts that leave their array. */
#ifndef DVMRT_RULE_H
#define DVMRT_RULE_H
#include "runtime/rules/construct.h"

/* Inside dvmrt_mem_enter.  'own' has the rules of array (or template) 'a', as directive 'd' gives them. */
void dvmrt_rule_check(const struct dvmrt_directive *d, const struct dvmrt_item *own, const struct dvmrt_array *a, const int64_t *args);
/* Has each element of the array, if it is aligned, a place in the target?  Judged once for each placement, when the target is known. */
void dvmrt_rule_alignment(struct dvmrt_array *a);
/* Subscripts of 'on' and of sections of remote_access must be in the array: at the entry of a nest those that are the same for all its
 * iterations; when the ranges of its index variables are known, those that move; before anything else is said of an iteration ('present'),
 * those of 'on' in it: what follows from them comes behind. */
void dvmrt_rule_fixed(const struct dvmrt_frame *f, const struct dvmrt_item *i, const struct dvmrt_array *a);
void dvmrt_rule_moving(const struct dvmrt_frame *f, const struct dvmrt_item *i, const struct dvmrt_array *a);
void dvmrt_rule_present(struct dvmrt_frame *f);
#endif
