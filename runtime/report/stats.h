/* What the run was made of: the lines of stats=1. */
#ifndef DVMRT_STATS_H
#define DVMRT_STATS_H
#include "runtime/data/directive.h"

/* Accesses that inserted code could not decide by itself. */
extern uint64_t dvmrt_stats_looked_at;

/* All inside dvmrt_mem_enter.  An execution of a parallel loop is over. */
void dvmrt_stats_nest(struct dvmrt_directive *d, uint64_t iterations);
/* It was judged at its entry; 'why' not, or NULL: it was. */
void dvmrt_stats_summary(struct dvmrt_directive *d, const char *why);
/* Writes the lines to standard error. */
void dvmrt_stats_print(void);
/* In a forked child. */
void dvmrt_stats_forked(void);
#endif
