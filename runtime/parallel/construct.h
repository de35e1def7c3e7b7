/* Constructs that are being executed, innermost last, and their turns. */
#ifndef DVMP_CONSTRUCT_H
#define DVMP_CONSTRUCT_H
#include "runtime/parallel/plan.h"

struct dvmp_across;
struct dvmp_reductions;
struct dvmp_recompute;
struct dvmp_consistent;
struct dvmp_task_array;

/* Places of each rank along dimension 'r' of the root, in a named edge. */
struct dvmp_also {
  struct dvmp_also *next;
  int r;
  const struct dvmp_list *of; /* [size] */
};

/* Of index variables that nothing limits. */
#define DVMP_NO_LOW (INT64_MIN + 1)
#define DVMP_NO_HIGH (INT64_MAX - 1)

struct dvmp_construct {
  struct dvmp_construct *outer; /* that is being executed around it */
  struct dvmrt_site *site;
  const void *frame;
  struct dvmrt_directive *d;
  const int64_t *args;          /* 'memory' has them */
  struct dvmp_arena memory;
  bool left;                    /* the statement has been executed, and enter not been called again */
  bool inside;                  /* a nest whose iterations are divided */
  uint64_t executed, executed_sum; /* iterations of all turns so far */
  unsigned level;               /* at which it is recorded, of enum dvmt_level */
  struct dvmp_assigned *assigned; /* of a block of remote_access: what of its arrays it has assigned */
  bool told;                    /* its iterations are, as dvmp_elements_enter has it */
  bool idle;                    /* none of the iterations is this rank's; of 'across' it comes through the stages all the same */
  bool counts;                  /* this rank's part of a reduction counts: no other rank makes the same */
  struct dvmrt_layout layout;   /* of the nest */
  struct dvmp_list part[DVMRT_NDIMS_MAX], whole[DVMRT_NDIMS_MAX]; /* of each index variable: of this rank, of all */
  bool clamped[DVMRT_NDIMS_MAX];
  /* A turn before all others, without iterations, in which each execution of a loop tells its values, down to loop 'last_asked'. */
  bool asks;
  int last_asked;
  struct dvmp_told {
    bool any, unknown;
    int64_t low, high;
    bool up, down;
  } values[DVMRT_NDIMS_MAX];
  int64_t turn, turns;
  struct dvmp_across *across;
  struct dvmp_reductions *reductions;
  /* shadow_compute: how far beyond its part of each dimension of the root a rank executes iterations, too, and where else. */
  int64_t beyond_low[DVMRT_NDIMS_MAX], beyond_high[DVMRT_NDIMS_MAX];
  struct dvmp_also *also;
  struct dvmp_recompute *recompute;
  struct dvmp_consistent *consistent;
  /* Of a region, or a loop, whose tasks are executed by their ranks alone: the array of tasks. */
  const struct dvmp_task_array *tasks;
  bool in_task;                 /* one of them, or this 'on' block, is being executed */
  int64_t task_next;            /* the turns behind this one are tasks from there on */
  int64_t task_first, task_key; /* places in the order of what is printed: of the loop, of the task */
};

/* Does a block of remote_access that is being executed hold the element? */
bool dvmp_construct_fetched(const struct dvmp_array *a, uintptr_t at);
/* All ranks have come to an assignment of [at, at + size) of the array, in the sequential part. */
void dvmp_construct_assigned(const struct dvmp_array *a, uintptr_t at, uint64_t size);
/* .. and it was in a block that is being executed, and had fetched the array before: its directive; else NULL. */
const struct dvmrt_directive *dvmp_construct_outdated(const struct dvmp_array *a, uintptr_t at);
/* The innermost one, or NULL. */
struct dvmp_construct *dvmp_construct_top(void);
/* The innermost construct that is executed, or NULL; how many there are. */
const struct dvmrt_directive *dvmp_construct_current(void);
int dvmp_construct_depth(void);
/* The place of the innermost construct or directive that was reached, for messages. */
const struct dvmrt_pos *dvmp_construct_place(void);
void dvmp_construct_at(const struct dvmrt_pos *pos);
#endif
