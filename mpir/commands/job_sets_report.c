/* The report of a job in two sets, from what its hosts have told of the counters of their ranks. */
#include <stdlib.h>
#include <string.h>
#include "mpir/commands/job_replicas_private.h"
#include "mpir/commands/job_sets.h"

static void fill(struct mpir_replicas *r, const struct sets *shared, const int64_t *lost_ns) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    const struct sets_rank *from = &shared->ranks[i];
    struct replica_rank *to = &r->shared->ranks[i];
    memcpy(to->counters, from->counters, sizeof(to->counters));
    atomic_store(&to->lag_max, atomic_load(&from->lag_max));
    const int64_t leads_ns = atomic_load(&from->leads_ns);
    r->ranks[i].takeovers = from->takeovers;
    r->ranks[i].shadows_lost =
        from->followers_lost + (atomic_load(&shared->alone) && atomic_load(&shared->sides[SETS_SHADOWS].lost) ? 1 : 0);
    r->ranks[i].takeover_ns_max = lost_ns[i] && leads_ns > lost_ns[i] ? leads_ns - lost_ns[i] : 0;
  }
}

void mpir_sets_report(const struct sets *shared, const struct mpir_replicas_options *o, int status, int64_t begin_ms,
                      const int64_t *lost_ns) {
  struct mpir_replicas r = {.options = *o,
                            .nranks = shared->nranks,
                            .begin_ms = begin_ms,
                            .ranks = calloc(shared->nranks, sizeof(*r.ranks)),
                            .shared = calloc(1, replica_size(shared->nranks))};
  if (r.ranks && r.shared) {
    fill(&r, shared, lost_ns);
    mpir_replicas_report(&r, status);
  }
  free(r.ranks);
  free(r.shared);
}
