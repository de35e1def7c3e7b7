/* What is copied ahead of its use: groups of remote_access, and asynchronous copies.
 *
 * Group: each construct with 'remote_access(g: ..)' adds its sections.  remote_start fetches all of them; the next execution of the
 * construct uses what was fetched, or fetches by itself where nothing was.  In between the elements may not be written.
 * Copy: from array_copy(c: ..) to copy_wait(c) the source may not be written, and the target neither read nor written. */
#ifndef DVMRT_REMOTE_H
#define DVMRT_REMOTE_H
#include "runtime/rules/construct.h"

/* All inside dvmrt_mem_enter. */
void dvmrt_remote_start(struct dvmrt_directive *at, const char *group);
void dvmrt_remote_wait(struct dvmrt_directive *at, const char *group);
void dvmrt_remote_reset(struct dvmrt_directive *at, const char *group);
/* Subscribers: the construct uses what was fetched; its sections are known. */
void dvmrt_remote_before(struct dvmrt_frame *f);
void dvmrt_remote_over(struct dvmrt_frame *f);

/* Elements [low, high] of an array, or [from, to) of ordinary data, that a copy reads or writes. */
struct dvmrt_copied {
  const struct dvmrt_array *array; /* NULL: ordinary data */
  int ndims;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
};
/* The copy is under way; what of it is not known is NULL; its target has the words DVMRT_W_COPY. */
void dvmrt_remote_copies(const struct dvmrt_directive *d, const char *name, const struct dvmrt_copied *from, const struct dvmrt_copied *to);
/* False: no such copy is under way, which has been told. */
bool dvmrt_remote_copied(struct dvmrt_directive *at, const char *name);

/* Why an element may not be written now. */
struct dvmrt_remote_use {
  const struct dvmrt_directive *started;
  const char *name;   /* of the group or copy */
  bool copy, target;
};
/* 'ix': its indices, NULL: of any element of the array.  False: nothing is wrong with writing it. */
bool dvmrt_remote_holds(const struct dvmrt_array *a, const int64_t *ix, struct dvmrt_remote_use *use);
/* The array ceases to be. */
void dvmrt_remote_forget(const struct dvmrt_array *a);
#endif
