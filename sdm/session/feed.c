#include "sdm/session/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES 65536

struct sdm_feed {
  int fd;
  struct sdm_set *set;
  struct sdm_watch *watch; /* NULL: a file, which is always ready */
  uint64_t request;        /* the programs are asked whether they can take more; 0: they can */
  bool over;
};

/* Answered when all have read most of what they were given, and by those who are no more. */
static void ask_for_room(struct sdm_session *s) {
  static const char room[] = "{\"cmd\":\"room\"}";
  s->feed->request = sdm_request(s->ctx, s->feed->set, SDM_REDUCE_SAME, 0, room, sizeof(room) - 1);
}

static void read_some(struct sdm_session *s) {
  static char buf[CHUNK_BYTES]; /* one at a time; nothing is kept in it */
  struct sdm_feed *f = s->feed;
  ssize_t n = read(f->fd, buf, sizeof(buf));
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
    if (f->watch)
      return;
    n = 0;
  }
  f->over = n <= 0;
  sdm_input(s->ctx, f->set, f->over, buf, n > 0 ? (size_t)n : 0);
  if (f->watch)
    sdm_watch_events(f->watch, 0);
  if (!f->over)
    ask_for_room(s);
}

static void on_ready(void *arg, unsigned events) {
  struct sdm_session *s = arg;
  (void)events;
  if (s->feed && !s->feed->request && !s->feed->over)
    read_some(s);
}

void sdm_feed_start(struct sdm_session *s, int fd, const struct sdm_set *set) {
  sdm_feed_end(s);
  s->feed = sdm_alloc(sizeof(*s->feed));
  *s->feed = (struct sdm_feed){.fd = fd, .set = sdm_set_copy(set)};
  s->feed->watch = sdm_loop_watch(sdm_ctx_loop(s->ctx), fd, SDM_READ, on_ready, s);
  if (!s->feed->watch)
    read_some(s);
}

bool sdm_feed_answer(struct sdm_session *s, uint64_t request, uint16_t flags) {
  struct sdm_feed *f = s->feed;
  if (!f || !f->request || request != f->request)
    return false;
  if (flags & SDM_FLAG_SUPPLEMENT)
    return true;
  f->request = 0;
  if (f->watch)
    sdm_watch_events(f->watch, SDM_READ);
  else
    read_some(s);
  return true;
}

void sdm_feed_end(struct sdm_session *s) {
  if (!s->feed)
    return;
  sdm_watch_free(s->feed->watch);
  sdm_set_free(s->feed->set);
  free(s->feed);
  s->feed = NULL;
}
