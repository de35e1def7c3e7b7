/* The link between a front end and its master.  The front end is not part of the tree: what it asks the master asks in
 * its own name and hands back, so that neither needs to know the other's tables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/net/ctx_private.h"
#include "sdm/net/net.h"

#define PAUSE_US 100000
#define PROOF_US 5000000

static void send_front(struct sdm_ctx *c, const struct sdm_frame *f) {
  if (c->front)
    sdm_link_send(c->front->link, f);
}

static void put_set(struct sdm_bytes *out, const struct sdm_set *set) {
  size_t start = out->len;
  char *at = (char *)sdm_bytes_grow(out, sdm_set_serialized_length(set));
  out->len = start + sdm_set_serialize(set, at, NULL);
}

static void send_answer(struct sdm_ctx *c, uint8_t type, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct sdm_bytes body = {0};
  sdm_answer_encode(a, &body);
  send_front(c, &(struct sdm_frame){.type = type, .flags = flags, .request = request, .payload = body.p, .payload_len = body.len});
  sdm_bytes_fini(&body);
}

static void send_set(struct sdm_ctx *c, struct sdm_frame f, const struct sdm_set *dest) {
  struct sdm_bytes set = {0};
  put_set(&set, dest);
  f.dest = set.p;
  f.dest_len = set.len;
  send_front(c, &f);
  sdm_bytes_fini(&set);
}

/* A front end takes the first master that has the secret; a server or a second master is no use to it. */
void sdm_front_up(struct conn *conn) {
  struct sdm_ctx *c = conn->ctx;
  if (c->opt.role == SDM_ROLE_FRONTEND && !c->front && sdm_link_peer(conn->link) == SDM_MASTER)
    c->front = conn;
  else if (c->opt.role == SDM_ROLE_FRONTEND)
    sdm_ctx_conn_close(conn, "not the master");
}

void sdm_front_lost(struct sdm_ctx *c) {
  c->front = NULL;
  if (c->closing)
    return;
  if (c->opt.role == SDM_ROLE_FRONTEND && c->far_all) {
    struct sdm_set *rest = sdm_set_diff(sdm_set_copy(c->far_all), c->far_gone);
    sdm_set_union(c->far_gone, rest);
    TELL(c, lost, rest, "the master is lost");
    sdm_set_free(rest);
  } else
    TELL(c, alone);
}

static int dial_once(struct sdm_ctx *c, const char *host, uint16_t port, struct dvm_error *err) {
  int fd = sdm_net_dial(host, port, err);
  if (fd < 0)
    return fd;
  struct conn *conn = sdm_ctx_conn_new(c, fd, true);
  conn->link = sdm_link_new(&c->opt.secret, true, c->opt.id, SDM_FRONTEND);
  c->front = conn; /* gone again when it is lost */
  int64_t until = sdm_now_us() + PROOF_US;
  while (c->front && !sdm_link_is_up(conn->link) && sdm_now_us() < until)
    sdm_progress(c, 100);
  if (c->front && sdm_link_is_up(c->front->link))
    return 0;
  if (c->front)
    sdm_ctx_conn_close(c->front, "no authentication in time");
  return dvm_error_set(err, -ECONNREFUSED, "it does not answer, or has a different secret");
}

int sdm_front_dial(struct sdm_ctx *c, struct dvm_error *err) {
  char host[256];
  uint16_t port;
  int rc = c->opt.frontend ? sdm_net_parse(c->opt.frontend, host, &port, err)
                           : dvm_error_set(err, -EINVAL, "no address of the front end was given");
  if (rc || c->opt.role != SDM_ROLE_MASTER)
    return rc ? rc : dvm_error_set(err, -EINVAL, "only a master has a front end");
  const struct sdm_handlers *handlers = c->opt.handlers;
  c->opt.handlers = NULL; /* a failed attempt is not a lost front end */
  for (unsigned i = 0; i < c->opt.front_tries; i++) {
    err->code = 0;
    rc = dial_once(c, host, port, err);
    if (!rc)
      break;
    usleep(PAUSE_US);
  }
  c->opt.handlers = handlers;
  return rc ? dvm_error_wrap(err, "cannot reach the front end at %s in %u attempts", c->opt.frontend, c->opt.front_tries) : 0;
}

/* At the front end. */
uint64_t sdm_front_request(struct sdm_ctx *c, const struct sdm_set *dest, uint8_t reducer, uint32_t timeout_ms, const void *p, size_t len) {
  send_set(c,
           (struct sdm_frame){.type = SDM_CMD,
                              .request = ++c->front_serial,
                              .time = timeout_ms,
                              .aggregate = &reducer,
                              .aggregate_len = 1,
                              .payload = p,
                              .payload_len = len},
           dest);
  return c->front_serial;
}

uint64_t sdm_front_route(struct sdm_ctx *c, const struct sdm_table *t, uint32_t timeout_ms) {
  struct sdm_bytes body = {0};
  if (!c->front)
    return 0;
  sdm_set_free(c->far_all);
  sdm_set_free(c->far_gone);
  c->far_all = sdm_set_new();
  c->far_gone = sdm_set_new();
  sdm_table_ids(t, 0, t->n, c->far_all);
  sdm_table_encode(t, 0, t->n, &body);
  send_front(c, &(struct sdm_frame){
                    .type = SDM_ROUTE, .request = ++c->front_serial, .time = timeout_ms, .payload = body.p, .payload_len = body.len});
  sdm_bytes_fini(&body);
  return c->front_serial;
}

void sdm_front_input(struct sdm_ctx *c, const struct sdm_set *dest, bool eof, const void *p, size_t len) {
  struct sdm_iolist l = {0};
  struct sdm_bytes body = {0};
  sdm_iolist_add(&l, SDM_STDIN, eof, dest, p, len);
  sdm_iolist_encode(&l, &body);
  send_front(c, &(struct sdm_frame){.type = SDM_IO, .payload = body.p, .payload_len = body.len});
  sdm_bytes_fini(&body);
  sdm_iolist_fini(&l);
}

void sdm_front_credit(struct sdm_ctx *c, const struct sdm_set *dest, uint64_t bytes) {
  send_set(c, (struct sdm_frame){.type = SDM_CREDIT, .request = bytes}, dest);
}

void sdm_front_say_bye(struct sdm_ctx *c) {
  int64_t until = sdm_now_us() + 1000000;
  if (c->opt.role != SDM_ROLE_FRONTEND || !c->front)
    return;
  send_front(c, &(struct sdm_frame){.type = SDM_BYE});
  while (c->front && sdm_link_queued(c->front->link) && sdm_now_us() < until)
    sdm_progress(c, 10);
}

static void take_loss(struct sdm_ctx *c, const struct sdm_frame *f) {
  struct sdm_set *ids = sdm_set_new();
  char why[256];
  snprintf(why, sizeof(why), "%.*s", (int)(f->payload_len < 255 ? f->payload_len : 255), (const char *)f->payload);
  if (sdm_set_deserialize(ids, (const char *)f->dest, f->dest_len, NULL) > 0 && c->far_gone) {
    if (f->type == SDM_DEAD) {
      sdm_set_union(c->far_gone, ids);
      TELL(c, lost, ids, why);
    } else {
      sdm_set_diff(c->far_gone, ids);
      TELL(c, back, ids);
    }
  }
  sdm_set_free(ids);
}

static void from_master(struct sdm_ctx *c, const struct sdm_frame *f) {
  struct sdm_answer *a = f->type == SDM_REPLY || f->type == SDM_EVENT ? sdm_answer_decode(f->payload, f->payload_len, SDM_ID_MAX) : NULL;
  struct sdm_iolist l = {0};
  if (a && f->type == SDM_EVENT)
    TELL(c, event, a);
  else if (a && f->request != c->route_request)
    TELL(c, answer, f->request, f->flags, a);
  else if (a) {
    sdm_answer_free(c->route_answer);
    c->route_answer = a;
    return;
  } else if (f->type == SDM_IO && !sdm_iolist_decode(&l, f->payload, f->payload_len, SDM_ID_MAX)) {
    TELL(c, output, &l);
    sdm_iolist_fini(&l);
  } else if (f->type == SDM_DEAD || f->type == SDM_BACK)
    take_loss(c, f);
  sdm_answer_free(a);
}

/* At the master. */
static void take_request(struct sdm_ctx *c, const struct sdm_frame *f, const struct sdm_set *dest) {
  uint8_t reducer = f->aggregate_len ? f->aggregate[0] : SDM_REDUCE_SAME;
  c->front_now = f->request; /* the answer may come before the call returns */
  uint64_t near = sdm_node_request(c->node, dest, reducer, f->time, f->payload, f->payload_len);
  if (c->front_now) {
    if (!c->relays)
      c->relays = sdm_alloc(RELAYS * sizeof(*c->relays));
    c->relays[c->nrelays++ % RELAYS] = (struct relay){f->request, near};
  }
  c->front_now = 0;
}

static void take_table(struct sdm_ctx *c, const struct sdm_frame *f) {
  struct sdm_cursor cur = sdm_cursor_of(f->payload, f->payload_len);
  struct sdm_table t;
  if (c->front_route || sdm_table_decode(&t, &cur)) {
    struct sdm_answer *none = sdm_answer_new(SDM_REDUCE_SAME);
    send_answer(c, SDM_REPLY, f->request, SDM_FLAG_PARTIAL, none);
    sdm_answer_free(none);
    return;
  }
  c->front_route = f->request;
  c->route_request = 0;
  c->route_request = sdm_node_route(c->node, &t, f->time);
  sdm_table_fini(&t);
}

static void take_input(struct sdm_ctx *c, const struct sdm_frame *f) {
  struct sdm_iolist l;
  if (sdm_iolist_decode(&l, f->payload, f->payload_len, SDM_ID_MAX))
    return;
  for (size_t i = 0; i < l.n; i++)
    sdm_node_send_input(c->node, l.pieces[i].set, l.pieces[i].eof, l.pieces[i].bytes.p, l.pieces[i].bytes.len);
  sdm_iolist_fini(&l);
}

static void from_front_end(struct sdm_ctx *c, const struct sdm_frame *f) {
  struct sdm_set *dest = sdm_set_new();
  bool good = f->dest && sdm_set_deserialize(dest, (const char *)f->dest, f->dest_len, NULL) > 0;
  if (f->type == SDM_CMD && good)
    take_request(c, f, dest);
  else if (f->type == SDM_CREDIT && good)
    sdm_node_send_credit(c->node, dest, f->request);
  else if (f->type == SDM_ROUTE)
    take_table(c, f);
  else if (f->type == SDM_IO)
    take_input(c, f);
  else if (f->type == SDM_BYE)
    TELL(c, bye);
  sdm_set_free(dest);
}

void sdm_front_frame(struct sdm_ctx *c, const struct sdm_frame *f) {
  if (c->opt.role == SDM_ROLE_FRONTEND)
    from_master(c, f);
  else
    from_front_end(c, f);
}

bool sdm_front_tell_answer(struct sdm_ctx *c, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  uint64_t far = 0;
  if (c->opt.role != SDM_ROLE_MASTER)
    return false;
  if (c->front_route && (!c->route_request || request == c->route_request))
    far = c->front_route;
  else if (c->front_now) {
    far = c->front_now;
    c->front_now = 0;
  }
  for (size_t i = 0; !far && i < c->nrelays && i < RELAYS; i++)
    if (c->relays[i].near == request)
      far = c->relays[i].far;
  if (far)
    send_answer(c, SDM_REPLY, far, flags, a);
  return far != 0;
}

void sdm_front_tell_event(struct sdm_ctx *c, const struct sdm_answer *a) {
  if (c->opt.role == SDM_ROLE_MASTER && c->front)
    send_answer(c, SDM_EVENT, 0, 0, a);
}

bool sdm_front_tell_output(struct sdm_ctx *c, const struct sdm_iolist *l) {
  struct sdm_bytes body = {0};
  if (c->opt.role != SDM_ROLE_MASTER || !c->front)
    return false;
  sdm_iolist_encode(l, &body);
  send_front(c, &(struct sdm_frame){.type = SDM_IO, .payload = body.p, .payload_len = body.len});
  sdm_bytes_fini(&body);
  return true;
}

void sdm_front_tell_lost(struct sdm_ctx *c, const struct sdm_set *ids, const char *why) {
  if (c->opt.role == SDM_ROLE_MASTER && c->front)
    send_set(c, (struct sdm_frame){.type = SDM_DEAD, .payload = (const uint8_t *)why, .payload_len = strlen(why)}, ids);
}

void sdm_front_tell_back(struct sdm_ctx *c, const struct sdm_set *ids) {
  if (c->opt.role == SDM_ROLE_MASTER && c->front)
    send_set(c, (struct sdm_frame){.type = SDM_BACK}, ids);
}
