#include "runtime/parallel/huge.h"
#include "runtime/parallel/job.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* A part in many pieces would cost a system call for each, and cut a mapping, of which a process has 65530.  What moves to and fro has been at its
 * places after two moves. */
enum { PAGE = 2 << 20, RUNS_MAX = 64, MOVES_MAX = 2 };

struct pieces {
  const struct dvmp_array *a;
  size_t n;
  struct {
    uintptr_t low, high;
  } at[RUNS_MAX];
};

static uint64_t asked; /* bytes */

static void note_piece(void *arg, int64_t offset, int64_t count) {
  struct pieces *p = arg;
  uintptr_t low = p->a->address + (uintptr_t)offset * p->a->element_bytes, high = low + (uintptr_t)count * p->a->element_bytes;
  low = (low + PAGE - 1) & -(uintptr_t)PAGE;
  high &= -(uintptr_t)PAGE;
  if (low >= high)
    return;
  if (p->n < RUNS_MAX) {
    p->at[p->n].low = low;
    p->at[p->n].high = high;
  }
  p->n++;
}

static int ranks_here(void) {
  const char *told = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  int n = told ? atoi(told) : 0;
  return n > 0 && n <= dvmp_job.size ? n : dvmp_job.size;
}

/* What a rank may ask for.  An array that is larger than what the program uses of it takes no more memory than without large pages where each
 * page is used; where each has a few elements in use, at most this. */
static uint64_t budget(void) {
  long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes / 2 / (uint64_t)ranks_here() : 0;
}

static bool wanted(const struct dvmp_array *a) {
  return dvmp_job.huge && !dvmp_job.poison && !a->is_template && !a->on_stack && a->layout.root && a->end - a->address >= PAGE &&
         a->moves <= MOVES_MAX;
}

void dvmp_huge_place(struct dvmp_array *a) {
  struct pieces p = {.a = a};
  struct dvmp_arena m = {NULL};
  if (!wanted(a))
    return;
  struct dvmp_set mine = dvmp_array_with_edges(&m, a, dvmp_job.rank, a->low, a->high);
  dvmp_set_runs(&mine, a->stride, a->extent, note_piece, &p);
  dvmp_arena_free(&m);
  const uint64_t most = budget();
  for (size_t i = 0; i < p.n && p.n <= RUNS_MAX; i++) {
    uint64_t bytes = p.at[i].high - p.at[i].low;
    if (asked + bytes > most)
      return;
    bytes = madvise((void *)p.at[i].low, bytes, MADV_HUGEPAGE) ? 0 : bytes;
    asked += bytes;
    a->huge_bytes += bytes;
  }
}

void dvmp_huge_drop(struct dvmp_array *a) {
  asked -= a->huge_bytes;
  a->huge_bytes = 0;
}
