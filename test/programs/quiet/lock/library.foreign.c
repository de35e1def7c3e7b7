/* A thread that the checker does not see writes what a lock guards. */
#include <pthread.h>

struct box { pthread_mutex_t lock; int ready; double own[4], *line; };
extern struct box *shared;

static void *work(void *unused) {
  (void)unused;
  pthread_mutex_lock(&shared->lock);
  for (int i = 0; i < 4; i++)
    shared->own[i] = shared->line[i] = i;
  shared->ready = 1;
  pthread_mutex_unlock(&shared->lock);
  return NULL;
}

void lib_start(void) {
  pthread_t thread;
  if (!pthread_create(&thread, NULL, work, NULL))
    pthread_detach(thread);
}
