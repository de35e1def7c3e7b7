/* Distributed arrays and templates: shape, distribution or alignment, shadow edges and their state, and the words. */
#ifndef DVMRT_ARRAY_H
#define DVMRT_ARRAY_H
#include "runtime/data/placing.h"
#include "runtime/data/shadow.h"

enum { DVMRT_RENEWALS_MAX = 8, DVMRT_KNOWN_MAX = 4 };

struct dvmrt_array {
  struct dvmrt_region region;   /* first: a region is its array; base = end = 0 for a template */
  struct dvmrt_array *next;
  struct dvmrt_site *site;      /* of the directive, or NULL */
  struct dvmrt_pos declared;
  const char *name;
  uintptr_t address;            /* of the first element; of the variable, if a template */
  bool is_template, distributed, aligned, dynamic, shadow_given;
  bool ordinary;                /* no distributed array: only watched for the time of one nest */
  char type;
  uint64_t element_bytes;
  uint32_t granule;             /* a word for so many bytes of an element, 0: one for all of it if that is a power of two */
  int ndims;
  int64_t lower[DVMRT_NDIMS_MAX]; /* what messages count from: 0 in C */
  int64_t extent[DVMRT_NDIMS_MAX], stride[DVMRT_NDIMS_MAX]; /* stride in elements */
  uint8_t dist[DVMRT_NDIMS_MAX];
  int64_t unit[DVMRT_NDIMS_MAX]; /* of multblock, else 0 */
  const struct dvmrt_directive *placed; /* what has distributed or aligned it last */
  bool judged;                  /* whether that fits its target has been looked at */
  uintptr_t tasks;              /* the task array on the processors of whose .. */
  int64_t task;                 /* .. task it lies; tasks = 0: of none */
  const struct dvmrt_onto *onto; /* the section of processors on which it lies (rules/onto.h); NULL: on all */
  uintptr_t target_address;     /* when aligned */
  const char *target_name;
  int ntarget;
  struct dvmrt_coord map[DVMRT_NDIMS_MAX]; /* one per dimension of the target */
  struct dvmrt_layout layout;   /* for version 'layout_version' */
  uint32_t layout_version;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX]; /* declared shadow widths */
  /* State of the shadow edges: what has been renewed since the last write. */
  int nboxes;
  struct dvmrt_box boxes[DVMRT_RENEWALS_MAX];
  struct dvmrt_has_edge *edges; /* those that shadow_add has given it (edges.h) */
  bool named_edges;             /* there are some */
  bool named_renewed;           /* .. and one of them has been renewed since the last write */
  bool ever_renewed, ever_written;
  const struct dvmrt_directive *moved; /* that gave it, or what it is aligned with, another place since its edges were renewed; or NULL */
  bool dirty;                   /* written in the construct that is being executed */
  struct dvmrt_site *writer;    /* site of the last write, or NULL */
  struct dvmrt_directive *writer_in; /* the parallel loop it was in, or NULL */
  bool full;                    /* all elements have values, as long as the region has lost as many as .. */
  uint32_t full_losses, full_asked, full_wait; /* .. then; questions since one was looked at, and how many will not be */
  /* Ranges of elements that have values (summary.c), as long as the region has lost as many as then. */
  uint32_t known_losses;
  int nknown, next_known;
  struct {
    int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  } known[DVMRT_KNOWN_MAX];
};

/* All inside dvmrt_mem_enter. */
/* Executes an array, bind or template directive (also: declares a pointer variable's shape when its value is NULL). */
void dvmrt_array_declare(struct dvmrt_directive *d, const int64_t *args);
/* What the directive would make of an array, in 'form', which is zero: its distribution, alignment, edges; for a template its size. */
void dvmrt_array_form(struct dvmrt_array *form, const struct dvmrt_directive *d, const int64_t *args);
void dvmrt_array_redistribute(struct dvmrt_directive *d, const int64_t *args);
/* The array that begins at the address, else one that holds it, else a pointer variable's that has this value. */
struct dvmrt_array *dvmrt_array_at(uintptr_t address);
struct dvmrt_array *dvmrt_array_of(struct dvmrt_ref *ref, const int64_t *args);
/* Watches an ordinary array by element; NULL: its shape is not known. */
struct dvmrt_array *dvmrt_array_watch(const struct dvmrt_item *own, const int64_t *args);
/* Ends that: its memory is ordinary again. */
void dvmrt_array_unwatch(struct dvmrt_array *a);
/* Template or array that a ref of 'on' or 'align' names, or NULL. */
struct dvmrt_array *dvmrt_array_target(uintptr_t address);
/* Called for each array that ceases to be, before it does. */
extern void (*dvmrt_array_gone)(struct dvmrt_array *a);
/* Called when 'd' is about to distribute or align the array (or template) as its item 'own' says. */
extern void (*dvmrt_array_placed)(const struct dvmrt_directive *d, const struct dvmrt_item *own, const struct dvmrt_array *a,
                                  const int64_t *args);
/* Asked where an array lies that is distributed or aligned now and of which nothing else is said. */
extern const struct dvmrt_onto *(*dvmrt_array_onto)(void);
/* No array lies in [a, a + n) any more. */
void dvmrt_array_forget(uintptr_t a, uint64_t n);
/* Sites in [first, last) are no longer there: nothing refers to them after this. */
void dvmrt_array_sites_gone(const struct dvmrt_site *first, const struct dvmrt_site *last);
/* What the access adds in its subscript 'd', from zero as the array counts; its axis is 'c' or 'a'. */
int64_t dvmrt_array_added(const struct dvmrt_array *a, const struct dvmrt_access *x, int d);
/* Where subscripts lead, in elements from the first; they need not be in range. */
static inline uint64_t dvmrt_array_number(const struct dvmrt_array *a, const int64_t *ix) {
  uint64_t k = 0;
  for (int d = 0; d < a->ndims; d++)
    k += (uint64_t)(ix[d] * a->stride[d]);
  return k;
}
/* .. as an address. */
static inline uintptr_t dvmrt_array_leads_to(const struct dvmrt_array *a, const int64_t *ix) {
  return a->region.base + dvmrt_array_number(a, ix) * a->element_bytes;
}
/* Is each subscript in range? */
static inline bool dvmrt_array_holds(const struct dvmrt_array *a, const int64_t *ix) {
  for (int d = 0; d < a->ndims; d++)
    if ((uint64_t)ix[d] >= (uint64_t)a->extent[d])
      return false;
  return true;
}
/* Are they those of the element that holds address 'at'? */
static inline bool dvmrt_array_is_at(const struct dvmrt_array *a, uintptr_t at, const int64_t *ix) {
  return dvmrt_array_holds(a, ix) && at - dvmrt_array_leads_to(a, ix) < a->element_bytes;
}
/* Indices of the element that holds address 'a'. */
void dvmrt_array_indices(const struct dvmrt_array *a, uintptr_t at, int64_t *ix);
const struct dvmrt_layout *dvmrt_array_layout(struct dvmrt_array *a);
/* Takes into 'h' all that the verdict on an access depends on and that is not in a directive: where the array lies, what its edges
 * hold. */
uint64_t dvmrt_array_key(struct dvmrt_array *a, uint64_t h);
/* A step of it. */
static inline uint64_t dvmrt_key_mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15ull;
  return h ^ h >> 29;
}
/* Widths of a clause for this array, declared ones where none are given. */
void dvmrt_array_widths(struct dvmrt_array *a, const struct dvmrt_item *item, const int64_t *args, struct dvmrt_box *box);
void dvmrt_array_renew(struct dvmrt_array *a, const struct dvmrt_box *box);
/* Are all elements known to have values?  They are looked at now and then only. */
bool dvmrt_array_has_values(struct dvmrt_array *a);
/* The array has been written outside any construct, or the construct that wrote it is over. */
void dvmrt_array_stale(struct dvmrt_array *a);
/* Is an element displaced so covered by the box? */
bool dvmrt_box_covers(const struct dvmrt_box *b, const struct dvmrt_place *p, int ndims);
unsigned dvmrt_array_count(void);
/* All arrays, by 'next'. */
struct dvmrt_array *dvmrt_array_first(void);
#endif
