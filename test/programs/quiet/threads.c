/* Threads that the program makes itself, before, between and during parallel loops. */
// FLAGS -pthread
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define N 200

#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
static int shared[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long hits;

static void *worker(void *arg) {
  int me = *(int *)arg, scratch[16];
  for (int k = 0; k < 16; k++)
    scratch[k] = me + k;
  for (int round = 0; round < 100; round++) {
    pthread_mutex_lock(&lock);
    hits += scratch[round % 16] - me;
    pthread_mutex_unlock(&lock);
  }
  shared[me] = scratch[15];
  int *result = malloc(sizeof *result);
  if (result)
    *result = me * me;
  return result;
}

int main(void) {
  pthread_t t[4];
  int id[4], squares = 0;
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    id[k] = k;
    if (pthread_create(&t[k], NULL, worker, &id[k]))
      return 1;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
  for (int i = 1; i < N - 1; i++)
    b[i] = a[i - 1] + a[i + 1];
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += b[i];
  for (int k = 0; k < 4; k++) {
    void *result;
    pthread_join(t[k], &result);
    squares += *(int *)result;
    free(result);
  }
  printf("%g %d %ld %d\n", sum, squares, hits, shared[0] + shared[3]);
  return 0;
}
