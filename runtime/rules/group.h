/* Groups of asynchronous exchanges and reductions, by name.
 *
 * Exchange: defined (shadow_group) -> started -> waited for; while it is started the edges may not be read and the arrays
 * not be written.  Reduction: its loop is over -> started -> waited for; until then the variables may not be touched. */
#ifndef DVMRT_GROUP_H
#define DVMRT_GROUP_H
#include "runtime/rules/construct.h"

struct dvmrt_pending_var {
  struct dvmrt_pending_var *next;
  uintptr_t low, high;
  const char *name, *group;
  const struct dvmrt_directive *computed; /* the parallel loop */
  const struct dvmrt_directive *started;  /* reduction_start, or NULL */
  bool consistent;                        /* no result of a reduction, but elements that iterations assign for all */
  /* Data of an asynchronous copy: 'computed' and 'started' are its directive.  NULL: a result of a reduction. */
  const struct dvmrt_copied_data *copied;
  bool again; /* it has been told that another construct reduces it too: its protocol is judged no more */
  const struct dvmrt_directive *hidden; /* while that one is executed, accesses are of its own reduction; or NULL */
};

/* Elements of ordinary data from 'low' to 'high', indices. */
struct dvmrt_copied_data {
  uintptr_t base;
  uint64_t bytes;             /* of an element */
  int ndims;
  int64_t stride[DVMRT_NDIMS_MAX], low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  bool target;                /* else the source, which may be read */
};

/* All inside dvmrt_mem_enter. */
void dvmrt_group_define(struct dvmrt_directive *d, const int64_t *args);
void dvmrt_group_shadow_start(const struct dvmrt_directive *at, const char *group);
void dvmrt_group_shadow_wait(const struct dvmrt_directive *at, const char *group);
/* The array takes part in no exchange any more. */
void dvmrt_group_forget(const struct dvmrt_array *a);
/* Start of an exchange of the array's edges that is under way and brings an element so displaced; p NULL: any. */
const struct dvmrt_directive *dvmrt_group_exchanging(const struct dvmrt_array *a, const struct dvmrt_place *p);
/* The same, or start of what fetches some of its elements (remote.h): writing it is to be looked at. */
const struct dvmrt_directive *dvmrt_group_pending(const struct dvmrt_array *a);
/* The name of a group that is exchanging the array; NULL: none. */
const char *dvmrt_group_pending_name(const struct dvmrt_array *a);

/* Subscriber: the loop has been left. */
void dvmrt_group_left(struct dvmrt_frame *f);
/* A construct that is entered names [low, high) in a 'reduction': told if it is still being reduced. */
void dvmrt_group_named(const struct dvmrt_directive *d, uintptr_t low, uintptr_t high);
/* Subscriber: the construct is over. */
void dvmrt_group_over(struct dvmrt_frame *f);
/* The loop that computed the reduction variable is over. */
void dvmrt_group_reduced(const struct dvmrt_directive *loop, const char *group, const char *name, uintptr_t low, uintptr_t high,
                         bool consistent);
void dvmrt_group_reduction_start(const struct dvmrt_directive *at, const char *group);
void dvmrt_group_reduction_wait(const struct dvmrt_directive *at, const char *group);
/* The same of a group of consistent data. */
void dvmrt_group_consistent_start(const struct dvmrt_directive *at, const char *group);
void dvmrt_group_consistent_wait(const struct dvmrt_directive *at, const char *group);
/* A copy has begun, or is waited for. */
void dvmrt_group_copies(const struct dvmrt_directive *at, const char *copy, const char *name, const struct dvmrt_copied_data *data);
void dvmrt_group_copied(const char *copy);
/* The variable at 'a' that is still being reduced, or copied, or NULL. */
const struct dvmrt_pending_var *dvmrt_group_var(uintptr_t a, uint64_t n);
/* The memory ends (a local's): variables in it can never be waited for. */
void dvmrt_group_ends(uintptr_t a, uint64_t n);
/* The program ends: reports what was never started or never finished. */
void dvmrt_group_close(void);
/* A forked child has none of its parent's. */
void dvmrt_group_forked(void);
extern unsigned dvmrt_group_nvars;
#endif
