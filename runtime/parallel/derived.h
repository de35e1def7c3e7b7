/* Rules, which give elements to each index of a dimension of another array: 'derived(rule)', where the elements go there, and those of named
 * edges.  Each rank evaluates them for what it has. */
#ifndef DVMP_DERIVED_H
#define DVMP_DERIVED_H
#include "runtime/data/directive.h"
#include "runtime/parallel/set.h"

/* What the rule gave this rank, each element once, of those in 0 .. extent-1; the rule is over then.  'what' has the rule, of the array 'name',
 * in messages. */
struct dvmp_list dvmp_rule_list(struct dvmp_arena *m, const struct dvmrt_directive *d, const struct dvmrt_rule *rule, const int64_t *args,
                                const char *what, const char *name, int64_t extent);
/* Processors of the elements of a dimension, to be freed.  'mine': the place of this rank along it, or -1.  All ranks that are together come here. */
int *dvmp_derived_owners(const struct dvmrt_directive *d, const struct dvmrt_rule *rule, const int64_t *args, const char *name,
                         int64_t extent, int procs, int mine);
#endif
