/* A right program that lives with signals: it handles SIGUSR1, SIGSEGV and SIGINT, ignores SIGTERM, and "crash" takes SIGSEGV's handler
 * away again before one comes. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile int gate = 1;
static volatile sig_atomic_t came;
static sigjmp_buf back;

static void on_signal(int signal) {
  came++;
  if (signal == SIGSEGV)
    siglongjmp(back, 1);
}

int spin(void) {
  while (gate)
    usleep(1000);
  return 3;
}

int main(int argc, char **argv) {
  signal(SIGUSR1, on_signal);
  signal(SIGINT, on_signal);
  signal(SIGSEGV, on_signal);
  signal(SIGTERM, SIG_IGN);
  for (int i = 0; i < 20; i++)
    raise(SIGUSR1);
  raise(SIGINT);
  raise(SIGTERM);
  if (!sigsetjmp(back, 1))
    *(volatile int *)(long)argc = 1;
  if (argc > 1 && !strcmp(argv[1], "crash")) {
    signal(SIGSEGV, SIG_DFL);
    *(volatile int *)(long)argc = 1;
  }
  printf("%d signals\n", (int)came);
  return came == 22 ? 0 : 9;
}
