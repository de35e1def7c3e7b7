#include "runtime/rules/object.h"
#include "runtime/rules/reach.h"
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

static struct stack *find_stack(void) {
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

static inline struct stack *stack_of_thread(void) { return DVMRT_LIKELY(mine) ? mine : find_stack(); }

static uintptr_t end_of(const struct dvmrt_extent *x) { return x->start + x->size; }

/* One of the youngest objects again: of a block that is executed again and again, or of a function that is called so. */
static bool born_again(const struct stack *s, uintptr_t a, uint64_t size) {
  enum { YOUNGEST = 8 };
  struct dvmrt_extent *end = s->objects + s->n, *x = end, *oldest = s->n > YOUNGEST ? end - YOUNGEST : s->objects;
  while (x > oldest && x[-1].start < a)
    x--;
  if (x == oldest || x[-1].start != a || x[-1].size != size)
    return false;
  x[-1].born = dvmrt_heap_now;
  return true;
}

/* What it overlaps is dead, and goes. */
static __attribute__((noinline)) void put_in(struct stack *s, uintptr_t a, uint64_t size) {
  uint32_t at = s->n;
  while (at && s->objects[at - 1].start < a)
    at--;
  uint32_t from = at, to = at; /* [from, to) goes */
  while (from && end_of(&s->objects[from - 1]) > a && s->objects[from - 1].start < a + size)
    from--;
  while (to < s->n && end_of(&s->objects[to]) > a)
    to++;
  if (s->n == s->cap)
    s->objects = dvmrt_mem_grow(s->objects, &s->cap, s->n + 1, sizeof(*s->objects));
  if (from + 1 != to && to < s->n)
    memmove(&s->objects[from + 1], &s->objects[to], (s->n - to) * sizeof(*s->objects));
  s->objects[from] = (struct dvmrt_extent){a, size, dvmrt_heap_now};
  s->n += 1 - (to - from);
}

void dvmrt_object_born(uintptr_t a, uint64_t size, uintptr_t frame) {
  struct stack *s = stack_of_thread();
  while (s->n && s->objects[s->n - 1].start < frame)
    s->n--;
  if (born_again(s, a, size))
    return;
  dvmrt_shadow_know(a);
  if (s->n && s->n < s->cap && a + size <= s->objects[s->n - 1].start)
    s->objects[s->n++] = (struct dvmrt_extent){a, size, dvmrt_heap_now};
  else
    put_in(s, a, size);
}

void dvmrt_object_unwound(uintptr_t frame) {
  struct stack *s = mine;
  while (s && s->n && s->objects[s->n - 1].start < frame)
    dvmrt_reach_settle(s->objects[--s->n]);
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
    *x = (struct dvmrt_extent){.start = gone->start, .size = gone->end - gone->start};
    *s = gone->next;
    dvmrt_mem_free(gone, sizeof(*gone));
    return true;
  }
  return false;
}

uintptr_t dvmrt_object_static_end(uintptr_t a) {
  for (const struct segment *s = segments; s; s = s->next)
    if (a >= s->start && a < s->end)
      return s->end;
  return a;
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
