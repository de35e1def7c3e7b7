/* The loop that moves messages, and what a call does until its own have moved. */
#include "mpir/mpi/moves.h"
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What this thread has moved may be what another one waits for. */
static void wake_callers(void) {
  if (!atomic_load_explicit(&mpl.state->sleeping, memory_order_relaxed))
    return;
  atomic_fetch_add(&mpl.state->bell, 1);
  syscall(SYS_futex, &mpl.state->bell, FUTEX_WAKE, 64, NULL, NULL, 0);
}

static bool move(void) {
  bool moved = mpl_progress_in();
  if (mpl.waiting)
    moved |= mpl_progress_out();
  return moved;
}

/* 'waits': the call goes on until something has moved. */
static bool progress(bool waits) {
  bool moved;
  if (mpl_replicated()) {
    moved = mpl_replica_do_step(move, waits);
    if (!moved && waits)
      return false;
  } else {
    moved = move();
  }
  if (mpl_schedules_active)
    moved |= mpl_schedules_progress();
  if (moved)
    atomic_store_explicit(&mpl.state->moves, atomic_load_explicit(&mpl.state->moves, memory_order_relaxed) + 1, memory_order_relaxed);
  if (moved && mpl.multiple)
    wake_callers();
  return moved;
}

extern int dvmcr_init(void) __attribute__((weak)); /* there is a checkpointer, which has a thread */

/* Threads of the program: each thread of the process has an entry in the folder. */
uint32_t mpl_count_threads(void) {
  struct stat s;
  return stat("/proc/self/task", &s) ? 1 : (uint32_t)s.st_nlink - 2 - (dvmcr_init != NULL);
}

/* Another thread may still send, receive, or complete a generalized request: then this rank is not said to wait. */
static bool may_be_helped(const struct mpl_why *why) {
  if (why->q && why->q->kind == MPL_GENERALIZED)
    return true;
  return mpl.multiple && mpl.callers < mpl_count_threads();
}

static void tell_wait(const struct mpl_why *why) {
  if (may_be_helped(why))
    return;
  struct mpl_wait *w = &mpl.state->wait;
  const struct ompi_request_t *q = why->q;
  int peer = q ? q->peer : why->peer;
  w->tag = q ? q->tag : why->tag;
  w->context = q ? q->context : why->context;
  w->peer = q && q->comm && peer >= 0 && (q->kind == MPL_SEND || q->kind == MPL_RECV) ? mpl_job_rank(q->comm, peer) : q ? (peer == MPI_ANY_SOURCE ? -1 : -2) : peer;
  w->npeers = q && q->schedule ? mpl_schedule_peers(q->schedule, w->peers, MPL_PEERS) : 0;
  if (w->npeers)
    w->peer = w->peers[0];
  w->nrequests = why->nrequests;
  w->place = (uintptr_t)why->place;
  strncpy(w->call, why->call, sizeof(w->call) - 1);
  atomic_store(&w->blocked, 1);
}

/* The command believes that nobody can go on, and wants to know what has come and was not asked for. */
static void tell_queues(void) {
  uint32_t asked = atomic_load(&mpl.job->asked);
  if (asked == atomic_load(&mpl.state->told))
    return;
  size_t n = 0, room = sizeof(mpl.state->queues);
  mpl.state->queues[0] = 0;
  for (uint32_t id = 0; id < mpl.ncontexts; id++)
    for (const struct mpl_unexpected *u = mpl.contexts[id] ? mpl.contexts[id]->unexpected : NULL; u && n < room; u = u->next)
      n += (size_t)snprintf(mpl.state->queues + n, room - n, "%u %u %d %llu %s\n", u->from, u->context, u->tag, (unsigned long long)u->bytes,
                            u->kind == MPL_RTS ? "announced" : "here");
  atomic_store(&mpl.state->told, asked);
}

/* Gives up the lock, however often this thread has it. */
static uint32_t let_others_in(void) {
  uint32_t depth = mpl.multiple ? mpl.depth : 0;
  if (depth) {
    mpl.depth = 1;
    mpl_lock_leave();
  }
  return depth;
}

static void come_in_again(uint32_t depth) {
  if (!depth)
    return;
  mpl_lock_take();
  mpl.depth = depth;
}

static bool something_has_come(void) {
  for (uint32_t from = 0; from < mpl.size; from++)
    if (mpl_ring_peek(&mpl.peers[from].in))
      return true;
  return false;
}

/* Until somebody rings who has changed the bell from 'bell', or a moment has passed. */
static void sleep_until_rung(uint32_t bell, const struct mpl_why *why) {
  struct mpl_rank_state *s = mpl.state;
  struct timespec limit = {0, 20000000};
  if (!atomic_load(&s->wait.blocked))
    tell_wait(why);
  tell_queues();
  atomic_fetch_add(&s->sleeping, 1);
  atomic_thread_fence(memory_order_seq_cst);
  bool something = something_has_come();
  uint32_t depth = let_others_in(); /* not before: another thread that moves something sees that we sleep, and rings */
  if (!something)
    syscall(SYS_futex, &s->bell, FUTEX_WAIT, bell, &limit, NULL, 0);
  come_in_again(depth);
  atomic_fetch_sub(&s->sleeping, 1);
}

static void give_way(void) {
  uint32_t depth = let_others_in();
  sched_yield();
  come_in_again(depth);
}

/* A program that tests in a loop waits too: what it waits for may need this processor. */
bool mpl_progress(void) {
  static _Thread_local uint32_t turn;
  bool moved = progress(false);
  turn = moved ? 0 : turn + 1;
  if (turn > mpl.job->spins)
    give_way();
  return moved;
}

/* Nothing moves: look again for a while (not with the lock that others want), give way, then sleep. */
static void idle(uint32_t turn, const struct mpl_why *why) {
  uint32_t spins = mpl.multiple ? 0 : mpl.job->spins;
  if (turn < spins)
    __builtin_ia32_pause();
  else if (turn < spins + 64)
    give_way();
  else
    sleep_until_rung(atomic_load(&mpl.state->bell), why);
  if (atomic_load_explicit(&mpl.job->aborted, memory_order_relaxed))
    pause(); /* the command ends us */
}

void mpl_wait_until(bool (*done)(void *), void *arg, const struct mpl_why *why) {
  mpl.callers++;
  for (uint32_t turn = 0; !done(arg); turn++)
    if (progress(true)) {
      turn = 0;
      atomic_store_explicit(&mpl.state->wait.blocked, 0, memory_order_relaxed);
    } else if (!done(arg)) {
      idle(turn, why);
    }
  mpl.callers--;
  atomic_store_explicit(&mpl.state->wait.blocked, 0, memory_order_relaxed);
}

static bool is_complete(void *arg) { return ((struct ompi_request_t *)arg)->complete; }

void mpl_wait_for(struct ompi_request_t *q, const char *call, const void *place) {
  if (!q->complete)
    mpl_wait_until(is_complete, q, &(struct mpl_why){.call = call, .place = place, .q = q, .nrequests = 1});
}
