/* The processes of a node: its ranks, those that restore ranks and wait for them, and the one that leads a checkpoint. */
#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/commands/job_hosts.h"
#include "base/process.h"
#include "mpir/commands/job_start.h"
#include "mpir/commands/where.h"
#include "mpir/proxy/proxy_fresh.h"
#include "mpir/proxy/proxy_restore.h"

static struct {
  pid_t part; /* leads a checkpoint, or 0 */
  int socket; /* to it, or -1 */
  bool owes;  /* it has a question */
  uint32_t question, ready_question; /* numbers of what is still to be answered; ready_question 0: none */
  struct mpl_rank_state *told;       /* by rank of the node: what the controller knows */
  struct proxy_flags flags;
} here = {.socket = -1};

static uint32_t count(const struct proxy *p) { return p->end - p->first; }

static void note_end(struct proxy *p, uint32_t rank, int how) {
  struct mpl_rank_state *s = mpl_state(p->job, rank);
  if (!atomic_load(&s->ended))
    atomic_store(&s->ended, how + 1);
}

/* They are all lost, and will be made anew. */
static void start_none(struct proxy *p) {
  for (uint32_t i = p->first; i < p->end; i++) {
    note_end(p, i, SIGKILL);
    atomic_store(&mpl_state(p->job, i)->pid, -1);
  }
  p->started = true;
  proxy_outputs_started(p);
}

int proxy_ranks_start(struct proxy *p) {
  sigset_t mask;
  sigemptyset(&mask);
  here.told = calloc(count(p) + 1, sizeof(*here.told));
  if (p->snapshot)
    return proxy_restore_start(p);
  if (p->set && p->begins == SETS_BEGIN_EMPTY) {
    start_none(p);
    return 0;
  }
  const pid_t self = getpid();
  for (uint32_t i = p->first; i < p->end; i++) {
    const struct mpir_place place = {
        i, p->job->nranks, i - p->first, count(p), p->fd, p->library, p->checkpointable, p->set ? proxy_replicas_become : NULL, p};
    pid_t pid = fork();
    if (!pid) {
      const unsigned flags = p->set ? CLOSE_RANGE_CLOEXEC : 0; /* its pipes are among them */
      prctl(PR_SET_TIMERSLACK, p->slack_ns);
      close_range(3, (unsigned)p->fd - 1, flags);
      close_range((unsigned)p->fd + 1, ~0u, flags);
      if ((p->checkpointable || p->refresh) && mpir_job_preload())
        _exit(1);
      mpir_job_become(&place, p->argv, self, &mask);
    }
    if (pid < 0)
      note_end(p, i, 1 << 8);
    atomic_store(&mpl_state(p->job, i)->pid, pid);
  }
  p->started = true;
  if (p->set)
    proxy_outputs_started(p);
  return 0;
}

void proxy_ranks_tell_again(struct proxy *p, uint32_t rank) { memset(&here.told[rank - p->first], 0xff, sizeof(*here.told)); }

static void end_part(void) {
  if (here.socket >= 0)
    close(here.socket);
  here.socket = -1;
  here.part = 0;
}

static void answer(uint32_t number, const struct hosts_answer *a) {
  const struct proxy_head head = {PROXY_ANSWER, 0, 0, sizeof(*a), number};
  proxy_wire_send(0, &head, a);
}

static void answer_failure(uint32_t number, const char *why) {
  struct hosts_answer *a = calloc(1, sizeof(*a));
  a->code = -EIO;
  snprintf(a->text, sizeof(a->text), "%s", why);
  answer(number, a);
  free(a);
}

void proxy_ranks_reap(struct proxy *p) {
  int how;
  for (pid_t pid; (pid = waitpid(-1, &how, WNOHANG)) > 0;) {
    if (pid == here.part) {
      if (here.owes)
        answer_failure(here.question, "the process that led the checkpoint there has ended");
      here.owes = false;
      end_part();
    }
    if (p->snapshot)
      proxy_restore_ended(p, pid);
    if (p->set)
      proxy_fresh_ended(p, pid, how);
    for (uint32_t i = p->first; i < p->end && !p->snapshot; i++)
      if (atomic_load(&mpl_state(p->job, i)->pid) == pid && !atomic_load(&mpl_state(p->job, i)->ended))
        note_end(p, i, how);
  }
}

void proxy_ranks_signal(struct proxy *p, int sig) {
  for (uint32_t i = p->first; i < p->end; i++) {
    const struct mpl_rank_state *s = mpl_state(p->job, i);
    if (atomic_load(&s->pid) > 0 && !atomic_load(&s->ended))
      kill(atomic_load(&s->pid), sig);
  }
}

/* --- reports --- */

static bool is_stopped(pid_t pid) {
  char state = dvm_process_state(pid);
  return state == 'T' || state == 't';
}

/* It is its own shadow that a main waits for, which has not sent the half of what is there: that is no deadlock, even if all others have taken it.  The half: of
   what the shadow has sent, less than that may not have been told yet. */
static bool is_held(const struct proxy *p, const struct mpl_ring *ring) {
  const uint64_t written = atomic_load(&ring->written), needed = atomic_load(&ring->taken[1]);
  return p->set && atomic_load(&ring->writer_waits) && written > needed && written - needed > p->job->ring_bytes / 2;
}

static void look_at(struct proxy *p, uint32_t rank) {
  struct mpl_rank_state *s = mpl_state(p->job, rank);
  uint64_t written = 0, taken = 0;
  for (uint32_t k = 0; k < p->job->nranks; k++) {
    written += atomic_load(&mpl_ring_at(p->job, rank, k)->written) + is_held(p, mpl_ring_at(p->job, rank, k));
    taken += atomic_load(&mpl_ring_at(p->job, k, rank)->taken[0]);
  }
  atomic_store(&s->written, written);
  atomic_store(&s->taken, taken);
  atomic_store(&s->stopped, atomic_load(&s->wait.blocked) && !atomic_load(&s->ended) && is_stopped(atomic_load(&s->pid)));
}

void proxy_ranks_report(struct proxy *p) {
  if (atomic_load(&p->job->aborted) && !here.flags.aborted) {
    here.flags.aborted = 1;
    proxy_wire_send(0, &(struct proxy_head){PROXY_ABORTED, 0, 0, 0, (uint64_t)atomic_load(&p->job->abort_code)}, NULL);
  }
  for (uint32_t i = p->first; i < p->end && proxy_wire_has_room(); i++) {
    struct mpl_rank_state *s = mpl_state(p->job, i), *told = &here.told[i - p->first], now;
    look_at(p, i);
    memcpy(&now, s, sizeof(now));
    if (!memcmp(&now, told, sizeof(now)) || (p->set && atomic_load(&s->ended) && !proxy_replicas_told(p, i)))
      continue;
    memcpy(told, &now, sizeof(now));
    proxy_wire_send(0, &(struct proxy_head){PROXY_STATE, i, 0, sizeof(now), 0}, &now);
  }
}

/* --- questions --- */

static bool start_part(struct proxy *p) {
  int ends[2];
  end_part();
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
    return false;
  const pid_t self = getpid();
  here.part = fork();
  if (!here.part) {
    char numbers[2][16], self_path[] = "/proc/self/exe";
    char *words[] = {(char *)(uintptr_t)"dvm-proxy", (char *)(uintptr_t)"part", numbers[0], numbers[1], NULL};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self)
      _exit(1);
    snprintf(numbers[0], sizeof(numbers[0]), "%d", dup(ends[1])); /* without close on exec */
    snprintf(numbers[1], sizeof(numbers[1]), "%d", p->fd);
    execv(self_path, words);
    _exit(127);
  }
  close(ends[1]);
  here.socket = ends[0];
  return here.part > 0;
}

static void ask_part(struct proxy *p, uint32_t number, const struct hosts_question *q, size_t size) {
  here.question = number;
  if (q->what == HOSTS_SAVE && p->set)
    proxy_outputs_drain(p);
  if ((q->what == HOSTS_STOP && !start_part(p)) || here.socket < 0 || send(here.socket, q, size, MSG_NOSIGNAL) != (ssize_t)size) {
    if (q->what == HOSTS_END)
      answer(number, &(struct hosts_answer){0}); /* it has ended already */
    else
      answer_failure(number, "no checkpoint is under way there");
    return;
  }
  here.owes = q->what != HOSTS_END;
  if (q->what == HOSTS_END) {
    end_part();
    answer(number, &(struct hosts_answer){0});
  }
}

static void answer_where(uint32_t number, const struct hosts_question *q) {
  struct hosts_answer *a = calloc(1, sizeof(*a));
  mpir_where(q->pid, q->place, a->text, sizeof(a->text));
  answer(number, a);
  free(a);
}

void proxy_ranks_question(struct proxy *p, const struct proxy_head *head, const char *data) {
  struct hosts_question *q = calloc(1, sizeof(*q));
  const uint32_t number = (uint32_t)head->position;
  memcpy(q, data, head->bytes < sizeof(*q) ? head->bytes : sizeof(*q));
  switch ((enum hosts_what)q->what) {
  case HOSTS_WHERE: answer_where(number, q); break;
  case HOSTS_READY: here.ready_question = number; break;
  case HOSTS_GO:
    proxy_restore_go(p);
    answer(number, &(struct hosts_answer){0});
    break;
  default: ask_part(p, number, q, sizeof(*q)); break;
  }
  free(q);
}

bool proxy_ranks_answers(struct proxy *p) {
  struct hosts_answer *a = calloc(1, sizeof(*a));
  bool moved = false;
  if (here.ready_question && proxy_restore_ready(p, a)) {
    answer(here.ready_question, a);
    here.ready_question = 0;
    moved = true;
  }
  if (here.owes && here.socket >= 0 && recv(here.socket, a, sizeof(*a), MSG_DONTWAIT) == (ssize_t)sizeof(*a)) {
    answer(here.question, a);
    here.owes = false;
    moved = true;
  }
  free(a);
  return moved;
}
