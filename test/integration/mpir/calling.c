/* Timers that call functions in threads, armed once each time, before and after a restart.  calling IMAGE */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include "self.h"

#define TIMERS 6

static timer_t timers[TIMERS];
static atomic_ulong calls[TIMERS];
static pthread_t main_thread;
static atomic_bool wrong;

static void arm(int i)
{
  const struct itimerspec soon = { { 0, 0 }, { 0, 200000 * (i + 1) } };

  if (timer_settime(timers[i], 0, &soon, NULL))
    atomic_store(&wrong, true);
}

static void called(union sigval value)
{
  size_t size = 0;
  pthread_attr_t a;

  if (pthread_equal(pthread_self(), main_thread) || pthread_getattr_np(pthread_self(), &a))
    atomic_store(&wrong, true);
  else if (value.sival_int == 0 && (pthread_attr_getstacksize(&a, &size) || size < 15u << 20))
    atomic_store(&wrong, true); /* the first has attributes of its own */
  atomic_fetch_add(&calls[value.sival_int], 1);
  arm(value.sival_int);
}

static void await_calls(unsigned long more)
{
  const struct timespec nap = { 0, 1000000 };

  for (int i = 0; i < TIMERS; i++)
    for (unsigned long before = atomic_load(&calls[i]); atomic_load(&calls[i]) < before + more;)
      nanosleep(&nap, NULL);
}

int main(int argc, char **argv)
{
  struct sigevent event = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = called };
  struct itimerspec left;
  pthread_attr_t large;
  timer_t other;

  if (argc < 2)
    return 2;
  main_thread = pthread_self();
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 16u << 20);
  for (int i = 0; i < TIMERS; i++) {
    event.sigev_value.sival_int = i;
    event.sigev_notify_attributes = i == 0 ? &large : NULL;
    CHECK(!timer_create(i % 2 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &event, &timers[i]));
    CHECK(!timer_gettime(timers[i], &left) && left.it_value.tv_nsec == 0);
    arm(i);
  }
  CHECK(!timer_create(CLOCK_MONOTONIC, NULL, &other) && !timer_delete(other) && timer_delete(other) < 0 && errno == EINVAL);
  CHECK(timer_create(4711, &event, &other) < 0 && errno == EINVAL);
  await_calls(3);
  self_save(argv[1]);
  await_calls(3);
  CHECK(!atomic_load(&wrong));
  CHECK(!timer_delete(timers[1]) && timer_settime(timers[1], 0, &left, NULL) < 0 && errno == EINVAL);
  CHECK(!timer_create(CLOCK_MONOTONIC, &event, &other) && !timer_delete(other));
  puts("as before");
  return 0;
}
