/* What a device holds, as if it had a memory of its own: for each element of the data that regions use, on which side its newest
 * value is, and on which side the run-time system of DVM takes it to be.
 *
 * Host and device have a copy each.  What the program's own statements write outside of regions is newest on the host, what regions
 * write on the device.  Values move as directives say: into a region by 'in', 'inout', or because the region uses what no clause
 * names, if 'actual' (or nobody yet) has told that the device's copy is old; back by 'get_actual'.  Data are held from the first
 * region on that uses them; all others are on the host alone. */
#ifndef DVMRT_HELD_H
#define DVMRT_HELD_H
#include "runtime/data/directive.h"
#include "runtime/export.h"

/* Elements [low, high] of each dimension. */
struct dvmrt_section {
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
};

/* State of an element. */
enum {
  DVMRT_HOST_NEWEST = 1, /* the host's copy has the newest value .. */
  DVMRT_DEV_NEWEST = 2,  /* .. the device's has it */
  DVMRT_HOST_TOLD = 4,   /* directives say so of the host's copy: it need not be brought there .. */
  DVMRT_DEV_TOLD = 8,    /* .. of the device's */
  DVMRT_UNWRITTEN = 16,  /* under 'out', and not written by the region: no value */
  DVMRT_WAS_LOCAL = 32,  /* under 'local' or 'inlocal', and not written since: no value */
  DVMRT_MAY_READ = 64,   /* in the present region: a clause names it .. */
  DVMRT_MAY_WRITE = 128  /* .. as something that the region writes */
};

enum { DVMRT_HELD_SEEN = 8 };

struct dvmrt_held {
  uintptr_t base, end;
  uint64_t unit, count;         /* bytes of an element, and how many */
  uint8_t *state;               /* of each */
  uint8_t all, any;             /* bits that all states have, that some has; if not 'unsure' */
  bool unsure;
  uint8_t allowed;              /* MAY_READ, MAY_WRITE of all elements, beside what their states say */
  bool ordinary;                /* no distributed array */
  bool here;                    /* device=emulate: the program's memory holds the device's copy */
  bool inside, listed, written; /* in the present region: used, named by a clause, written there */
  const char *name;             /* of the variable; of a pointer if not 'direct' */
  bool direct;
  char type;
  int ndims;
  int64_t extent[DVMRT_NDIMS_MAX], stride[DVMRT_NDIMS_MAX]; /* stride in elements */
  /* The last write of each side: the access, or the directive. */
  struct dvmrt_site *host_writer, *dev_writer;
  const struct dvmrt_directive *host_in, *dev_in, *region; /* region: that the device's write was in */
  const struct dvmrt_directive *undefined;                 /* the last region that named it under 'out', 'local' or 'inlocal' */
  const struct dvmrt_directive *told;                      /* the last 'actual' or 'get_actual' of it */
  /* Sections all of whose states have the bits 'must' and none of 'mustnt', until a state changes. */
  struct {
    uint8_t must, mustnt;
    struct dvmrt_section of;
  } seen[DVMRT_HELD_SEEN];
  uint8_t nseen, next_seen;
  unsigned char *copy;          /* device=emulate: the side that is not in the program's memory; else NULL */
};

extern uint32_t dvmrt_held_count;
extern uint32_t dvmrt_held_changes; /* never 0; another number when something begins or ceases to be held */
/* All below inside dvmrt_mem_enter. */
struct dvmrt_held *dvmrt_held_at(uintptr_t a);
/* The first one that meets [a, a + n), or NULL. */
struct dvmrt_held *dvmrt_held_in(uintptr_t a, uint64_t n);
struct dvmrt_held *dvmrt_held_number(uint32_t i);
/* What a reference names: held already, or from now on.  NULL: no memory of a known length. */
struct dvmrt_held *dvmrt_held_of(const struct dvmrt_ref *ref, const int64_t *args);
struct dvmrt_held *dvmrt_held_find(const struct dvmrt_ref *ref, const int64_t *args); /* NULL: not held */
struct dvmrt_held *dvmrt_held_range(const char *name, uintptr_t a, uint64_t bytes, uint64_t unit);
/* What is in the range ceases to be. */
void dvmrt_held_forget(uintptr_t a, uint64_t n);
/* The elements that the axes of a reference name. */
void dvmrt_held_section(const struct dvmrt_held *h, const struct dvmrt_item *item, const int64_t *args, struct dvmrt_section *s);
bool dvmrt_held_is_whole(const struct dvmrt_held *h, const struct dvmrt_section *s);
/* Calls 'f' for each row of the section; false as soon as f says so. */
typedef bool dvmrt_held_f(struct dvmrt_held *h, uint64_t first, uint64_t n, void *arg);
bool dvmrt_held_each(struct dvmrt_held *h, const struct dvmrt_section *s, dvmrt_held_f *f, void *arg);
/* Have all states the bits 'must', and none of 'mustnt'?  Of n elements from 'first' on, or of a section. */
bool dvmrt_held_run(const struct dvmrt_held *h, uint64_t first, uint64_t n, uint8_t must, uint8_t mustnt);
bool dvmrt_held_all(struct dvmrt_held *h, const struct dvmrt_section *s, uint8_t must, uint8_t mustnt);
/* Makes 'all' and 'any' those of the states. */
void dvmrt_held_look(struct dvmrt_held *h);

/* Changes of states, of n elements from 'first' on. */
enum dvmrt_move {
  DVMRT_MOVE_IN,        /* a region that needs the values begins */
  DVMRT_MOVE_OUT,       /* .. that assigns them; what may be read as well keeps its value */
  DVMRT_MOVE_LOCAL,     /* .. that has them as work space */
  DVMRT_MOVE_END,       /* the region that wrote them is over */
  DVMRT_MOVE_END_LOCAL,
  DVMRT_MOVE_DEV_WRITE,
  DVMRT_MOVE_HOST_WRITE,
  DVMRT_MOVE_ACTUAL,
  DVMRT_MOVE_GET_ACTUAL,
  DVMRT_MOVE_BOTH       /* code that cannot be seen may have written them anywhere */
};
void dvmrt_held_move(struct dvmrt_held *h, uint64_t first, uint64_t n, enum dvmrt_move m);
void dvmrt_held_move_section(struct dvmrt_held *h, const struct dvmrt_section *s, enum dvmrt_move m);
/* Adds permissions of the present region. */
void dvmrt_held_allow(struct dvmrt_held *h, const struct dvmrt_section *s, uint8_t bits);
void dvmrt_held_disallow(struct dvmrt_held *h);

/* device=emulate: the copies change places when a region begins, and when it ends. */
extern bool dvmrt_held_emulates;
void dvmrt_held_swap(struct dvmrt_held *h);
/* .. what a directive outside of regions needs goes to the host's copy; the states stay. */
void dvmrt_held_fetch(struct dvmrt_held *h);
#endif
