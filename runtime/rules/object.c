#include "runtime/rules/object.h"
#include "runtime/rules/construct.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include <link.h>
#include <string.h>

/* ---- objects of the stacks ---------------------------------------------------------------------------------------------------- */

/* Those of one thread, by falling address: the youngest frame is last.  Never freed: a thread that takes over the memory of one
 * that has ended takes over its list too. */
struct stack {
  struct stack *next;
  const void *thread; /* address of the thread's 'mine' */
  struct dvmrt_extent *objects;
  uint32_t n, cap;
};

static struct stack *stacks;
static __thread struct stack *mine __attribute__((tls_model("initial-exec")));

static struct stack *stack_of_thread(void) {
  if (mine)
    return mine;
  for (mine = stacks; mine && mine->thread != &mine; mine = mine->next)
    ;
  if (!mine) {
    mine = dvmrt_mem_alloc(sizeof(*mine));
    mine->thread = &mine;
    mine->next = stacks;
    stacks = mine;
  }
  mine->n = 0;
  return mine;
}

static uintptr_t end_of(const struct dvmrt_extent *x) { return x->start + x->size; }

void dvmrt_object_born(uintptr_t a, uint64_t size, uintptr_t frame) {
  struct stack *s = stack_of_thread();
  while (s->n && s->objects[s->n - 1].start < frame)
    s->n--;
  uint32_t at = s->n;
  while (at && s->objects[at - 1].start < a)
    at--;
  /* What it overlaps is dead: [from, to) goes. */
  uint32_t from = at, to = at;
  while (from && end_of(&s->objects[from - 1]) > a && s->objects[from - 1].start < a + size)
    from--;
  while (to < s->n && end_of(&s->objects[to]) > a)
    to++;
  if (s->n == s->cap)
    s->objects = dvmrt_mem_grow(s->objects, &s->cap, s->n + 1, sizeof(*s->objects));
  if (from + 1 != to && to < s->n)
    memmove(&s->objects[from + 1], &s->objects[to], (s->n - to) * sizeof(*s->objects));
  s->objects[from] = (struct dvmrt_extent){a, size};
  s->n += 1 - (to - from);
}

bool dvmrt_object_is_last(uintptr_t a, uint64_t size) {
  const struct stack *s = mine;
  return s && s->n && s->objects[s->n - 1].start == a && s->objects[s->n - 1].size == size;
}

static bool find_on(const struct stack *s, uintptr_t a, struct dvmrt_extent *x) {
  uint32_t low = 0, high = s->n; /* the first that begins at or below 'a' */
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    if (s->objects[mid].start > a)
      low = mid + 1;
    else
      high = mid;
  }
  if (low == s->n || a >= end_of(&s->objects[low]))
    return false;
  *x = s->objects[low];
  return true;
}

bool dvmrt_object_find(uintptr_t a, struct dvmrt_extent *x) {
  if (dvmrt_heap_find(a, x))
    return true;
  for (const struct stack *s = stacks; s; s = s->next)
    if (find_on(s, a, x))
      return true;
  return false;
}

/* ---- static data ---------------------------------------------------------------------------------------------------------------- */

/* The writable segments of instrumented modules. */
struct segment {
  uintptr_t start, end;
  struct segment *next;
};
static struct segment *segments;

static int search_segment(struct dl_phdr_info *info, size_t size, void *arg) {
  struct segment *s = arg;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_LOAD && (p->p_flags & PF_W) && s->start - start < p->p_memsz) {
      s->start = start;
      s->end = start + p->p_memsz;
      return 1;
    }
  }
  return 0;
}

void dvmrt_object_module(const void *data) {
  struct segment s = {(uintptr_t)data, 0, NULL};
  /* Before the lock: a callback of the program's own may hold the loader's while it waits for ours. */
  if (!dl_iterate_phdr(search_segment, &s) || !dvmrt_mem_enter())
    return;
  struct segment *kept = dvmrt_mem_alloc(sizeof(*kept));
  *kept = s;
  kept->next = segments;
  segments = kept;
  dvmrt_mem_leave();
}

bool dvmrt_object_module_gone(const void *data, struct dvmrt_extent *x) {
  for (struct segment **s = &segments; *s; s = &(*s)->next) {
    struct segment *gone = *s;
    if ((uintptr_t)data < gone->start || (uintptr_t)data >= gone->end)
      continue;
    *x = (struct dvmrt_extent){gone->start, gone->end - gone->start};
    *s = gone->next;
    dvmrt_mem_free(gone, sizeof(*gone));
    return true;
  }
  return false;
}

/* Up to where static data reaches from 'a'; 'a' itself if it lies elsewhere. */
static uintptr_t static_end(uintptr_t a) {
  for (const struct segment *s = segments; s; s = s->next)
    if (a >= s->start && a < s->end)
      return s->end;
  return a;
}

/* ---- what unseen code may have written -------------------------------------------------------------------------------------------- */

enum { REACHED_MAX = 64, SCAN_BYTES = 4096, STATIC_BYTES = 1024, LEAST_ADDRESS = 4096 };

struct reached {
  struct dvmrt_extent x[REACHED_MAX];
  unsigned n;
};

/* The address in a word, whatever marks its upper bits hold: of a 'boxed' number, of a language's run-time system. */
static uintptr_t address_in(uintptr_t word) { return word & (((uintptr_t)1 << DVMRT_ADDRESS_BITS) - 1); }
/* The same without marks in its lowest bits. */
static uintptr_t aligned(uintptr_t a) { return a & ~(uintptr_t)7; }

/* Privates of a construct that is over: as far as valueless words reach, since nobody knows where static data end. */
static void settle_around(uintptr_t a) {
  enum { REACH = 1 << 16 };
  uintptr_t low = aligned(a), high = a;
  while (low && a - low < REACH && dvmrt_shadow_word(low - 1) < DVMRT_W_FIRST)
    low--;
  while (high - a < REACH && dvmrt_shadow_word(high) < DVMRT_W_FIRST)
    high++;
  dvmrt_shadow_settle(low, high - low, DVMRT_W_ASSIGNED);
}

/* What began to live in this iteration is written in it: as assigned before the nest it would look shared. */
static void settle_object(struct dvmrt_extent x) {
  const struct dvmrt_frame *nest = dvmrt_construct_nest();
  struct dvmrt_span s;
  for (uintptr_t a = x.start; nest && a < x.start + x.size; a = s.end) {
    dvmrt_shadow_span(a, x.start + x.size - a, false, &s);
    for (uint32_t i = 0; i < s.count; i++)
      if (dvmrt_construct_born_here(nest, s.words[i]))
        s.words[i] = __dvmrt_now.write;
  }
  dvmrt_shadow_settle(x.start, x.size, DVMRT_W_ASSIGNED);
}

void dvmrt_object_unwound(uintptr_t frame) {
  struct stack *s = mine;
  while (s && s->n && s->objects[s->n - 1].start < frame)
    settle_object(s->objects[--s->n]);
}

static void reach(struct reached *r, struct dvmrt_extent x) {
  for (unsigned i = 0; i < r->n; i++)
    if (r->x[i].start == x.start)
      return;
  if (r->n < REACHED_MAX)
    r->x[r->n++] = x;
}

static bool find_marked(uintptr_t a, struct dvmrt_extent *x) { return dvmrt_object_find(a, x) || dvmrt_object_find(aligned(a), x); }

static void reach_pointer(struct reached *r, uintptr_t word) {
  struct dvmrt_extent x;
  uintptr_t a = address_in(word);
  if (!dvmrt_shadow_entry(a))
    return; /* the whole page has values: no need to know more */
  struct dvmrt_region *region = dvmrt_shadow_region_in(a, 1);
  if (region)
    dvmrt_shadow_settle(region->base, region->end - region->base, DVMRT_W_ASSIGNED);
  else if (find_marked(a, &x))
    reach(r, x);
  else
    settle_around(a);
}

/* Pointers in the object, as a garbage collector would look for them.  What is known of an object may be old: unseen code may
 * have freed the memory, and its pages may be gone. */
static void scan(struct reached *r, struct dvmrt_extent x) {
  static uint64_t words[SCAN_BYTES / 8]; /* not on the stack: a handler's may be small */
  uint64_t size = x.size < SCAN_BYTES ? x.size : SCAN_BYTES, skip = -x.start & 7;
  size_t n = size < skip ? 0 : dvmrt_mem_read(words, x.start + skip, (size - skip) / 8);
  for (size_t i = 0; i < n; i++)
    if (address_in(words[i]) >= LEAST_ADDRESS) /* most words are small numbers */
      reach_pointer(r, words[i]);
}

/* A va_list of x86-64 (psABI 3.5.7), as callers pass one on to vsscanf and its kin. */
struct arguments {
  uint32_t gp_offset, fp_offset;
  uintptr_t overflow, saved;
};
enum { SAVED_BYTES = 48, SAVED_ALL = 176, OVERFLOW_BYTES = 128, STACK_BYTES = 8 << 20 };

static bool on_this_stack(uintptr_t a) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  return a > here && a - here < STACK_BYTES;
}

static void scan_arguments(struct reached *r, struct dvmrt_extent x) {
  uint64_t words[sizeof(struct arguments) / 8];
  struct arguments v;
  if (x.size != sizeof(v) || (x.start & 7) || dvmrt_mem_read(words, x.start, sizeof(v) / 8) != sizeof(v) / 8)
    return;
  memcpy(&v, words, sizeof(v));
  if (v.gp_offset > SAVED_BYTES || v.gp_offset % 8 || v.fp_offset < SAVED_BYTES || v.fp_offset > SAVED_ALL || v.fp_offset % 16 ||
      !on_this_stack(v.overflow) || !on_this_stack(v.saved))
    return;
  /* All of them: the callee may have taken those that it wrote through. */
  scan(r, (struct dvmrt_extent){v.saved, SAVED_BYTES});
  scan(r, (struct dvmrt_extent){v.overflow - OVERFLOW_BYTES, OVERFLOW_BYTES});
  scan(r, (struct dvmrt_extent){v.overflow, OVERFLOW_BYTES});
}

/* In no object that is known: what lies around it, and the pointers in static data from there on. */
static void given_elsewhere(struct reached *r, uintptr_t a) {
  if (dvmrt_shadow_entry(a))
    settle_around(a);
  uintptr_t end = static_end(a);
  scan(r, (struct dvmrt_extent){a, end - a < STATIC_BYTES ? end - a : STATIC_BYTES});
}

void dvmrt_object_given(uintptr_t word, uintptr_t start, uint64_t size) {
  struct reached r = {.n = 0};
  struct dvmrt_extent x = {start, size};
  uintptr_t a = address_in(word);
  struct dvmrt_region *region = dvmrt_shadow_region_in(a, 1);
  if (region) {
    dvmrt_shadow_settle(region->base, region->end - region->base, DVMRT_W_ASSIGNED);
    return;
  }
  if (size || find_marked(a, &x))
    reach(&r, x);
  else
    given_elsewhere(&r, a);
  for (unsigned i = 0; i < r.n; i++) {
    settle_object(r.x[i]);
    scan(&r, r.x[i]);
    scan_arguments(&r, r.x[i]);
  }
}

void dvmrt_object_written(uintptr_t word) {
  struct dvmrt_extent x;
  uintptr_t a = address_in(word);
  struct dvmrt_region *region = dvmrt_shadow_region_in(a, 1);
  if (region)
    dvmrt_shadow_settle(region->base, region->end - region->base, DVMRT_W_ASSIGNED);
  else if (find_marked(a, &x))
    settle_object(x);
  else if (dvmrt_shadow_entry(a))
    settle_around(a);
}

/* ---- judgement ---------------------------------------------------------------------------------------------------------------------- */

/* Outside the objects that we know lie the leavings of frames that ended by longjmp, or with their thread, and of memory that
 * others have freed.  And a program without directives is not a DVM program: C programs in general do read integers, pointers and
 * structs that nobody has assigned, to copy them, to keep half of the bits, to pass over what comes out.  There only
 * floating-point data are judged (and variables whose address nobody has, which do not come here). */
bool dvmrt_object_judges(const struct dvmrt_access *x) { return x->floating || dvmrt_site_has_directives(); }

bool dvmrt_object_judged(const struct dvmrt_access *x, uintptr_t a) {
  struct dvmrt_extent unused;
  return dvmrt_object_judges(x) && dvmrt_object_find(a, &unused);
}
