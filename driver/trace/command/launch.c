#define _GNU_SOURCE
#include "driver/trace/command/launch.h"
#include "driver/run.h"
#include "base/text.h"
#include "driver/trace/format/collect.h"
#include "runtime/trace/inside.h"
#include "runtime/trace/launcher.h"
#include "runtime/trace/ring.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 50 };

static void add_option(struct dvm_text *t, const char *key, const char *value) {
  dvm_text_printf(t, "%s%s=", t->len ? ":" : "", key);
  for (; *value; value++) {
    if (*value == ':')
      dvm_text_add(t, "\\");
    dvm_text_add_n(t, value, 1);
  }
}

/* 'output' NULL: the records are taken from the ring. */
static bool set_options(const struct dvmt_launch *launch, const char *ring, const char *output) {
  struct dvm_text t = DVM_TEXT_INIT;
  const char *before = launch->other_options ? NULL : getenv("DVM_OPTIONS");
  if (before)
    dvm_text_add(&t, before);
  add_option(&t, "trace", "record");
  add_option(&t, "trace_ring", ring);
  if (output)
    add_option(&t, "trace_file", output);
  if (launch->job) {
    char how[32];
    snprintf(how, sizeof(how), "%s.0", launch->codec ? launch->codec : "zstd");
    add_option(&t, "trace_job", how);
    add_option(&t, "trace_file", launch->job);
    setenv("DVM_RECORD_META", launch->meta ? launch->meta : "", 1);
  }
  if (launch->job || launch->live)
    unsetenv(DVMT_RECORDED_BY); /* of what records this command */
  if (launch->results)
    add_option(&t, "trace_results", launch->results);
  if (launch->elements)
    add_option(&t, "trace_elements", launch->elements);
  if (launch->live)
    add_option(&t, "trace_live", launch->live);
  if (launch->nest)
    add_option(&t, "trace_nest", "1");
  if (launch->step)
    add_option(&t, "trace_step", "1");
  if (launch->options)
    dvm_text_printf(&t, "%s%s", t.len ? ":" : "", launch->options);
  if (launch->level)
    add_option(&t, "trace_level", launch->level);
  if (launch->config)
    add_option(&t, "trace_config", launch->config);
  bool ok = !t.failed && !setenv("DVM_OPTIONS", dvm_text_str(&t), 1);
  dvm_text_fini(&t);
  return ok;
}

struct start {
  const struct dvmt_launch *launch;
  int ring_fd;
};

static int prepare(void *arg) {
  const struct start *s = arg;
  int nowhere = s->launch->quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  int said = s->launch->said ? open(s->launch->said, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  char number[16];
  if (nowhere >= 0)
    dup2(nowhere, 1);
  if (said >= 0)
    dup2(said, 2);
  snprintf(number, sizeof(number), "%d", s->ring_fd);
  int how = personality(0xffffffff); /* addresses that become numbers (hashes) are the same in every run, as under a debugger */
  if (how >= 0)
    personality((unsigned long)how | ADDR_NO_RANDOMIZE);
  return set_options(s->launch, number, NULL) ? 0 : ENOMEM;
}

static int start(const struct dvmt_launch *launch, int ring_fd, pid_t *pid, struct dvm_error *err) {
  int rc = dvm_run_start(launch->command, prepare, &(struct start){launch, ring_fd}, pid);
  return rc ? dvm_error_set(err, rc, "cannot run '%s': %s", launch->command[0], strerror(-rc)) : 0;
}

int dvmt_launch_inside(const struct dvmt_launch *launch, const char *output, const char *codec, bool verbose, struct dvm_error *err) {
  char how[64];
  snprintf(how, sizeof(how), DVMT_INSIDE "%d.%s.%d", getpid(), codec, verbose);
  if (!set_options(launch, how, output))
    return dvm_error_set(err, -ENOMEM, "out of memory");
  execvp(launch->command[0], launch->command);
  return dvm_error_errno(err, "cannot run '%s'", launch->command[0]);
}

/* Takes what is published; a sink that gave up is not asked again, but the ring is emptied so that the program goes on. */
static void drain(struct dvmt_ring *ring, struct dvmt_collector *c, int *rc) {
  const uint64_t *words;
  size_t n;
  while ((words = dvmt_ring_take(ring, &n))) {
    if (!*rc)
      *rc = dvmt_collector_take(c, words, n);
    dvmt_ring_give_back(ring);
  }
}

static void ignore(int signal, struct sigaction *before) {
  struct sigaction s = {.sa_handler = SIG_IGN};
  sigaction(signal, &s, before);
}

static volatile sig_atomic_t the_program;
static void pass_on(int signal) {
  if (the_program > 0)
    kill(the_program, signal);
}

const char *dvmt_launch_cut(int status, char *buf, size_t size) {
  if (WIFEXITED(status))
    return NULL;
  snprintf(buf, size, "was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return buf;
}

int dvmt_launch_nothing(char *const *command, int status, const char *how, struct dvm_error *err) {
  char cut[64];
  const char *killed = dvmt_launch_cut(status, cut, sizeof(cut));
  if (killed)
    return dvm_error_set(err, -EPROTO, "'%s' %s, and nothing was recorded", command[0], killed);
  if (!how)
    return dvm_error_set(err, -EPROTO, "'%s' ended with status %d, and nothing was recorded", command[0], WEXITSTATUS(status));
  if (WEXITSTATUS(status))
    return dvm_error_set(err, -EPROTO,
                         "'%s' ended with status %d, and nothing was recorded: if what it says above is no reason, compile and link the "
                         "program with %s",
                         command[0], WEXITSTATUS(status), how);
  return dvm_error_set(err, -EPROTO, "'%s' recorded nothing: compile and link it with %s", command[0], how);
}

void dvmt_launch_note_killed(int status) {
  if ((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) || (WIFEXITED(status) && WEXITSTATUS(status) == 128 + SIGKILL))
    fprintf(stderr, "dvm: the job was killed (SIGKILL): what its ranks did in their last second may be missing\n");
}

int dvmt_launch(const struct dvmt_launch *launch, struct dvmt_sink *sink, int *status, bool *recorded, struct dvm_error *err) {
  struct sigaction on_int, on_quit, on_term, on_hup, hand = {.sa_handler = pass_on};
  struct dvmt_ring *ring = NULL;
  int fd = dvmt_ring_create(&ring), rc;
  pid_t pid = 0;
  if (fd < 0)
    return fd == -EFBIG ? dvm_error_set(err, fd, "cannot create the record buffer: %s; 'ulimit -f' must allow %zu KiB", strerror(-fd),
                                        sizeof(*ring) >> 10)
                        : dvm_error_set(err, fd, "cannot create the record buffer: %s", strerror(-fd));
  struct dvmt_collector *c = dvmt_collector_create(sink);
  rc = c ? start(launch, fd, &pid, err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (rc)
    goto out;
  ignore(SIGINT, &on_int);
  ignore(SIGQUIT, &on_quit);
  the_program = pid;
  if (launch->started)
    *launch->started = pid;
  sigaction(SIGTERM, &hand, &on_term);
  sigaction(SIGHUP, &hand, &on_hup);
  for (pid_t ended = 0; !ended;) {
    dvmt_ring_wait(ring, POLL_MS);
    drain(ring, c, &rc);
    ended = waitpid(pid, status, WNOHANG);
    if (ended < 0 && errno == EINTR)
      ended = 0;
  }
  the_program = 0;
  drain(ring, c, &rc);
  size_t n;
  const uint64_t *rest = dvmt_ring_rest(ring, &n);
  if (!rc)
    rc = dvmt_collector_take(c, rest, n);
  if (!rc)
    rc = dvmt_collector_unrecorded(c, ring);
  *recorded = atomic_load(&ring->program) != 0;
  sigaction(SIGINT, &on_int, NULL);
  sigaction(SIGQUIT, &on_quit, NULL);
  sigaction(SIGTERM, &on_term, NULL);
  sigaction(SIGHUP, &on_hup, NULL);
  if (rc && !err->code)
    dvm_error_set(err, rc, "recording stopped: %s", strerror(-rc));
out:
  dvmt_collector_destroy(c);
  dvmt_ring_close(ring);
  close(fd);
  return rc;
}
