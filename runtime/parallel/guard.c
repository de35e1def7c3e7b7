#include "runtime/parallel/guard.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/edges.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/where.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* A run that is closed and opened again costs some 10 us: arrays that move again and again are guarded where that is little. */
enum { PAGE = 4096, RUNS_MAX = 4096, MAPS_MAX = 30000, MOVES_FEW = 2, RUNS_MOVING_MAX = 64 };

struct dvmp_guard {
  uintptr_t base;               /* of the first page that lies in the array alone */
  size_t pages;
  bool opened;                  /* some are accessible that were closed */
  unsigned char *keep;          /* [pages]: holds elements that the rank has or may get as an edge */
  unsigned char *closed;        /* [pages] */
};

static bool opened; /* of some array */
static size_t maps;
static struct sigaction before;

/* ---- pages ---------------------------------------------------------------------------------------------------------------------- */

struct marking {
  const struct dvmp_array *a;
  struct dvmp_guard *g;
  unsigned char *to;
};

static void mark_run(void *arg, int64_t offset, int64_t count) {
  const struct marking *m = arg;
  uintptr_t low = m->a->address + (uintptr_t)offset * m->a->element_bytes, high = low + (uintptr_t)count * m->a->element_bytes;
  uintptr_t end = m->g->base + m->g->pages * PAGE;
  low = low > m->g->base ? low : m->g->base;
  high = high < end ? high : end;
  for (size_t p = low < high ? (low - m->g->base) / PAGE : 0; low < high && p <= (high - 1 - m->g->base) / PAGE; p++)
    m->to[p] = 1;
}

static struct dvmp_set with_edges(struct dvmp_arena *m, const struct dvmp_array *a) {
  return dvmp_array_with_edges(m, a, dvmp_job.rank, a->low, a->high);
}

static size_t count_runs(const struct dvmp_guard *g) {
  size_t n = 0;
  for (size_t p = 0; p < g->pages; p++)
    n += !g->keep[p] && (p == 0 || g->keep[p - 1]);
  return n;
}

/* From 'closed' as it is to what is wanted: one call for pages in a row. */
static void set_pages(struct dvmp_guard *g, const unsigned char *wanted, int protection) {
  bool close = protection == PROT_NONE;
  for (size_t p = 0, q; p < g->pages; p = q) {
    q = p + 1;
    if (!wanted[p] || g->closed[p] == close)
      continue;
    while (q < g->pages && wanted[q] && g->closed[q] != close)
      q++;
    if (mprotect((void *)(g->base + p * PAGE), (q - p) * PAGE, protection))
      return;
    memset(g->closed + p, close, q - p);
  }
}

static void close_pages(struct dvmp_guard *g) {
  for (size_t p = 0; p < g->pages; p++)
    g->keep[p] = !g->keep[p];
  set_pages(g, g->keep, PROT_NONE);
  for (size_t p = 0; p < g->pages; p++)
    g->keep[p] = !g->keep[p];
  g->opened = false;
}

/* ---- a fault -------------------------------------------------------------------------------------------------------------------- */

static void tell_fault(struct dvmp_array *a, uintptr_t at, bool write, uintptr_t pc) {
  char element[256], own[256];
  const struct dvmrt_directive *d = dvmp_construct_current();
  struct dvmp_where w;
  dvmp_where_of(pc, &w);
  dvmp_where_element(element, sizeof(element), a, at);
  dvmp_where_own(own, sizeof(own), a);
  struct dvmrt_pos pos = {.file = w.file, .line = w.line, .column = w.column};
  if (!w.line && dvmp_construct_place())
    pos = *dvmp_construct_place();
  bool in_nest = dvmp_job.inside && d;
  dvmp_fail_here(
      DVMP_STATUS_WRONG, &pos,
      "%s%s%s'%s', which belongs to rank %d, is %s by rank %d, which has %s%s%s%s\nhelp: %s '%s'; DVM_OPTIONS=poison=1 finds the first "
      "such use and names the element",
      w.function[0] ? "in '" : "", w.function, w.function[0] ? "': " : "", element, dvmp_array_owner(a, at), write ? "written" : "read",
      dvmp_job.rank, own, w.line ? "" : ": at or after this directive", "", in_nest ? " [dvm-nonlocal-access]" : " [dvm-sequential-access]",
      write     ? "make its owner execute the iteration that writes it: change 'on' in the parallel loop that writes"
      : in_nest ? "renew an edge that is wide enough, or add 'remote_access' to the directive, for"
                : "put '#pragma dvm remote_access' before the statement, for",
      a->name);
}

static void handle(int signal, siginfo_t *info, void *context) {
  const ucontext_t *c = context;
  uintptr_t at = (uintptr_t)info->si_addr;
  struct dvmp_array *a = info->si_code == SEGV_ACCERR ? dvmp_array_at(at) : NULL;
  struct dvmp_guard *g = a ? a->guard : NULL;
  size_t page = g && at >= g->base ? (at - g->base) / PAGE : SIZE_MAX;
  if (!g || page >= g->pages || !g->closed[page]) {
    sigaction(SIGSEGV, &before, NULL); /* not ours: it comes again */
    return;
  }
  bool write = c->uc_mcontext.gregs[REG_ERR] & 2;
  if (!write || dvmp_job.inside)
    tell_fault(a, at, write, (uintptr_t)c->uc_mcontext.gregs[REG_RIP]);
  /* Outside of loops all execute an assignment, and the owner's counts: here it has no effect. */
  if (mprotect((void *)(g->base + page * PAGE), PAGE, PROT_READ | PROT_WRITE))
    sigaction(signal, &before, NULL);
  g->closed[page] = 0;
  g->opened = opened = true;
}

static void install(void) {
  static bool done;
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
  if (done)
    return;
  done = true;
  sigaction(SIGSEGV, &action, &before);
}

/* ---- arrays --------------------------------------------------------------------------------------------------------------------- */

static struct dvmp_guard *make(const struct dvmp_array *a) {
  uintptr_t base = (a->address + PAGE - 1) & -(uintptr_t)PAGE, end = a->end & -(uintptr_t)PAGE;
  if (end <= base)
    return NULL;
  struct dvmp_guard *g = calloc(1, sizeof(*g));
  if (!g)
    return NULL;
  g->base = base;
  g->pages = (end - base) / PAGE;
  g->keep = calloc(2, g->pages);
  g->closed = g->keep ? g->keep + g->pages : NULL;
  if (!g->keep) {
    free(g);
    return NULL;
  }
  return g;
}

static void destroy(struct dvmp_array *a) {
  free(a->guard->keep);
  free(a->guard);
  a->guard = NULL;
}

void dvmp_guard_place(struct dvmp_array *a) {
  dvmp_guard_drop(a);
  if (!dvmp_job.guard || dvmp_job.poison || a->is_template || a->on_stack || dvmp_array_everywhere(a) || !(a->guard = make(a)))
    return;
  struct dvmp_arena m = {NULL};
  struct dvmp_set keep = with_edges(&m, a);
  struct marking k = {a, a->guard, a->guard->keep};
  dvmp_set_runs(&keep, a->stride, a->extent, mark_run, &k);
  struct dvmp_set named[DVMRT_NDIMS_MAX];
  for (int i = dvmp_edges_sets(&m, a, NULL, dvmp_job.rank, named); i--;)
    dvmp_set_runs(&named[i], a->stride, a->extent, mark_run, &k);
  dvmp_arena_free(&m);
  size_t runs = count_runs(a->guard);
  if (!runs || runs > (a->moves > MOVES_FEW ? RUNS_MOVING_MAX : RUNS_MAX) || maps + 2 * runs > MAPS_MAX) {
    destroy(a);
    return;
  }
  maps += 2 * runs;
  install();
  close_pages(a->guard);
}

void dvmp_guard_open(struct dvmp_array *a, const struct dvmp_set *s) {
  struct dvmp_guard *g = a->guard;
  if (!g)
    return;
  unsigned char *wanted = calloc(1, g->pages);
  if (!wanted) {
    dvmp_guard_drop(a);
    return;
  }
  struct marking k = {a, g, wanted};
  dvmp_set_runs(s, a->stride, a->extent, mark_run, &k);
  for (size_t p = 0; p < g->pages && !g->opened; p++)
    g->opened = wanted[p] && g->closed[p];
  opened |= g->opened;
  set_pages(g, wanted, PROT_READ | PROT_WRITE);
  free(wanted);
}

void dvmp_guard_close_all(void) {
  if (!opened)
    return;
  opened = false;
  for (struct dvmp_array *a = dvmp_array_first(); a; a = a->next)
    if (a->guard && a->guard->opened)
      close_pages(a->guard);
}

void dvmp_guard_drop(struct dvmp_array *a) {
  struct dvmp_guard *g = a->guard;
  if (!g)
    return;
  maps -= 2 * count_runs(g);
  mprotect((void *)g->base, g->pages * PAGE, PROT_READ | PROT_WRITE);
  destroy(a);
}
