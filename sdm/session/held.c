#define _GNU_SOURCE
#include "sdm/session/held.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/usage.h"
#include "sdm/bytes.h"
#include "sdm/session/checkpoints.h"

#define JOB_RANKS_MAX 65536u
#define END_MS 5000 /* for a job to end */

static const char info[] = "MPIR_debug_info) ";

static FILE *open_list(const char *folder) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s/set", folder);
  FILE *f = fopen(dvm_text_str(&t), "r");
  dvm_text_fini(&t);
  return f;
}

/* Of several processes; 0: it is no set. */
static size_t count_members(const char *folder) {
  static const char member[] = "member ";
  FILE *f = open_list(folder);
  char *line = NULL;
  size_t size = 0, n = 0;
  while (f && getline(&line, &size, f) > 0)
    n += !strncmp(line, member, sizeof(member) - 1);
  free(line);
  if (f)
    fclose(f);
  return n;
}

bool sdm_is_restart_set(const char *path) { return count_members(path) > 1; }

/* Hands on what the command and the programs write to standard error, for as long as one of them lives; the numbers are for 'to'. */
static _Noreturn void relay(int from, int to, int err) {
  FILE *in = fdopen(from, "r");
  char *line = NULL;
  size_t size = 0;
  ssize_t n;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  while (in && (n = getline(&line, &size, in)) > 0) {
    const char *colon = strrchr(line, ':');
    bool of_debugger = !strncmp(line, info, sizeof(info) - 1) && colon && atol(colon + 1) > 0;
    dprintf(of_debugger ? to : err, "%s", of_debugger ? colon + 1 : line); /* later checkpoints tell numbers too, which nobody reads */
  }
  _exit(0);
}

static _Noreturn void become(char *const *words, int out, int errors, int numbers) {
  int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  if (out >= 0)
    dup2(out, 1);
  dup2(errors, 2);
  setpgid(0, 0); /* ^C at the console is for the console */
  dprintf(numbers, "%d\n", getpid());
  close_range(3, ~0u, 0);
  execvp(words[0], words);
  fprintf(stderr, "dvm debug: error: cannot start '%s': %s\n", words[0], strerror(errno));
  _exit(127);
}

/* The end of a pipe from which numbers come, a line each: the command's own, then those of the processes; or -1. */
static int start(char *const *words, struct sdm_job_output to) {
  int errors[2], numbers[2];
  if (pipe2(errors, O_CLOEXEC) || pipe2(numbers, O_CLOEXEC))
    return -1;
  pid_t child = fork();
  if (!child) { /* forked twice: they are not ours to wait for */
    setpgid(0, 0);
    if (!fork())
      become(words, to.out, errors[1], numbers[1]);
    close(errors[1]);
    close(numbers[0]);
    relay(errors[0], numbers[1], to.err < 0 ? 2 : to.err);
  }
  close(errors[0]);
  close(errors[1]);
  close(numbers[1]);
  if (child > 0)
    return numbers[0];
  close(numbers[0]);
  return -1;
}

/* How many of the 'expected' processes have come. */
static size_t take(char *const *words, struct sdm_job_output to, size_t expected, struct sdm_targets *t, pid_t *command) {
  char line[32];
  size_t n = 0;
  int from = start(words, to);
  FILE *in = from >= 0 ? fdopen(from, "r") : NULL;
  *command = in && fgets(line, sizeof(line), in) ? atoi(line) : 0;
  while (in && n < expected && fgets(line, sizeof(line), in))
    sdm_targets_add(t, (sdm_id)n++, atol(line), NULL);
  if (in)
    fclose(in);
  return n;
}

int sdm_restart_set(const char *folder, bool apart, struct sdm_targets *t, struct dvm_error *err) {
  size_t expected = count_members(folder);
  struct dvm_text command = DVM_TEXT_INIT;
  char *handle = sdm_handle_of(folder);
  pid_t pid;
  dvm_text_printf(&command, "exec %s %s", sdm_restart_words(), handle);
  size_t n = take((char *const[]){"sh", "-c", command.s, NULL}, (struct sdm_job_output){apart ? 2 : -1, -1}, expected, t, &pid);
  free(handle);
  dvm_text_fini(&command);
  return n == expected ? 0 : dvm_error_set(err, -ECHILD, "'%s' has %zu processes, of which %zu were restarted", folder, expected, n);
}

/* How many words the command itself has: "dvm-run", or "dvm run"; 0: it is another one. */
static int own_words(char *const *line, int n) {
  const char *slash = n ? strrchr(line[0], '/') : NULL, *base = slash ? slash + 1 : n ? line[0] : "";
  return !strcmp(base, "dvm-run") ? 1 : n > 1 && !strcmp(base, "dvm") && !strcmp(line[1], "run") ? 2 : 0;
}

bool sdm_job_is_one(char *const *line, int n) {
  bool saved = false;
  for (int i = own_words(line, n); i && i < n; i++)
    saved |= !strcmp(line[i], "--checkpointable");
  return saved;
}

/* "-n 4", "-n4", "-np 4", "--np 4", "--np=4"; 0: it is not said. */
static unsigned long ranks_of(char *const *line, int n) {
  unsigned long ranks = 0;
  for (int i = 0; i < n; i++) {
    const char *w = line[i];
    bool next = !strcmp(w, "-n") || !strcmp(w, "-np") || !strcmp(w, "--np");
    const char *number = next && i + 1 < n ? line[i + 1] : !strncmp(w, "--np=", 5) ? w + 5 : !next && !strncmp(w, "-n", 2) ? w + 2 : NULL;
    if (number && !dvm_usage_number(number, 1, JOB_RANKS_MAX, &ranks))
      return 0;
  }
  return ranks;
}

int sdm_job_start(char *const *line, int n, struct sdm_job_output to, struct sdm_targets *t, struct dvm_error *err) {
  unsigned long ranks = ranks_of(line, n);
  int own = own_words(line, n), at = 0, count = 0;
  pid_t pid;
  if (!ranks)
    return dvm_error_set(err, -EINVAL, "'%s' is not told how many ranks to start: '-n RANKS' is missing or wrong", line[0]);
  while (line[count])
    count++;
  char **words = sdm_realloc(NULL, ((size_t)count + 2) * sizeof(*words));
  for (int i = 0; i < count; i++) {
    words[at++] = line[i];
    if (at == own)
      words[at++] = (char *)"--debug";
  }
  words[at] = NULL;
  size_t started = take(words, to, ranks, t, &pid);
  free(words);
  int fd = started == ranks ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
  if (fd >= 0)
    return fd;
  if (pid > 0)
    kill(pid, SIGTERM);
  return dvm_error_set(err, -ECHILD, "'%s' has started %zu of %lu ranks; it says why above", line[0], started, ranks);
}

void sdm_job_end(int job) {
  if (job < 0)
    return;
  syscall(SYS_pidfd_send_signal, job, SIGTERM, NULL, 0);
  poll(&(struct pollfd){.fd = job, .events = POLLIN}, 1, END_MS);
  close(job);
}
