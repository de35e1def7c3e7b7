/* A signal handler that assigns and runs instrumented code, also while a parallel loop is under way. */
#include <signal.h>
#include <stdio.h>
#define N 10

static volatile sig_atomic_t count;
static volatile int last_signal;
#pragma dvm array distribute[block]
int a[N];

static void handler(int number) {
  int local[3];
  for (int k = 0; k < 3; k++)
    local[k] = number + k;
  last_signal = local[2] - 2;
  count++;
}

int main(void) {
  int sum = 0;
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  printf("%d %d\n", (int)count, last_signal == SIGUSR1);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i];
  raise(SIGUSR1);
  printf("%d %d\n", (int)count, sum);
  return 0;
}
