/* What the code that the pass enters for a rule of 'shadow_add' calls in a checked program (pass/clang/Pragma.cpp); in one that is executed in
 * parallel the same stands in parallel/abi.h.  A part of runtime/abi.h, apart since the passes over instructions do not know of it. */
#ifndef DVMRT_RULE_ABI_H
#define DVMRT_RULE_ABI_H

/* The rule is counted through before its direct, on each level through a dimension of the array whose variable lies there, for each index of it
 * that index and what it has in the edges that are named; what it gives is the next edge's.  The end's result is 1. */
void __dvmrt_rule_begin(void);
void __dvmrt_rule_over(int level, const volatile void *variable, int dim);
void __dvmrt_rule_edge(int level, const char *name);
int __dvmrt_rule_next(int level, long *index);
void __dvmrt_rule_give(long low, long high);
long __dvmrt_rule_end(void);
#endif
