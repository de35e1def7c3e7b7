/* What a rule has found wrong, as a record without wording.  'report' words it and decides whether the user wants
 * to know: rules know nothing of texts. */
#ifndef DVMRT_VERDICT_H
#define DVMRT_VERDICT_H
#include "runtime/data/ids.h"
#include "runtime/rules/check.h"
#include "runtime/rules/group.h"
#include "runtime/rules/region.h"

enum dvmrt_misplaced {
  DVMRT_BEYOND_EDGE,      /* farther than the declared widths */
  DVMRT_NO_PART,          /* the iteration owns nothing of the array */
  DVMRT_NEVER_RENEWED,
  DVMRT_WRITTEN_SINCE,
  DVMRT_MOVED_SINCE,
  DVMRT_NARROW_RENEWAL,
  DVMRT_NO_CORNER, /* in the declared edge */
  DVMRT_NAMED_STALE,      /* in an edge with a name, which is not renewed */
  DVMRT_PENDING,          /* being exchanged */
  DVMRT_IN_FLIGHT,        /* its exchange is under way */
  DVMRT_FETCHED,          /* fetched ahead of its use (remote.h) */
  DVMRT_OTHER_TASK,       /* it lies on the processors of another task */
  DVMRT_EDGE_WRITE,
  DVMRT_NO_RELATION,
  DVMRT_REPLICATED,
  DVMRT_FIXED,
  DVMRT_UNMAPPED          /* the loop has no 'on' */
};
/* A dependence between tasks. */
struct dvmrt_task_conflict {
  const struct dvmrt_directive *region; /* or of the task, where there is none */
  const char *name;                     /* of the task array */
  int64_t task, other;
  struct dvmrt_site *site;              /* the other access, or NULL */
};

enum dvmrt_record_kind {
  /* of an access, 'event' */
  DVMRT_RECORD_VALUE,      /* its word */
  DVMRT_RECORD_BOUNDS,
  DVMRT_RECORD_PLACE,      /* in a nest */
  DVMRT_RECORD_SEQUENTIAL, /* a read in the sequential part that not every processor can do */
  DVMRT_RECORD_ACROSS,     /* a dependence that 'across' does not cover */
  DVMRT_RECORD_TASK,
  DVMRT_RECORD_PENDING,    /* of a variable that is still being reduced; no event: 'directive' reduces it, too */
  DVMRT_RECORD_REGION,     /* what it does on the host or in a region; 'directive' is the region, or NULL */
  DVMRT_RECORD_ESCAPE,     /* a partial value is used for something other than its update */
  /* of a directive */
  DVMRT_RECORD_WIDTHS,     /* negative, or wider than the edge */
  DVMRT_RECORD_PROTOCOL,   /* an asynchronous reduction out of order */
  DVMRT_RECORD_MISMATCH,   /* the two evaluations of a reduction differ */
  DVMRT_RECORD_TARGET,     /* what 'on' names is not distributed: a parameter under 'inherit' that was given ordinary data */
  DVMRT_RECORD_UNPLACED,   /* .. was declared, but neither distributed nor aligned until now */
  DVMRT_RECORD_SOURCE,     /* array_copy reads an element without a value */
  DVMRT_RECORD_LEAVES,     /* a subscript of 'on' or of a section is outside of the array */
  DVMRT_RECORD_USAGE,
  DVMRT_RECORD_DECLARED,   /* a variable's directive differs from the one at its definition */
  DVMRT_RECORD_KINDS
};

struct dvmrt_protocol { /* "the reduction 'group' of 'name' <what>" */
  bool consistent;      /* "the consistent group .." */
  const char *name, *group, *what; /* name: may be NULL */
  const struct dvmrt_directive *other; /* or NULL */
};

/* Everything is borrowed for the call. */
struct dvmrt_record {
  enum dvmrt_record_kind kind;
  const struct dvmrt_event *event;
  const struct dvmrt_directive *directive;
  union {
    enum dvmrt_verdict value;
    struct {
      int dim;
      int64_t index, extent;
    } bounds;
    struct {
      const struct dvmrt_place *at;
      enum dvmrt_id id;
      enum dvmrt_misplaced why;
    } place;
    const struct dvmrt_event *assigned; /* SEQUENTIAL: the target of its assignment, or NULL */
    struct {
      enum dvmrt_verdict value;
      const struct dvmrt_clause_array *clause;
      const int64_t *reach; /* of the reading side (OUTPUT: of the present one), NULL: not known */
    } across;
    struct {
      enum dvmrt_verdict value;
      const struct dvmrt_task_conflict *conflict;
    } task;
    const struct dvmrt_pending_var *pending;
    struct {
      const struct dvmrt_held *held;
      uint64_t element;
      enum dvmrt_stale why;
    } region;
    struct {
      const struct dvmrt_array *array;
      const struct dvmrt_box *box;
      const char *which;
    } widths;
    struct dvmrt_protocol protocol;
    struct {
      const struct dvmrt_item *reduction;
      const char *name, *what; /* of the variable or its element; a part or property of it, or "" */
      const char *program, *declared, *tolerance;
    } mismatch;
    const char *target;
    const struct dvmrt_array *unplaced;
    struct {
      const struct dvmrt_array *array;
      const int64_t *ix;
    } source;
    struct {
      const struct dvmrt_item *item;
      const struct dvmrt_array *array;
      int dim;
      int64_t at;    /* the subscript .. */
      int index;     /* .. for this index variable's .. (-1: for all) */
      int64_t value; /* .. value */
    } leaves;
    const char *usage;
    const struct dvmrt_directive *defined;
  };
};

/* Inside dvmrt_mem_enter.  Hands the record to whoever words it. */
void dvmrt_verdict_give(const struct dvmrt_record *r);
/* .. which is set once, before anything is judged. */
extern void (*dvmrt_verdict_listener)(const struct dvmrt_record *r);
#endif
