/* The controller of a job on several hosts: it starts mpirun, and that the proxies. */
#include "mpir/commands/job_hosts.h"
#include "base/clock.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/commands/client.h"
#include "mpir/commands/deadlock.h"
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_sets.h"

enum { WORDS = 4096, WAIT_US = 1000, START_MS = 60000, OVER_MS = 10000, ANSWER_MS = 600000 };

struct mpir_hosts {
  char (*names)[256];
  uint32_t *counts, *slots, nnodes;
  pid_t mpirun;
  int how;          /* with which it ended */
  bool ended, told; /* told: that it ended */
};

static int add_host(struct mpir_hosts *h, const char *name, size_t length, const char *slots, struct dvm_error *err) {
  char *end = NULL;
  const unsigned long n = slots ? strtoul(slots, &end, 10) : 0;
  if (!length || length > 255 || *name == '-' ||
      (slots && (!isdigit((unsigned char)*slots) || (*end && *end != ',') || !n || n > MPL_RANKS_MAX)))
    return dvm_error_set(err, -EINVAL, "'--hosts' takes HOST[:RANKS],..., not '%.*s'", (int)strcspn(name, ","), name);
  if (h->nnodes == MPL_NODES_MAX)
    return dvm_error_set(err, -E2BIG, "'--hosts' takes at most %d hosts", MPL_NODES_MAX);
  snprintf(h->names[h->nnodes], sizeof(h->names[0]), "%.*s", (int)length, name);
  h->slots[h->nnodes++] = (uint32_t)n;
  return 0;
}

/* As many ranks as are said of each host, in their order; where nothing is said, blocks of the same size. */
static int place(struct mpir_hosts *h, uint32_t nranks, struct dvm_error *err) {
  uint32_t said = 0, unsaid = 0, left = nranks;
  for (uint32_t i = 0; i < h->nnodes; i++) {
    said += h->slots[i];
    unsaid += !h->slots[i];
  }
  if (!unsaid && said < nranks)
    return dvm_error_set(err, -EINVAL, "'--hosts' has room for %u ranks, but the job has %u", said, nranks);
  for (uint32_t i = 0; i < h->nnodes; i++) {
    uint32_t share = h->slots[i];
    if (!share) {
      share = nranks > said ? (nranks - said + unsaid - 1) / unsaid : 0;
      said += share < nranks - (said < nranks ? said : nranks) ? share : nranks - said;
      unsaid--;
    }
    h->counts[i] = share < left ? share : left;
    left -= h->counts[i];
  }
  while (h->nnodes > 1 && !h->counts[h->nnodes - 1])
    h->nnodes--;
  return 0;
}

struct mpir_hosts *mpir_hosts_create(const char *list, uint32_t nranks, struct dvm_error *err) {
  struct mpir_hosts *h = calloc(1, sizeof(*h));
  h->names = calloc(MPL_NODES_MAX, sizeof(h->names[0]));
  h->counts = calloc(MPL_NODES_MAX, sizeof(*h->counts));
  h->slots = calloc(MPL_NODES_MAX, sizeof(*h->slots));
  int rc = 0;
  for (const char *s = list; !rc; s++) {
    const size_t length = strcspn(s, ":,");
    const char *next = s + strcspn(s, ",");
    rc = add_host(h, s, length, s[length] == ':' ? s + length + 1 : NULL, err);
    s = next;
    if (!*s)
      break;
  }
  if (!rc)
    rc = place(h, nranks, err);
  if (!rc)
    return h;
  mpir_hosts_destroy(h);
  return NULL;
}

void mpir_hosts_destroy(struct mpir_hosts *h) {
  if (!h)
    return;
  free(h->names);
  free(h->counts);
  free(h->slots);
  free(h);
}

uint32_t mpir_hosts_count(const struct mpir_hosts *h) { return h->nnodes; }

void mpir_hosts_describe(const struct mpir_hosts *h, struct mpl_job *shared) {
  uint32_t rank = 0;
  shared->nnodes = h->nnodes;
  for (uint32_t i = 0; i < h->nnodes; i++) {
    memcpy(mpl_box(shared, i)->host, h->names[i], sizeof(h->names[i]));
    for (uint32_t k = 0; k < h->counts[i]; k++)
      mpl_state(shared, rank++)->node = i;
  }
}

const char *mpir_hosts_name(const struct mpir_hosts *h, uint32_t node) { return h->names[node]; }

/* --- mpirun --- */

struct line {
  char *words[WORDS];
  int n;
};

static void word(struct line *l, const char *text) {
  if (l->n < WORDS - 1)
    l->words[l->n++] = strdup(text);
}

static void number(struct line *l, uint32_t n) {
  char text[16];
  snprintf(text, sizeof(text), "%u", n);
  word(l, text);
}

static void app(struct line *l, const char *host, const char *proxy, const char *role) {
  word(l, "-n");
  word(l, "1");
  word(l, "--host");
  word(l, host);
  word(l, proxy);
  word(l, role);
}

/* What ranks need of the environment beside what mpirun hands on. */
static void export_variables(struct line *l) {
  extern char **environ;
  char name[128];
  for (char **e = environ; *e; e++)
    if (!strncmp(*e, "DVMCR_", 6) || !strncmp(*e, REPLICA_KILL_VARIABLE, sizeof(REPLICA_KILL_VARIABLE) - 1) ||
        !strncmp(*e, "LD_LIBRARY_PATH=", 16) || !strncmp(*e, "PATH=", 5) || !strncmp(*e, "OMP_", 4)) {
      snprintf(name, sizeof(name), "%.*s", (int)strcspn(*e, "="), *e);
      word(l, "-x");
      word(l, name);
    }
}

static void begin(struct line *l, const char *launcher) {
  char *words = strdup(launcher ? launcher : "mpirun"), *rest;
  for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest))
    word(l, w);
  free(words);
  if (!geteuid())
    word(l, "--allow-run-as-root");
  word(l, "--oversubscribe");
  word(l, "--mca");
  word(l, "orte_base_help_aggregate");
  word(l, "0");
  word(l, "--stdin");
  word(l, "1");
  export_variables(l);
}

static void node_words(struct line *l, const struct mpir_hosts *h, const struct job *j, const char *library) {
  char counts[MPL_NODES_MAX * 6], *to = counts;
  number(l, j->shared->eager_limit);
  number(l, j->shared->strict);
  number(l, j->checkpointable);
  number(l, atomic_load(&j->shared->held));
  for (uint32_t i = 0; i < h->nnodes; i++)
    to += snprintf(to, 6, "%s%u", i ? "," : "", h->counts[i]);
  word(l, counts);
  word(l, library);
}

static void find_proxy(char *path, size_t size) {
  ssize_t n = readlink("/proc/self/exe", path, size - 16);
  path[n > 0 ? n : 0] = 0;
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, "dvm-proxy");
}

int mpir_hosts_start(struct mpir_hosts *h, const struct job *j, const struct mpir_hosts_what *what, const sigset_t *mask) {
  static struct line l;
  char proxy[PATH_MAX], self[256];
  const pid_t parent = getpid();
  find_proxy(proxy, sizeof(proxy));
  gethostname(self, sizeof(self));
  self[sizeof(self) - 1] = 0;
  begin(&l, what->launcher);
  app(&l, self, proxy, "head");
  number(&l, (uint32_t)parent);
  number(&l, (uint32_t)j->fd);
  if (what->set) {
    number(&l, (uint32_t)what->set->fd);
    number(&l, what->set->side);
  }
  for (uint32_t i = 0; i < h->nnodes; i++) {
    word(&l, ":");
    app(&l, h->names[i], proxy, "node");
    node_words(&l, h, j, what->library);
    word(&l, what->set ? "set" : what->snapshot ? "restart" : "run");
    if (what->set || what->snapshot)
      word(&l, what->set ? mpir_half_words(what->set) : what->flags);
    if (what->snapshot)
      word(&l, what->snapshot);
    for (char **a = what->argv; a && *a; a++)
      word(&l, *a);
  }
  l.words[l.n] = NULL;
  if (what->set)
    mpir_half_await_turn(what->set);
  h->mpirun = fork();
  if (h->mpirun && what->set)
    mpir_half_started(what->set, h->mpirun);
  if (h->mpirun)
    return h->mpirun < 0 ? -errno : 0;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent)
    _exit(1);
  sigprocmask(SIG_SETMASK, mask, NULL);
  if (what->set) { /* what mpirun says is told if the set never ran */
    dup2(what->set->said, 1);
    dup2(what->set->said, 2);
  }
  execvp(l.words[0], l.words);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\nhelp: install the package openmpi-bin, or name another with '--launcher WORDS'\n",
          l.words[0], strerror(errno));
  _exit(127);
}

bool mpir_hosts_reaped(struct mpir_hosts *h, pid_t pid, int how) {
  if (!h || pid != h->mpirun)
    return false;
  h->ended = true;
  h->how = how;
  return true;
}

static bool is_alive(void *arg) {
  struct mpir_hosts *h = arg;
  int how;
  if (!h->ended && waitpid(h->mpirun, &how, WNOHANG) == h->mpirun)
    mpir_hosts_reaped(h, h->mpirun, how);
  return !h->ended;
}

/* Without it no rank is left. */
int mpir_hosts_lost(struct mpir_hosts *h, bool quiet) {
  if (!is_alive(h) && !h->told) {
    h->told = true;
    if (quiet)
      return 1;
    if (WIFSIGNALED(h->how))
      fprintf(stderr, "dvm run: error: mpirun, under which the ranks run, was killed by signal %d (%s)\n", WTERMSIG(h->how),
              strsignal(WTERMSIG(h->how)));
    else
      fprintf(stderr, "dvm run: error: mpirun, under which the ranks run, ended with status %d before they did%s\n", WEXITSTATUS(h->how),
              WEXITSTATUS(h->how) == 127 ? "" : ": it could not reach a host, or a proxy was killed; its messages are above");
    return WIFSIGNALED(h->how) ? 128 + WTERMSIG(h->how) : WEXITSTATUS(h->how) ? WEXITSTATUS(h->how) : 1;
  }
  return 0;
}

int mpir_hosts_await(struct mpir_hosts *h, struct job *j) {
  for (uint32_t i = 0; i < j->nranks; i++) {
    struct mpl_rank_state *s = mpl_state(j->shared, i);
    while (!atomic_load(&s->pid) && !atomic_load(&s->ended))
      if (!is_alive(h))
        return -ECHILD;
      else
        usleep(WAIT_US);
    j->pids[i] = atomic_load(&s->pid);
  }
  return 0;
}

/* Signals are blocked, and read later. */
static bool is_to_end(void) {
  sigset_t pending;
  return !sigpending(&pending) && (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT));
}

static int kill_one(void *arg, pid_t pid) {
  (void)arg;
  kill(pid, SIGKILL);
  return 0;
}

/* It has begun nothing yet but what reaches for its hosts. */
static void kill_mpirun(const struct mpir_hosts *h) {
  kill(h->mpirun, SIGSTOP);
  mpir_client_each_child(h->mpirun, kill_one, NULL);
  kill(h->mpirun, SIGKILL);
}

int mpir_hosts_await_proxies(struct mpir_hosts *h, const struct mpir_half *set) {
  while (!mpir_half_has_head(set)) {
    if (!is_alive(h))
      return -ECHILD;
    if (is_to_end()) { /* a host may not answer for long */
      kill_mpirun(h);
      return -ECANCELED;
    }
    usleep(WAIT_US);
  }
  return 0;
}

int mpir_hosts_restored(struct mpir_hosts *h, struct mpl_job *shared, struct dvm_error *err) {
  static struct hosts_answer a;
  int rc = 0;
  for (int turn = 0; turn < 2 && !rc; turn++) {
    for (uint32_t k = 0; k < h->nnodes; k++)
      mpir_hosts_ask(shared, k, &(struct hosts_question){.what = turn ? HOSTS_GO : HOSTS_READY});
    for (uint32_t k = 0; k < h->nnodes && !rc; k++)
      rc = mpir_hosts_answer(shared, k, &a, is_alive, h, err);
  }
  return rc;
}

void mpir_hosts_where(void *arg, uint32_t rank, pid_t pid, uint64_t place, char *text, size_t size) {
  struct job *j = arg;
  static struct hosts_answer a;
  struct dvm_error err = DVM_ERROR_INIT;
  const uint32_t node = mpl_state(j->shared, rank)->node;
  mpir_hosts_ask(j->shared, node, &(struct hosts_question){.what = HOSTS_WHERE, .pid = pid, .place = place});
  if (mpir_hosts_answer(j->shared, node, &a, is_alive, j->hosts, &err))
    snprintf(text, size, "0x%llx", (unsigned long long)place);
  else
    snprintf(text, size, "%s (host %s)", a.text, mpl_box(j->shared, node)->host);
}

/* What led a checkpoint is gone: the nodes let their ranks go. */
void mpir_hosts_give_up(struct mpl_job *shared) {
  for (uint32_t k = 0; k < shared->nnodes; k++)
    mpir_hosts_ask(shared, k, &(struct hosts_question){.what = HOSTS_END});
}

void mpir_hosts_signal(struct mpl_job *shared, int sig) { atomic_store(&shared->ending, (uint32_t)sig); }

void mpir_hosts_finish(struct mpir_hosts *h, struct mpl_job *shared) {
  const int64_t begun = dvm_clock_ms();
  atomic_store(&shared->ending, MPL_OVER);
  while (is_alive(h)) {
    const int64_t ms = dvm_clock_ms() - begun;
    if (ms > OVER_MS)
      kill(h->mpirun, ms > 2 * OVER_MS ? SIGKILL : SIGTERM);
    usleep(WAIT_US);
  }
}

/* --- boxes --- */

void mpir_hosts_ask(struct mpl_job *shared, uint32_t node, const struct hosts_question *q) {
  struct mpl_box *box = mpl_box(shared, node);
  memcpy(box->question, q, sizeof(*q));
  box->question_bytes = sizeof(*q);
  atomic_fetch_add(&box->asked, 1);
}

int mpir_hosts_answer(struct mpl_job *shared, uint32_t node, struct hosts_answer *a, bool (*alive)(void *), void *arg,
                      struct dvm_error *err) {
  struct mpl_box *box = mpl_box(shared, node);
  const int64_t begun = dvm_clock_ms();
  while (atomic_load(&box->answered) != atomic_load(&box->asked)) {
    if (!alive(arg))
      return dvm_error_set(err, -ECONNRESET, "the job has ended");
    if (dvm_clock_ms() - begun > ANSWER_MS)
      return dvm_error_set(err, -ETIMEDOUT, "host %s does not answer", box->host);
    usleep(WAIT_US);
  }
  memcpy(a, box->answer, sizeof(*a));
  a->text[sizeof(a->text) - 1] = 0;
  return a->code ? dvm_error_set(err, a->code, "host %s: %s", box->host, a->text) : 0;
}
