/* Threads that come and go all the time, some of them detached, while checkpoints are taken: each must be stopped or not yet be there.
 * churn IMAGE */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "self.h"

static atomic_long born, gone;
static atomic_int finish;

static void *short_life(void *arg)
{
  volatile char frame[2000];

  frame[0] = (char)(long)arg;
  atomic_fetch_add(&gone, 1 + frame[0] - (char)(long)arg);
  return NULL;
}

static void *parent(void *arg)
{
  pthread_attr_t detached;

  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  while (!finish) {
    pthread_t ids[4], other;

    for (long i = 0; i < 4; i++)
      CHECK(!pthread_create(&ids[i], NULL, short_life, (void *)i));
    if (born - gone < 200 && !pthread_create(&other, &detached, short_life, arg))
      atomic_fetch_add(&born, 1);
    for (int i = 0; i < 4; i++)
      CHECK(!pthread_join(ids[i], NULL));
    atomic_fetch_add(&born, 4);
  }
  return NULL;
}

static void checkpoints(const char *path, int count)
{
  struct dvmcr_options options = { .size = sizeof(options), .path = path, .flags = DVMCR_NO_SYNC };
  char text[4096];

  for (int i = 0; i < count; i++) {
    int ticket = dvmcr_request(&options), rc = dvmcr_wait(ticket, text, sizeof(text), -1);

    if (rc)
      fprintf(stderr, "churn: checkpoint %d: %d, %s\n", i, rc, text);
    CHECK(!rc);
  }
}

int main(int argc, char **argv)
{
  pthread_t parents[3];
  char other[4096];

  if (argc < 2)
    return 2;
  snprintf(other, sizeof(other), "%s.other", argv[1]);
  for (int i = 0; i < 3; i++)
    CHECK(!pthread_create(&parents[i], NULL, parent, NULL));
  while (born < 50)
    sched_yield();
  checkpoints(other, 10);
  self_save(argv[1]);
  checkpoints(other, 10);
  for (long before = born; born < before + 50;)
    sched_yield();
  finish = 1;
  for (int i = 0; i < 3; i++)
    CHECK(!pthread_join(parents[i], NULL));
  while (gone != born)
    sched_yield();
  puts("as before");
  return 0;
}
