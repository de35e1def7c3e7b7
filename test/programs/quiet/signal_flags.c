/* A signal that comes while a parallel loop is executed: what its handler writes is written by no iteration. */
#include <signal.h>
#include <stdio.h>
#define N 10

static volatile sig_atomic_t stop, ticks;
#pragma dvm array distribute[block]
static int a[N];

static void handler(int number)
{
  ticks++;
  if (number == SIGUSR2)
    stop = 1;
}

int main(void)
{
  signal(SIGUSR1, handler);
  signal(SIGUSR2, handler);
  int turns = 0;
  while (!stop) {
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++) {
      a[i] = i;
      if (i == 3)
        raise(turns == 2 ? SIGUSR2 : SIGUSR1);
    }
    turns++;
  }
  printf("%d %d\n", turns, (int)ticks);
  return 0;
}
