/* Task regions: which task is being executed, and who touched what.
 *
 * Tasks run side by side on processors of their own.  An element of a distributed array that one task writes must not be touched
 * by another; a replicated datum exists in each task, so there only reading what another task has written is wrong.
 * While a region is being executed each access takes the slow way and comes here. */
#ifndef DVMRT_TASK_H
#define DVMRT_TASK_H
#include "runtime/rules/check.h"

/* All inside dvmrt_mem_enter. */
void dvmrt_task_declare(struct dvmrt_directive *d, const int64_t *args);
/* Number of tasks of the task array at that address; -1: there is none. */
int64_t dvmrt_task_count(uintptr_t address);

/* processors P[n]..; map(T[k] onto P[l:h]); an array that a directive puts onto T[k]. */
void dvmrt_task_processors(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_task_map(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_task_place(struct dvmrt_directive *d, const int64_t *args);
/* The task that this thread is executing, and the one on whose processors the array lies; -1: none. */
int64_t dvmrt_task_current(void);
int64_t dvmrt_task_of_array(struct dvmrt_array *a);

/* The processors of the outermost task that is being executed; NULL: all, or every task is executed by all. */
const struct dvmrt_onto *dvmrt_task_onto(void);

void dvmrt_task_before(struct dvmrt_frame *f);
void dvmrt_task_over(struct dvmrt_frame *f);
/* An 'on' block, or a loop whose iterations are tasks: reports a wrong number or place. */
void dvmrt_task_enter(struct dvmrt_frame *f, const struct dvmrt_item *on);

/* Replicated data that tasks of a region have written hold another value on other processors when it is over. */
struct dvmrt_task_left {
  uintptr_t low, high;
  int64_t task;
  struct dvmrt_site *site; /* or NULL */
  const struct dvmrt_directive *region;
};
/* What was left so at 'a', or NULL. */
const struct dvmrt_task_left *dvmrt_task_left_at(uintptr_t a);

/* Is a task being executed? */
bool dvmrt_task_active(void);
/* Is it known of some data which task has touched them? */
bool dvmrt_task_remembers(void);
/* An access to the element or datum [a, a + n). */
void dvmrt_task_access(const struct dvmrt_event *ev, uintptr_t a, uint64_t n);
/* The same for a variable whose words the pass keeps. */
void dvmrt_task_local(const struct dvmrt_event *ev);
/* Written by something that is no access of the source; or begins to live, or ceases to: nobody has touched it. */
void dvmrt_task_assigned(uintptr_t a, uint64_t n);
void dvmrt_task_forget(uintptr_t a, uint64_t n);
#endif
