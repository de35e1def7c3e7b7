/* Reductions: each rank computes its part, at the end of the construct they are combined. */
#ifndef DVMP_REDUCE_H
#define DVMP_REDUCE_H
#include "runtime/parallel/construct.h"

/* Before the first turn: the value from before counts once. */
void dvmp_reduce_begin(struct dvmp_construct *c, int64_t *at);
/* An iteration begins. */
void dvmp_reduce_iteration(struct dvmp_construct *c);
void dvmp_reduce_end(struct dvmp_construct *c, const int64_t *at);
/* reduction_start, reduction_wait. */
/* A task of this region, or loop of tasks, begins on the ranks that execute it, and ends; 'key' is higher for later tasks. */
void dvmp_reduce_task_begin(struct dvmp_construct *c);
void dvmp_reduce_task_end(struct dvmp_construct *c, int64_t key);
void dvmp_reduce_start(const struct dvmrt_directive *d, const char *group);
void dvmp_reduce_wait(const struct dvmrt_directive *d, const char *group);
#endif
