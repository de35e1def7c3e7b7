/* 'derived(rule)': elements go where those of another array are; each rank evaluates the rule for what it has of that. */
#ifndef DVMP_DERIVED_H
#define DVMP_DERIVED_H
#include "runtime/data/directive.h"

/* Processors of the elements of a dimension, to be freed.  'mine': the place of this rank along it, or -1.  All ranks that are together come here. */
int *dvmp_derived_owners(const struct dvmrt_directive *d, const struct dvmrt_rule *rule, const int64_t *args, const char *name,
                         int64_t extent, int procs, int mine);
#endif
