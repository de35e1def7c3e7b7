/* A checked program that runs a parallel loop again and again: until it is killed with argument 1; once with 0, beside a
 * child that ends with status 7; with "fork" a signal gives it a child that waits; with "close FILE" it waits for a signal, closes
 * all that is open, writes to a file, and ends at the next signal. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 8 };
#pragma dvm array distribute[block]
double A[N];

static volatile sig_atomic_t asked;
static void on_signal(int signal) { asked = signal; }

static void step(void) {
  int i;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++)
    A[i] = i;
}

static void child(int status) {
  pid_t pid = fork();
  if (!pid) {
    step();
    if (status < 0)
      pause();
    _exit(status);
  }
  if (status >= 0 && waitpid(pid, &status, 0) == pid)
    printf("child %d\n", WEXITSTATUS(status));
}

static int daemon_like(const char *path) {
  struct timespec pause = {0, 20000000};
  long written = 0;
  while (!asked) {
    step();
    nanosleep(&pause, NULL);
  }
  asked = 0;
  for (int fd = 3; fd < 256; fd++)
    close(fd);
  for (int fd = 3; fd < 20; fd++) /* so that every number is something else now */
    if (open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) != fd)
      return 3;
  while (!asked) {
    step();
    written += write(3, "x", 1);
    nanosleep(&pause, NULL);
  }
  return written == lseek(3, 0, SEEK_END) ? 0 : 4;
}

int main(int argc, char **argv) {
  struct timespec pause = {0, 5000000};
  int endless = argc > 1 && strcmp(argv[1], "0");
  signal(SIGUSR1, on_signal);
  if (argc > 2 && !strcmp(argv[1], "close"))
    return daemon_like(argv[2]);
  if (!endless)
    child(7);
  do {
    step();
    if (asked) {
      asked = 0;
      child(-1);
    }
    nanosleep(&pause, NULL);
  } while (endless);
  return 0;
}
