/* The one header between inserted code and libdvmrt: words of shadow memory, per-thread state, site texts, entry points.
 * The pass emits against it, the runtime implements it.  Any change of layout or meaning changes DVMRT_ABI. */
#ifndef DVMRT_ABI_H
#define DVMRT_ABI_H
#include "base/limits.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DVMRT_ABI 5
#define DVMRT_NDIMS_MAX DVM_NDIMS_MAX

/* ---- Words -----------------------------------------------------------------------------------------------------------
 * One 32-bit word for each granule of data (an element of a distributed array; 4 or 8 bytes elsewhere).
 *   word < DVMRT_W_FIRST    no value: why, see below
 *   otherwise               id = word >> 1 of the iteration that touched it first since it was last taken over,
 *                           word & 1: the toucher, or anyone since, has written it
 *   word & DVMRT_W_FILLED   in a mapped nest: ordinary data that a function like memset has filled in iteration 'id', and that
 *                           the nest has not touched before: assigning them is still to be judged
 * Iteration ids grow over the whole run; those below a construct's base mean "not touched in this construct". */
enum {
  DVMRT_W_NEVER = 0,      /* never assigned */
  DVMRT_W_PRIVATE = 1,    /* was private in a construct that is over (or has just been entered): undefined */
  DVMRT_W_NEWVALUE = 2,   /* undefined by redistribute / realign with new_value */
  DVMRT_W_LOCAL = 3,      /* region local: undefined */
  DVMRT_W_TASK = 4,       /* replicated, and written by tasks of a region that is over: each processor has another value */
  DVMRT_W_COPY = 5,       /* the target of an asynchronous copy that is under way */
  DVMRT_W_FIRST = 1024,
  DVMRT_W_ASSIGNED = 1025 /* assigned in the sequential part, or by code that we cannot see */
};
#define DVMRT_W_FILLED 0x80000000u /* ids have 30 bits */

/* ---- State of the thread -----------------------------------------------------------------------------------------------
 * The inline fast paths, for memory whose class is not known while compiling ('w' is the word, see __dvmrt_pages):
 *   read:   if (w < DVMRT_W_FIRST) slow;                              // no value
 *           else if (w < now.first_read) *wp = now.write & ~1u;       // first touch in this construct
 *           else if ((w & now.mask) && w != now.write) slow;          // written in this construct by another iteration
 *   write:  if (w == now.write) ;                                     // again
 *           else if (w < now.first_write) *wp = now.write;            // first touch
 *           else if ((w | 1) == now.write && now.first_write) *wp = now.write; // read before by this very iteration
 *           else slow;
 * Sequential part (and threads that did not enter the construct): write = ASSIGNED, first_read = FIRST,
 * first_write = 0xffffffff, mask = 0.  In a construct: write = id<<1|1 of the present iteration, first_read = base,
 * mask = 1, first_write = base if ordinary data are shared (parallel without 'on'), 0 if they are not (then each first
 * write goes to the slow path, which knows private, reduction and distributed data).  The runtime sets all of it;
 * inserted code only advances 'write' and 'iv' at the start of an iteration:
 *   now.write += 2; now.iv[d] = value of index variable d. */
struct dvmrt_now {
  uint32_t write;
  uint32_t first_read;
  uint32_t first_write;
  uint32_t mask;
  uint32_t base;     /* word of the construct's first iteration with W = 0 (base id << 1); 0 outside */
  /* Set by the caller to the address of a function that may not be instrumented; the prologue of an instrumented function
   * clears it if it is its own address; still there after the call: the callee was foreign.  The caller then puts back what
   * was there before, so that what a foreign function calls back does not change the answer. */
  const void *callee;
  int64_t iv[DVMRT_NDIMS_MAX + 1]; /* index variables of the innermost nest, outermost first */
};
extern __thread struct dvmrt_now __dvmrt_now __attribute__((tls_model("initial-exec")));

/* ---- Shadow of ordinary memory: two-level page table, 4 KiB pages --------------------------------------------------------
 *   e  = __dvmrt_pages[(a >> 30) & 0x1ffff][(a >> 12) & 0x3ffff];
 *   e & 3: 0 nothing known (all assigned), 1 granule 4, 2 granule 8, 3 only the slow path knows
 *   wp = (uint32_t *)((e & ~3) + ((a >> shift) << 2))   with shift 2 or 3, arithmetic modulo 2^64
 * An access of 4 bytes, aligned, takes the inline path if the code is 1; one of 8 bytes, aligned, if it is 2; everything
 * else, and code 0 while now.mask is 1, goes to the slow path.  Code 0 with now.mask 0: nothing to do (read and write).
 * Entries of the first level are never NULL. */
extern uintptr_t *__dvmrt_pages[1 << 17];

/* ---- Doubt -----------------------------------------------------------------------------------------------------------------
 * Outside of parallel loops ('now.mask' is 0) an access is of interest only if one of its bytes is in doubt:
 *   bits[(a >> 3) & mask] >> (a & 7) & 1
 * Everything else goes to the slow path, which may find that there is nothing to say.  Code that cannot see whether it is
 * executed by a loop takes 'all' and the mask 0 if it is.  A bit too many costs a call, no more. */
struct dvmrt_doubt {
  const uint8_t *bits;
  uintptr_t mask;
  uint8_t none[16], all[16];
};
extern struct dvmrt_doubt __dvmrt_doubt;

/* ---- Views: a distributed array seen from one nest -------------------------------------------------------------------------
 * words == NULL: not a distributed array, or its granule is not the element size that was asked for: use the generic path.
 * Else word of the element at address a: words[a >> shift] (biased).  The three limits have the meaning of those in 'now',
 * but for this array in this execution of the construct: the runtime sets them so that an array that the nest only reads
 * (use flag 'r'), or one under across, costs the init test alone. */
struct dvmrt_view {
  uint32_t *words;
  uint32_t first_read, first_write, mask;
  uint32_t ndims;
  int64_t extent[DVMRT_NDIMS_MAX];
};

/* ---- Sites -------------------------------------------------------------------------------------------------------------
 * Each access and directive has one, in section "dvmrt_sites" of the object that holds it. The text
 * is a site text (runtime/site_text.h, its keys in site_keys.inc; docs/site-text.md shows them as a table). */
struct dvmrt_site {
  const char *text;
  void *cache;       /* the runtime's */
};

enum {               /* flags of __dvmrt_touch */
       DVMRT_READ = 1,
       DVMRT_WRITE = 2,
       DVMRT_NAMED = 16, /* of a distributed array, by the text, though the address may be behind its end */
       DVMRT_COPIED = 8, /* a whole struct is copied: its members may have no value */
       DVMRT_STORED = 64, /* of 'section': the statement stores, no function fills; of 'run' see there */
       DVMRT_LENT = 128,     /* of 'section' alone: a procedure is given the element .. */
       DVMRT_RETURNED = 256, /* .. and the call is over */
       DVMRT_BORN = 32, /* of 'look' alone: the object begins to live, see 'born'; nothing to do outside of loops */
       DVMRT_PLACED = 4   /* bounds and locality have been judged already: only the word is in question */
};

/* Outside of loops: whether 'touch' is to be asked (without a site: 'assign').  The pass puts it inline, at last.  'count' subscripts
 * follow. */
void __dvmrt_look(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags, uint32_t count, ...);
/* Slow paths: cold, nonlazybind.  'ix' is NULL or the subscripts, one per SUBSCRIPT and INNER_SUBSCRIPT of the site. */
void __dvmrt_touch(const void *p, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags);
/* Likewise without subscripts, for what is the result of a reduction of the nest: 1 = no further access of this execution of the nest to it
 * needs to be told, 0 = ask again each time. */
int __dvmrt_result(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags);
/* Subscript number 'dim' is outside 0 .. extent-1. */
void __dvmrt_bounds(const void *p, struct dvmrt_site *site, const int64_t *ix, uint32_t dim, int64_t extent, uint32_t flags);
/* Locality of an access through a view: 1 = settled for the rest of this execution of the construct, 0 = ask again each time.
 * 'flags' says read or write. */
int __dvmrt_place(const void *p, struct dvmrt_site *site, const struct dvmrt_view *view, const int64_t *ix, uint32_t flags);

/* A scalar or small array whose address never leaves the function: the pass keeps its words in 'companions'.  Called for
 * what is not fine; gets the word, returns the word to keep.  'kind' is how the innermost construct of this function around
 * the access sees the variable. */
enum {
  DVMRT_L_PLAIN,
  DVMRT_L_PRIVATE,
  DVMRT_L_FIRST /* mapped nest, no clause: by first access */,
  DVMRT_L_SHARED /* parallel(n) without clause */,
  DVMRT_L_REDUCTION,
  DVMRT_L_INDEX
};
uint32_t __dvmrt_local(struct dvmrt_site *site, uint32_t word, uint32_t kind, uint32_t flags, const int64_t *ix);

/* Constructs.  'frame' is the caller's frame address (llvm.frameaddress.p0(0)); args are those of '#' and '&'.
 * enter answers 1 once per execution (run the statement), then, after leave, 0. */
int __dvmrt_enter(struct dvmrt_site *site, void *frame, const int64_t *args);
void __dvmrt_leave(struct dvmrt_site *site, void *frame);
void __dvmrt_row(struct dvmrt_site *construct);
void __dvmrt_direct(struct dvmrt_site *site, const int64_t *args);
/* 'use' counts U lines from 0; 'shift' is log2 of the element size, or of the size of a part plus DVMRT_PARTS: then there are
 * words if each part of that size has one (a part of DVMRT_NO_WORDS has none), and the extents are right without words too.
 * Never NULL; valid until leave. */
enum { DVMRT_PARTS = 32, DVMRT_NO_WORDS = 63 };
const struct dvmrt_view *__dvmrt_view(struct dvmrt_site *construct, uint32_t use, uint32_t shift);

/* Summaries: at the entry of a nest, what all of its iterations together do to arrays, as the pass could read it off.  The variables are
 * the nest's index variables, outermost first, and behind them those of loops in its body.  A linear form is one number per
 * variable (its coefficient), the constant, and the number of one of 'values' that is added, or -1. */
#define DVMRT_SUMMARY_DATA 0xffffffffu
#define DVMRT_SUMMARY_MAYBE 16u /* read under a condition: not in each iteration, or not in each turn */
#define DVMRT_SUMMARY_RESULT 32u /* of ordinary data: a variable that the nest's 'reduction' names, by that name */
struct dvmrt_summary_ref {
  struct dvmrt_site *site;
  uint32_t use; /* U line; DVMRT_SUMMARY_DATA: ordinary data, of the site's bytes */
  uint32_t flags; /* DVMRT_READ, DVMRT_WRITE, DVMRT_SUMMARY_MAYBE, DVMRT_SUMMARY_RESULT */
  uint32_t ndims;
  uint32_t first; /* in 'numbers': its forms.  Of ordinary data the address; each subscript; the limit of each (INT64_MAX: none) */
  uint64_t after; /* bit n: in each iteration, reference n has written all that it writes before this one reads */
};
struct dvmrt_summary {
  uint32_t rank, ninner, nrefs;
  uint32_t step; /* of the innermost loop of the nest, without sign */
  const struct dvmrt_summary_ref *refs;
  const int64_t *numbers; /* first two forms for each inner variable: its lowest and its highest value */
  const int64_t *steps; /* of the inner variables */
};
/* 'box': number of iterations (-1: a variable that the nest reads has no value), the parities that the sum of the index
 * variables takes (bit 0 even, bit 1 odd), the lowest and the highest value of each index variable, and a
 * number that differs where the rows of the iterations do.
 * 1: no iteration could give a diagnostic, and what the nest writes has been noted: run it without checks.  0: with checks. */
int __dvmrt_summary(struct dvmrt_site *construct, const struct dvmrt_summary *s, const int64_t *box, const int64_t *values);

/* Stretches: turns of an innermost loop of a nest, judged together before the first of them is executed.  Each of the references
 * moves by a constant number of bytes from turn to turn, and is executed in each turn, but for those with DVMRT_STRETCH_MAYBE.
 * Nothing else that the loop does meets the words of these references, unless they only need a value. */
enum {
  DVMRT_STRETCH_MAYBE = 16,
  DVMRT_STRETCH_NAMED = 64, /* as DVMRT_NAMED */
  DVMRT_STRETCH_ASKS = 32 /* of ordinary data that the nest does not write, without a name: the reader need not be known */
};
struct dvmrt_stretch_ref {
  struct dvmrt_site *site;
  uint32_t use; /* U line; DVMRT_SUMMARY_DATA: ordinary data, of the site's bytes (4 or 8) */
  uint32_t flags; /* DVMRT_READ, DVMRT_WRITE, and those above with DVMRT_READ alone */
  int64_t step; /* bytes from one turn to the next */
};
struct dvmrt_stretch {
  struct dvmrt_site *construct; /* NULL: outside of all nests */
  uint32_t nrefs;
  uint32_t iterations; /* 1, 2: each turn is an iteration, which 1: the runtime counts, 2: the loop; 0: all belong to the present one */
  int64_t step; /* of the innermost index variable, if each turn is an iteration */
  const struct dvmrt_stretch_ref *refs;
  void *state; /* the runtime's, NULL at first */
};
/* As few turns are not worth asking; never 0. */
extern uint64_t __dvmrt_stretch_least;
/* 'first': the address of each reference in the first turn; all are in the bounds that the sites tell, in each turn.  Turns that are
 * iterations: now.iv is that of the first one, now.write still that of the iteration before.
 * 1: none of the references gives a diagnostic, and their words are (and, if it counts, now.write and now.iv) as behind the last turn:
 * execute them without checks.  0: with checks; nothing has changed. */
int __dvmrt_stretch(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first);

/* The same for innermost loops outside of all nests, whose 'construct' is NULL; 'use' is the number of bytes of an access. */
int __dvmrt_turns(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first);

/* Data in a loop outside of all nests: 'size' bytes at 'first', and as many 'step' bytes further in each of 'more' turns.
 * DVMRT_READ: 1 if all of it has a value.  DVMRT_WRITE: 1 if it need not be looked at; each byte will be given a value, and has one.
 * DVMRT_WRITE | DVMRT_STORED: the same of stores that are no source accesses, as by 'assign', in elements of distributed arrays too. */
int __dvmrt_run(const void *first, int64_t step, uint64_t more, uint64_t size, uint32_t flags);

/* At the entry of a nest that writes no ordinary data: 1 if each read of [p, p + size) is right throughout. */
int __dvmrt_data(struct dvmrt_site *construct, const void *p, uint64_t size);

/* Reductions, evaluated a second time by inserted code as if each iteration ran on a processor of its own; just before leave.
 * 'number' counts R lines from 0.  Values have the type of the R line: before the loop, the program's own at its end, and the
 * partial values of the iterations combined by the declared operation (the value from before not among them).
 * 'state' bit 0: somebody else has written the variable, nothing is known; bit 1: several iterations had the extreme;
 * from DVMRT_ROUNDINGS_SHIFT on: roundings that each iteration makes.
 * Floating sums and products: 'roundings' that were made besides, of numbers whose absolute values 'magnitude' is the sum of, or more
 * (sums; infinite where the updates only add: rounding explains every finite difference).  Locations (maxloc, minloc) likewise, or NULL and 0 bytes. */
enum { DVMRT_ROUNDINGS_SHIFT = 8, DVMRT_ROUNDINGS_MAX = 0xffffff };
int __dvmrt_reduction(struct dvmrt_site *construct, uint32_t number, uint32_t state, const void *before, const void *result,
                      const void *partial, double magnitude, double roundings, const void *loc_before, const void *loc_result,
                      const void *loc_partial, uint64_t loc_bytes); /* 1: the program is to go on with the second value */
/* The same for 'count' elements, or the parts of complex numbers, one after another: 'partial' combines what single updates made
 * of the neutral element, 'last' holds what the updates that were seen have left.  'magnitude': one and the
 * roundings after it for each, or NULL. */
void __dvmrt_results(struct dvmrt_site *construct, uint32_t number, uint32_t state, const void *before, void *result, const void *partial,
                     const void *last, const double *magnitude, uint64_t count);
/* Before each iteration, and ('over') just before leave, for reductions that inserted code does not evaluate: bit n of 'numbers'
 * stands for R line n. */
void __dvmrt_step(struct dvmrt_site *construct, uint32_t numbers, uint32_t over);
/* The access reads a partial value for something else than the update of its reduction variable. */
void __dvmrt_escape(struct dvmrt_site *access);

/* Memory. */
void __dvmrt_born(const void *p, uint64_t size); /* an object of the stack begins to live: no value, no array there */
void __dvmrt_live(const void *p,
                  uint64_t size); /* the same, but it has a value before anybody looks: outside of loops only its place counts */
void __dvmrt_over(const void *p, uint64_t size); /* an index variable of a parallel loop that is over: no value */
void __dvmrt_unwound(const void *frame); /* frames below 'frame' have ended: by longjmp, or with what alloca gave them */
/* After setjmp: constructs that were entered in frames at or below 'frame' have ended, by longjmp if they were not left normally. */
void __dvmrt_landed(const void *frame);
/* A function of '.preinit_array' begins, before the module is known and DVM_OPTIONS can be read: nothing is judged yet. */
void __dvmrt_early(void);
/* A member of a struct, copied to or from variables that keep their words to themselves: has it no value?  It has none. */
int __dvmrt_lacks(const void *p, uint64_t size);
void __dvmrt_lack(const void *p, uint64_t size);
void __dvmrt_assign(const void *p, uint64_t size); /* store that is no source access, foreign callee's known part */
void __dvmrt_fill(const void *p, uint64_t size); /* memset, a function that is known to write there */
void __dvmrt_copy(const void *dst, const void *src, uint64_t size); /* memcpy, memmove, struct copy: before the bytes move */
/* Of few bytes, outside of loops, put behind an inline test as 'look' is.  'born': the target begins to live if it gets no value. */
void __dvmrt_look_copy(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from, uint32_t born);
/* The same of arguments of functions that the program calls: judged as the program's own accesses are, under 'site' (of the argument;
 * may be NULL: not judged).  'flags': those of __dvmrt_touch.  Nothing happens for p == NULL or size 0. */
void __dvmrt_write_at(const void *p, uint64_t size, struct dvmrt_site *site);
void __dvmrt_read_at(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags);
void __dvmrt_copy_at(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from);
/* An array of a statement of Fortran, or a section of it: n (0: an element) times a number of elements of 'bytes' and their distance in bytes,
 * the dimension that changes fastest first.  'flags': those of __dvmrt_touch.  A write comes before the elements are stored. */
void __dvmrt_section(const void *p, uint64_t bytes, struct dvmrt_site *site, uint32_t flags, uint32_t n, const int64_t *dims);
/* Bytes of the string at p, its end included, 'limit' at most; 0 for NULL. */
uint64_t __dvmrt_length(const void *p, uint64_t limit);
/* After a call that we cannot see into: the allocation around p, and what pointers in it lead to, counts as assigned from now on. */
void __dvmrt_foreign(const void *p);
void __dvmrt_written(const void *p); /* the object around p alone, by a function that we know */
void __dvmrt_given(const void *p, uint64_t size); /* the same for an object whose place and size are known while compiling */
/* Several of these for one call: n pointers follow, and parts[] says what happens to each, in this order. */
enum { DVMRT_PART_ASSIGN = 1, DVMRT_PART_GIVEN = 2 }; /* as __dvmrt_assign does; as __dvmrt_given, or with size 0 __dvmrt_foreign */
struct dvmrt_part {
  uint64_t size;
  uint64_t what; /* DVMRT_PART_*, both together too: first assigned */
};
void __dvmrt_handed(const struct dvmrt_part *parts, uint32_t n, ...);
void __dvmrt_heap_new(const void *p, uint64_t size); /* after malloc and kin; p may be NULL */
void __dvmrt_heap_zero(const void *p, uint64_t size); /* after calloc: has a value, unless it becomes distributed */
void __dvmrt_heap_free(const void *p); /* before free */
void *__dvmrt_realloc(void *p, uint64_t size); /* in place of realloc */

/* Called by a constructor (priority 1) of each object: sites [first, last).  The name carries DVMRT_ABI, so that an object of another
 * version does not link, and the linker's message says what to do. */
#define DVMRT_MODULE_NAME_(abi) __dvmrt_module_##abi##_compile_this_file_again_with_the_present_dvmcc
#define DVMRT_MODULE_NAME(abi) DVMRT_MODULE_NAME_(abi)
#define DVMRT_MODULE DVMRT_MODULE_NAME(DVMRT_ABI)
#define DVMRT_MODULE_TEXT_(name) #name
#define DVMRT_MODULE_TEXT(name) DVMRT_MODULE_TEXT_(name)
#define DVMRT_MODULE_SYMBOL DVMRT_MODULE_TEXT(DVMRT_MODULE)
void DVMRT_MODULE(struct dvmrt_site *first, struct dvmrt_site *last);
/* By its destructor: the object may be unmapped after this. */
void __dvmrt_module_gone(struct dvmrt_site *first, struct dvmrt_site *last);

#ifdef __cplusplus
}
#endif
#endif
