#include "mpir/commands/deadlock.h"
#include "mpir/commands/where.h"
#include "mpir/mpi/ring.h"
#include "mpir/replica/shared.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOKS = 4 };

struct mpir_deadlock {
  struct mpl_job *job;
  uint64_t moves;
  unsigned looks; /* since something has moved */
  bool asked;
  mpir_deadlock_where_f *where;
  void *arg;
};

struct mpir_deadlock *mpir_deadlock_create(struct mpl_job *job) {
  struct mpir_deadlock *d = calloc(1, sizeof(*d));
  d->job = job;
  return d;
}

void mpir_deadlock_destroy(struct mpir_deadlock *d) { free(d); }

void mpir_deadlock_set_where(struct mpir_deadlock *d, mpir_deadlock_where_f *where, void *arg) {
  d->where = where;
  d->arg = arg;
}

/* What all have written all have taken, as their proxies count. */
static bool sums_are_equal(struct mpl_job *job) {
  uint64_t written = 0, taken = 0;
  for (uint32_t i = 0; i < job->nranks; i++) {
    written += atomic_load(&mpl_state(job, i)->written);
    taken += atomic_load(&mpl_state(job, i)->taken);
  }
  return written == taken;
}

static bool rings_are_empty(struct mpl_job *job) {
  if (job->nnodes)
    return sums_are_equal(job);
  for (uint32_t i = 0; i < job->nranks; i++)
    for (uint32_t k = 0; k < job->nranks; k++) {
      struct mpl_ring *r = mpl_ring_at(job, i, k);
      if (!replica_all_taken(job, r->taken, atomic_load(&r->written), k))
        return false;
    }
  return true;
}

/* All ranks that run wait; at least one does. */
static bool all_wait(struct mpl_job *job, const pid_t *pids, uint64_t *moves) {
  bool any = false;
  *moves = 0;
  for (uint32_t i = 0; i < job->nranks; i++) {
    struct mpl_rank_state *s = mpl_state(job, i);
    *moves += atomic_load(&s->moves);
    if (!pids[i] || atomic_load(&s->phase) == MPL_FINALIZED)
      continue;
    if (atomic_load(&s->phase) != MPL_RUNNING || !atomic_load(&s->wait.blocked))
      return false;
    any = true;
  }
  return any;
}

static bool all_told(struct mpl_job *job, const pid_t *pids) {
  for (uint32_t i = 0; i < job->nranks; i++) {
    struct mpl_rank_state *s = mpl_state(job, i);
    if (pids[i] && atomic_load(&s->phase) == MPL_RUNNING && atomic_load(&s->told) != atomic_load(&job->asked))
      return false;
  }
  return true;
}

static bool waits(struct mpl_job *job, const pid_t *pids, uint32_t rank) {
  return pids[rank] && atomic_load(&mpl_state(job, rank)->wait.blocked);
}

static void tell_peers(const struct mpl_wait *w) {
  fputs(" for ranks", stderr);
  for (uint32_t i = 0; i < w->npeers && i < MPL_PEERS; i++)
    fprintf(stderr, "%s %d", i ? "," : "", w->peers[i]);
  if (w->npeers > MPL_PEERS)
    fprintf(stderr, " and %u more", w->npeers - MPL_PEERS);
}

static void tell_rank(const struct mpir_deadlock *d, uint32_t rank, pid_t pid) {
  const struct mpl_wait *w = &mpl_state(d->job, rank)->wait;
  char place[512];
  if (d->where)
    d->where(d->arg, rank, pid, w->place, place, sizeof(place));
  else
    mpir_where(pid, w->place, place, sizeof(place));
  fprintf(stderr, "  rank %u waits in %s", rank, w->call);
  if (w->nrequests > 1)
    fprintf(stderr, " (%u requests)", w->nrequests);
  if (w->npeers > 1)
    tell_peers(w);
  else if (w->peer >= 0)
    fprintf(stderr, " for rank %d", w->peer);
  else if (w->peer == -1)
    fprintf(stderr, " for any rank");
  if (w->peer >= -1 && !(w->context & 1))
    w->tag == -1 ? fprintf(stderr, ", any tag") : fprintf(stderr, ", tag %d", w->tag);
  fprintf(stderr, ", at %s\n", place);
}

/* Follows who waits for whom from each rank until one is met again. */
static void tell_cycle(struct mpl_job *job, const pid_t *pids) {
  uint32_t n = job->nranks, *met = calloc(n, sizeof(*met));
  for (uint32_t i = 0, round = 1; i < n; i++, round++) {
    int at = (int)i;
    while (at >= 0 && waits(job, pids, (uint32_t)at) && !met[at]) {
      met[at] = round;
      at = mpl_state(job, (uint32_t)at)->wait.peer;
    }
    if (at < 0 || !waits(job, pids, (uint32_t)at) || met[at] != round)
      continue;
    fprintf(stderr, "  cycle: rank %d", at);
    for (int next = mpl_state(job, (uint32_t)at)->wait.peer; next != at; next = mpl_state(job, (uint32_t)next)->wait.peer)
      fprintf(stderr, " -> rank %d", next);
    fprintf(stderr, " -> rank %d\n", at);
  }
  free(met);
}

static void tell_ended(struct mpl_job *job, const pid_t *pids) {
  for (uint32_t i = 0; i < job->nranks; i++)
    if (waits(job, pids, i)) {
      int peer = mpl_state(job, i)->wait.peer;
      if (peer >= 0 && peer < (int)job->nranks && (!pids[peer] || atomic_load(&mpl_state(job, (uint32_t)peer)->phase) == MPL_FINALIZED))
        fprintf(stderr, "  rank %d, for which rank %u waits, has called MPI_Finalize\n", peer, i);
    }
}

static void tell_unmatched(uint32_t rank, unsigned from, unsigned context, int tag, unsigned long long bytes, bool announced) {
  fprintf(stderr, "  unmatched at rank %u: %s%llu bytes of rank %u, ", rank, announced ? "announced, " : "", bytes, from);
  if (context & 1) /* its tag is a number of ours */
    fprintf(stderr, "%s\n", mpl_collective_words(tag));
  else
    fprintf(stderr, "tag %d\n", tag);
}

static void tell_queues(struct mpl_job *job, const pid_t *pids) {
  for (uint32_t i = 0; i < job->nranks; i++) {
    char *text = mpl_state(job, i)->queues, *rest, *line;
    unsigned from, context;
    unsigned long long bytes;
    int tag;
    char how[16];
    if (!waits(job, pids, i))
      continue;
    for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
      if (sscanf(line, "%u %u %d %llu %15s", &from, &context, &tag, &bytes, how) == 5)
        tell_unmatched(i, from, context, tag, bytes, strcmp(how, "here") != 0);
  }
}

void mpir_deadlock_report(const struct mpir_deadlock *d, const pid_t *pids) {
  struct mpl_job *job = d->job;
  fflush(stdout);
  fprintf(stderr, "dvm run: error: deadlock: no rank can continue, and no message is in transit\n");
  tell_cycle(job, pids);
  for (uint32_t i = 0; i < job->nranks; i++)
    if (waits(job, pids, i))
      tell_rank(d, i, pids[i]);
  tell_ended(job, pids);
  tell_queues(job, pids);
}

void mpir_deadlock_reset(struct mpir_deadlock *d) {
  d->looks = 0;
  d->asked = false;
}

static bool is_traced(pid_t pid) {
  char path[48], line[128];
  int tracer = 0;
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *f = fopen(path, "r");
  while (f && fgets(line, sizeof(line), f) && sscanf(line, "TracerPid: %d", &tracer) != 1) {
  }
  if (f)
    fclose(f);
  return tracer > 0;
}

/* A debugger looks at a rank of this host, which it may have started itself below the process that we have: who debugs a deadlock wants to keep it. */
static bool is_debugged(struct mpl_job *job, const pid_t *pids) {
  for (uint32_t i = 0; i < job->nranks && !job->nnodes; i++)
    if (waits(job, pids, i) && (is_traced(pids[i]) || is_traced(atomic_load(&mpl_state(job, i)->pid))))
      return true;
  return false;
}

bool mpir_deadlock_look(struct mpir_deadlock *d, const pid_t *pids) {
  uint64_t moves;
  if (!all_wait(d->job, pids, &moves) || moves != d->moves || !rings_are_empty(d->job)) {
    mpir_deadlock_reset(d);
    d->moves = moves;
    return false;
  }
  if (++d->looks < LOOKS || is_debugged(d->job, pids))
    return false;
  if (!d->asked) {
    atomic_fetch_add(&d->job->asked, 1);
    d->asked = true;
  }
  return all_told(d->job, pids);
}
