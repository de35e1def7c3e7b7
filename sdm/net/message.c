#include "sdm/message.h"
#include "sdm/net/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/net/layer.h"

struct sdm_message *sdm_message_new(const void *buf, size_t len) {
  struct sdm_message *m = sdm_alloc(sizeof(*m));
  m->destination = sdm_set_new();
  m->source = sdm_set_new();
  m->aggregate = (struct sdm_aggregate){.timeout_ms = 10000, .reducer = SDM_REDUCE_SAME};
  sdm_bytes_add(&m->payload, buf, len);
  return m;
}

static void unlink_message(struct sdm_message *m) {
  for (struct sdm_message **p = m->layer ? &m->layer->sending : NULL; p && *p; p = &(*p)->next)
    if (*p == m) {
      *p = m->next;
      break;
    }
  m->layer = NULL;
}

void sdm_message_free(struct sdm_message *msg) {
  if (!msg)
    return;
  unlink_message(msg);
  sdm_set_free(msg->destination);
  sdm_set_free(msg->source);
  sdm_bytes_fini(&msg->payload);
  free(msg);
}

struct sdm_set *sdm_message_get_destination(struct sdm_message *msg) { return msg->destination; }
const struct sdm_set *sdm_message_get_source(const struct sdm_message *msg) { return msg->source; }
struct sdm_aggregate *sdm_message_get_aggregate(struct sdm_message *msg) { return &msg->aggregate; }

size_t sdm_message_get_payload(const struct sdm_message *msg, const void **buf) {
  *buf = msg->payload.p;
  return msg->payload.len;
}

struct sdm_message *sdm_message_received(const void *p, size_t len, const struct sdm_set *source) {
  struct sdm_message *m = sdm_message_new(p, len);
  if (source)
    sdm_set_assign(m->source, source);
  m->received = true;
  return m;
}

static void on_its_way(struct sdm_ctx *c, struct sdm_message *msg) {
  if (!msg->on_sent || msg->layer || !c->layer)
    return;
  msg->layer = c->layer;
  msg->next = c->layer->sending;
  c->layer->sending = msg;
}

int sdm_message_send(struct sdm_ctx *c, struct sdm_message *msg) {
  if (msg->received)
    return 0;
  if (c->opt.role == SDM_ROLE_SERVER) {
    if (!sdm_set_is_empty(msg->destination))
      return -EINVAL;
    if (!sdm_node_is_led(c->node))
      return -ENOTCONN;
    sdm_event(c, msg->payload.p, msg->payload.len);
  } else {
    if (sdm_set_is_empty(sdm_all(c)))
      return -ENOTCONN;
    const struct sdm_aggregate *a = &msg->aggregate;
    msg->aggregate.request = sdm_request(c, msg->destination, (uint8_t)a->reducer, a->timeout_ms, msg->payload.p, msg->payload.len);
  }
  on_its_way(c, msg);
  return 0;
}

bool sdm_message_payload_deliver(struct sdm_ctx *c, const struct sdm_message *msg) {
  bool mine = sdm_set_contains(msg->destination, c->opt.id);
  if (mine && c->layer && c->layer->on_payload)
    c->layer->on_payload(c->layer->payload_arg, msg->payload.p, msg->payload.len);
  return mine;
}

void sdm_message_set_send_callback(struct sdm_message *msg, sdm_message_f callback, void *arg) {
  msg->on_sent = callback;
  msg->on_sent_arg = arg;
}

void sdm_message_set_recv_callback(struct sdm_ctx *c, sdm_message_f callback, void *arg) {
  c->layer->on_message = callback;
  c->layer->message_arg = arg;
}

void sdm_message_set_payload_callback(struct sdm_ctx *c, sdm_payload_f callback, void *arg) {
  c->layer->on_payload = callback;
  c->layer->payload_arg = arg;
}

int sdm_message_init(struct sdm_ctx *c, int argc, char *const *argv) {
  (void)argc, (void)argv;
  c->layer = sdm_alloc(sizeof(*c->layer));
  return 0;
}

void sdm_message_finalize(struct sdm_ctx *c) {
  struct layer *l = c->layer;
  if (!l)
    return;
  while (l->sending)
    unlink_message(l->sending);
}

void sdm_message_progress(struct sdm_ctx *c) {
  struct layer *l = c->layer;
  if (!l || !l->sending)
    return;
  for (struct conn *conn = c->conns; conn; conn = conn->next)
    if (!conn->doomed && conn->link && sdm_link_queued(conn->link))
      return;
  struct sdm_message *first = NULL;
  while (l->sending) { /* oldest first */
    struct sdm_message *m = l->sending;
    l->sending = m->next;
    m->layer = NULL;
    m->next = first;
    first = m;
  }
  while (first) {
    struct sdm_message *m = first;
    first = m->next;
    m->on_sent(m->on_sent_arg, m);
  }
}

/* What the overlay tells becomes messages. */
static void hand_on(struct sdm_ctx *c, struct sdm_message *m) {
  if (c->layer && c->layer->on_message)
    c->layer->on_message(c->layer->message_arg, m);
  else
    sdm_message_payload_deliver(c, m);
  sdm_message_free(m);
}

static void on_command(void *arg, uint64_t request, uint32_t ms_left, const void *p, size_t len) {
  struct sdm_ctx *c = arg;
  struct sdm_message *m = sdm_message_received(p, len, NULL);
  sdm_set_add_element(m->destination, c->opt.id);
  m->aggregate.request = request;
  m->aggregate.timeout_ms = ms_left;
  hand_on(c, m);
}

static void missing(struct layer *l, uint64_t request, int status, const struct sdm_set *who, unsigned flags) {
  if (sdm_set_is_empty(who))
    return;
  struct sdm_message *m = sdm_message_received(NULL, 0, who);
  m->aggregate.request = request;
  m->aggregate.status = status;
  sdm_layer_complete(l, m, flags);
}

static void on_answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct layer *l = ((struct sdm_ctx *)arg)->layer;
  unsigned late = SDM_AGGREGATE_UPSTREAM | (flags & SDM_FLAG_SUPPLEMENT ? SDM_AGGREGATE_LATE : 0u);
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *k = &a->classes[i];
    struct sdm_message *m = sdm_message_received(k->body.p, k->body.len, k->set);
    m->aggregate = (struct sdm_aggregate){
        .reducer = a->reducer, .request = request, .hash = k->digest, .status = k->kind == SDM_CLASS_OK ? SDM_STATUS_OK : SDM_STATUS_ERROR};
    sdm_layer_complete(l, m, late);
  }
  missing(l, request, SDM_STATUS_OTHER, a->other, late);
  missing(l, request, SDM_STATUS_DEAD, a->dead, late);
  missing(l, request, SDM_STATUS_TIMED_OUT, a->timed_out, late);
  missing(l, request, SDM_STATUS_UNREACHABLE, a->unreachable, late);
}

static void on_event(void *arg, const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++)
    hand_on(arg, sdm_message_received(a->classes[i].body.p, a->classes[i].body.len, a->classes[i].set));
}

static void on_lost(void *arg, const struct sdm_set *ids, const char *why) {
  struct sdm_message *m = sdm_message_received(why, strlen(why), ids);
  m->aggregate.status = SDM_STATUS_DEAD;
  hand_on(arg, m);
}

static void write_all(int fd, const uint8_t *p, size_t len) {
  while (len) {
    ssize_t n = write(fd, p, len);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return;
    p += n > 0 ? n : 0;
    len -= n > 0 ? (size_t)n : 0;
  }
}

/* Output that came by the tree is the master's own output then. */
static void on_output(void *arg, const struct sdm_iolist *l) {
  for (size_t i = 0; i < l->n; i++) {
    const struct sdm_piece *p = &l->pieces[i];
    write_all(p->stream == SDM_STDERR ? 2 : 1, p->bytes.p, p->bytes.len);
    sdm_credit(arg, p->set, p->bytes.len);
  }
}

const struct sdm_handlers sdm_message_handlers = {
    .command = on_command,
    .answer = on_answer,
    .event = on_event,
    .lost = on_lost,
    .output = on_output,
};
