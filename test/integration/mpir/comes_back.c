/* A debugger of ours that comes back after a checkpoint has begun.  comes_back FOLDER: a process with a callback of a thread, in which it waits
 * until it is traced.  sdm-server FOLDER PID HELD, a copy of the same file, stands for the server: its child traces the process when the callback tells it
 * to, for HELD milliseconds, and lets go. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/include/libcr.h"

static char now[4096];
static int calls;

static int tracer(void) {
  char line[256];
  int pid = 0;
  FILE *f = fopen("/proc/self/status", "re");
  while (f && fgets(line, sizeof(line), f))
    sscanf(line, "TracerPid: %d", &pid);
  if (f)
    fclose(f);
  return pid;
}

static int callback(void *arg) {
  (void)arg;
  if (!calls++)
    close(open(now, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  while (calls == 1 && !tracer())
    usleep(1000);
  return cr_checkpoint(CR_CHECKPOINT_READY) < 0;
}

static int trace(pid_t pid, long milliseconds) {
  while (access(now, F_OK))
    usleep(1000);
  if (ptrace(PTRACE_SEIZE, pid, 0, 0))
    return 1;
  for (; milliseconds > 0; milliseconds--) {
    int how;
    if (waitpid(pid, &how, __WALL | WNOHANG) == pid && WIFSTOPPED(how))
      ptrace(PTRACE_CONT, pid, 0, how >> 16 ? 0 : WSTOPSIG(how));
    usleep(1000);
  }
  return 0; /* whom it has seized goes on */
}

int main(int argc, char **argv) {
  snprintf(now, sizeof(now), "%s/now", argv[1]);
  if (argc > 3) {
    pid_t child = fork();
    int how = 0;
    if (!child)
      _exit(trace(atoi(argv[2]), atol(argv[3])));
    return waitpid(child, &how, 0) != child || how;
  }
  cr_init();
  cr_register_callback(callback, NULL, CR_THREAD_CONTEXT);
  puts("ready");
  fflush(stdout);
  for (;;)
    pause();
}
