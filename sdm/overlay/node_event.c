/* What servers say unasked: events and output wait a little for company and go up merged. */
#include <stdlib.h>
#include <string.h>

#include "sdm/overlay/node_private.h"

#define IO_BATCH_BYTES 32768u
#define LAYERS_MAX 8u
#define BURST_US 20000       /* words that come so close after the last ones belong to them */
#define BURST_HOLD_US 160000 /* how long the last of a burst may be held */

/* Of the time an event may wait in all, each level takes its share, the root what is left. */
static int64_t share(const struct sdm_node *n, int64_t left) { return left > 0 ? left / (int64_t)(n->depth + 1) : 0; }

/* Held events, in layers: a rank's first word is in the first layer, its second in the second, so that "running" of
 * some and "stopped" of others merge all the same and the order of one rank's words is kept. */
struct held {
  struct sdm_answer *answer;
  struct sdm_set *said; /* who speaks in this layer */
};

void sdm_node_drop_events(struct sdm_node *n) {
  for (size_t i = 0; i < n->nheld; i++) {
    sdm_answer_free(n->held[i].answer);
    sdm_set_free(n->held[i].said);
  }
  free(n->held);
  n->held = NULL;
  n->nheld = 0;
}

static void send_event(struct sdm_node *n, const struct sdm_answer *a) {
  struct sdm_bytes body = {0};
  int64_t left = n->event_limit - node_now(n);
  sdm_answer_encode(a, &body);
  sdm_node_send_up(
      n, &(struct sdm_frame){.type = SDM_EVENT, .time = left > 0 ? (uint32_t)left : 0, .payload = body.p, .payload_len = body.len});
  sdm_bytes_fini(&body);
}

void sdm_node_flush_events(struct sdm_node *n) {
  struct held *held = n->held;
  size_t count = n->nheld;
  sdm_node_flush_io(n); /* what a program wrote before it stopped is seen before */
  if (!count || !node_is_heard(n))
    return;
  n->held = NULL;
  n->nheld = 0;
  n->event_last = node_now(n);
  for (size_t i = 0; i < count; i++) {
    if (node_is_root(n))
      n->ops->event(n->arg, held[i].answer);
    else
      send_event(n, held[i].answer);
    sdm_answer_free(held[i].answer);
    sdm_set_free(held[i].said);
  }
  free(held);
}

static bool complete(const struct sdm_node *n) { return sdm_set_size(n->held[0].said) >= sdm_set_size(n->subtree) - sdm_set_size(n->gone); }

static struct held *layer(struct sdm_node *n, size_t at) {
  if (at == n->nheld) {
    n->held = sdm_realloc(n->held, (n->nheld + 1) * sizeof(*n->held));
    n->held[n->nheld++] = (struct held){sdm_answer_new(SDM_REDUCE_SAME), sdm_set_new()};
  }
  return &n->held[at];
}

static void put(struct sdm_node *n, size_t at, const struct sdm_class *k, const struct sdm_set *who) {
  struct held *h = layer(n, at);
  sdm_answer_add(h->answer, k->kind, who, k->body.p, k->body.len, k->detail.p, k->detail.len, k->detail_id);
  sdm_set_union(h->said, who);
}

/* Each rank of the class goes behind the last layer in which it has spoken. */
static void hold_class(struct sdm_node *n, const struct sdm_class *k) {
  struct sdm_set *rest = sdm_set_copy(k->set);
  for (size_t i = n->nheld; i-- > 0;)
    if (sdm_set_overlaps(rest, n->held[i].said)) {
      struct sdm_set *again = sdm_set_intersect(sdm_set_copy(rest), n->held[i].said);
      put(n, i + 1, k, again);
      sdm_set_diff(rest, again);
      sdm_set_free(again);
    }
  if (!sdm_set_is_empty(rest))
    put(n, 0, k, rest);
  sdm_set_free(rest);
}

static bool full(const struct sdm_node *n, size_t more) {
  bool is = n->nheld >= LAYERS_MAX;
  for (size_t i = 0; i < n->nheld; i++)
    is |= n->held[i].answer->n + more > SDM_CLASSES_MAX;
  return is;
}

/* The root is where a storm arrives: the first word passes at once, and as long as more keep coming each wait is twice
 * the one before, so that a stop of many ranks is a few messages however slowly they come in. */
static int64_t patience(struct sdm_node *n, int64_t left, int64_t now) {
  int64_t hold = share(n, left);
  if (!node_is_root(n) || !n->opt.hold_us)
    return hold;
  bool burst = n->event_last && now - n->event_last < 2 * n->event_hold + BURST_US;
  n->event_hold = !burst ? n->opt.hold_us : n->event_hold * 2 < BURST_HOLD_US ? n->event_hold * 2 : BURST_HOLD_US;
  return burst ? n->event_hold : hold;
}

static void hold_event(struct sdm_node *n, const struct sdm_answer *a, int64_t left) {
  int64_t now = node_now(n);
  if (full(n, a->n))
    sdm_node_flush_events(n);
  if (full(n, a->n)) /* nobody hears us, for long: a new parent asks what the last word was */
    sdm_node_drop_events(n);
  bool first = !n->nheld;
  for (size_t i = 0; i < a->n; i++)
    hold_class(n, &a->classes[i]);
  if (!n->nheld)
    return;
  if (first) {
    n->event_flush = now + patience(n, left, now);
    n->event_limit = now + left;
  } else if (!node_is_root(n) && now + share(n, left) < n->event_flush)
    n->event_flush = now + share(n, left);
  if (now + left < n->event_limit)
    n->event_limit = now + left;
  if (n->event_flush <= now || complete(n))
    sdm_node_flush_events(n);
  else
    sdm_node_wake_at(n, n->event_flush);
}

void sdm_node_take_event(struct sdm_node *n, const struct sdm_frame *f) {
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

void sdm_node_flush_io(struct sdm_node *n) {
  struct sdm_iolist l = n->io;
  if (!l.n || !node_is_heard(n)) /* credit bounds what may wait for a parent */
    return;
  n->io = (struct sdm_iolist){0};
  if (node_is_root(n))
    n->ops->output(n->arg, &l);
  else {
    struct sdm_bytes body = {0};
    int64_t left = n->io_limit - node_now(n);
    sdm_iolist_encode(&l, &body);
    sdm_node_send_up(
        n, &(struct sdm_frame){.type = SDM_IO, .time = left > 0 ? (uint32_t)left : 0, .payload = body.p, .payload_len = body.len});
    sdm_bytes_fini(&body);
  }
  sdm_iolist_fini(&l);
}

/* Something has been added to what 'was' (or was not) there; it is flushed at once if there is much of it. */
static void held_io(struct sdm_node *n, bool was, int64_t left) {
  int64_t now = was ? 0 : node_now(n);
  if (!was) {
    n->io_flush = now + share(n, left);
    n->io_limit = now + left;
  }
  if (n->io.bytes >= IO_BATCH_BYTES || n->io_flush <= now)
    sdm_node_flush_io(n);
  else if (!was)
    sdm_node_wake_at(n, n->io_flush);
}

void sdm_node_take_io(struct sdm_node *n, bool from_parent, const struct sdm_frame *f) {
  struct sdm_iolist l;
  if (sdm_iolist_decode(&l, f->payload, f->payload_len, SDM_ID_MAX))
    return;
  if (!from_parent) {
    bool was = n->io.n > 0;
    sdm_iolist_merge(&n->io, &l);
    held_io(n, was, f->time < n->opt.hold_us ? f->time : n->opt.hold_us);
  } else {
    struct sdm_set *dest = sdm_set_new();
    if (sdm_set_deserialize(dest, (const char *)f->dest, f->dest_len, NULL) > 0) {
      if (sdm_set_contains(dest, n->id))
        n->ops->input(n->arg, &l);
      sdm_node_forward(n, f, dest);
    }
    sdm_set_free(dest);
  }
  sdm_iolist_fini(&l);
}

void sdm_node_output(struct sdm_node *n, uint8_t stream, bool eof, const void *p, size_t len) {
  bool was = n->io.n > 0;
  if (!n->self)
    n->self = sdm_set_add_element(sdm_set_new(), n->id);
  sdm_iolist_add(&n->io, stream, eof, n->self, p, len);
  held_io(n, was, n->opt.hold_us);
}

void sdm_node_expire_holds(struct sdm_node *n, int64_t now) {
  if (!node_is_heard(n))
    return;
  if (n->nheld && n->event_flush <= now)
    sdm_node_flush_events(n);
  else if (n->nheld)
    sdm_node_wake_at(n, n->event_flush);
  if (n->io.n && n->io_flush <= now)
    sdm_node_flush_io(n);
  else if (n->io.n)
    sdm_node_wake_at(n, n->io_flush);
}
