/* Who leads, and the change from shadow to leading replica. */
#include "mpir/replica/door.h"
#include "mpir/replica/replica_private.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct replica_self mpl_replica;
enum { LOOKS = 50, YIELDS = 4, REST_NS = 500000 };

/* "2.0@117,1.1@5": the first of this replica's points after 'passed', or 0. */
static uint64_t point_of_death(const char *text, uint32_t rank, uint32_t me, uint64_t passed) {
  uint64_t first = 0;
  for (; text && *text; text += strcspn(text, ","), text += *text == ',') {
    unsigned r, i;
    unsigned long long at;
    if (sscanf(text, "%u.%u@%llu", &r, &i, &at) == 3 && r == rank && i == me && at > passed && (!first || at < first))
      first = at;
  }
  return first;
}

/* Not by the functions of libc: files that they open are the program's. */
_Noreturn static void die_at(enum replica_point what) {
  static const char *const names[REPLICA_POINTS] = {"init", "fork", "forward", "entry", "entered", "taken", "step",
                                                    "room", "sent", "repeat",  "value", "lead",    "led"};
  const char *notes = getenv(REPLICA_KILLED_VARIABLE);
  char line[64];
  const int n =
      snprintf(line, sizeof(line), "%u.%u@%llu %s\n", mpl.rank, mpl_replica.me, (unsigned long long)mpl_replica.points, names[what]);
  const long fd = notes ? syscall(SYS_openat, AT_FDCWD, notes, O_WRONLY | O_APPEND | O_CREAT, 0600) : -1;
  if (fd >= 0)
    syscall(SYS_write, fd, line, n);
  for (;;)
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
}

void mpl_replica_count_point(enum replica_point what) {
  atomic_store_explicit(&mpl_replica.count->points, ++mpl_replica.points, memory_order_relaxed);
  if (__builtin_expect(mpl_replica.points == mpl_replica.kill_at, 0))
    die_at(what);
}

void replica_become(uint32_t me) {
  mpl_replica.me = me;
  mpl_replica.count = &mpl_replica.rank->counters[me];
  mpl_replica.points = atomic_load(&mpl_replica.count->points);
  mpl_replica.kill_at = point_of_death(getenv(REPLICA_KILL_VARIABLE), mpl.rank, me, mpl_replica.points);
}

void replica_notify(void) {
  const char *fd = getenv(REPLICA_NOTIFY_VARIABLE);
  uint64_t one = 1;
  if (atomic_load_explicit(&mpl_replica.job->restarts, memory_order_relaxed)) { /* the descriptor leads to a command that is gone */
    if (mpl_replica.job->controller)
      kill(mpl_replica.job->controller, SIGCHLD);
    return;
  }
  if (fd && write(atoi(fd), &one, sizeof(one)) < 0)
    return; /* the command is gone, and we shall be */
}

bool replica_leads(void) { return atomic_load(&mpl_replica.rank->leader) == mpl_replica.me; }

/* With rings of its own a shadow waits for records, too: whoever brings one rings as for a main. */
static void rest_until_rung(void) {
  struct mpl_rank_state *s = mpl.state;
  uint32_t bell = atomic_load(&s->bell);
  atomic_fetch_add(&s->sleeping, 1);
  syscall(SYS_futex, &s->bell, FUTEX_WAIT, bell, &(struct timespec){0, REST_NS}, NULL, 0);
  atomic_fetch_sub(&s->sleeping, 1);
}

void replica_rest(unsigned *turn) {
  struct replica_rank *rank = mpl_replica.rank;
  if (atomic_load_explicit(&mpl.job->aborted, memory_order_relaxed) && !replica_leads())
    pause(); /* the command ends us */
  if (++*turn < LOOKS) {
    __builtin_ia32_pause();
  } else if (*turn < LOOKS + YIELDS) {
    sched_yield();
  } else if (mpl_replica.job->set) {
    rest_until_rung();
  } else {
    uint32_t bell = atomic_load(&rank->bell);
    if (!replica_leads())
      syscall(SYS_futex, &rank->bell, FUTEX_WAIT, bell, &(struct timespec){0, REST_NS}, NULL, 0);
  }
}

void replica_differ(const struct replica_difference *d) {
  mpl_replica.rank->difference = *d;
  atomic_store(&mpl_replica.rank->differs, 1);
  if (!mpl_replica.job->set) /* else the proxy looks */
    replica_notify();
  for (;;)
    pause();
}

/* What the dead one published and had no time to count. */
static void mend_rings(void) {
  for (uint32_t i = 0; i < mpl.size; i++) {
    struct mpl_peer *p = &mpl.peers[i];
    if (atomic_load(&p->out.ring->written) < p->out.position)
      atomic_store(&p->out.ring->written, p->out.position);
    atomic_store(&p->out.ring->writer_waits, p->first != NULL);
    atomic_store(&p->in.ring->taken[p->in.reader], p->in.position);
    p->out.limit = 0;
  }
}

static void take_over_state(void) {
  struct mpl_rank_state *mine = mpl.state;
  mpl.state = mpl_state(mpl.job, mpl.rank);
  atomic_store(&mpl.state->sleeping, 0);
  atomic_store(&mpl.state->wait.blocked, 0);
  atomic_store(&mpl.state->unexpected, atomic_load(&mine->unexpected));
  if (!mpl_replica.job->set) /* else it is known, and may be another one here than where that was told */
    atomic_store(&mpl.state->pid, getpid());
}

/* "0,2-3" */
static void set_processors(const char *list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (unsigned first, last; *list; list += strcspn(list, ","), list += *list == ',') {
    int n = sscanf(list, "%u-%u", &first, &last);
    for (unsigned i = first; n > 0 && i <= (n > 1 ? last : first) && i < CPU_SETSIZE; i++)
      CPU_SET(i, &set);
  }
  sched_setaffinity(0, sizeof(set), &set); /* where there are no such processors, it runs on all */
}

static cpu_set_t all_processors;

/* A shadow may run where or when it does not hinder mains; one that leads runs as its main did. */
static void step_back(const char *where) {
  sched_getaffinity(0, sizeof(all_processors), &all_processors);
  if (!strcmp(where, "idle"))
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
  else if (*where)
    set_processors(where);
}

static void step_forward(const char *where) {
  if (!strcmp(where, "idle"))
    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
  else if (*where)
    sched_setaffinity(0, sizeof(all_processors), &all_processors);
}

void replica_go_live(void) {
  mpl_replica_count_point(REPLICA_AT_LEAD);
  step_forward(mpl_replica.job->shadow_cpu);
  mend_rings();
  take_over_state();
  atomic_store(&mpl_replica.rank->step, mpl_replica.step);
  mpl_replica.logged = mpl_replica.replayed;
  if (mpl_replica.job->set)
    atomic_store(&mpl_replica.rank->logged, mpl_replica.logged);
  atomic_store(&mpl_replica.rank->took_over_ns, (uint64_t)replica_now_ns());
  mpl_replica.live = true;
  if (MPIR_dvm_replica.promoted)
    MPIR_dvm_replica.promoted();
  replica_notify();
  mpl_replica_count_point(REPLICA_AT_LED);
}

void mpl_replica_lead(void) {
  for (unsigned turn = 0; mpl_replays() && !replica_leads();)
    replica_rest(&turn);
  if (mpl_replays())
    replica_go_live();
}

void mpl_replica_open(struct mpl_end *in, struct mpl_end *out, uint32_t peer) {
  struct replica_job *job = replica_job(mpl.job);
  if (!job)
    return;
  out->readers = &job->ranks[peer].readers;
  if (job->set) /* the second of them is what proxies still have to carry to the other set */
    return;
  out->checks = job->mode & REPLICA_CHECK ? &job->ranks[mpl.rank].alive : NULL;
  in->reader = mpl_replica.me;
  in->readers = &job->ranks[mpl.rank].readers;
  in->releases = job->when_full == REPLICA_SPOOL;
  if (job->protocol == REPLICA_SENDER_FORWARDING) {
    size_t distance = job->copies_at - mpl_rings_at(mpl.size);
    out->copy = out->data + distance;
    in->data = mpl_ring_data(in->ring) + (mpl_replica.me ? distance : 0);
  }
}

void mpl_replica_start(void) {
  struct replica_job *job = replica_job(mpl.job);
  if (!job)
    return;
  mpl_replica.job = job;
  mpl_replica.rank = &job->ranks[mpl.rank];
  mpl_replica.log = replica_log(mpl.job, mpl.rank);
  mpl_replica.live = job->set < 2;
  replica_become(job->set > 1);
  replica_watch_restarts();
  mpl_replica_count_point(REPLICA_AT_INIT);
  MPIR_dvm_replica.pid = getpid();
  MPIR_dvm_replica.determinants = job->determinants;
  MPIR_dvm_replica.elsewhere = job->set;
  if (MPIR_dvm_replica_use)
    MPIR_dvm_replica_use(&MPIR_dvm_replica);
  if (!job->set)
    replica_fork();
  MPIR_dvm_replica.on = true;
}

/* --- for the preloaded part --- */

static bool is_shadow(void) { return mpl_replays(); }
static void tell(uint64_t value) { mpl_replica_value(REPLICA_PRELOADED, value); }

static bool claim(uint64_t file, bool whole) {
  const uint64_t key = file << 16, mine = key | (mpl.rank + 1), flag = whole ? REPLICA_FILE_WHOLE : 0;
  for (size_t i = 0; i < REPLICA_FILES; i++) {
    _Atomic uint64_t *at = &mpl_replica.job->files[(file + i) % REPLICA_FILES];
    uint64_t there = atomic_load(at), next;
    if (there && there >> 16 != key >> 16)
      continue;
    do {
      if (there && there >> 16 != key >> 16)
        break; /* another rank has this place now */
      const bool others = there && ((there & REPLICA_FILE_SEVERAL) || (there & REPLICA_FILE_RANK) != mpl.rank + 1);
      if (others && (whole || there & REPLICA_FILE_WHOLE))
        return false;
      next = !there ? mine | flag : others ? there | REPLICA_FILE_SEVERAL : there | flag;
    } while (next != there && !atomic_compare_exchange_strong(at, &there, next));
    if (!there || there >> 16 == key >> 16)
      return true;
  }
  return !whole; /* of so many files nothing more is known */
}

static void await_shadow(void) {
  struct replica_rank *rank = mpl_replica.rank;
  while (replica_has_shadow() && atomic_load(&rank->replayed) < mpl_replica.logged && !atomic_load(&mpl.job->aborted)) {
    atomic_fetch_add(&rank->bell, 1);
    syscall(SYS_futex, &rank->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
    nanosleep(&(struct timespec){0, 50000}, NULL);
  }
}

static void wait_for_end(void) {
  for (unsigned turn = 0; mpl_replays() && !replica_leads() && !atomic_load(&mpl_replica.rank->over);)
    replica_rest(&turn);
  if (mpl_replays() && replica_leads())
    replica_go_live();
}

static void refuse(const char *what, const char *name, const void *place) {
  char where[32] = "";
  if (place)
    snprintf(where, sizeof(where), " (called at %p)", place);
  mpl_die(64, "%s%s%s%s cannot be replicated%s\nhelp: %s the program runs as it is", what, *name ? " '" : "", name, *name ? "'" : "", where,
          MPIR_dvm_replica.elsewhere ? "with shadows on the hosts of their mains ('--placement node'), or without '--replicate',"
                                     : "without '--replicate'");
}

struct replica_door MPIR_dvm_replica = {.is_shadow = is_shadow,
                                        .follow = mpl_replica_follow,
                                        .tell = tell,
                                        .claim = claim,
                                        .await_shadow = await_shadow,
                                        .wait_for_end = wait_for_end,
                                        .refuse = refuse};

void mpl_replica_finalized(void) {
  if (mpl_replicated())
    atomic_store(&mpl_replica.rank->finalized[mpl_replica.me], 1);
}

/* fork.c: in the child. */
void replica_become_shadow(void);
void replica_become_shadow(void) {
  replica_become(1 - mpl_replica.me);
  mpl_replica.live = false;
  mpl_replica.quiet = false;
  mpl_replica.replayed = mpl_replica.logged;
  mpl_replica.rank->state = *mpl.state;
  mpl.state = &mpl_replica.rank->state;
  step_back(mpl_replica.job->shadow_cpu);
  for (uint32_t i = 0; i < mpl.size; i++)
    mpl_replica_open(&mpl.peers[i].in, &mpl.peers[i].out, i);
}
