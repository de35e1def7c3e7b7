/* The rules: what an access may do with a word, and where an element may lie. */
#ifndef DVMRT_CHECK_H
#define DVMRT_CHECK_H
#include "runtime/rules/construct.h"
#include "runtime/rules/members.h"

enum dvmrt_verdict {
  DVMRT_FINE,
  DVMRT_UNINIT,           /* no value: the word says why */
  DVMRT_PRIVATE_UNINIT,   /* of another iteration, or none yet in this one */
  DVMRT_READONLY_WRITE,
  DVMRT_UNDECLARED,       /* warning: private by its first access */
  DVMRT_FLOW,
  DVMRT_ANTI,
  DVMRT_OUTPUT
};

/* One access, as far as it is known. */
struct dvmrt_event {
  struct dvmrt_access *access;
  struct dvmrt_frame *nest;     /* NULL: sequential part */
  struct dvmrt_array *array;    /* NULL: ordinary data */
  uintptr_t at;                 /* 0: a local that has no address */
  const int64_t *subscripts;    /* one per X line, or NULL */
  int64_t ix[DVMRT_NDIMS_MAX];  /* array: indices of the element */
  uint32_t flags;
  bool told;                    /* something was wrong with a part of it */
  bool kept;                    /* was written, and stays a datum that the construct reads */
  bool replicas;                /* a write that replicas.h follows */
  bool partly_own;              /* copied: of some part this iteration has given the value, or none has */
  bool copied;                  /* a whole struct: what has no value is copied so */
  enum dvmrt_class class;
  const struct dvmrt_var *var;  /* the clause of 'class', or NULL */
  uint32_t word;                /* before the access */
  uint32_t now;                 /* word of the present iteration, written */
  uint32_t base;                /* of the nest, 0 outside */
  struct dvmrt_unit unit;       /* of a range that is judged by members: which; else without member */
  bool fresh;                   /* the iteration itself has written the element before it reads it */
  bool beyond;                  /* it is judged where a neighbour executes the iteration, for its edge */
  const struct dvmrt_layout *moved; /* of the nest, seen from there */
  const struct dvmrt_directive
      *asked; /* a read in the sequential part: of the block of remote_access that names the array; NULL: none does */
  bool outdated;                /* a read under remote_access of what the block has assigned (outdated.h) */
  bool lost;                    /* a write that goes to a buffer: it marks no element */
};

/* The rule for one word: returns the new one. */
uint32_t dvmrt_check_word(enum dvmrt_class class, uint32_t word, uint32_t flags, uint32_t now, uint32_t base, bool born_here,
                          enum dvmrt_verdict *verdict);
/* Does the reference use the buffer of a remote_access around it? */
bool dvmrt_check_buffered(const struct dvmrt_event *ev);
/* Is the element where this iteration may touch it?  Reports when not.  True: the answer holds for the whole execution. */
bool dvmrt_check_place(struct dvmrt_event *ev);
/* Would dvmrt_check_place report nothing for this access, in this iteration and all others of the nest?  Changes nothing. */
bool dvmrt_check_place_settled(const struct dvmrt_event *ev);
/* Will dvmrt_check_place say the same of all accesses of this site in the nest as of this one, which it has reported? */
bool dvmrt_check_place_constant(const struct dvmrt_event *ev);
/* Does the iteration own a part of the array; is the place declared to be in its edge; does the edge hold its present value? */
bool dvmrt_check_place_part(const struct dvmrt_array *a, const struct dvmrt_place *p);
bool dvmrt_check_place_edge(const struct dvmrt_array *a, const struct dvmrt_place *p);
bool dvmrt_check_place_valid(const struct dvmrt_array *a, const struct dvmrt_place *p);
/* Has dvmrt_check_place nothing to report of any access of this site, to an array under the clause, but dependences, of which one has
 * been reported? */
bool dvmrt_check_place_carried(const struct dvmrt_event *ev, const struct dvmrt_clause_array *across);
/* The array ceases to be. */
void dvmrt_check_close_waiting_in(const struct dvmrt_array *a);
/* The expression of the access begins again: its read had an ordinary target, if it still waits. */
void dvmrt_check_close_waiting_of(const struct dvmrt_access *x);
/* Judges an access that dvmrt_repeat_note_waits has noted.  False: nothing has changed, look at it as at others. */
bool dvmrt_check_assigns_again(struct dvmrt_access *x, uintptr_t p, const int64_t *ix, uint32_t flags);
/* Something else begins: reads that still wait for the target of their expression had an ordinary one. */
void dvmrt_check_close_waiting(void);
/* The element at 'p' is the one that what is read next for the same statement is needed for (WHERE and FORALL of Fortran). */
void dvmrt_check_target(uintptr_t p, struct dvmrt_site *site);
bool dvmrt_check_has_target(const struct dvmrt_access *x);
/* Subscriber. */
void dvmrt_check_before(struct dvmrt_frame *f);
/* The parts that dvmrt_check_touch is made of, for others that know the access in another way. */
void dvmrt_check_event(struct dvmrt_event *ev, struct dvmrt_site *site, const int64_t *ix, uint32_t flags);
void dvmrt_check_classify(struct dvmrt_event *ev);
void dvmrt_check_memory(struct dvmrt_event *ev, uintptr_t a, uintptr_t end);
/* 'placed': bounds and place have been judged.  Clears DVMRT_WRITE in ev->flags of a write that goes to a buffer. */
void dvmrt_check_element(struct dvmrt_event *ev, struct dvmrt_array *a, uintptr_t p, uint64_t size, bool placed);
/* Has dvmrt_check_place nothing to report, in this iteration, of the elements from that of 'ev' to the one with the subscripts 'last', which
 * differ in the last one alone?  Changes nothing; false: it may have. */
bool dvmrt_check_place_run(const struct dvmrt_event *ev, const int64_t *last);
/* Address [p, p + size) is accessed. */
void dvmrt_check_touch(uintptr_t p, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags);
/* Was the struct that has just been judged as the target of a copy written to a buffer, so that no element is?  Asked once, by
 * that copy: a later one to the same place is its own. */
bool dvmrt_check_copied_nowhere(uintptr_t dst);
/* A function that we know has written [p, p + size), in a nest: what it writes counts as assigned in this iteration. */
void dvmrt_check_filled(uintptr_t p, uint64_t size);
void dvmrt_check_bounds(uintptr_t p, struct dvmrt_site *site, const int64_t *ix, uint32_t dim, int64_t extent, uint32_t flags);
/* Has that been asked in this execution of the nest, and need not be again? */
static inline bool dvmrt_check_view_settled(const struct dvmrt_frame *nest, const struct dvmrt_access *x) {
  return x->settled_in == nest->serial + 1;
}
bool dvmrt_check_view_place(uintptr_t p, struct dvmrt_site *site, const struct dvmrt_view *view, const int64_t *ix, uint32_t flags);
uint32_t dvmrt_check_local(struct dvmrt_site *site, uint32_t word, uint32_t kind, uint32_t flags, const int64_t *ix);
/* What the innermost nest's function calls the array: the name that a clause must use. */
const char *dvmrt_check_array_name(const struct dvmrt_event *ev);
#endif
