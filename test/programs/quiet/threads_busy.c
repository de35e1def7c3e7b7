/* Threads that allocate, free, sort and write beside one another all the time, while the main one runs parallel loops. */
// FLAGS -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define THREADS 4
#define N 300

#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
static int *beside;               /* an element each, not assigned before */
static char *bytes;
static atomic_int finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double *handed[THREADS];   /* each round one takes what another has made */

static int compare(const void *x, const void *y) { return (*(const int *)x > *(const int *)y) - (*(const int *)x < *(const int *)y); }

static void *worker(void *arg) {
  int me = *(int *)arg;
  long sum = 0;
  beside[me] = 0;
  for (int round = 0; round < 60; round++) {
    int n = 10 + (round * 7 + me) % 50, local[64], *p = local, *heap = malloc(n * sizeof *heap);
    if (!heap)
      exit(1);
    for (int i = 0; i < n; i++)
      p[i] = heap[i] = (i * 31 + round) % n;
    qsort(heap, n, sizeof *heap, compare);
    heap = realloc(heap, 2 * n * sizeof *heap);
    memcpy(heap + n, p, n * sizeof *p);
    sum += heap[n - 1] + heap[n];
    free(heap);
    beside[me]++;
    bytes[me] = (char)round;
    double *made = malloc(4 * sizeof *made), *taken;
    if (!made)
      exit(1);
    made[0] = 1;
    made[3] = me;
    pthread_mutex_lock(&lock);
    taken = handed[(me + 1) % THREADS];
    handed[(me + 1) % THREADS] = made;
    pthread_mutex_unlock(&lock);
    if (taken)
      sum += taken[0] > 0 && taken[3] < THREADS ? 0 : 1000000;
    free(taken);
  }
  finished++;
  return (void *)sum;
}

int main(void) {
  pthread_t t[THREADS];
  int id[THREADS];
  long total = 0;
  double sum = 0;
  beside = malloc(THREADS * sizeof *beside);
  bytes = malloc(THREADS);
  if (!beside || !bytes)
    return 1;
  for (int k = 0; k < THREADS; k++) {
    id[k] = k;
    if (pthread_create(&t[k], NULL, worker, &id[k]))
      return 1;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = b[i] = i;
  do {
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      b[i] = (a[i - 1] + a[i + 1]) / 2;
  } while (finished < THREADS);
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += b[i];
  for (int k = 0; k < THREADS; k++) {
    void *result;
    pthread_join(t[k], &result);
    total += (long)result + beside[k] + bytes[k];
    free(handed[k]);
  }
  printf("%g %ld\n", sum, total);
  free(beside);
  free(bytes);
  return 0;
}
