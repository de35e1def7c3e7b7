/* Checkpoints that 'dvm run' itself asks for: by the command, as a child. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "mpir/commands/job_private.h"

struct mpir_job_clock {
  int64_t every_ms, next_ms; /* every_ms 0: only by signal */
  int signal;
  char *keep;
  bool all_files, no_fork;
  pid_t command;             /* 0: none runs */
};

static char *take(const char *name) {
  const char *value = getenv(name);
  char *copy = value && *value ? strdup(value) : NULL;
  unsetenv(name);
  return copy;
}

struct mpir_job_clock *mpir_job_clock_create(void) {
  char *every = take("DVMCR_EVERY"), *signal = take("DVMCR_SIGNAL");
  struct mpir_job_clock *c = every || signal ? calloc(1, sizeof(*c)) : NULL;
  if (c) {
    c->every_ms = every ? atol(every) * 1000 : 0;
    c->next_ms = dvm_clock_ms() + c->every_ms;
    c->signal = signal ? atoi(signal) : 0;
    c->keep = take("DVMCR_KEEP");
    c->all_files = getenv("DVMCR_ALL_FILES");
    c->no_fork = getenv("DVMCR_NO_FORK");
  }
  free(every);
  free(signal);
  return c;
}

static void set_number(const char *name, long n) {
  char text[32];
  snprintf(text, sizeof(text), "%ld", n);
  setenv(name, text, 1);
}

void mpir_job_clock_hand_on(const struct mpir_job_clock *c) {
  if (c && c->every_ms)
    set_number("DVMCR_EVERY", (long)(c->every_ms / 1000));
  if (c && c->signal)
    set_number("DVMCR_SIGNAL", c->signal);
  if (c && c->keep)
    setenv("DVMCR_KEEP", c->keep, 1);
}

int mpir_job_clock_signal(const struct mpir_job_clock *c) { return c ? c->signal : 0; }

_Noreturn static void become_command(const struct mpir_job_clock *c, pid_t job) {
  char self[PATH_MAX], number[16], *words[10];
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 32);
  self[length > 0 ? length : 0] = 0;
  strcpy(strrchr(self, '/') + 1, "dvm-checkpoint");
  snprintf(number, sizeof(number), "%d", job);
  int n = 0;
  words[n++] = self;
  if (c->keep) {
    words[n++] = (char *)(uintptr_t)"--keep";
    words[n++] = c->keep;
  }
  if (c->all_files)
    words[n++] = (char *)(uintptr_t)"--all-files";
  if (c->no_fork)
    words[n++] = (char *)(uintptr_t)"--no-fork";
  words[n++] = number;
  words[n] = NULL;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  unsetenv("LD_PRELOAD");
  int null = open("/dev/null", O_RDWR); /* what it prints on standard output would stand in the program's */
  dup2(null, 0);
  dup2(null, 1);
  execv(self, words);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\n", self, strerror(errno));
  _exit(127);
}

void mpir_job_clock_look(struct mpir_job_clock *c, bool asked) {
  int64_t now = dvm_clock_ms();
  if (!c || c->command || !(asked || (c->every_ms && now >= c->next_ms)))
    return;
  c->next_ms = now + c->every_ms;
  pid_t job = getpid();
  pid_t pid = fork();
  if (!pid)
    become_command(c, job);
  c->command = pid > 0 ? pid : 0;
}

bool mpir_job_clock_ended(struct mpir_job_clock *c, pid_t pid) {
  if (!c || c->command != pid)
    return false;
  c->command = 0;
  return true;
}
