/* Distributed arrays and templates of a parallel program: where they lie, which elements a rank owns. */
#ifndef DVMP_ARRAY_H
#define DVMP_ARRAY_H
#include "runtime/data/placing.h"
#include "runtime/parallel/grid.h"

struct dvmp_plan;

/* A name of an array, and its shape under that name. */
struct dvmp_called {
  const char *name;
  struct dvmrt_pos declared;
  bool fortran;
  int ndims;
  int64_t extent[DVMRT_NDIMS_MAX], lower[DVMRT_NDIMS_MAX];
};
struct dvmp_array {
  struct dvmp_array *next;
  const char *name;
  struct dvmrt_pos declared;
  const struct dvmrt_directive *placed; /* what gave it its place last */
  uintptr_t address, end;       /* of a template: of its variable, and that plus 1 */
  bool is_template, distributed, aligned;
  uint64_t element_bytes;
  char type;                    /* f i u c o */
  const char *holes;            /* bytes of an element that are no value, as dvmt_digest_holed has them; NULL: none */
  int ndims;
  int64_t extent[DVMRT_NDIMS_MAX], stride[DVMRT_NDIMS_MAX]; /* stride in elements */
  int64_t lower[DVMRT_NDIMS_MAX]; /* of Fortran: what subscripts begin with; else 0 */
  uint8_t dist[DVMRT_NDIMS_MAX];
  struct dvmp_grid *grid;       /* when distributed: borrowed by what is aligned with it */
  struct dvmp_array *target;    /* when aligned */
  const char *target_name;
  int nmap;
  struct dvmrt_coord map[DVMRT_NDIMS_MAX];
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX]; /* declared shadow widths */
  struct dvmrt_layout layout;
  struct dvmp_set own;          /* of this rank */
  struct dvmp_arena memory;     /* of 'own' */
  struct dvmp_included *edges;  /* named ones of its root that it has, in 'memory' */
  struct dvmp_plan *plans;      /* exchanges that were made before and may come again */
  bool on_stack;
  struct dvmp_guard *guard;     /* pages that are not accessible, or NULL */
  uint64_t huge_bytes;          /* for which large pages have been asked (huge.h) */
  const struct dvmrt_directive
      *fixed; /* its declaration, whose dimensions that are not divided stay so: it does not say 'dynamic'; else NULL */
  const struct dvmp_group *born; /* the ranks that have declared it: others do not know it */
  uint64_t number;              /* the same on all ranks; 0: not all have declared it */
  unsigned moves;               /* how often it has been given another place */
  struct dvmp_poison *poison;   /* states of elements, or NULL */
  struct dvmp_called
      called;    /* by the latest directive that names its memory: so do sequential runs that are recorded; name NULL: its own */
};

/* The processors that what is laid out so lies on; it has a root. */
static inline const struct dvmp_grid *dvmp_layout_grid(const struct dvmrt_layout *l) { return ((const struct dvmp_array *)l->root)->grid; }

/* An array, bind or template directive. */
void dvmp_array_declare(struct dvmrt_directive *d, const int64_t *args);
/* What a library holds that goes: arrays, and directives of its constructors. */
void dvmp_array_gone(uintptr_t address, uint64_t bytes);
/* Directives that came before the job has begun. */
void dvmp_array_declare_early(void);
/* redistribute and realign: the elements move. */
void dvmp_array_redistribute(struct dvmrt_directive *d, const int64_t *args);
/* What lies there is no array any more. */
void dvmp_array_forget(uintptr_t address, uint64_t bytes);

/* All arrays and templates, linked by 'next'. */
struct dvmp_array *dvmp_array_first(void);
struct dvmp_array *const *dvmp_array_list(void); /* where the first one is told */
/* The array that holds the address, or NULL: ordinary memory. */
struct dvmp_array *dvmp_array_at(uintptr_t address);
struct dvmp_array *dvmp_template_at(uintptr_t variable);
/* The template or array that a ref names, or NULL (a parameter that got ordinary memory).  One that a pointer into its middle names is
 * refused. */
struct dvmp_array *dvmp_array_of(const struct dvmrt_directive *d, const struct dvmrt_ref *ref, const int64_t *args);
/* The same, also of an array that lies on ranks beyond those of the task that is executed: the other one refuses these. */
struct dvmp_array *dvmp_array_named(const struct dvmrt_directive *d, const struct dvmrt_ref *ref, const int64_t *args);
void dvmp_array_indices(const struct dvmp_array *a, uintptr_t at, int64_t *ix);

/* All ranks that are together have all of it. */
bool dvmp_array_everywhere(const struct dvmp_array *a);
/* The ranks it lies on are among those that are together. */
bool dvmp_array_reached(const struct dvmp_array *a);
/* The first and the next one that all ranks that are together have declared: in the same order on each of them. */
struct dvmp_array *dvmp_array_common(struct dvmp_array *a);
/* The part of a rank. */
struct dvmp_set dvmp_array_own(struct dvmp_arena *m, const struct dvmp_array *a, int rank);
/* The part of a rank with edges of these widths, corners and all.  A rank may have edges and no
 * part: between two elements of an array at every second place. */
struct dvmp_set dvmp_array_with_edges(struct dvmp_arena *m, const struct dvmp_array *a, int rank, const int64_t *low, const int64_t *high);
/* What lies as 'l' says, with these extents, along the grid of its root. */
struct dvmp_set dvmp_layout_own(struct dvmp_arena *m, const struct dvmrt_layout *l, int ndims, const int64_t *extent, int rank);
/* Of several ranks with the same elements: does 'to' get them from 'from'? */
bool dvmp_array_gives(const struct dvmrt_layout *l, int from, int to);
/* This rank has the element. */
bool dvmp_array_mine(const struct dvmp_array *a, uintptr_t at);
/* The first rank that has the element. */
int dvmp_array_owner(const struct dvmp_array *a, uintptr_t at);
#endif
