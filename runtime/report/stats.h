/* What the run was made of: the lines of stats=1. */
#ifndef DVMRT_STATS_H
#define DVMRT_STATS_H
#include "runtime/rules/construct.h"

/* Accesses that inserted code could not decide by itself. */
extern uint64_t dvmrt_stats_looked_at;

/* All inside dvmrt_mem_enter.  Subscribers. */
void dvmrt_stats_over(struct dvmrt_frame *f);
void dvmrt_stats_judged(struct dvmrt_directive *d, const char *why);
/* Writes the lines to standard error. */
void dvmrt_stats_print(void);
/* In a forked child. */
void dvmrt_stats_forked(void);
#endif
