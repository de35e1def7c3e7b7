#define _GNU_SOURCE
#include "driver/fix/spawn.h"
#include "driver/run.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const int handled[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { NHANDLED = sizeof handled / sizeof *handled };

static volatile sig_atomic_t child, stopped;
static off_t input_begin = -1;

static void stop(int signal_number) /* async-signal-safe */
{
  stopped = signal_number;
  if (child > 0)
    kill((pid_t)child, signal_number);
}

void fix_spawn_begin(void) {
  struct sigaction old, action = {.sa_handler = stop};
  struct stat st;
  for (int i = 0; i < NHANDLED; i++)
    if (!sigaction(handled[i], NULL, &old) && old.sa_handler != SIG_IGN)
      sigaction(handled[i], &action, NULL);
  if (!fstat(0, &st) && S_ISREG(st.st_mode))
    input_begin = lseek(0, 0, SEEK_CUR);
}

int fix_spawn_stopped(void) { return stopped; }

static int direct(int to, const char *path, int flags) {
  int fd = path ? open(path, flags, 0600) : to;
  if (fd < 0 || (fd != to && dup2(fd, to) < 0))
    return errno;
  if (fd != to)
    close(fd);
  return 0;
}

struct start {
  const struct fix_spawn *spawn;
  const sigset_t *mask;
};

static int prepare(void *arg) {
  const struct start *start = arg;
  const struct fix_spawn *s = start->spawn;
  bool rewound = s->input && input_begin >= 0 && lseek(0, input_begin, SEEK_SET) >= 0;
  int rc = direct(0, rewound ? NULL : "/dev/null", O_RDONLY);
  rc = rc ? rc : direct(1, s->out, O_WRONLY | O_CREAT | O_TRUNC);
  rc = rc ? rc : direct(2, s->err, O_WRONLY | O_CREAT | O_TRUNC);
  if (s->options)
    setenv("DVM_OPTIONS", s->options, 1);
  else
    unsetenv("DVM_OPTIONS");
  for (size_t i = 0; s->environment && i < s->environment->n; i++)
    putenv(s->environment->v[i]);
  if (!rc && s->folder && chdir(s->folder))
    rc = errno;
  sigprocmask(SIG_SETMASK, start->mask, NULL);
  return rc;
}

int fix_spawn(const struct fix_spawn *s, int *status, struct dvm_error *err) {
  sigset_t block, mask;
  pid_t pid;
  if (stopped)
    return dvm_error_set(err, -EINTR, "stopped");
  /* Held back until the child is known. */
  sigemptyset(&block);
  for (int i = 0; i < NHANDLED; i++)
    sigaddset(&block, handled[i]);
  sigprocmask(SIG_BLOCK, &block, &mask);
  int rc = dvm_run_start(s->command->v, prepare, &(struct start){s, &mask}, &pid);
  child = rc ? 0 : pid;
  sigprocmask(SIG_SETMASK, &mask, NULL);
  if (rc) {
    errno = -rc;
    return dvm_error_errno(err, "cannot run '%s'", s->command->v[0]);
  }
  while (waitpid(pid, status, 0) < 0 && errno == EINTR)
    ;
  child = 0;
  return stopped ? dvm_error_set(err, -EINTR, "stopped") : 0;
}
