/* Snapshots of a job in two sets of replicas.  One of the sets is saved, as a job on several hosts is, while the other one goes on: which has all of its ranks, and so is a
   whole job by itself.  When both replicas of a rank are lost, that set begins from the snapshot, and the other one without ranks, which get fresh replicas there. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/clock.h"
#include "mpir/commands/job_hosts.h"
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_sets_private.h"

enum { TRIES = 5, SETTLED_MS = 10000 };

static bool is_lost(const struct run *r, uint32_t rank, unsigned side) { return sets_is_lost(r->shared, rank, side); }

/* All of its ranks are there. */
static bool is_whole(const struct run *r, unsigned side) {
  const struct sets_side *s = mpir_sets_side(r, side);
  bool all = r->sides[side].controller > 0 && atomic_load(&s->runs) && !atomic_load(&s->lost);
  for (uint32_t i = 0; i < r->nranks; i++)
    all = all && !is_lost(r, i, side) && !atomic_load(&r->shared->ranks[i].ended[side]);
  return all;
}

/* --- what commands ask --- */

static void leave_memory(struct run *r) {
  if (r->hosts)
    munmap(r->hosts, r->hosts_size);
  r->hosts = NULL;
}

static int look_at_hosts(struct run *r, unsigned side) {
  const struct sets_side *s = mpir_sets_side(r, side);
  char path[64];
  struct stat st;
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", atomic_load(&s->controller), atomic_load(&s->memory));
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  leave_memory(r);
  void *memory = fd < 0 || fstat(fd, &st) ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0)
    close(fd);
  if (memory == MAP_FAILED)
    return -EAGAIN;
  r->hosts = memory;
  r->hosts_size = (size_t)st.st_size;
  return 0;
}

static void describe(void *arg, struct job_answer *a) {
  struct run *r = arg;
  const struct mpir_job_options *o = r->job;
  const struct sets_side *s = mpir_sets_side(r, r->saves);
  if (!a->code && !o->checkpointable)
    a->code = -EOPNOTSUPP;
  a->nranks = r->nranks;
  a->eager_limit = o->eager_limit;
  a->strict = o->strict;
  a->holder = atomic_load(&s->controller);
  a->descriptor = atomic_load(&s->memory);
  a->nnodes = r->hosts ? r->hosts->nnodes : 1;
  snprintf(a->name, sizeof(a->name), "%s", o->name ? o->name : "");
  snprintf(a->command, sizeof(a->command), "%s", r->command);
  snprintf(a->folder, sizeof(a->folder), "%s", r->folder);
  for (uint32_t i = 0; i < r->nranks; i++)
    a->pids[i] = r->hosts ? atomic_load(&mpl_state(r->hosts, i)->pid) : -1;
}

/* Replicas that are whole are not made anew meanwhile, which would change the set. */
static int begins(void *arg) {
  struct run *r = arg;
  uint32_t none = SETS_FRESH_NONE;
  r->saves = is_whole(r, SETS_MAINS) ? SETS_MAINS : SETS_SHADOWS;
  if (!r->job->checkpointable)
    return -EOPNOTSUPP;
  if (r->over || !is_whole(r, r->saves) || !atomic_compare_exchange_strong(&r->shared->fresh.state, &none, SETS_FRESH_HELD))
    return -EAGAIN;
  r->holds = true;
  return look_at_hosts(r, r->saves);
}

static void stands(void *arg) { (void)arg; }

static void ends(void *arg) {
  struct run *r = arg;
  r->killed = true;
  mpir_sets_end(r, 128 + SIGKILL);
}

/* --- a snapshot to go back to --- */

static bool is_alone(const struct run *r, unsigned side) { return atomic_load(side == SETS_MAINS ? &r->shared->alone : &r->shared->leads); }

/* No other course was taken than the one that is saved, and what that had printed is out. */
static bool is_settled(const struct run *r, unsigned side, const struct mpir_segment_rank *ranks) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    const struct sets_rank *k = &r->shared->ranks[i];
    const bool single = is_alone(r, side) || is_lost(r, i, 1 - side);
    if (is_lost(r, i, side) || (ranks[i].led && !single && atomic_load(&k->committed) < ranks[i].logged))
      return false;
    for (int s = 0; s < REPLICA_STREAMS; s++)
      if (mpir_output_bytes(r->ranks[i].streams[s]) < ranks[i].printed[s])
        return false;
  }
  return true;
}

static bool has_all(const struct run *r, const struct mpir_job_manifest *m) {
  bool all = m->nranks == r->nranks && m->nnodes;
  for (uint32_t i = 0; all && i < r->nranks; i++)
    all = m->ranks[i].state == MPIR_RANK_SAVED;
  return all;
}

static void settle(struct run *r, const char *path, unsigned side, struct mpir_segment_rank *ranks) {
  const int64_t since = dvm_clock_ms();
  while (!is_settled(r, side, ranks) && !r->over && dvm_clock_ms() - since < SETTLED_MS) {
    mpir_sets_move(r, false);
    usleep(1000);
  }
  if (!is_settled(r, side, ranks)) {
    free(ranks);
    return;
  }
  free(r->snapshot);
  free(r->saved);
  r->snapshot = strdup(path);
  r->saved = ranks;
  r->from = side;
  r->tries = 0;
}

static void saved(void *arg, const char *path) {
  struct run *r = arg;
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_job_manifest *m = mpir_job_manifest_read(path, &err);
  struct mpir_segment_rank *ranks = calloc(r->nranks, sizeof(*ranks));
  unsigned side = SETS;
  if (m && ranks && has_all(r, m) && !mpir_segment_ranks(m, path, &side, ranks, &err) && side < SETS)
    settle(r, path, side, ranks);
  else
    free(ranks);
  mpir_job_manifest_free(m);
}

int mpir_sets_open(struct run *r) {
  struct dvm_error err = DVM_ERROR_INIT;
  r->socket =
      mpir_job_socket_open(r->job->name ? r->job->name : "", &(struct mpir_job_served){r, describe, begins, stands, ends, saved}, &err);
  if (!r->socket)
    fprintf(stderr, "dvm run: error: %s\n", err.text);
  return r->socket ? 0 : 1;
}

/* Whoever led a checkpoint is gone: its hosts let their ranks go. */
static void end_saving(struct run *r) {
  uint32_t held = SETS_FRESH_HELD;
  if (r->hosts)
    mpir_hosts_give_up(r->hosts);
  leave_memory(r);
  atomic_compare_exchange_strong(&r->shared->fresh.state, &held, SETS_FRESH_NONE);
  r->holds = false;
}

void mpir_sets_leave_saving(struct run *r, unsigned side) {
  if (r->holds && r->saves == side)
    mpir_job_socket_give_up(r->socket);
}

void mpir_sets_serve(struct run *r) {
  mpir_job_socket_serve(r->socket);
  if (r->holds && !mpir_job_socket_busy(r->socket) && !r->over)
    end_saving(r);
  mpir_job_clock_look(r->clock, false);
}

void mpir_sets_close(struct run *r) {
  mpir_job_socket_close(r->socket);
  r->socket = NULL;
  leave_memory(r);
  r->holds = false;
}

/* --- the next life --- */

bool mpir_sets_goes_back(const struct run *r) {
  if (r->status != LOST || r->stopped || !r->snapshot)
    return false;
  if (r->tries < TRIES)
    return true;
  fprintf(stderr, "dvm run: error: the job was lost %d times since the snapshot '%s', which is not restarted again\n", TRIES + 1,
          r->snapshot);
  return false;
}

/* What went out in this life.  Where the hosts of the saved set are lost, the others take their place. */
int mpir_sets_go_back(struct run *r) {
  char hosts[sizeof(r->sides[0].set.hosts)];
  for (unsigned side = 0; side < SETS; side++) {
    struct side *k = &r->sides[side];
    if (k->all_hosts[0])
      memcpy(k->set.hosts, k->all_hosts, sizeof(hosts));
    k->all_hosts[0] = 0;
    k->left_out = k->anew = 0;
  }
  r->known = r->known ? r->known : calloc(r->nranks, sizeof(*r->known));
  if (!r->known)
    return -ENOMEM;
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      r->known[i][s] = mpir_output_bytes(r->ranks[i].streams[s]);
  if (atomic_load(&mpir_sets_side(r, r->from)->lost) && !atomic_load(&mpir_sets_side(r, 1 - r->from)->lost)) {
    memcpy(hosts, r->sides[0].set.hosts, sizeof(hosts));
    memcpy(r->sides[0].set.hosts, r->sides[1].set.hosts, sizeof(hosts));
    memcpy(r->sides[1].set.hosts, hosts, sizeof(hosts));
  }
  r->tries++;
  fprintf(stderr, "dvm run: note: the job goes on from its last snapshot, '%s'; what was printed since then is not printed again\n",
          r->snapshot);
  return 0;
}

/* The memory that joins the sets says that one of them is alone, and how far it is. */
void mpir_sets_begin_again(struct run *r) {
  const unsigned empty = 1 - r->from;
  mpir_sets_side(r, r->from)->begins = SETS_BEGIN_SNAPSHOT;
  mpir_sets_side(r, empty)->begins = SETS_BEGIN_EMPTY;
  r->sides[r->from].set.snapshot = r->snapshot;
  r->sides[empty].set.snapshot = NULL;
  for (uint32_t i = 0; i < r->nranks; i++) {
    struct sets_rank *k = &r->shared->ranks[i];
    const struct mpir_segment_rank *at = &r->saved[i];
    atomic_store(&k->leader, r->from);
    atomic_store(&k->lost[empty], 1 + SIGKILL);
    atomic_store(&k->logged, at->logged);
    atomic_store(&k->committed, at->logged);
    atomic_store(&k->replayed, at->logged);
    atomic_store(&k->step, at->step);
    r->ranks[i].leader = r->from;
    r->ranks[i].told[empty] = true;
    for (int s = 0; s < REPLICA_STREAMS; s++)
      mpir_output_resume(r->ranks[i].streams[s], r->from, at->printed[s], r->known[i][s]);
  }
}
