/* What the thread is executing: a stack of constructs (parallel loops, regions, ..), each with what its clauses say.
 *
 * A construct is entered at one site with one frame address; after it has been left, the next enter with the same pair says
 * so (0) and takes the frame off.  Constructs that were jumped out of (longjmp) are taken off when something is entered or
 * left below them.  Only one thread at a time owns constructs that are checked; the others' run unobserved. */
#ifndef DVMRT_CONSTRUCT_H
#define DVMRT_CONSTRUCT_H
#include "runtime/data/array.h"
#include "runtime/data/rows.h"

enum dvmrt_class {
  DVMRT_CLASS_PLAIN,      /* sequential part */
  DVMRT_CLASS_PRIVATE,
  DVMRT_CLASS_REDUCTION,
  DVMRT_CLASS_FIRST,      /* replicated data in a mapped nest: by first access */
  DVMRT_CLASS_SHARED,     /* ordinary data in a nest that is not mapped, distributed elements */
  DVMRT_CLASS_ACROSS,     /* its dependences are declared */
  DVMRT_CLASS_BUFFER      /* read from the buffer of a remote_access */
};

struct dvmrt_var {
  uintptr_t low, high;
  enum dvmrt_class class; /* PRIVATE or REDUCTION */
  const struct dvmrt_item *item;
};

/* An array in a clause of the construct. */
struct dvmrt_across_stale;
struct dvmrt_clause_array {
  char key;               /* C across, M remote access */
  struct dvmrt_array *array; /* C: NULL when its shape is not known */
  const struct dvmrt_item *item;
  struct dvmrt_box box;   /* C */
  struct dvmrt_box used;  /* C: how far accesses within the widths have reached so far */
  int watch;              /* C: across.c's; 0: not decided */
  uint32_t *readers;      /* C: words of readers beyond the widths, one per element; owned, or NULL */
  bool blamed;            /* C: a dependence beyond the widths has been reported in this execution */
  struct dvmrt_across_stale *stale; /* C: reads of edges that wait for the end of the execution; across.c's, owned */
};

struct dvmrt_use {
  const struct dvmrt_item *item;
  struct dvmrt_array *array;
  bool held;                /* it has words, but each access is to be looked at for its region's sake */
  struct dvmrt_view view, part, extents; /* of whole elements; of parts that have a word each; of others, without words */
};

struct dvmrt_range {
  uintptr_t low, high;
};

/* shadow_compute: how far beyond its part of each dimension of the root a processor executes iterations, too. */
struct dvmrt_beyond {
  bool any;
  bool named;  /* also for edges that have names */
  bool corner; /* the clause says so: what iterations in corners read must be there */
  bool lost;   /* else: it was not, so the corners hold nothing when the loop is over */
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
};

struct dvmrt_frame {
  struct dvmrt_frame *outer;
  struct dvmrt_directive *d;
  void *frame;
  bool left;              /* waits for the enter that says so */
  bool nest;              /* a parallel loop that is being checked */
  bool mapped;            /* with 'on' */
  bool bare;              /* a parallel loop inside another one, already reported: nothing else has been set up */
  bool proved;            /* judged when it was entered: its iterations are not followed */
  bool task;              /* a task, or a loop of tasks, that is being checked */
  const struct dvmrt_item *task_on; /* .. which one */
  uint64_t recall;        /* recall.c's: the execution's key, 0: none */
  struct dvmrt_now saved;
  uint32_t serial;        /* number of this execution: marks what is born in it */
  struct dvmrt_layout layout; /* of the iterations, by index variables */
  struct dvmrt_array *on;     /* or NULL */
  uint32_t on_left;           /* dimensions of it that iterations have been reported to leave */
  struct dvmrt_beyond beyond;
  struct dvmrt_rows rows;
  struct dvmrt_var *vars;
  uint32_t nvars, vars_cap;
  struct dvmrt_clause_array *clauses;
  uint32_t nclauses, clauses_cap;
  struct dvmrt_use *uses;
  uint32_t nuses, uses_cap;
  struct dvmrt_range *undeclared; /* data that are private by their first access: undefined afterwards */
  uint32_t nundeclared, undeclared_cap;
  struct dvmrt_range *filled;     /* data with words that say DVMRT_W_FILLED */
  uint32_t nfilled, filled_cap;
  struct dvmrt_array **dirty;     /* arrays written in it */
  uint32_t ndirty, dirty_cap;
  struct dvmrt_step *steps;       /* of reductions that are looked at between iterations; reduce.c's */
  int64_t *args;
  uint32_t nargs, args_cap;
};

/* Who wants to know of constructs.  What is not given is not called. */
struct dvmrt_subscriber {
  void (*before)(struct dvmrt_frame *f);  /* a nest or construct is entered: its clauses are not at work yet */
  void (*over)(struct dvmrt_frame *f);    /* it is over, also by a jump; words, clauses and the state of the thread are still as in it */
  void (*left)(struct dvmrt_frame *f);    /* a nest has been left at its end */
  void (*judged)(struct dvmrt_directive *d, const char *why); /* a nest was judged at its entry; 'why' not, or NULL: it was */
};
/* At the start of the process: 'table' ends with an empty row, and is called in its order. */
void dvmrt_construct_subscribe(const struct dvmrt_subscriber *table);
/* Tells that a nest was judged at its entry, or why not. */
void dvmrt_construct_judged(struct dvmrt_directive *d, const char *why);
/* Iterations of the nest that is being executed, so far. */
static inline uint64_t dvmrt_construct_iterations(void) { return (__dvmrt_now.write + 1 - __dvmrt_now.base) / 2; }

/* Without dvmrt_mem_enter.  A parallel loop that has been reported as inside of the nest is entered and left again, from the same place of
 * the stack, and counted; whatever else it may be is for 'enter' and 'leave'. */
typedef int dvmrt_enter_fn(struct dvmrt_site *site, void *frame, const int64_t *args);
typedef void dvmrt_leave_fn(struct dvmrt_site *site, void *frame);
int dvmrt_construct_enter_again(struct dvmrt_site *site, void *frame, const int64_t *args, dvmrt_enter_fn *enter);
void dvmrt_construct_leave_again(struct dvmrt_site *site, void *frame, dvmrt_leave_fn *leave);
/* All inside dvmrt_mem_enter. */
int dvmrt_construct_enter(struct dvmrt_directive *d, void *frame, const int64_t *args);
void dvmrt_construct_leave(struct dvmrt_directive *d, void *frame);
/* Those that were entered in frames at or below 'frame' and not left are reported, and end. */
void dvmrt_construct_landed(const void *frame);
void dvmrt_construct_row(struct dvmrt_directive *d);
const struct dvmrt_view *dvmrt_construct_view(struct dvmrt_directive *d, uint32_t use, uint32_t shift);
/* The use that the view is of; NULL: of none of this frame. */
const struct dvmrt_use *dvmrt_construct_use(const struct dvmrt_frame *f, const struct dvmrt_view *view);

/* The innermost execution of the directive that has not been left, or NULL. */
struct dvmrt_frame *dvmrt_construct_of(const struct dvmrt_directive *d);
/* The thread's innermost parallel loop that is being checked, or NULL. */
struct dvmrt_frame *dvmrt_construct_nest(void);
/* The innermost construct, checked or not. */
struct dvmrt_frame *dvmrt_construct_top(void);
bool dvmrt_construct_opaque(void); /* is it in a parallel loop that is not being checked? */
/* May this thread's accesses be judged? */
bool dvmrt_construct_judges(void);
/* Is [a, a + n) private by clause in the nest?  Needs no lock. */
bool dvmrt_construct_private(uintptr_t a, uint64_t n);
/* Is [a, a + n) under 'reduction' in the nest?  Likewise. */
bool dvmrt_construct_reduces(uintptr_t a, uint64_t n);
/* How the nest sees ordinary data at 'a'; '*var' is its clause, if any. */
enum dvmrt_class dvmrt_construct_class(const struct dvmrt_frame *f, uintptr_t a, const struct dvmrt_var **var);
enum dvmrt_class dvmrt_construct_array_class(const struct dvmrt_frame *f, struct dvmrt_array *a);
/* The clause with this key that names the array, in the nest or a remote_access block around it. */
/* The innermost directive around that names the array in remote_access; NULL: none. */
const struct dvmrt_directive *dvmrt_construct_asked(const struct dvmrt_array *a);
struct dvmrt_clause_array *dvmrt_construct_clause(const struct dvmrt_frame *f, char key, const struct dvmrt_array *a);
/* Is an array of unknown shape under 'across' by that name? */
bool dvmrt_construct_across_named(const struct dvmrt_frame *f, const char *name);
/* Does the nest's text write the array under none of its names? */
bool dvmrt_construct_only_reads(const struct dvmrt_frame *f, const struct dvmrt_array *a);
/* [low, high) has become private without a clause. */
void dvmrt_construct_undeclared(struct dvmrt_frame *f, uintptr_t low, uintptr_t high);
/* Words of [low, high) say that a function has filled it: no longer than the nest. */
void dvmrt_construct_filled(struct dvmrt_frame *f, uintptr_t low, uintptr_t high);
/* The array is written by 'site' (or NULL: not known where). */
void dvmrt_construct_written(struct dvmrt_array *a, struct dvmrt_site *site);
/* Index variables of the iteration with that word, if it is of this execution. */
bool dvmrt_construct_iteration(const struct dvmrt_frame *f, uint32_t word, int64_t *iv);
/* Word for what begins to live now without a value. */
uint32_t dvmrt_construct_born_word(void);
/* Does the word say 'born in this execution'? */
bool dvmrt_construct_born_here(const struct dvmrt_frame *f, uint32_t word);
unsigned dvmrt_construct_count(void);
/* In a forked child. */
void dvmrt_construct_forked(void);
/* On the main thread. */
void dvmrt_construct_init(void);
#endif
