/* A checked program that runs a parallel loop again and again: until it is killed with argument 1; once with 0, beside a
 * child that ends with status 7; with "fork" a signal gives it a child that waits. */
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

int main(int argc, char **argv) {
  struct timespec pause = {0, 5000000};
  int endless = argc > 1 && strcmp(argv[1], "0");
  signal(SIGUSR1, on_signal);
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
