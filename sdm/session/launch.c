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
#include "sdm/session/ssh.h"
#include "sdm/session/words.h"

#define WORDS_MAX SDM_SSH_WORDS

const char *sdm_launch_server(void) {
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

/* 'app': which program of several it is to start; or NULL. */
static int server_words(char **words, int n, const struct sdm_launch_options *o, const char *app) {
  if (o->program) { /* its environment is not to have the secret */
    words[n++] = (char *)sdm_launch_server();
    words[n++] = "--hand-over";
    for (size_t i = 0; o->program[i]; i++)
      words[n++] = o->program[i];
    words[n] = NULL;
    return n;
  }
  words[n++] = (char *)sdm_launch_server();
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
  if (app) {
    words[n++] = "--app";
    words[n++] = (char *)app;
  }
  words[n] = NULL;
  return n;
}

static volatile sig_atomic_t muted;

static void on_mute(int signal) {
  (void)signal;
  muted = 1;
}

/* Copies what comes to standard error until nobody can write any more.  It holds nothing else of ours open: a launcher that
 * outlives this command keeps it.  'told' gets it too, as far as it has room. */
static _Noreturn void relay(int from, int told) {
  struct sigaction sa = {.sa_handler = on_mute, .sa_flags = SA_RESTART};
  char block[4096];
  ssize_t n;
  sigaction(SIGUSR1, &sa, NULL);
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGUSR1); /* the launcher is killed then, or left to itself */
  setpgid(0, 0);                    /* ^C at the console is for the console */
  dup2(from, 0);
  dup2(told > 0 ? told : 2, 1);
  close_range(3, ~0u, 0);
  while ((n = read(0, block, sizeof(block))) > 0) {
    if (told > 0 && !muted && write(1, block, (size_t)n) < 0)
      told = 0;
    for (ssize_t done = 0, w; !muted && done < n; done += w)
      if ((w = write(2, block + done, (size_t)(n - done))) <= 0)
        break; /* nobody reads it, but the launcher must not block */
  }
  _exit(0);
}

/* The end of a pipe that a launcher is to have as its standard error.  -1: it has ours. */
static int start_relay(struct sdm_launch *l, int told) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return -1;
  l->relay = fork();
  if (!l->relay)
    relay(ends[0], told);
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

/* 'input' and 'errors': descriptors of its own; -1: nothing to read, ours. */
static pid_t start(char *const *words, const struct sdm_launch_options *o, const char *rank, int input, int errors) {
  pid_t pid = fork();
  if (pid)
    return pid;
  if (errors >= 0)
    dup2(errors, 2);
  setpgid(0, 0); /* ^C at the console is for the console */
  dup2(input >= 0 ? input : open("/dev/null", O_RDONLY), 0);
  if (o->secret)
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

/* Waits until we say something, or are gone; it has no other descriptors, and is of no process group of ours. */
static _Noreturn void guard(const struct sdm_launch *l, int from) {
  char word = 0;
  setpgid(0, 0);
  signal(SIGINT, SIG_IGN);
  dup2(from, 0);
  close_range(1, ~0u, 0);
  while (read(0, &word, 1) < 0 && errno == EINTR)
    ;
  for (uint32_t i = 0; word != 'k' && i < l->n; i++)
    if (l->pids[i] > 0)
      kill(l->pids[i], SIGTERM);
  _exit(0);
}

/* A signal at our death (prctl) could not be taken back, for programs that are left to themselves. */
static void start_guard(struct sdm_launch *l, const struct sdm_launch_options *o) {
  int ends[2];
  if (o->survives || pipe2(ends, O_CLOEXEC))
    return;
  l->guard = fork();
  if (!l->guard) {
    close(ends[1]);
    guard(l, ends[0]);
  }
  close(ends[0]);
  l->word = ends[1];
  if (l->guard < 0) {
    close(l->word);
    l->guard = 0;
  }
}

/* They are cared for: it is not to end them. */
static void end_guard(struct sdm_launch *l) {
  if (!l->guard)
    return;
  if (write(l->word, "k", 1) == 1)
    waitpid(l->guard, NULL, 0);
  close(l->word);
  l->guard = 0;
}

static int start_here(struct sdm_launch *l, const struct sdm_target *t, const struct sdm_launch_options *o, int errors,
                      struct dvm_error *err) {
  char rank[16], **words = sdm_alloc((count(o->program) + WORDS_MAX) * sizeof(*words));
  int at = server_words(words, 0, o, NULL);
  snprintf(rank, sizeof(rank), "%u", t->rank);
  if (!o->program) {
    words[at++] = "--rank";
    words[at++] = rank;
    words[at] = NULL;
  }
  setenv("SDM_RANK", rank, 1);
  pid_t pid = start(words, o, rank, o->oob && !t->rank ? 0 : -1, errors);
  unsetenv("SDM_RANK");
  free(words);
  l->pids[l->n++] = pid;
  return pid < 0 ? dvm_error_errno(err, "cannot start server %u", t->rank) : 0;
}

/* What the shell of another host is to run, which reads the secret first. */
static void put_script(struct dvm_text *t, const struct sdm_targets *all, const char *host, const struct sdm_launch_options *o) {
  char *words[WORDS_MAX], folder[PATH_MAX];
  struct dvm_text script = DVM_TEXT_INIT;
  int n = server_words(words, 0, o, NULL);
  dvm_text_add(&script, "read -r s; ");
  if (getcwd(folder, sizeof(folder))) {
    dvm_text_add(&script, "cd ");
    dvm_text_add_shell_word(&script, folder);
    dvm_text_add(&script, " 2>/dev/null; ");
  }
  dvm_text_add(&script, "for r in");
  for (size_t i = 0; i < all->n; i++)
    if (all->at[i].host && !strcmp(all->at[i].host, host))
      dvm_text_printf(&script, " %u", all->at[i].rank);
  dvm_text_add(&script, "; do printf \"%s\\n\" \"$s\" | SDM_RANK=$r");
  for (int i = 0; i < n; i++) {
    dvm_text_add(&script, " ");
    dvm_text_add_shell_word(&script, words[i]);
  }
  dvm_text_add(&script, " --rank $r --secret-file - & done; wait");
  dvm_text_add(t, "exec sh -c ");
  dvm_text_add_shell_word(t, dvm_text_str(&script));
  dvm_text_fini(&script);
}

static int start_there(struct sdm_launch *l, const struct sdm_targets *all, const char *host, const struct sdm_launch_options *o,
                       int errors, struct dvm_error *err) {
  struct sdm_launch_options quiet = *o;
  struct dvm_text script = DVM_TEXT_INIT;
  const char *words[SDM_SSH_WORDS];
  int ends[2];
  put_script(&script, all, host, o);
  char *copy = sdm_ssh_words(o->ssh, host, dvm_text_str(&script), words);
  quiet.secret = NULL; /* not in the environment of ssh, which may take that along */
  if (pipe2(ends, O_CLOEXEC))
    return dvm_error_errno(err, "cannot start servers on '%s'", host);
  pid_t pid = start((char *const *)words, &quiet, NULL, ends[0], errors);
  close(ends[0]);
  dprintf(ends[1], "%s\n", o->secret);
  close(ends[1]);
  l->pids[l->n++] = pid;
  dvm_text_fini(&script);
  free(copy);
  return pid < 0 ? dvm_error_errno(err, "cannot start servers on '%s'", host) : 0;
}

static bool host_came_before(const struct sdm_targets *t, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (t->at[i].host && !strcmp(t->at[i].host, t->at[at].host))
      return true;
  return false;
}

int sdm_launch_targets(struct sdm_launch *l, const struct sdm_targets *t, const struct sdm_launch_options *o, struct dvm_error *err) {
  int rc = 0;
  if (!dvm_path_executable(sdm_launch_server())) /* said once, not by every child */
    rc = dvm_error_set(err, -ENOENT, "there is no debug server '%s'; SDM_SERVER names another", sdm_launch_server());
  l->pids = sdm_alloc((t->n ? t->n : 1) * sizeof(*l->pids));
  int errors = o->told > 0 && !rc ? start_relay(l, o->told) : -1;
  for (size_t i = 0; i < t->n && !rc; i++)
    if (!t->at[i].host)
      rc = start_here(l, &t->at[i], o, errors, err);
    else if (!host_came_before(t, i))
      rc = start_there(l, t, t->at[i].host, o, errors, err);
  if (errors >= 0)
    close(errors);
  start_guard(l, o);
  return rc;
}

int sdm_launch_local(struct sdm_launch *l, uint32_t n, const struct sdm_launch_options *o, struct dvm_error *err) {
  struct sdm_targets here = {0};
  for (uint32_t i = 0; i < n; i++)
    sdm_targets_add(&here, i, 0, NULL);
  int rc = sdm_launch_targets(l, &here, o, err);
  sdm_targets_fini(&here);
  return rc;
}

char SDM_LAUNCH_SERVER[] = "(the server)";

/* The launcher's words with the server in the program's places. */
static char **whole_command(char *const *before, const struct sdm_launch_options *o) {
  size_t n = count(before), places = 0;
  static char app[SDM_PARTS_MAX][12];
  for (size_t i = 0; i < n; i++)
    places += before[i] == SDM_LAUNCH_SERVER;
  char **words = sdm_alloc((n + count(o->program) + (places + 1) * WORDS_MAX) * sizeof(*words));
  int at = 0, part = 0;
  for (size_t i = 0; i < n; i++)
    if (before[i] == SDM_LAUNCH_SERVER) {
      snprintf(app[part], sizeof(app[part]), "%d", part);
      at = server_words(words, at, o, app[part]);
      part++;
    } else
      words[at++] = before[i];
  if (!places)
    server_words(words, at, o, NULL);
  return words;
}

int sdm_launch_command(struct sdm_launch *l, char *const *before, const struct sdm_launch_options *o, struct dvm_error *err) {
  char **words = whole_command(before, o);
  l->pids = sdm_alloc(sizeof(*l->pids));
  l->n = 1;
  bool shared = o->oob || o->program; /* with the programs, whose words must not get lost at the end */
  if (shared)
    setenv("OMPI_MCA_orte_execute_quiet", "1", 0); /* Open MPI's advice on programs that a debugger killed is no help */
  int errors = shared ? -1 : start_relay(l, o->told);
  l->pids[0] = start(words, o, NULL, o->oob ? 0 : -1, errors);
  if (errors >= 0)
    close(errors);
  free(words);
  start_guard(l, o);
  return l->pids[0] < 0 ? dvm_error_errno(err, "cannot start '%s'", before[0]) : 0;
}

void sdm_launch_leave(struct sdm_launch *l) {
  end_guard(l);
  free(l->pids);
  *l = (struct sdm_launch){0};
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
  end_guard(l);
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
  *l = (struct sdm_launch){0};
}
