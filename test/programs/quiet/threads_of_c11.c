/* Threads again: those of C11, stacks that one thread takes over from another, thread-local data, barriers, one-time calls. */
// FLAGS -pthread
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#define N 40

#pragma dvm array distribute[block]
double field[N];

static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock;
static cnd_t changed;
static tss_t key;
static int ready, sum;
static _Thread_local int calls;
static pthread_barrier_t barrier;
static sem_t done;
static double *results[4];

static void prepare(void) {
  if (mtx_init(&lock, mtx_plain) != thrd_success || cnd_init(&changed) != thrd_success || tss_create(&key, free) != thrd_success)
    exit(1);
}

static int compare(const void *a, const void *b) { return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b); }

static int worker(void *arg) {
  int n = *(int *)arg, *own = malloc(sizeof *own);
  double data[64], *p = data;
  if (!own)
    exit(1);
  call_once(&once, prepare);
  *own = n;
  tss_set(key, own);
  for (int i = 0; i < 64; i++)
    p[i] = (i * 37 + n) % 64;
  qsort(p, 64, sizeof *p, compare);
  calls++;
  mtx_lock(&lock);
  sum += *(int *)tss_get(key) + calls + (int)p[63];
  ready++;
  cnd_signal(&changed);
  mtx_unlock(&lock);
  return n;
}

/* Ends in the middle of frames with data that nobody has assigned. */
static void end_here(int depth) {
  double junk[300], *p = junk;
  if (!depth)
    pthread_exit(NULL);
  p[depth] = 1;
  end_here(depth - 1);
}
static void *untidy(void *arg) {
  end_here(3);
  return arg;
}

static void *tidy(void *arg) {
  double numbers[400], *p = numbers;
  for (int i = 0; i < 400; i++)
    p[i] = (i * 17) % 400;
  qsort(p, 400, sizeof *p, compare);
  *(double *)arg = p[3];
  return NULL;
}

static void *together(void *arg) {
  int me = *(int *)arg;
  results[me] = malloc(10 * sizeof **results);
  if (!results[me])
    exit(1);
  for (int i = 0; i < 10; i++)
    results[me][i] = me * i;
  pthread_barrier_wait(&barrier);
  double total = 0;
  for (int t = 0; t < 4; t++)
    total += results[t][9];
  pthread_barrier_wait(&barrier);
  results[me][0] = total;
  sem_post(&done);
  return results[me];
}

int main(void) {
  thrd_t threads[3];
  int numbers[4], ended;
  call_once(&once, prepare);
  for (int i = 0; i < 3; i++) {
    numbers[i] = i + 1;
    if (thrd_create(&threads[i], worker, &numbers[i]) != thrd_success)
      return 1;
  }
  mtx_lock(&lock);
  while (ready < 3)
    cnd_wait(&changed, &lock);
  mtx_unlock(&lock);
  for (int i = 0; i < 3; i++) {
    thrd_join(threads[i], &ended);
    sum += ended;
  }
  double smallest, total = 0;
  for (int round = 0; round < 6; round++) {
    pthread_t t;
    if (pthread_create(&t, NULL, round % 2 ? tidy : untidy, &smallest) || pthread_join(t, NULL))
      return 1;
    if (round % 2)
      total += smallest;
  }
  pthread_t four[4];
  void *answer;
  pthread_barrier_init(&barrier, NULL, 4);
  sem_init(&done, 0, 0);
  for (int i = 0; i < 4; i++) {
    numbers[i] = i;
    if (pthread_create(&four[i], NULL, together, &numbers[i]))
      return 1;
  }
#pragma dvm parallel([i] on field[i])
  for (int i = 0; i < N; i++)
    field[i] = i;
  for (int i = 0; i < 4; i++) {
    sem_wait(&done);
    pthread_join(four[i], &answer);
    total += *(double *)answer;
  }
  int left;
  sem_getvalue(&done, &left);
  printf("%d %g %d %g\n", sum, total, left, field[N - 1]);
  return 0;
}
