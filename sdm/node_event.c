/* What servers say unasked: events and output wait a little for company and go up merged. */
#include <stdlib.h>
#include <string.h>

#include "sdm/node_private.h"

#define IO_BATCH_BYTES 32768u

/* Of the time an event may wait in all, each level takes its share, the root what is left. */
static int64_t share(const struct sdm_node *n, int64_t left) { return left > 0 ? left / (int64_t)(n->depth + 1) : 0; }

void node_flush_events(struct sdm_node *n) {
  struct sdm_answer *a = n->event;
  node_flush_io(n); /* what a program wrote before it stopped is seen before */
  if (!a)
    return;
  n->event = NULL;
  if (node_is_root(n))
    n->ops->event(n->arg, a);
  else {
    struct sdm_bytes body = { 0 };
    int64_t left = n->event_limit - node_now(n);
    sdm_answer_encode(a, &body);
    node_send_up(n, &(struct sdm_frame){ .type = SDM_EVENT, .time = left > 0 ? (uint32_t)left : 0, .payload = body.p,
                                         .payload_len = body.len });
    sdm_bytes_fini(&body);
  }
  sdm_answer_free(a);
}

static bool complete(const struct sdm_node *n) {
  struct sdm_set *said = sdm_answer_sources(n->event);
  uint32_t alive = sdm_set_size(n->subtree) - sdm_set_size(n->gone);
  bool all = sdm_set_size(said) >= alive;
  sdm_set_free(said);
  return all;
}

static void hold_event(struct sdm_node *n, const struct sdm_answer *a, int64_t left) {
  int64_t now = node_now(n);
  if (n->event) { /* a second word of one rank must not join its first */
    struct sdm_set *said = sdm_answer_sources(n->event), *more = sdm_answer_sources(a);
    bool again = sdm_set_overlaps(said, more);
    sdm_set_free(said);
    sdm_set_free(more);
    if (again || n->event->n + a->n > SDM_CLASSES_MAX)
      node_flush_events(n);
  }
  if (!n->event) {
    n->event = sdm_answer_new(SDM_REDUCE_SAME);
    n->event_flush = now + share(n, left);
    n->event_limit = now + left;
  }
  sdm_answer_merge(n->event, a);
  if (now + share(n, left) < n->event_flush)
    n->event_flush = now + share(n, left);
  if (now + left < n->event_limit)
    n->event_limit = now + left;
  if (n->event_flush <= now || complete(n))
    node_flush_events(n);
  else
    node_wake_at(n, n->event_flush);
}

void node_take_event(struct sdm_node *n, const struct sdm_frame *f) {
  struct sdm_answer *a = sdm_answer_decode(f->payload, f->payload_len, SDM_ID_MAX);
  if (a)
    hold_event(n, a, f->time < n->opt.hold_us ? f->time : n->opt.hold_us);
  sdm_answer_free(a);
}

void sdm_node_event(struct sdm_node *n, const void *body, size_t len) {
  struct sdm_answer *a = sdm_answer_new(SDM_REDUCE_SAME);
  struct sdm_set *self = sdm_set_add_element(sdm_set_new(), n->id);
  sdm_answer_add(a, SDM_CLASS_OK, self, body, len, NULL, 0, n->id);
  hold_event(n, a, n->opt.hold_us);
  sdm_set_free(self);
  sdm_answer_free(a);
}

void node_flush_io(struct sdm_node *n) {
  struct sdm_iolist l = n->io;
  if (!l.n)
    return;
  n->io = (struct sdm_iolist){ 0 };
  if (node_is_root(n))
    n->ops->output(n->arg, &l);
  else {
    struct sdm_bytes body = { 0 };
    int64_t left = n->io_limit - node_now(n);
    sdm_iolist_encode(&l, &body);
    node_send_up(n, &(struct sdm_frame){ .type = SDM_IO, .time = left > 0 ? (uint32_t)left : 0, .payload = body.p,
                                         .payload_len = body.len });
    sdm_bytes_fini(&body);
  }
  sdm_iolist_fini(&l);
}

static void hold_io(struct sdm_node *n, const struct sdm_iolist *l, int64_t left) {
  int64_t now = node_now(n);
  if (!n->io.n) {
    n->io_flush = now + share(n, left);
    n->io_limit = now + left;
  }
  sdm_iolist_merge(&n->io, l);
  if (n->io.bytes >= IO_BATCH_BYTES || n->io_flush <= now)
    node_flush_io(n);
  else
    node_wake_at(n, n->io_flush);
}

void node_take_io(struct sdm_node *n, bool from_parent, const struct sdm_frame *f) {
  struct sdm_iolist l;
  if (sdm_iolist_decode(&l, f->payload, f->payload_len, SDM_ID_MAX))
    return;
  if (!from_parent)
    hold_io(n, &l, f->time < n->opt.hold_us ? f->time : n->opt.hold_us);
  else {
    struct sdm_set *dest = sdm_set_new();
    if (sdm_set_deserialize(dest, (const char *)f->dest, f->dest_len, NULL) > 0) {
      if (sdm_set_contains(dest, n->id))
        n->ops->input(n->arg, &l);
      node_forward(n, f, dest);
    }
    sdm_set_free(dest);
  }
  sdm_iolist_fini(&l);
}

void sdm_node_output(struct sdm_node *n, uint8_t stream, bool eof, const void *p, size_t len) {
  struct sdm_iolist l = { 0 };
  struct sdm_set *self = sdm_set_add_element(sdm_set_new(), n->id);
  sdm_iolist_add(&l, stream, eof, self, p, len);
  hold_io(n, &l, n->opt.hold_us);
  sdm_iolist_fini(&l);
  sdm_set_free(self);
}

void node_expire_holds(struct sdm_node *n, int64_t now) {
  if (n->event && n->event_flush <= now)
    node_flush_events(n);
  else if (n->event)
    node_wake_at(n, n->event_flush);
  if (n->io.n && n->io_flush <= now)
    node_flush_io(n);
  else if (n->io.n)
    node_wake_at(n, n->io_flush);
}
