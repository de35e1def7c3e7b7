/* Tasks: 'map' gives each of an array of them a section of processors, and the ranks of these alone execute it. */
#ifndef DVMP_TASK_H
#define DVMP_TASK_H
#include "runtime/parallel/construct.h"

struct dvmp_task_array;

/* Directives: 'task' and 'processors' (whose array 'address' goes with what holds it), 'map'. */
void dvmp_task_declare(const struct dvmrt_directive *d, const int64_t *args);
void dvmp_task_gone(uintptr_t address, uint64_t bytes);
void dvmp_task_map(const struct dvmrt_directive *d, const int64_t *args);
/* The ranks that a directive puts an array onto: those of a task or of a section of processors; those that are together if it says nothing. */
const struct dvmp_group *dvmp_task_onto(const struct dvmrt_directive *d, const int64_t *args);
/* The array lies on ranks that are not among those that execute the task. */
void dvmp_task_refuse(const struct dvmp_array *a, const struct dvmrt_pos *pos) __attribute__((noreturn));

/* The construct is a region, or a loop of tasks, whose tasks are executed by their ranks: c->tasks is set. */
void dvmp_task_find(struct dvmp_construct *c);
/* An 'on' block: false: others execute it. */
bool dvmp_task_enter(struct dvmp_construct *c);
/* Behind an 'on' block that this rank has executed. */
void dvmp_task_leave(struct dvmp_construct *c);
/* Of a loop of tasks: turns are the tasks of this rank. */
void dvmp_task_turns(struct dvmp_construct *c);
void dvmp_task_turn(struct dvmp_construct *c);
void dvmp_task_turned(struct dvmp_construct *c);
/* Behind a region or a loop. */
void dvmp_task_end(struct dvmp_construct *c);
#endif
