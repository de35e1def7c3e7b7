/* Replicated jobs and checkpoints: mains are saved, shadows are made anew by those that were restored. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/process.h"
#include "mpir/commands/job_replicas_private.h"

enum { FORK_MS = 2000, STOP_MS = 1000 };

/* Shadows write into the memory of the job, which is about to be saved. */
static void signal_shadows(const struct mpir_replicas *r, int sig) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    pid_t shadow = mpir_replicas_shadow(r, i);
    if (shadow)
      kill(shadow, sig);
  }
}

static bool one_moves(const struct mpir_replicas *r) {
  for (uint32_t i = 0; i < r->nranks; i++) {
    pid_t shadow = mpir_replicas_shadow(r, i);
    char state = shadow ? dvm_process_state(shadow) : 0;
    if (state && !strchr("TtZX", state))
      return true;
  }
  return false;
}

static void stop_shadows(struct mpir_replicas *r) {
  r->stopped = true;
  signal_shadows(r, SIGSTOP);
  for (int64_t since = dvm_clock_ms(); one_moves(r) && dvm_clock_ms() - since < STOP_MS;)
    usleep(200);
}

static char *input_of(struct mpl_job *job) { return (char *)job + replica_job(job)->input_at; }

void mpir_replicas_stand(struct mpir_replicas *r) {
  stop_shadows(r);
  for (uint32_t i = 0; i < r->nranks; i++) {
    struct replica_rank *k = &r->shared->ranks[i];
    unsigned leader = atomic_load(&k->leader);
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      mpir_output_take_all(r->ranks[i].streams[s], leader);
      k->printed[s] = mpir_output_position(r->ranks[i].streams[s], leader);
    }
  }
  if (r->shared->input_at && r->input) {
    struct mpir_input_saved s;
    mpir_input_stand(r->input, atomic_load(&r->shared->ranks[0].leader), &s, input_of(r->job));
    r->shared->input_position = s.position;
    r->shared->input_bytes = s.bytes;
    r->shared->input_over = s.over;
  }
}

void mpir_replicas_saved(struct mpir_replicas *r) { mpir_input_noted(r->input); }
int mpir_replicas_kept_input(const struct mpir_replicas *r) { return mpir_input_kept(r->input); }

void mpir_replicas_hold(struct mpir_replicas *r, bool holds) {
  r->holds = holds;
  if (holds || !r->stopped)
    return;
  r->stopped = false;
  signal_shadows(r, SIGCONT);
}

/* A main that is in the middle of it would be saved with a child that is not the program's. */
static bool one_forks(const struct mpir_replicas *r) {
  for (uint32_t i = 0; i < r->nranks; i++)
    if (r->ranks[i].here && atomic_load(&r->shared->ranks[i].fork_state) == REPLICA_MAY_FORK)
      return true;
  return false;
}

int mpir_replicas_wait(struct mpir_replicas *r) {
  for (int64_t since = dvm_clock_ms(); one_forks(r); usleep(500))
    if (dvm_clock_ms() - since > FORK_MS)
      return -EAGAIN;
  return 0;
}

void mpir_replicas_put_out(const struct mpir_replicas *r, mpir_replicas_printed *to) {
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      to[i][s] = mpir_output_bytes(r->ranks[i].streams[s]);
}

/* --- restored --- */

/* Of the rank the main alone is there, and it stands. */
static void leave_main(struct replica_rank *k, bool refresh) {
  uint32_t leader = atomic_load(&k->leader);
  atomic_store(&k->alive, 1u << leader);
  atomic_store(&k->readers, 1u << leader);
  atomic_store(&k->pid[1 - leader], 0);
  atomic_store(&k->leap, 0);
  atomic_store(&k->took_over_ns, 0);
  atomic_store(&k->wanted, refresh);
  if (!refresh)
    atomic_store(&k->fork_state, REPLICA_MUST_NOT_FORK); /* it may wait for the answer */
  else if (atomic_load(&k->fork_state) != REPLICA_WANTS_FORK)
    atomic_store(&k->fork_state, REPLICA_NO_FORK);
}

struct mpir_replicas *mpir_replicas_resume(struct mpl_job *job, const pid_t *pids, const mpir_replicas_printed *known, int input,
                                           struct dvm_error *err) {
  if (!mpir_replicas_are_sound(job)) {
    dvm_error_set(err, -EBADMSG, "the memory of the job in the images is damaged: what it says of replicas");
    return NULL;
  }
  struct replica_job *shared = replica_job(job);
  const struct mpir_replicas_options o = {.protocol = (enum replica_protocol)shared->protocol,
                                          .mode = (enum replica_mode)shared->mode,
                                          .when_full = (enum replica_when_full)shared->when_full,
                                          .refresh = shared->refresh,
                                          .determinants = shared->determinants,
                                          .summary = shared->summary,
                                          .heartbeat_ms = shared->heartbeat_ms,
                                          .report = *shared->report ? shared->report : NULL,
                                          .shadow_cpu = *shared->shadow_cpu ? shared->shadow_cpu : NULL};
  struct mpir_replicas *r = mpir_replicas_create(&o, job->nranks, NULL);
  if (!r) {
    dvm_error_errno(err, "cannot create the pipes of %u ranks", job->nranks);
    return NULL;
  }
  const struct mpir_input_saved saved = {shared->input_position, shared->input_bytes, shared->input_over};
  if (shared->input_at && mpir_input_resume(0, atomic_load(&shared->ranks[0].leader), input, &saved, input_of(job), &r->input)) {
    dvm_error_errno(err, "cannot create the pipe for standard input");
    mpir_replicas_destroy(r);
    return NULL;
  }
  r->saves_input = r->input;
  shared->controller = getpid();
  atomic_fetch_add(&shared->restarts, 1);
  for (uint32_t i = 0; i < job->nranks; i++) {
    struct replica_rank *k = &shared->ranks[i];
    uint32_t leader = atomic_load(&k->leader);
    leave_main(k, true); /* also where lost shadows are not replaced: this one was not lost */
    atomic_store(&k->pid[leader], pids[i]);
    r->ranks[i].here = pids[i] != 0;
    r->ranks[i].begun = atomic_load(&k->begun);
    mpir_replicas_name_streams(r, k, i);
    mpir_replicas_name_input(r, k, i);
    for (int s = 0; s < REPLICA_STREAMS; s++)
      mpir_output_resume(r->ranks[i].streams[s], leader, k->printed[s], known ? known[i][s] : 0);
  }
  r->job = job;
  r->shared = shared;
  return r;
}

void mpir_replicas_renounce(struct mpl_job *job) {
  struct replica_job *shared = replica_job(job);
  if (!mpir_replicas_are_sound(job))
    return;
  shared->controller = 0;
  shared->refresh = 0;
  atomic_fetch_add(&shared->restarts, 1);
  for (uint32_t i = 0; i < job->nranks; i++)
    leave_main(&shared->ranks[i], false);
}
