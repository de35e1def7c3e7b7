#define _GNU_SOURCE
#include "sdm/session/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"
#include "sdm/bytes.h"

#define WORDS_MAX 64

/* Beside our own program, or what SDM_SERVER names. */
static const char *server_path(void) {
  static char path[PATH_MAX + 16];
  const char *named = getenv("SDM_SERVER");
  ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
  if (named)
    return named;
  path[n > 0 ? n : 0] = 0;
  char *slash = strrchr(path, '/');
  snprintf(slash ? slash + 1 : path, 16, "sdm-server");
  return path;
}

/* "HOST\:PORT,..": where the servers inside register. */
static void set_inside(const struct sdm_launch_options *o, const char *rank) {
  const char *have = getenv("DVM_OPTIONS");
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s%ssdm=", have ? have : "", have && *have ? ":" : "");
  for (const char *p = o->rendezvous; *p; p++)
    dvm_text_printf(&t, *p == ':' ? "\\%c" : "%c", *p);
  if (o->hold)
    dvm_text_add(&t, ",hold");
  if (rank)
    dvm_text_printf(&t, ",rank=%s", rank);
  if (o->start_ms)
    dvm_text_printf(&t, ",start=%u", o->start_ms);
  if (o->orphan_ms)
    dvm_text_printf(&t, ",orphan=%u", o->orphan_ms);
  setenv("DVM_OPTIONS", dvm_text_str(&t), 1);
  dvm_text_fini(&t);
}

static size_t count(char *const *words) {
  size_t n = 0;
  while (words && words[n])
    n++;
  return n;
}

static int server_words(char **words, int n, const struct sdm_launch_options *o) {
  if (o->program) {
    for (size_t i = 0; o->program[i]; i++)
      words[n++] = o->program[i];
    words[n] = NULL;
    return n;
  }
  words[n++] = (char *)server_path();
  words[n++] = "--rendezvous";
  words[n++] = (char *)o->rendezvous;
  words[n++] = "--backend";
  words[n++] = (char *)o->backend;
  if (o->backend_path) {
    words[n++] = "--backend-path";
    words[n++] = (char *)o->backend_path;
  }
  words[n++] = "--io";
  words[n++] = o->oob ? "oob" : "tree";
  static char ping[16], orphan[16], start[16];
  if (o->start_ms) {
    snprintf(start, sizeof(start), "%u", o->start_ms);
    words[n++] = "--start-timeout";
    words[n++] = start;
  }
  if (o->ping_ms) {
    snprintf(ping, sizeof(ping), "%u", o->ping_ms);
    words[n++] = "--ping";
    words[n++] = ping;
  }
  if (o->orphan_ms) {
    snprintf(orphan, sizeof(orphan), "%u", o->orphan_ms);
    words[n++] = "--orphan";
    words[n++] = orphan;
  }
  if (o->orphan_do) {
    words[n++] = "--orphan-do";
    words[n++] = (char *)o->orphan_do;
  }
  words[n] = NULL;
  return n;
}

int sdm_launch_find_program(int argc, char *const *argv) {
  for (int i = 1; i < argc; i++)
    if (argv[i][0] != '-' && dvm_path_executable(argv[i]))
      return i;
  return 0;
}

static volatile sig_atomic_t muted;

static void on_mute(int signal) {
  (void)signal;
  muted = 1;
}

/* Copies what comes to standard error until nobody can write any more.  It holds nothing else of ours open: a launcher that
 * outlives this command keeps it. */
static _Noreturn void relay(int from) {
  struct sigaction sa = { .sa_handler = on_mute, .sa_flags = SA_RESTART };
  char block[4096];
  ssize_t n;
  sigaction(SIGUSR1, &sa, NULL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGUSR1); /* the launcher is killed then, or left to itself */
  setpgid(0, 0);                    /* ^C at the console is for the console */
  dup2(from, 0);
  dup2(2, 1);
  close_range(3, ~0u, 0);
  while ((n = read(0, block, sizeof(block))) > 0)
    for (ssize_t done = 0, w; !muted && done < n; done += w)
      if ((w = write(2, block + done, (size_t)(n - done))) <= 0)
        break; /* nobody reads it, but the launcher must not block */
  _exit(0);
}

/* The end of a pipe that a launcher is to have as its standard error.  -1: it has ours. */
static int start_relay(struct sdm_launch *l) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return -1;
  l->relay = fork();
  if (!l->relay)
    relay(ends[0]);
  close(ends[0]);
  if (l->relay > 0)
    return ends[1];
  l->relay = 0;
  close(ends[1]);
  return -1;
}

void sdm_launch_mute(struct sdm_launch *l) {
  if (l->relay)
    kill(l->relay, SIGUSR1);
}

/* All that a launcher which has ended wrote is out after this. */
static void end_relay(struct sdm_launch *l, int grace_ms) {
  pid_t ended = 0;
  for (int waited = 0; l->relay && !ended && waited <= grace_ms; waited += 10)
    if (!(ended = waitpid(l->relay, NULL, WNOHANG)))
      usleep(10000);
  if (l->relay && !ended) {
    kill(l->relay, SIGKILL);
    waitpid(l->relay, NULL, 0);
  }
  l->relay = 0;
}

static pid_t start(char *const *words, const struct sdm_launch_options *o, const char *rank, bool input, int errors) {
  pid_t pid = fork();
  if (pid)
    return pid;
  if (errors >= 0)
    dup2(errors, 2);
  if (!o->survives)
    prctl(PR_SET_PDEATHSIG, SIGTERM);
  setpgid(0, 0); /* ^C at the console is for the console */
  int null = open("/dev/null", O_RDONLY);
  if (!input)
    dup2(null, 0);
  setenv("SDM_SECRET", o->secret, 1);
  if (o->program)
    set_inside(o, rank);
  if (o->apart)
    dup2(2, 1);
  signal(SIGINT, SIG_DFL);
  execvp(words[0], words);
  fprintf(stderr, "dvm debug: error: cannot run '%s': %s\n", words[0], strerror(errno));
  _exit(127);
}

int sdm_launch_local(struct sdm_launch *l, uint32_t n, const struct sdm_launch_options *o, struct dvm_error *err) {
  char rank[16], **words = sdm_alloc((count(o->program) + WORDS_MAX) * sizeof(*words));
  int rc = 0;
  if (!o->program && !dvm_path_executable(server_path())) /* said once, not by every child */
    rc = dvm_error_set(err, -ENOENT, "there is no debug server '%s'; SDM_SERVER names another", server_path());
  l->pids = sdm_alloc(n * sizeof(*l->pids));
  for (l->n = 0; l->n < n && !rc; l->n++) {
    int at = server_words(words, 0, o);
    snprintf(rank, sizeof(rank), "%u", l->n);
    if (!o->program) {
      words[at++] = "--rank";
      words[at++] = rank;
      words[at] = NULL;
    }
    setenv("SDM_RANK", rank, 1);
    l->pids[l->n] = start(words, o, rank, o->oob && l->n == 0, -1);
    if (l->pids[l->n] < 0)
      rc = dvm_error_errno(err, "cannot start server %u", l->n);
  }
  unsetenv("SDM_RANK");
  free(words);
  return rc;
}

int sdm_launch_command(struct sdm_launch *l, char *const *before, const struct sdm_launch_options *o,
                       struct dvm_error *err) {
  size_t n = count(before);
  char **words = sdm_alloc((n + count(o->program) + WORDS_MAX) * sizeof(*words));
  memcpy(words, before, n * sizeof(*words));
  server_words(words, (int)n, o);
  l->pids = sdm_alloc(sizeof(*l->pids));
  l->n = 1;
  bool shared = o->oob || o->program; /* with the programs, whose words must not get lost at the end */
  if (shared)
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0); /* Open MPI's advice on programs that a debugger killed is no help */
  int errors = shared ? -1 : start_relay(l);
  l->pids[0] = start(words, o, NULL, o->oob, errors);
  if (errors >= 0)
    close(errors);
  free(words);
  return l->pids[0] < 0 ? dvm_error_errno(err, "cannot start '%s'", before[0]) : 0;
}

bool sdm_launch_alive(void *launch) {
  struct sdm_launch *l = launch;
  for (uint32_t i = 0; i < l->n; i++)
    if (l->pids[i] > 0 && waitpid(l->pids[i], NULL, WNOHANG) == l->pids[i])
      l->pids[i] = 0;
  for (uint32_t i = 0; i < l->n; i++)
    if (!l->pids[i])
      return false;
  return true;
}

void sdm_launch_terminate(struct sdm_launch *l) {
  for (uint32_t i = 0; i < l->n; i++)
    if (l->pids[i] > 0)
      kill(-l->pids[i], SIGTERM); /* a launcher with what it started */
}

void sdm_launch_fini(struct sdm_launch *l, int grace_ms) {
  for (int round = 0; round < 2; round++) {
    for (int waited = 0; waited <= grace_ms; waited += 10) {
      uint32_t left = 0;
      sdm_launch_alive(l);
      for (uint32_t i = 0; i < l->n; i++)
        left += l->pids[i] > 0;
      if (!left)
        break;
      usleep(10000);
    }
    for (uint32_t i = 0; i < l->n; i++)
      if (l->pids[i] > 0)
        kill(-l->pids[i], round ? SIGKILL : SIGTERM); /* a launcher with what it started */
  }
  for (uint32_t i = 0; i < l->n; i++)
    if (l->pids[i] > 0)
      waitpid(l->pids[i], NULL, 0);
  end_relay(l, 1000);
  free(l->pids);
  *l = (struct sdm_launch){ 0 };
}
