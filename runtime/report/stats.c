#include "runtime/report/stats.h"
#include "runtime/report/diag.h"
#include "runtime/data/facts.h"
#include "runtime/data/mem.h"
#include "runtime/data/site.h"
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SHOWN_MAX = 200 };

struct nest {
  struct nest *next;
  const struct dvmrt_directive *d;
  uint64_t entries, iterations, proved;
  uint64_t of_proved;  /* iterations of entries that were proved */
  uint64_t checks;     /* sites of the nest that are left after the optimiser */
  bool is_proved;      /* the entry that is being executed */
  const char *why;     /* it was not, the last time that it was not; or NULL */
};

uint64_t dvmrt_stats_looked_at;
static struct nest *first, **last = &first, *recent;

static struct nest *nest_of(const struct dvmrt_directive *d) {
  if (recent && recent->d == d)
    return recent;
  for (struct nest *n = first; n; n = n->next)
    if (n->d == d)
      return recent = n;
  struct nest *n = dvmrt_mem_alloc(sizeof(*n));
  n->d = d;
  for (const struct dvmrt_access *x = dvmrt_site_of_construct(d->site, d->pos.file, d->cid); x; x = x->next)
    n->checks++;
  *last = n;
  last = &n->next;
  return recent = n;
}

void dvmrt_stats_over(struct dvmrt_frame *f) {
  if (!f->nest)
    return;
  const uint64_t iterations = dvmrt_construct_iterations();
  struct nest *n = nest_of(f->d);
  n->entries++;
  n->iterations += iterations;
  n->of_proved += n->is_proved ? iterations : 0;
  n->is_proved = false;
}

void dvmrt_stats_judged(struct dvmrt_directive *d, const char *why) {
  struct nest *n = nest_of(d);
  n->proved += !why;
  n->is_proved = !why;
  n->why = why ? why : n->why;
}

void dvmrt_stats_forked(void) {
  dvmrt_stats_looked_at = 0;
  for (struct nest *n = first; n; n = n->next)
    n->entries = n->iterations = n->proved = n->of_proved = 0;
}

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...) {
  static struct dvmrt_text t;
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(t.s, sizeof(t.s), fmt, ap);
  va_end(ap);
  ssize_t done = write(2, t.s, n < 0 ? 0 : (size_t)n < sizeof(t.s) ? (size_t)n : sizeof(t.s) - 1);
  (void)done;
}

#define TIMES(n) (unsigned long long)(n), (n) == 1 ? "" : "s"

#define ACCESSES(n) (unsigned long long)(n), (n) == 1 ? "" : "es"

/* "..; proved at entry 9 times, else access by access: <why>" */
static void print_nest(const struct nest *n) {
  const char *why = n->d->no_summary ? n->d->no_summary : n->why;
  say("dvm: stats: %s:%u run %llu time%s, %llu iteration%s of %llu access%s; ", n->d->pos.file, n->d->pos.line, TIMES(n->entries),
      TIMES(n->iterations), ACCESSES(n->d->accesses));
  if (n->proved)
    say("proved at entry %llu time%s", TIMES(n->proved));
  if (n->proved < n->entries)
    say("%saccess by access: %s", n->proved ? ", else " : "", why ? why : "the loop was not entered by the thread that is checked");
  say("\n");
}

/* By the text: what stands under a condition or in an inner loop counts once an iteration. */
static void print_accesses(void) {
  uint64_t checked = 0, proved = 0, elided = 0;
  for (const struct nest *n = first; n; n = n->next) {
    uint64_t one_by_one = n->iterations - n->of_proved;
    checked += one_by_one * n->checks;
    elided += n->d->accesses > n->checks ? one_by_one * (n->d->accesses - n->checks) : 0;
    proved += n->of_proved * n->d->accesses;
  }
  say("dvm: stats: accesses in parallel loops, each once an iteration: %llu checked, %llu proved at entry, %llu elided while compiling\n",
      (unsigned long long)checked, (unsigned long long)proved, (unsigned long long)elided);
}

static void print_nests(void) {
  uint64_t entries = 0, iterations = 0, shown = 0, nests = 0;
  for (const struct nest *n = first; n; n = n->next) {
    nests += n->entries > 0;
    entries += n->entries;
    iterations += n->iterations;
  }
  say("dvm: stats: %llu parallel loop%s run %llu time%s, %llu iteration%s\n", TIMES(nests), TIMES(entries), TIMES(iterations));
  for (const struct nest *n = first; n && shown < SHOWN_MAX; n = n->next)
    if (n->entries && ++shown)
      print_nest(n);
  print_accesses();
}

static double mib(uint64_t bytes) { return (double)bytes / (1 << 20); }

void dvmrt_stats_print(void) {
  struct rusage use;
  print_nests();
  say("dvm: stats: %llu access%s and directives in the program; %llu access%s decided by the run-time library, all others inline\n",
      ACCESSES(dvmrt_site_count()), ACCESSES(dvmrt_stats_looked_at));
  say("dvm: stats: memory: %.1f MiB reserved by the checker at most", mib(dvmrt_mem_peak()));
  if (!getrusage(RUSAGE_SELF, &use))
    say(", %.1f MiB used by the program and the checker together", mib((uint64_t)use.ru_maxrss << 10));
  say("\n");
}

void dvmrt_stats_facts(struct dvm_facts *f) {
  f->loops = (uintptr_t)&first;
  DVMRT_FACT(f, LOOP_NEXT, struct nest, next);
  DVMRT_FACT(f, LOOP_DIRECTIVE, struct nest, d);
  DVMRT_FACT(f, LOOP_ENTRIES, struct nest, entries);
  DVMRT_FACT(f, LOOP_ITERATIONS, struct nest, iterations);
  DVMRT_FACT(f, LOOP_PROVED, struct nest, proved);
}
