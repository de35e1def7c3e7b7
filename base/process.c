#include "base/process.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The fields from 3 on, behind the name, which may hold anything; "" if there is no such process. */
static const char *stat_of(pid_t pid, char *text, size_t size) {
  char path[64];
  size_t n = 0;
  snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
  FILE *f = fopen(path, "re");
  if (f) {
    n = fread(text, 1, size - 1, f);
    fclose(f);
  }
  text[n] = 0;
  const char *name = strrchr(text, ')');
  return name && name[1] ? name + 2 : "";
}

long dvm_process_stat(pid_t pid, int field) {
  char text[2048];
  const char *s = stat_of(pid, text, sizeof(text));
  for (int i = 3; s && i < field; i++)
    s = (s = strchr(s, ' ')) ? s + 1 : NULL;
  return s ? strtol(s, NULL, 10) : 0;
}

void dvm_process_name(pid_t pid, char *name, size_t size) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
  FILE *f = fopen(path, "re");
  if (!f || !fgets(name, (int)size, f))
    snprintf(name, size, "?");
  name[strcspn(name, "\n")] = 0;
  if (f)
    fclose(f);
}

char dvm_process_state(pid_t pid) {
  char text[2048];
  return *stat_of(pid, text, sizeof(text));
}

bool dvm_process_status(pid_t pid, const char *label, char *text, size_t size) {
  char path[64], line[512];
  bool found = false;
  snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
  FILE *f = fopen(path, "re");
  while (f && !found && fgets(line, sizeof(line), f)) {
    found = strncmp(line, label, strlen(label)) == 0;
    const char *s = line + strlen(label) * found;
    s += strspn(s, " \t");
    if (found)
      snprintf(text, size, "%.*s", (int)strcspn(s, "\n"), s);
  }
  if (f)
    fclose(f);
  return found;
}

long dvm_process_last(pid_t pid, const char *label, long otherwise) {
  char text[256];
  if (!dvm_process_status(pid, label, text, sizeof(text)) || !*text)
    return otherwise;
  const char *last = strrchr(text, '\t');
  return strtol(last ? last : text, NULL, 10);
}

/* The descriptor stands for one process from its opening on: if that one began when ours did, it is ours.  Where there is none, its number is asked each time. */
void dvm_process_end(pid_t pid, long start) {
  const int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
  struct pollfd ended = {fd, POLLIN, 0};
  while (pid > 0 && dvm_process_stat(pid, DVM_STAT_START) == start && !strchr("ZX", dvm_process_state(pid))) {
    if (fd < 0 || syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0))
      kill(pid, SIGKILL);
    poll(&ended, fd >= 0, 10);
  }
  if (fd >= 0)
    close(fd);
}
