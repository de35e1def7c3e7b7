/* A checked program with threads that come through the run-time library all the time, beside two mistakes of the first one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, SLOTS = 400, ROUNDS = 100000, HELPERS = 3 };
#pragma dvm array distribute[block] shadow[1:1]
double A[N];
#pragma dvm array align([i] with A[i]) shadow[1:1]
double B[N];

static void *help(void *unused) {
  long sum = 0;
  int *p = malloc(SLOTS * sizeof(*p));
  (void)unused;
  for (int k = 0; k < ROUNDS; k++) {
    p[k % SLOTS] = k;
    sum += p[k * 7 % SLOTS < k ? k * 7 % SLOTS : k % SLOTS];
  }
  free(p);
  return (void *)sum;
}

int main(void) {
  pthread_t helpers[HELPERS];
  for (int i = 0; i < HELPERS; i++)
    if (pthread_create(&helpers[i], NULL, help, NULL))
      return 1;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = B[i] = i + rand() % 3;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N - 1; i++)
    A[i] = A[i + 1] + B[i + 1]; /* a dependence, and an edge that is stale whatever becomes of it */
  for (int i = 0; i < HELPERS; i++)
    pthread_join(helpers[i], NULL);
  puts("end");
  return 0;
}
