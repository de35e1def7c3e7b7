/* Callbacks, hooks and critical sections around checkpoints.  phases IMAGE */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include "self.h"

enum { THREAD_1, THREAD_2, MAIN_1, MAIN_2, WORKER_1, WHERE };
enum { BEFORE, AFTER };
enum { UNKNOWN = 0x55555555 }; /* an outcome */
static atomic_int clock_now, when[WHERE][2], outcome[WHERE], runs[WHERE];
static atomic_int hooks[DVMCR_HOOK_EVENTS], places[DVMCR_HOOK_EVENTS], hook_tids[DVMCR_HOOK_EVENTS][8];
static pid_t ran_in[WHERE], main_tid, worker_tid, plain_tid;
static atomic_int flags_to_use[WHERE], returns_early, stop_all, workers;
static volatile int in_section, leave_section;

static int around(int where)
{
  int rc;

  atomic_fetch_add(&runs[where], 1);
  ran_in[where] = gettid();
  when[where][BEFORE] = atomic_fetch_add(&clock_now, 1) + 1;
  if (returns_early == where + 1)
    return 0;
  rc = dvmcr_checkpoint(flags_to_use[where]);
  outcome[where] = rc;
  when[where][AFTER] = atomic_fetch_add(&clock_now, 1) + 1;
  return 0;
}

static int callback(void *arg) { return around(*(int *)arg); }
static int refuses_by_value(void *arg) { return arg != NULL; }
static int where_values[WHERE] = { THREAD_1, THREAD_2, MAIN_1, MAIN_2, WORKER_1 };

static void hook(int event)
{
  int i = atomic_fetch_add(&places[event], 1);

  if (i < 8)
    hook_tids[event][i] = gettid();
  atomic_fetch_add(&hooks[event], 1); /* now it may be looked at */
}

static void *worker(void *arg)
{
  worker_tid = gettid();
  CHECK(dvmcr_callback_add(callback, arg, DVMCR_SIGNAL_CONTEXT) == -EPERM);
  CHECK(dvmcr_init() >= 1 && dvmcr_callback_add(callback, arg, DVMCR_SIGNAL_CONTEXT) > 0);
  atomic_fetch_add(&workers, 1);
  while (!stop_all)
    sched_yield();
  return NULL;
}

static void *plain(void *arg)
{
  (void)arg;
  plain_tid = gettid();
  atomic_fetch_add(&workers, 1);
  while (!stop_all)
    sched_yield();
  return NULL;
}

static void *holder(void *arg)
{
  (void)arg;
  prctl(PR_SET_NAME, "holder");
  dvmcr_enter();
  dvmcr_enter();
  in_section = 1;
  while (leave_section == 0)
    sched_yield();
  while (dvmcr_try_enter() == 0) /* until a checkpoint waits for us */
    dvmcr_leave();
  dvmcr_leave();
  in_section = 2;
  dvmcr_leave(); /* here it is let in */
  in_section = 3;
  return NULL;
}

static int request(const char *path, unsigned timeout_ms, char *text, size_t size)
{
  struct dvmcr_options options = { .size = sizeof(options), .path = path, .flags = DVMCR_NO_SYNC, .stop_timeout_ms = timeout_ms };
  int ticket = dvmcr_request(&options);

  CHECK(ticket > 0);
  return dvmcr_wait(ticket, text, size, -1);
}

static void forget(void)
{
  clock_now = 0;
  memset(when, 0, sizeof(when));
  memset(outcome, 0x55, sizeof(outcome));
  memset(runs, 0, sizeof(runs));
  memset(hooks, 0, sizeof(hooks));
  memset(places, 0, sizeof(places));
}

static int seen(int event, pid_t tid)
{
  int n = 0;

  for (int i = 0; i < hooks[event] && i < 8; i++)
    n += hook_tids[event][i] == tid;
  return n;
}

/* Last registered first; thread context before all others; each returns the one outcome, in reverse order. */
static void look_at_order(int expected, int event)
{
  for (int i = 0; i < WHERE; i++) {
    while (outcome[i] == UNKNOWN) /* those of signal context end as their threads go on */
      sched_yield();
    CHECK(runs[i] == 1 && outcome[i] == expected);
  }
  CHECK(when[THREAD_2][BEFORE] < when[THREAD_1][BEFORE] && when[THREAD_1][AFTER] < when[THREAD_2][AFTER]);
  CHECK(when[MAIN_2][BEFORE] < when[MAIN_1][BEFORE] && when[MAIN_1][AFTER] < when[MAIN_2][AFTER]);
  CHECK(when[THREAD_1][BEFORE] < when[MAIN_2][BEFORE] && when[THREAD_1][BEFORE] < when[WORKER_1][BEFORE]);
  CHECK(when[MAIN_1][BEFORE] < when[MAIN_1][AFTER]);
  CHECK(ran_in[MAIN_1] == main_tid && ran_in[MAIN_2] == main_tid && ran_in[WORKER_1] == worker_tid);
  CHECK(ran_in[THREAD_1] == ran_in[THREAD_2] && ran_in[THREAD_1] != main_tid && ran_in[THREAD_1] != worker_tid);
  while (hooks[event] < 3) /* they run as the threads go on */
    sched_yield();
  CHECK(hooks[event] == 3 && seen(event, main_tid) == 1 && seen(event, worker_tid) == 1 && seen(event, plain_tid) == 1);
}

static void refusals(const char *path)
{
  const struct { int where, flag, code; } rows[] = {
    { THREAD_2, DVMCR_REFUSE, -ECANCELED }, { THREAD_1, DVMCR_NOT_NOW, -EAGAIN }, { THREAD_1, DVMCR_OMIT, -ENODATA },
    { MAIN_1, DVMCR_REFUSE, -ECANCELED },   { WORKER_1, DVMCR_NOT_NOW, -EAGAIN }, { MAIN_2, DVMCR_OMIT, -ENODATA },
  };
  char text[4096];

  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    forget();
    unlink(path);
    flags_to_use[rows[i].where] = rows[i].flag;
    CHECK(request(path, 0, text, sizeof(text)) == rows[i].code && strstr(text, "callback"));
    CHECK(access(path, F_OK) && outcome[rows[i].where] == rows[i].code);
    CHECK(outcome[THREAD_2] == rows[i].code); /* it was entered first, and hears of the others' refusal */
    if (rows[i].where == THREAD_2)
      CHECK(!runs[THREAD_1] && !runs[MAIN_1] && !runs[WORKER_1] && !hooks[DVMCR_HOOK_FAILED]);
    CHECK(!hooks[DVMCR_HOOK_CONTINUE] && !hooks[DVMCR_HOOK_RESTART]);
    flags_to_use[rows[i].where] = 0;
  }
  forget();
  CHECK(request(path, 0, NULL, 0) == 0 && outcome[WORKER_1] == 0);
}

/* A callback that returns without asking for the checkpoint: 0 lets it go on, else it is refused. */
static void early_returns(const char *path)
{
  int id;

  for (int where = 0; where < WHERE; where++) {
    forget();
    returns_early = where + 1;
    CHECK(request(path, 0, NULL, 0) == 0);
    for (int i = 0; i < WHERE; i++)
      CHECK(runs[i] == 1 && (i == where || outcome[i] == 0));
  }
  returns_early = 0;
  id = dvmcr_callback_add(refuses_by_value, &id, DVMCR_THREAD_CONTEXT);
  CHECK(id > 0 && request(path, 0, NULL, 0) == -ECANCELED);
  CHECK(!dvmcr_callback_replace(id, refuses_by_value, NULL, DVMCR_THREAD_CONTEXT) && request(path, 0, NULL, 0) == 0);
  CHECK(!dvmcr_callback_replace(id, NULL, NULL, DVMCR_THREAD_CONTEXT));
  CHECK(dvmcr_callback_replace(id, callback, NULL, DVMCR_THREAD_CONTEXT) == -ENOENT);
}

static void critical_sections(const char *path)
{
  pthread_t id;
  char text[4096];

  CHECK(!pthread_create(&id, NULL, holder, NULL));
  while (!in_section)
    sched_yield();
  forget();
  CHECK(request(path, 100, text, sizeof(text)) == -ETIMEDOUT);
  CHECK(strstr(text, "'holder'") && strstr(text, "critical section") && outcome[THREAD_1] == -ETIMEDOUT);
  CHECK(outcome[MAIN_1] == -ETIMEDOUT && in_section == 1);
  leave_section = 1;
  CHECK(request(path, 0, text, sizeof(text)) == 0);
  pthread_join(id, NULL);
  CHECK(in_section == 3);
}

static void limits(void)
{
  int ids[40], n = 0;

  CHECK(dvmcr_checkpoint(0) == -EINVAL && dvmcr_status() == 0);
  CHECK(dvmcr_callback_add(NULL, NULL, 0) == -EINVAL && dvmcr_callback_add(callback, NULL, 7) == -EINVAL);
  CHECK(dvmcr_poll(0, NULL, 0) == -EINVAL && dvmcr_poll(17, NULL, 0) == -EINVAL && dvmcr_poll(1, NULL, 0) == -EINVAL);
  CHECK(dvmcr_callback_replace(0, callback, NULL, 0) == -ENOENT && dvmcr_hook_set(3, hook) == NULL);
  while (n < 40 && (ids[n] = dvmcr_callback_add(refuses_by_value, NULL, DVMCR_THREAD_CONTEXT)) > 0)
    n++;
  CHECK(n == 30 && ids[n] == -ENOSPC); /* two were there */
  while (n--)
    CHECK(!dvmcr_callback_replace(ids[n], NULL, NULL, DVMCR_THREAD_CONTEXT));
}

int main(int argc, char **argv)
{
  pthread_t ids[2];
  char other[4096];

  if (argc < 2)
    return 2;
  snprintf(other, sizeof(other), "%s.other", argv[1]);
  main_tid = gettid();
  CHECK(dvmcr_init() >= 1 && dvmcr_init() >= 1);
  for (int i = THREAD_1; i <= MAIN_2; i++)
    CHECK(dvmcr_callback_add(callback, &where_values[i], i <= THREAD_2 ? DVMCR_THREAD_CONTEXT : DVMCR_SIGNAL_CONTEXT) > 0);
  for (int i = 0; i < DVMCR_HOOK_EVENTS; i++)
    CHECK(dvmcr_hook_set(i, hook) == NULL && dvmcr_hook_set(i, hook) == hook);
  CHECK(!pthread_create(&ids[0], NULL, worker, &where_values[WORKER_1]) && !pthread_create(&ids[1], NULL, plain, NULL));
  while (workers < 2)
    sched_yield();
  limits();
  forget();
  CHECK(request(other, 0, NULL, 0) == 0);
  look_at_order(0, DVMCR_HOOK_CONTINUE);
  refusals(other);
  early_returns(other);
  critical_sections(other);
  forget();
  self_save(argv[1]);
  look_at_order(1, DVMCR_HOOK_RESTART);
  CHECK(!hooks[DVMCR_HOOK_CONTINUE]);
  forget();
  CHECK(request(other, 0, NULL, 0) == 0);
  look_at_order(0, DVMCR_HOOK_CONTINUE);
  stop_all = 1;
  pthread_join(ids[0], NULL);
  pthread_join(ids[1], NULL);
  puts("as before");
  return 0;
}
