/* Data that a thread of a library has written under a lock, which brings them: to a thread that takes it by name, or through a pointer. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct box { pthread_mutex_t lock; int ready; double own[4], *line; };
struct box *shared;
void lib_start(void);
static int (*take)(pthread_mutex_t *) = pthread_mutex_lock;

static int is_ready(struct box *b, int times) {
  times % 2 ? take(&b->lock) : pthread_mutex_lock(&b->lock);
  int ready = b->ready;
  pthread_mutex_unlock(&b->lock);
  return ready;
}

static double collected(void) {
  struct box *b = malloc(sizeof *b);
  double sum = 0;
  if (!b || !(b->line = malloc(4 * sizeof *b->line)) || pthread_mutex_init(&b->lock, NULL))
    exit(1);
  b->ready = 0;
  for (int i = 0; i < 5; i++)
    is_ready(b, i); /* alone */
  shared = b;
  lib_start();
  for (int i = 0; !is_ready(b, i); i++)
    sched_yield();
  for (int i = 0; i < 4; i++)
    sum += b->own[i] * b->line[i];
  free(b->line);
  free(b);
  return sum;
}

int main(void) {
  for (int i = 0; i < 3; i++)
    printf("%g\n", collected());
  return 0;
}
