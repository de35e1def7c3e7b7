/* A node, when a replica is made anew: of the one that is left, which stands while its image is taken; and of the one that is made. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/clock.h"
#include "mpir/commands/job_hosts.h"
#include "mpir/proxy/proxy_fresh.h"

enum { STANDS_MS = 20, RESTS_MS = 50 };
enum stage { NOTHING, WANTED, STANDS, ASKED, SAVES, SAVED };

/* Of a rank here that is alone. */
struct left {
  enum stage stage;
  int64_t since_ms; /* it stands, or may not be asked to stand again */
  struct fresh_maker saver;
  char folder[4096];
};

static struct {
  struct left *left; /* by rank of the node */
  struct fresh_cut cut; /* of the rank that is made anew in this set, or that is left here */
  uint32_t rank;
  bool owes; /* an answer whether this node's ranks have come so far */
  struct fresh_maker restorer;
  bool restored, tells; /* tells: it has still to say that it stands */
  bool alone; /* the other set is lost: none is made any more */
  struct fresh_maker *watchers; /* by rank of the node: who has restored it, and waits for its end */
} here;

static struct replica_rank *shared_of(const struct proxy *p, uint32_t rank) { return &replica_job(p->job)->ranks[rank]; }

void proxy_fresh_open(struct proxy *p) {
  here.left = calloc(p->end - p->first + 1, sizeof(*here.left));
  here.watchers = calloc(p->end - p->first + 1, sizeof(*here.watchers));
}

static void tell(uint32_t rank, enum fresh_step step, uint64_t position, const char *text) {
  proxy_wire_send(0, &(struct proxy_head){PROXY_FRESH, rank, step, text ? (uint32_t)strlen(text) + 1 : 0, position}, text);
}

static void let_go(const struct proxy *p, uint32_t rank, enum replica_fork state) {
  struct replica_rank *k = shared_of(p, rank);
  atomic_store(&k->wanted, 0);
  atomic_store(&k->fork_state, state);
  syscall(SYS_futex, &k->fork_state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* --- the one that is left --- */

static void end_saving(struct left *l) {
  if (l->saver.fd >= 0)
    close(l->saver.fd);
  if (l->folder[0])
    mpir_job_part_remove(l->folder);
  l->folder[0] = 0;
  l->saver = (struct fresh_maker){.fd = -1};
  l->stage = NOTHING;
}

static void want(const struct proxy *p, uint32_t rank) {
  if (!here.alone)
    here.left[rank - p->first] = (struct left){.stage = WANTED, .saver = {.fd = -1}};
}

static void try_later(const struct proxy *p, uint32_t rank) {
  here.left[rank - p->first].stage = WANTED;
  here.left[rank - p->first].since_ms = dvm_clock_ms() + RESTS_MS;
  let_go(p, rank, REPLICA_NO_FORK);
}

/* It is asked to stand when the other set has what it has sent: it may send more before it does, and that does not go over while others stand, too. */
static void look_at_left(struct proxy *p, uint32_t rank) {
  struct left *l = &here.left[rank - p->first];
  struct replica_rank *k = shared_of(p, rank);
  const bool stands = atomic_load(&k->fork_state) == REPLICA_WANTS_FORK, is_over = proxy_cross_is_over(p, rank);
  if (l->stage == WANTED && is_over && dvm_clock_ms() >= l->since_ms && !atomic_load(&k->wanted))
    atomic_store(&k->wanted, 1);
  if (l->stage == WANTED && stands) {
    l->stage = STANDS;
    l->since_ms = dvm_clock_ms();
  }
  if (l->stage == STANDS && is_over && !proxy_fresh_owes(p, rank) && proxy_replicas_told(p, rank)) {
    l->stage = ASKED;
    tell(rank, FRESH_ASKS, 0, NULL);
  } else if (l->stage == STANDS && dvm_clock_ms() - l->since_ms > STANDS_MS) {
    try_later(p, rank);
  }
}

/* One that stands and is not asked to any more, or not yet: it has seen the wish, and was not there yet when that was taken back. */
static void look_at_idle(const struct proxy *p, uint32_t rank) {
  if (atomic_load(&shared_of(p, rank)->fork_state) == REPLICA_WANTS_FORK)
    let_go(p, rank, REPLICA_NO_FORK);
}

static void describe(const struct proxy *p, uint32_t rank, const char *folder) {
  const struct replica_rank *k = shared_of(p, rank);
  struct fresh_cut *c = &here.cut;
  *c = (struct fresh_cut){.logged = atomic_load(&k->logged),
                          .step = atomic_load(&k->step),
                          .unexpected = atomic_load(&mpl_state(p->job, rank)->unexpected),
                          .nranks = p->job->nranks};
  snprintf(c->folder, sizeof(c->folder), "%s", folder);
  memcpy(c->printed, k->printed, sizeof(c->printed));
  for (uint32_t i = 0; i < p->job->nranks; i++) {
    const struct mpl_ring *in = mpl_ring_at(p->job, i, rank), *out = mpl_ring_at(p->job, rank, i);
    c->rings[i] = (struct fresh_ring){atomic_load(&in->taken[0]), atomic_load(&out->written), atomic_load(&in->last)};
  }
}

static void save(struct proxy *p, uint32_t rank, const char *folder) {
  struct left *l = &here.left[rank - p->first];
  if (l->stage != ASKED)
    return;
  if (proxy_fresh_owes(p, rank)) { /* another one was made while this one stood */
    tell(rank, FRESH_LATER, 0, NULL);
    try_later(p, rank);
    return;
  }
  snprintf(l->folder, sizeof(l->folder), "%s", folder);
  l->stage = SAVES;
  if (proxy_fresh_save(p, rank, folder, &l->saver))
    tell(rank, FRESH_FAILED, 0, "no process could be started that saves it");
}

/* What the process has said, which is why it failed. */
static void read_text(int fd, char *text, size_t size) {
  const ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);
  text[n > 0 ? n : 0] = 0;
  text[strcspn(text, "\n")] = 0;
}

static void saved(struct proxy *p, uint32_t rank, int how) {
  struct left *l = &here.left[rank - p->first];
  char text[512];
  l->saver.pid = 0;
  if (l->stage != SAVES)
    return;
  if (how) {
    read_text(l->saver.fd, text, sizeof(text));
    tell(rank, FRESH_FAILED, 0, *text ? text : "the process that saved it has ended");
    return;
  }
  l->stage = SAVED;
  here.rank = rank;
  describe(p, rank, l->folder);
  proxy_wire_send(0, &(struct proxy_head){PROXY_FRESH, rank, FRESH_CUT, fresh_cut_bytes(p->job->nranks), 0}, &here.cut);
}

/* --- the one that is made --- */

static void end_restoring(void) {
  if (here.restorer.fd >= 0)
    close(here.restorer.fd); /* it ends then, if it has not been let go */
  here.restorer.fd = -1;
  here.restored = here.tells = false;
}

static void make(struct proxy *p, uint32_t rank) {
  int streams[REPLICA_STREAMS];
  proxy_fresh_prepare(p, rank, &here.cut);
  proxy_replicas_begin(p, rank, &here.cut);
  int rc = proxy_outputs_begin(p, rank, streams);
  if (!rc)
    rc = proxy_fresh_restore(p, rank, here.cut.folder, streams, &here.restorer);
  for (int s = 0; s < REPLICA_STREAMS; s++)
    if (streams[s] >= 0)
      close(streams[s]);
  here.tells = !rc;
  if (rc)
    tell(rank, FRESH_FAILED, 0, strerror(-rc));
}

static void hear_restorer(struct proxy *p) {
  static struct hosts_answer a;
  if (!here.tells)
    return;
  const ssize_t n = recv(here.restorer.fd, &a, sizeof(a), MSG_DONTWAIT);
  if (n < 0 && errno == EAGAIN)
    return;
  here.tells = false;
  here.restored = n == (ssize_t)sizeof(a) && !a.code;
  a.text[sizeof(a.text) - 1] = 0;
  if (here.restored)
    tell(here.rank, FRESH_MADE, 0, NULL);
  else
    tell(here.rank, FRESH_FAILED, 0, n == (ssize_t)sizeof(a) ? a.text : "the process that restored it has ended");
  (void)p;
}

/* From now on it is one of the ranks of this node. */
static void begin_life(struct proxy *p, uint32_t rank) {
  here.watchers[rank - p->first] = here.restorer;
  if (!here.restorer.pid || send(here.restorer.fd, "G", 1, MSG_NOSIGNAL) != 1)
    atomic_store(&mpl_state(p->job, rank)->ended, 1 + SIGKILL);
  here.restorer.pid = 0;
  end_restoring();
  proxy_ranks_tell_again(p, rank);
}

static void go(struct proxy *p, uint32_t rank) {
  if (here.restored) {
    begin_life(p, rank);
    return;
  }
  end_saving(&here.left[rank - p->first]);
  let_go(p, rank, REPLICA_FORKED);
}

static void fail(struct proxy *p, uint32_t rank) {
  if (here.restorer.pid) {
    end_restoring();
    return;
  }
  if (here.left[rank - p->first].stage < STANDS)
    return;
  end_saving(&here.left[rank - p->first]);
  let_go(p, rank, REPLICA_NO_FORK);
}

/* --- what comes --- */

static void take_cut(const struct proxy_head *head, const char *data) {
  memcpy(&here.cut, data, head->bytes);
  here.rank = head->from;
  here.owes = true;
}

/* For tests: the variable may have RANK.REPLICA@fresh-STEP, where the rank's process here is ended when that step has been taken for the first time. */
static void end_at(const struct proxy *p, uint32_t rank, uint32_t step) {
  const char *text = getenv(REPLICA_KILL_VARIABLE), *found;
  static bool done;
  char wanted[64];
  snprintf(wanted, sizeof(wanted), "%u.%u@fresh-%u", rank, p->set - 1, step);
  if (done || rank < p->first || rank >= p->end || !text || !(found = strstr(text, wanted)) || found[strlen(wanted)] > ',')
    return;
  done = true;
  kill(atomic_load(&mpl_state(p->job, rank)->pid), SIGKILL);
}

void proxy_fresh_take(struct proxy *p, const struct proxy_head *head, const char *data) {
  const uint32_t rank = head->from;
  switch ((enum fresh_step)head->to) {
  case FRESH_WANTED: want(p, rank); break;
  case FRESH_MAY: save(p, rank, data); break;
  case FRESH_CUT: take_cut(head, data); break;
  case FRESH_MAKE: make(p, rank); break;
  case FRESH_BACK:
    memcpy(&here.cut, data, head->bytes);
    proxy_fresh_back(p, rank, &here.cut);
    tell(rank, FRESH_JOINED, 0, NULL);
    break;
  case FRESH_GO: go(p, rank); break;
  case FRESH_FAILED: fail(p, rank); break;
  default: break;
  }
  end_at(p, rank, head->to);
}

bool proxy_fresh_progress(struct proxy *p) {
  for (uint32_t i = p->first; i < p->end; i++)
    if (here.left[i - p->first].stage)
      look_at_left(p, i);
    else
      look_at_idle(p, i);
  if (here.owes && proxy_fresh_reached(p, here.rank, &here.cut)) {
    here.owes = false;
    tell(here.rank, FRESH_REACHED, 0, NULL);
  }
  hear_restorer(p);
  return here.tells || here.owes;
}

void proxy_fresh_ended(struct proxy *p, pid_t pid, int how) {
  if (pid == here.restorer.pid)
    here.restorer.pid = 0;
  for (uint32_t i = p->first; i < p->end; i++) {
    if (here.left[i - p->first].saver.pid == pid)
      saved(p, i, how);
    if (here.watchers[i - p->first].pid == pid) {
      here.watchers[i - p->first].pid = 0;
      if (!atomic_load(&mpl_state(p->job, i)->ended)) /* it has ended with the one that watched it */
        atomic_store(&mpl_state(p->job, i)->ended, 1 + SIGKILL);
    }
  }
}

void proxy_fresh_release(struct proxy *p) {
  here.alone = true;
  for (uint32_t i = p->first; i < p->end; i++)
    if (here.left[i - p->first].stage) {
      end_saving(&here.left[i - p->first]);
      let_go(p, i, REPLICA_NO_FORK);
    }
}
