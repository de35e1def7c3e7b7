#define _GNU_SOURCE
#include "sdm/session/restart_set.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/bytes.h"
#include "sdm/session/checkpoints.h"

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
    if (dprintf(of_debugger ? to : 2, "%s", of_debugger ? colon + 1 : line) < 0 && of_debugger)
      break;
  }
  _exit(0);
}

static _Noreturn void restart(const char *command, bool apart, int errors) {
  int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(errors, 2);
  if (apart)
    dup2(errors, 1);
  setpgid(0, 0); /* ^C at the console is for the console */
  close_range(3, ~0u, 0);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

/* The end of a pipe from which the numbers come, a line each; or -1. */
static int start(const char *command, bool apart) {
  int errors[2], numbers[2];
  if (pipe2(errors, O_CLOEXEC) || pipe2(numbers, O_CLOEXEC))
    return -1;
  pid_t child = fork();
  if (!child) { /* forked twice: they are not ours to wait for */
    setpgid(0, 0);
    if (!fork())
      restart(command, apart, errors[1]);
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

int sdm_restart_set(const char *folder, bool apart, struct sdm_targets *t, struct dvm_error *err) {
  size_t expected = count_members(folder), n = 0;
  struct dvm_text command = DVM_TEXT_INIT;
  char *handle = sdm_handle_of(folder), line[32];
  dvm_text_printf(&command, "exec %s %s", sdm_restart_words(), handle);
  int from = start(dvm_text_str(&command), apart);
  FILE *in = from >= 0 ? fdopen(from, "r") : NULL;
  free(handle);
  dvm_text_fini(&command);
  while (in && n < expected && fgets(line, sizeof(line), in))
    sdm_targets_add(t, (sdm_id)n++, atol(line), NULL);
  if (in)
    fclose(in);
  return n == expected ? 0 : dvm_error_set(err, -ECHILD, "'%s' has %zu processes, of which %zu were restarted", folder, expected, n);
}
