/* What unseen code can reach from memory that it has: objects, what pointers in them lead to, and so on.  All of it counts as
 * assigned from then on.  All inside dvmrt_mem_enter. */
#ifndef DVMRT_REACH_H
#define DVMRT_REACH_H
#include "runtime/data/heap.h"

/* How much is looked at, so that a call costs no more than that. */
struct dvmrt_reach_limits {
  uint64_t each;    /* bytes of an object */
  uint64_t bytes;   /* of all of them */
  uint32_t objects;
};

enum { DVMRT_REACH_SHORT_OBJECTS = 64, DVMRT_REACH_SHORT_BYTES = 4096 };

/* What has been found. */
struct dvmrt_reached {
  struct dvmrt_extent cut[DVMRT_REACH_SHORT_OBJECTS]; /* from which there is more than was looked at */
  uint32_t ncut;
  uint64_t bytes; /* looked at */
  bool far;       /* what the short way would not have found leads to objects */
};

/* The address in a word, whatever marks its upper bits hold: of a 'boxed' number, of a language's run-time system. */
uintptr_t dvmrt_reach_address(uint64_t word);
/* The object that holds the address, with or without marks in its lowest bits. */
bool dvmrt_reach_find(uintptr_t a, struct dvmrt_extent *x);
/* The array that holds the address, if any, counts as assigned. */
bool dvmrt_reach_array(uintptr_t a);
/* The object itself counts as assigned. */
void dvmrt_reach_settle(struct dvmrt_extent x);
/* What lies around an address of no object that is known. */
void dvmrt_reach_around(uintptr_t a);

/* As much as a call may cost.  'x' and all that it leads to, or, if it has no size, what static data lead to from there. */
void dvmrt_reach_shortly(struct dvmrt_extent x, struct dvmrt_reached *r);
/* All within 'bytes'. */
void dvmrt_reach_all(struct dvmrt_extent x, uint64_t bytes, struct dvmrt_reached *r);

/* From here on it is noticed whether the datum at 'a' is reached; the answer ends it. */
void dvmrt_reach_watch(uintptr_t a);
bool dvmrt_reach_watched(void);
#endif
