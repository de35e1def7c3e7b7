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

#include "sdm/bytes.h"
#include "sdm/session/checkpoints.h"

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
static _Noreturn void relay(int from, int to) {
  FILE *in = fdopen(from, "r");
  char *line = NULL;
  size_t size = 0;
  ssize_t n;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  while (in && (n = getline(&line, &size, in)) > 0) {
    const char *colon = strrchr(line, ':');
    bool of_debugger = !strncmp(line, info, sizeof(info) - 1) && colon && atol(colon + 1) > 0;
    dprintf(of_debugger ? to : 2, "%s", of_debugger ? colon + 1 : line); /* later checkpoints tell numbers too, which nobody reads */
  }
  _exit(0);
}

static _Noreturn void become(char *const *words, bool apart, int errors, int numbers) {
  int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(errors, 2);
  if (apart)
    dup2(errors, 1);
  setpgid(0, 0); /* ^C at the console is for the console */
  dprintf(numbers, "%d\n", getpid());
  close_range(3, ~0u, 0);
  execvp(words[0], words);
  fprintf(stderr, "dvm debug: error: cannot start '%s': %s\n", words[0], strerror(errno));
  _exit(127);
}

/* The end of a pipe from which numbers come, a line each: the command's own, then those of the processes; or -1. */
static int start(char *const *words, bool apart) {
  int errors[2], numbers[2];
  if (pipe2(errors, O_CLOEXEC) || pipe2(numbers, O_CLOEXEC))
    return -1;
  pid_t child = fork();
  if (!child) { /* forked twice: they are not ours to wait for */
    setpgid(0, 0);
    if (!fork())
      become(words, apart, errors[1], numbers[1]);
    close(errors[1]);
    close(numbers[0]);
    relay(errors[0], numbers[1]);
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
static size_t take(char *const *words, bool apart, size_t expected, struct sdm_targets *t, pid_t *command) {
  char line[32];
  size_t n = 0;
  int from = start(words, apart);
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
  size_t n = take((char *const[]){"sh", "-c", command.s, NULL}, apart, expected, t, &pid);
  free(handle);
  dvm_text_fini(&command);
  return n == expected ? 0 : dvm_error_set(err, -ECHILD, "'%s' has %zu processes, of which %zu were restarted", folder, expected, n);
}

int sdm_job_start(char *const *words, uint32_t ranks, bool apart, struct sdm_targets *t, struct dvm_error *err) {
  pid_t pid;
  size_t n = take(words, apart, ranks, t, &pid);
  int fd = n == ranks ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
  if (fd >= 0)
    return fd;
  if (pid > 0)
    kill(pid, SIGTERM);
  return dvm_error_set(err, -ECHILD, "'%s' has started %zu of %u ranks; it says why above", words[0], n, ranks);
}

void sdm_job_end(int job) {
  if (job < 0)
    return;
  syscall(SYS_pidfd_send_signal, job, SIGTERM, NULL, 0);
  poll(&(struct pollfd){.fd = job, .events = POLLIN}, 1, END_MS);
  close(job);
}
