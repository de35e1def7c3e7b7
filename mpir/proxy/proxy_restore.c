#include "mpir/proxy/proxy_restore.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/restart/restart.h"

enum { LOOK_US = 20000 };

static struct restorer {
  pid_t pid; /* 0: has ended */
  int socket;
  bool ready;
  uint32_t node; /* of the saved job */
  uint32_t first, end; /* ranks */
} *restorers;
static uint32_t nrestorers;

static bool is_mine(const struct mpir_job_manifest *m, uint32_t node, uint32_t rank) {
  return m->ranks[rank].state == MPIR_RANK_SAVED && mpir_job_node_of(&m->ranks[rank]) == (int)node;
}

static _Noreturn void become_restorer(const struct proxy *p, const struct restorer *r, int socket, pid_t parent) {
  char numbers[5][16], flags[] = "---";
  char *words[] = {(char *)(uintptr_t)"dvm-proxy",
                   (char *)(uintptr_t)"restore",
                   numbers[0],
                   numbers[1],
                   numbers[2],
                   numbers[3],
                   numbers[4],
                   flags,
                   (char *)(uintptr_t)p->snapshot,
                   NULL};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(1);
  close_range(3, (unsigned)p->fd - 1, CLOSE_RANGE_CLOEXEC);
  close_range((unsigned)p->fd + 1, ~0u, CLOSE_RANGE_CLOEXEC);
  snprintf(numbers[0], sizeof(numbers[0]), "%d", dup(socket));
  snprintf(numbers[1], sizeof(numbers[1]), "%d", p->fd);
  snprintf(numbers[2], sizeof(numbers[2]), "%u", r->node);
  snprintf(numbers[3], sizeof(numbers[3]), "%u", r->first);
  snprintf(numbers[4], sizeof(numbers[4]), "%u", r->end);
  flags[0] = p->debug ? 'd' : '-';
  flags[1] = p->restore_files ? 'f' : '-';
  flags[2] = p->truncate ? 't' : '-';
  execv("/proc/self/exe", words);
  _exit(127);
}

/* 'streams': standard output and error of what it restores, or NULL: those of this process. */
static int start_one(const struct proxy *p, struct restorer what, const int streams[REPLICA_STREAMS]) {
  struct restorer *r = &restorers[nrestorers];
  const pid_t self = getpid();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
    return -errno;
  *r = what;
  r->socket = ends[0];
  r->pid = fork();
  if (!r->pid) {
    for (int s = 0; streams && s < REPLICA_STREAMS; s++)
      dup2(streams[s], s + 1);
    become_restorer(p, r, ends[1], self);
  }
  close(ends[1]);
  nrestorers++;
  return r->pid < 0 ? -EAGAIN : 0;
}

/* Each has streams of its own. */
static int start_in_set(struct proxy *p, const struct mpir_job_manifest *m) {
  int rc = 0, streams[REPLICA_STREAMS];
  proxy_outputs_started(p);
  for (uint32_t i = p->first; i < p->end && !rc; i++) {
    rc = m->ranks[i].state == MPIR_RANK_SAVED ? proxy_outputs_begin(p, i, streams) : -EINVAL;
    if (!rc)
      rc = start_one(p, (struct restorer){.node = (uint32_t)mpir_job_node_of(&m->ranks[i]), .first = i, .end = i + 1}, streams);
    for (int s = 0; s < REPLICA_STREAMS && rc != -EINVAL; s++)
      if (streams[s] >= 0)
        close(streams[s]);
  }
  return rc;
}

static int start_by_nodes(struct proxy *p, const struct mpir_job_manifest *m) {
  int rc = 0;
  for (uint32_t node = 0; !rc && node < m->nnodes; node++) {
    bool any = false;
    for (uint32_t i = p->first; i < p->end; i++)
      any = any || is_mine(m, node, i);
    rc = any ? start_one(p, (struct restorer){.node = node, .first = p->first, .end = p->end}, NULL) : 0;
  }
  return rc;
}

int proxy_restore_start(struct proxy *p) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_job_manifest *m = mpir_job_manifest_read(p->snapshot, &err);
  int rc = m ? 0 : err.code;
  restorers = m ? calloc(m->nnodes + (p->end - p->first) + 1, sizeof(*restorers)) : NULL;
  if (!rc)
    rc = p->set ? start_in_set(p, m) : start_by_nodes(p, m);
  mpir_job_manifest_free(m);
  return rc;
}

bool proxy_restore_ready(struct proxy *p, struct hosts_answer *a) {
  bool all = true;
  (void)p;
  for (uint32_t i = 0; i < nrestorers; i++) {
    struct restorer *r = &restorers[i];
    if (r->ready)
      continue;
    ssize_t n = recv(r->socket, a, sizeof(*a), MSG_DONTWAIT);
    if (n < 0 && errno == EAGAIN) {
      all = false;
      continue;
    }
    if (n != (ssize_t)sizeof(*a)) {
      memset(a, 0, sizeof(*a));
      a->code = -ECHILD;
      snprintf(a->text, sizeof(a->text), "the process that restored the ranks of node %u has ended", r->node);
    }
    r->ready = true;
    if (a->code)
      return true;
  }
  if (all)
    memset(a, 0, sizeof(*a));
  return all;
}

void proxy_restore_go(struct proxy *p) {
  for (uint32_t i = 0; i < nrestorers; i++)
    if (send(restorers[i].socket, "G", 1, MSG_NOSIGNAL) != 1)
      continue; /* it has ended, which is seen */
  p->started = true;
}

/* The ranks of one that has ended have ended with it. */
void proxy_restore_ended(struct proxy *p, pid_t pid) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_job_manifest *m;
  for (uint32_t k = 0; k < nrestorers; k++) {
    if (restorers[k].pid != pid)
      continue;
    restorers[k].pid = 0;
    m = mpir_job_manifest_read(p->snapshot, &err);
    for (uint32_t i = restorers[k].first; m && i < restorers[k].end; i++) {
      struct mpl_rank_state *s = mpl_state(p->job, i);
      if (is_mine(m, restorers[k].node, i) && !atomic_load(&s->ended))
        atomic_store(&s->ended, SIGKILL + 1);
    }
    mpir_job_manifest_free(m);
  }
}

/* --- the process that restores --- */

struct restoring {
  const struct mpir_job_manifest *m; /* NULL: 'first' alone, which the snapshot is of */
  struct mpl_job *job;
  struct mpir_set *set;
  pid_t *pids;   /* by rank, 0 */
  int *member;   /* by rank */
  uint32_t node, first, end, alive;
  int socket;
};

static bool is_chosen(const struct restoring *r, int pid, uint32_t *rank) {
  *rank = r->first;
  if (!r->m)
    return true;
  for (uint32_t i = r->first; i < r->end; i++)
    if (is_mine(r->m, r->node, i) && r->m->ranks[i].pid == pid) {
      *rank = i;
      return true;
    }
  return false;
}

static int on_ready(void *arg, const struct mpir_restarted *out, struct dvm_error *err) {
  struct restoring *r = arg;
  struct hosts_answer a = {0};
  size_t n = 0;
  uint32_t rank;
  char go;
  for (size_t i = 0; i < r->set->member_count; i++) {
    if (r->set->members[i].ended)
      continue;
    if (is_chosen(r, r->set->members[i].pid, &rank)) {
      r->pids[rank] = out->all[n];
      r->member[rank] = (int)i;
      r->alive++;
      atomic_store(&mpl_state(r->job, rank)->pid, out->all[n]);
    }
    n++;
  }
  if (send(r->socket, &a, sizeof(a), MSG_NOSIGNAL) != (ssize_t)sizeof(a) || recv(r->socket, &go, 1, 0) != 1)
    return dvm_error_set(err, -ECANCELED, "the restart was abandoned");
  return 0;
}

static void ended(struct restoring *r, uint32_t rank, int how) {
  atomic_store(&mpl_state(r->job, rank)->ended, how + 1);
  r->pids[rank] = 0;
  r->alive--;
}

static void watch(struct restoring *r, const struct mpir_restarted *out) {
  while (r->alive) {
    int how;
    pid_t pid = waitpid(-1, &how, WNOHANG);
    const bool over = pid < 0 && errno == ECHILD;
    for (uint32_t i = r->first; i < r->end; i++) {
      const int inside = r->pids[i] && out->how ? atomic_load(&out->how[r->member[i]]) : 0;
      if (inside)
        ended(r, i, inside - 1);
      else if (r->pids[i] && (over || (pid > 0 && !out->how && r->pids[i] == pid)))
        ended(r, i, over ? SIGKILL : how);
    }
    if (pid == 0)
      usleep(LOOK_US);
  }
  while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
    ;
}

static int restore(struct restoring *r, const char *snapshot, int segment, const char *flags, struct dvm_error *err) {
  struct mpir_restart_options o = {.ids = MPIR_IDS_AUTO,
                                   .debug = flags[0] == 'd',
                                   .restore_files = flags[1] == 'f',
                                   .truncate = flags[2] == 't',
                                   .tied = true,
                                   .given_name = "/memfd:" MPL_SEGMENT_NAME " (deleted)",
                                   .given_fd = segment,
                                   .given_filled = true,
                                   .ready = on_ready,
                                   .ready_arg = r};
  struct mpir_restarted out;
  int *chosen = calloc(r->end - r->first + 1, sizeof(int));
  char path[PATH_MAX];
  int rc;
  snprintf(path, sizeof(path), r->m ? "%s/" MPIR_JOB_NODE : "%s", snapshot, r->node);
  for (uint32_t i = r->first; i < r->end && r->m; i++)
    if (is_mine(r->m, r->node, i))
      chosen[o.chosen_count++] = r->m->ranks[i].pid;
  o.chosen = r->m ? chosen : NULL;
  r->set = mpir_set_read(path, err);
  if (r->set && r->m)
    mpir_set_choose(r->set, chosen, o.chosen_count);
  rc = r->set ? mpir_restart(path, &o, &out, err) : err->code;
  if (!rc)
    watch(r, &out);
  free(chosen);
  return rc;
}

int proxy_restore_main(char **words) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct restoring r = {
      .socket = atoi(words[0]), .node = (uint32_t)atoi(words[2]), .first = (uint32_t)atoi(words[3]), .end = (uint32_t)atoi(words[4])};
  const bool one = !strcmp(words[2], "one");
  struct mpir_job_manifest *m = one ? NULL : mpir_job_manifest_read(words[6], &err);
  const int segment = atoi(words[1]);
  struct stat st;
  int rc = m || one ? 0 : err.code;
  r.m = m;
  fcntl(r.socket, F_SETFD, FD_CLOEXEC);
  r.pids = calloc(r.end + 1, sizeof(*r.pids));
  r.member = calloc(r.end + 1, sizeof(*r.member));
  if (!rc &&
      (fstat(segment, &st) || (r.job = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0)) == MAP_FAILED))
    rc = dvm_error_errno(&err, "cannot map the memory of the job");
  if (!rc)
    rc = restore(&r, words[6], segment, words[5], &err);
  if (rc) {
    struct hosts_answer a = {.code = rc};
    snprintf(a.text, sizeof(a.text), "%s", err.text);
    if (send(r.socket, &a, sizeof(a), MSG_NOSIGNAL) < 0)
      return 1;
  }
  return rc ? 1 : 0;
}
