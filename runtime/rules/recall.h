/* Executions of a nest that can only give what an earlier one gave.
 *
 * A nest whose verdict follows from what is known at its entry (summary.c makes a number of it, 'key') is followed access by
 * access once; executions with the same key add the same counts to the findings of that one.  Only findings that follow from
 * places and dependences are kept; if an execution had others, nothing is. */
#ifndef DVMRT_RECALL_H
#define DVMRT_RECALL_H
#include "runtime/rules/construct.h"

/* All inside dvmrt_mem_enter. */
/* Has an execution with that key been followed?  Then its counts have been added once more. */
bool dvmrt_recall_find(struct dvmrt_directive *d, uint64_t key);
/* The execution that begins is followed: dvmrt_recall_over keeps what it gave. */
void dvmrt_recall_begin(struct dvmrt_frame *f, uint64_t key);
void dvmrt_recall_over(struct dvmrt_frame *f);
/* The findings are gone. */
void dvmrt_recall_forget(void);
#endif
