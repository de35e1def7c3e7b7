#include "sdm/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "sdm/bytes.h"

struct sdm_watch {
  struct sdm_loop *loop;
  int fd;
  unsigned events;
  sdm_watch_f fn; /* NULL: freed, waits for the end of the round */
  void *arg;
  struct sdm_watch *next_dead;
};

struct sdm_timer {
  struct sdm_loop *loop;
  int64_t at;
  sdm_timer_f fn;
  void *arg;
  struct sdm_timer *next, *prev;
};

struct sdm_loop {
  int epoll;
  bool broken;
  struct sdm_watch *dead;
  struct sdm_timer *timers; /* few, in no order */
};

int64_t sdm_now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

struct sdm_loop *sdm_loop_new(void) {
  struct sdm_loop *l = sdm_alloc(sizeof(*l));
  l->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (l->epoll >= 0)
    return l;
  free(l);
  return NULL;
}

static void bury(struct sdm_loop *l) {
  while (l->dead) {
    struct sdm_watch *w = l->dead;
    l->dead = w->next_dead;
    free(w);
  }
}

void sdm_loop_free(struct sdm_loop *l) {
  if (!l)
    return;
  while (l->timers)
    sdm_timer_free(l->timers);
  bury(l);
  if (!l->broken)
    close(l->epoll);
  free(l);
}

static uint32_t epoll_events(unsigned events) { return (events & SDM_READ ? EPOLLIN : 0u) | (events & SDM_WRITE ? EPOLLOUT : 0u); }

struct sdm_watch *sdm_loop_watch(struct sdm_loop *l, int fd, unsigned events, sdm_watch_f fn, void *arg) {
  struct sdm_watch *w = sdm_alloc(sizeof(*w));
  *w = (struct sdm_watch){.loop = l, .fd = fd, .events = events, .fn = fn, .arg = arg};
  struct epoll_event ev = {.events = epoll_events(events), .data.ptr = w};
  if (!epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev))
    return w;
  free(w);
  return NULL;
}

void sdm_watch_events(struct sdm_watch *w, unsigned events) {
  if (w->events == events)
    return;
  w->events = events;
  struct epoll_event ev = {.events = epoll_events(events), .data.ptr = w};
  epoll_ctl(w->loop->epoll, EPOLL_CTL_MOD, w->fd, &ev);
}

void sdm_watch_free(struct sdm_watch *w) {
  if (!w || !w->fn)
    return;
  epoll_ctl(w->loop->epoll, EPOLL_CTL_DEL, w->fd, NULL);
  w->fn = NULL;
  w->next_dead = w->loop->dead;
  w->loop->dead = w;
}

struct sdm_timer *sdm_loop_timer(struct sdm_loop *l, int64_t at_us, sdm_timer_f fn, void *arg) {
  struct sdm_timer *t = sdm_alloc(sizeof(*t));
  *t = (struct sdm_timer){.loop = l, .at = at_us, .fn = fn, .arg = arg, .next = l->timers};
  if (t->next)
    t->next->prev = t;
  return l->timers = t;
}

void sdm_timer_set(struct sdm_timer *t, int64_t at_us) { t->at = at_us; }

void sdm_timer_free(struct sdm_timer *t) {
  if (!t)
    return;
  if (t->next)
    t->next->prev = t->prev;
  if (t->prev)
    t->prev->next = t->next;
  else
    t->loop->timers = t->next;
  free(t);
}

static void run_timers(struct sdm_loop *l) {
  int64_t now = sdm_now_us();
  bool again = true;
  while (again) { /* a callback may free any timer */
    again = false;
    for (struct sdm_timer *t = l->timers; t; t = t->next)
      if (t->at <= now) {
        t->at = INT64_MAX;
        t->fn(t->arg);
        again = true;
        break;
      }
  }
}

bool sdm_loop_broken(const struct sdm_loop *l) { return l->broken; }
int sdm_loop_fd(const struct sdm_loop *l) { return l->epoll; }

int sdm_loop_wait_ms(const struct sdm_loop *l) {
  int64_t first = INT64_MAX, now = sdm_now_us();
  for (struct sdm_timer *t = l->timers; t; t = t->next)
    first = t->at < first ? t->at : first;
  int64_t ms = first <= now ? 0 : (first - now) / 1000 + 1;
  return first == INT64_MAX ? -1 : ms > 60000 ? 60000 : (int)ms;
}

void sdm_loop_run(struct sdm_loop *l, int timeout_ms) {
  struct epoll_event ev[64];
  int ms = sdm_loop_wait_ms(l);
  if (ms >= 0 && (timeout_ms < 0 || ms < timeout_ms))
    timeout_ms = ms;
  int n = epoll_wait(l->epoll, ev, 64, timeout_ms);
  l->broken |= n < 0 && errno != EINTR;
  for (int i = 0; i < n; i++) {
    struct sdm_watch *w = ev[i].data.ptr;
    unsigned events =
        (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP) ? SDM_READ : 0u) | (ev[i].events & EPOLLOUT ? SDM_WRITE : 0u);
    if (w->fn)
      w->fn(w->arg, events);
  }
  run_timers(l);
  bury(l);
}
