#include "mpir/commands/client_wake.h"
#include "base/process.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STOP_VARIABLE "DVMCR_STOP_SIGNAL="

bool mpir_client_holds_library(pid_t pid) {
  char path[64], line[4096];
  bool found = false;
  FILE *f;

  snprintf(path, sizeof(path), "/proc/%d/maps", pid);
  f = fopen(path, "re");
  while (f && !found && fgets(line, sizeof(line), f))
    found = strstr(line, "libdvmcr.so") != NULL;
  if (f)
    fclose(f);
  return found;
}

static bool has_signal(pid_t pid, const char *label, int sig) {
  char text[64];

  return dvm_process_status(pid, label, text, sizeof(text)) && (strtoull(text, NULL, 16) >> (sig - 1) & 1);
}

static bool has_helper(pid_t pid) {
  char path[300], name[32];
  struct dirent *d;
  bool found = false;
  DIR *dir;

  snprintf(path, sizeof(path), "/proc/%d/task", pid);
  dir = opendir(path);
  while (dir && !found && (d = readdir(dir))) {
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", pid, d->d_name);
    f = *d->d_name == '.' ? NULL : fopen(path, "re");
    found = f && fgets(name, sizeof(name), f) && strcmp(name, "dvm-cr\n") == 0;
    if (f)
      fclose(f);
  }
  if (dir)
    closedir(dir);
  return found;
}

/* As the library finds it: from what the process was started with. */
static int stop_signal(pid_t pid) {
  char path[64], *variable = NULL;
  int sig = SIGRTMAX - 1;
  size_t room = 0;
  FILE *f;

  snprintf(path, sizeof(path), "/proc/%d/environ", pid);
  f = fopen(path, "re");
  while (f && getdelim(&variable, &room, '\0', f) > 0)
    if (strncmp(variable, STOP_VARIABLE, strlen(STOP_VARIABLE)) == 0 && variable[strlen(STOP_VARIABLE)])
      sig = atoi(variable + strlen(STOP_VARIABLE));
  free(variable);
  if (f)
    fclose(f);
  return sig > 0 && sig <= SIGRTMAX ? sig : SIGRTMAX - 1;
}

/* For the handler, which cannot find it out any more: the number of the call in which the process waits, and where it would return to. */
static void *call_of(pid_t pid) {
  unsigned long long number = 0, pc = 0, ignored;
  char path[64];
  FILE *f;

  snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
  f = fopen(path, "re");
  if (!f)
    return NULL;
  if (fscanf(f, "%llu %llx %llx %llx %llx %llx %llx %llx %llx", &number, &ignored, &ignored, &ignored, &ignored, &ignored, &ignored,
             &ignored, &pc) != 9)
    pc = 0;
  fclose(f);
  return pc ? (void *)(uintptr_t)(pc << 16 | (number & 0xffff)) : NULL;
}

/* A process under a filter that was installed past the checkpointer might be ended by what its handler does. */
static bool is_filtered(pid_t pid) {
  char text[16];

  return dvm_process_status(pid, "Seccomp:", text, sizeof(text)) && atoi(text) != 0;
}

void mpir_client_wake(pid_t pid) {
  const int sig = stop_signal(pid);

  if (has_helper(pid) || is_filtered(pid) || !has_signal(pid, "SigCgt:", sig))
    return;
  if (sigqueue(pid, sig, (union sigval){.sival_ptr = call_of(pid)}) && errno == EAGAIN) /* the queue is full */
    kill(pid, sig);
}

void mpir_client_why_asleep(pid_t pid, char *why, size_t size) {
  const int sig = stop_signal(pid);
  char name[32] = "?";

  *why = '\0';
  if (has_helper(pid))
    return;
  dvm_process_status(pid, "Name:", name, sizeof(name));
  snprintf(why, size, "thread %d '%s' (%s)", pid, name,
           is_filtered(pid)                                                     ? "has a seccomp filter that was not installed through libc"
           : has_signal(pid, "SigBlk:", sig)                                    ? "blocks the stop signal"
           : has_signal(pid, "ShdPnd:", sig) || has_signal(pid, "SigPnd:", sig) ? "in a system call that cannot be interrupted"
                                                                                : "no helper thread can be created");
}
