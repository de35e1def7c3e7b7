#include "runtime/parallel/dual.h"
#include <string.h>

struct state {
  char *value, *location;
  int64_t *when;
};
struct dvmp_dual_location {
  struct dvmp_dual_location_of of;
  struct state before, best;
  bool begun;
};

static struct state copy_of(struct dvmp_arena *m, const struct dvmp_dual_location_of *of) {
  struct state s = {dvmp_arena_get(m, of->bytes), dvmp_arena_get(m, of->location_bytes + 1),
                    dvmp_arena_get(m, of->nwhen * sizeof(*of->when))};
  memcpy(s.value, of->at, of->bytes);
  memcpy(s.location, of->location, of->location_bytes);
  memset(s.when, 0, of->nwhen * sizeof(*of->when));
  return s;
}

static void put(const struct dvmp_dual_location_of *of, const struct state *s) {
  memcpy(of->at, s->value, of->bytes);
  memcpy(of->location, s->location, of->location_bytes);
  memcpy(of->when, s->when, of->nwhen * sizeof(*of->when));
}

struct dvmp_dual_location *dvmp_dual_location_begin(struct dvmp_arena *m, const struct dvmp_dual_location_of *of) {
  struct dvmp_dual_location *d = dvmp_arena_get(m, sizeof(*d));
  *d = (struct dvmp_dual_location){.of = *of, .before = copy_of(m, of), .best = copy_of(m, of)};
  return d;
}

/* What the iteration has left: the value from before, if it met none, is worse than nothing. */
static void combine(struct dvmp_dual_location *d, dvmp_dual_better_f *better, const void *arg) {
  const struct dvmp_dual_location_of *of = &d->of;
  int order = better(arg, d->best.value, of->at);
  if (order < 0 || (!order && (!of->when[0] || (d->best.when[0] && !of->last))))
    return;
  memcpy(d->best.value, of->at, of->bytes);
  memcpy(d->best.location, of->location, of->location_bytes);
  memcpy(d->best.when, of->when, of->nwhen * sizeof(*of->when));
}

void dvmp_dual_location_iteration(struct dvmp_dual_location *d, dvmp_dual_better_f *better, const void *arg) {
  if (d->begun)
    combine(d, better, arg);
  d->begun = true;
  put(&d->of, &d->before);
}

void dvmp_dual_location_end(struct dvmp_dual_location *d, dvmp_dual_better_f *better, const void *arg) {
  if (!d->begun)
    return;
  combine(d, better, arg);
  put(&d->of, &d->best);
}
