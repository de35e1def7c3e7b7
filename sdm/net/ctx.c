#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sdm/net/ctx_private.h"
#include "sdm/net/parts.h"
#include "sdm/aggregate.h"
#include "sdm/iof.h"
#include "sdm/message.h"
#include "sdm/net/net.h"
#include "sdm/net/rank.h"
#include "sdm/route.h"

static void conn_event(void *arg, unsigned events);

struct conn *sdm_ctx_conn_new(struct sdm_ctx *c, int fd, bool connecting) {
  struct conn *conn = sdm_alloc(sizeof(*conn));
  *conn = (struct conn){.ctx = c, .fd = fd, .slot = SDM_SLOT_NONE, .connecting = connecting, .since = sdm_now_us(), .next = c->conns};
  c->conns = conn;
  conn->watch = sdm_loop_watch(c->loop, fd, connecting ? SDM_WRITE : SDM_READ, conn_event, conn);
  return conn;
}

static void listen_more(struct sdm_ctx *c) {
  if (c->listen_watch)
    sdm_watch_events(c->listen_watch, SDM_READ);
}

/* Memory goes at the end of the round: callers further up may still hold the pointer. */
void sdm_ctx_conn_close(struct conn *conn, const char *why) {
  struct sdm_ctx *c = conn->ctx;
  if (conn->doomed)
    return;
  conn->doomed = true;
  sdm_watch_free(conn->watch);
  sdm_net_close(conn->fd);
  if (conn->pending)
    listen_more(c);
  if (conn == c->front)
    sdm_front_lost(c);
  if (conn->dial)
    sdm_dial_failed(conn, -ECONNRESET, why);
  else if (conn->slot != SDM_SLOT_NONE && !c->closing)
    sdm_node_lost(c->node, conn->slot, why);
}

static void bury(struct sdm_ctx *c) {
  for (struct conn **p = &c->conns; *p;) {
    struct conn *conn = *p;
    if (conn->doomed) {
      *p = conn->next;
      sdm_link_free(conn->link);
      free(conn);
    } else
      p = &conn->next;
  }
}

static void write_out(struct conn *conn) {
  const uint8_t *p;
  size_t n;
  while (!conn->connecting && conn->link && (n = sdm_link_output(conn->link, &p)) > 0) {
    ssize_t done = send(conn->fd, p, n, MSG_NOSIGNAL); /* not to what else may have that number now */
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0 && errno != EAGAIN) {
      sdm_ctx_conn_close(conn, strerror(errno));
      return;
    }
    if (done < 0)
      break;
    sdm_link_written(conn->link, (size_t)done);
  }
  if (conn->linger && !sdm_link_queued(conn->link))
    sdm_ctx_conn_close(conn, "the connection was abandoned");
}

/* A link that cannot get rid of its bytes stops the reading of what feeds it: children feed the parent's link, the
 * parent feeds the children's.  Downward traffic always drains at the leaves, so the two cannot block each other. */
static void set_events(struct sdm_ctx *c) {
  bool up = c->hold, down = false;
  for (struct conn *conn = c->conns; conn; conn = conn->next) {
    if (conn->doomed || conn->slot == SDM_SLOT_NONE || sdm_link_queued(conn->link) < CTX_HIGH_WATER)
      continue;
    up |= conn->slot == SDM_SLOT_PARENT;
    down |= conn->slot >= 0;
  }
  c->up_full = up;
  c->down_full = down;
  for (struct conn *conn = c->conns; conn; conn = conn->next) {
    if (conn->doomed || conn->connecting)
      continue;
    bool read = conn->slot == SDM_SLOT_PARENT ? !down : conn->slot >= 0 ? !up : true;
    const uint8_t *p;
    sdm_watch_events(conn->watch, (read ? SDM_READ : 0u) | (sdm_link_output(conn->link, &p) ? SDM_WRITE : 0u));
  }
}

void sdm_ctx_flush(struct sdm_ctx *c) {
  for (struct conn *conn = c->conns; conn; conn = conn->next)
    if (!conn->doomed)
      write_out(conn);
  set_events(c);
  bury(c);
}

static void take_register(struct conn *conn, const struct sdm_frame *f) {
  struct sdm_ctx *c = conn->ctx;
  struct sdm_cursor cur = sdm_cursor_of(f->payload, f->payload_len);
  size_t len;
  const uint8_t *p = sdm_cursor_block(&cur, &len);
  uint64_t port = sdm_cursor_varint(&cur), size = sdm_cursor_varint(&cur);
  sdm_id id = sdm_link_peer(conn->link);
  char host[256];
  const char *why = NULL;
  if (cur.bad || !len || len > 255 || memchr(p, 0, len) || !port || port > 65535 || id > SDM_ID_MAX)
    why = "the registration is damaged";
  else if (!c->gather)
    why = "registration is over";
  else if (sdm_set_contains(c->gathered, id))
    why = "this rank is registered already";
  if (!why) {
    memcpy(host, p, len);
    host[len] = 0;
    sdm_table_add(c->gather, id, host, (uint16_t)port);
    sdm_set_add_element(c->gathered, id);
    if (!c->gather_size && size <= SDM_ID_MAX)
      c->gather_size = (uint32_t)size;
  }
  sdm_link_send(conn->link, &(struct sdm_frame){
                                .type = why ? SDM_ERROR : SDM_BYE, .payload = (const uint8_t *)why, .payload_len = why ? strlen(why) : 0});
  conn->linger = true;
}

static void registration_answer(struct conn *conn, const struct sdm_frame *f) {
  struct sdm_ctx *c = conn->ctx;
  c->registered = f->type == SDM_BYE;
  if (!c->registered) {
    c->register_code = -EEXIST;
    snprintf(c->register_why, sizeof(c->register_why), "%.*s", (int)(f->payload_len < 150 ? f->payload_len : 150),
             (const char *)f->payload);
  }
  sdm_ctx_conn_close(conn, "registered");
}

static void conn_frame(void *arg, const struct sdm_frame *f) {
  struct conn *conn = arg;
  if (conn->doomed || conn->linger)
    return;
  if (conn->registering)
    registration_answer(conn, f);
  else if (conn == conn->ctx->front)
    sdm_front_frame(conn->ctx, f);
  else if (f->type == SDM_REGISTER && conn->slot == SDM_SLOT_NONE && conn->ctx->opt.role == SDM_ROLE_MASTER)
    take_register(conn, f);
  else
    sdm_node_recv(conn->ctx->node, conn, conn->slot, f);
}

static void conn_up(struct conn *conn) {
  if (conn->pending) {
    conn->pending = false;
    listen_more(conn->ctx);
  }
  if (conn->dial)
    sdm_dial_ready(conn);
  else
    sdm_front_up(conn);
}

static void read_in(struct conn *conn) {
  static uint8_t buf[128 * 1024]; /* one read at a time, in one thread; handlers never read */
  struct dvm_error err = DVM_ERROR_INIT;
  for (int round = 0; round < 4 && !conn->doomed; round++) {
    ssize_t n = recv(conn->fd, buf, sizeof(buf), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (n <= 0) {
      sdm_ctx_conn_close(conn, n ? strerror(errno) : "the connection was closed");
      return;
    }
    bool was_up = sdm_link_is_up(conn->link);
    int rc = sdm_link_feed(conn->link, buf, (size_t)n, conn_frame, conn, &err);
    if (conn->doomed)
      return;
    if (!was_up && sdm_link_is_up(conn->link))
      conn_up(conn);
    if (rc < 0) {
      if (conn->registering) {
        conn->ctx->register_code = rc;
        snprintf(conn->ctx->register_why, sizeof(conn->ctx->register_why), "%.150s", err.text);
      }
      write_out(conn); /* the reason, if the peer is to know it */
      if (!conn->doomed && conn->dial)
        sdm_dial_failed(conn, rc, err.text);
      if (!conn->doomed)
        sdm_ctx_conn_close(conn, err.text);
      return;
    }
    if ((size_t)n < sizeof(buf))
      return;
  }
}

static void conn_event(void *arg, unsigned events) {
  struct conn *conn = arg;
  if (conn->connecting) {
    int rc = sdm_net_connected(conn->fd);
    if (rc) {
      if (conn->dial)
        sdm_dial_failed(conn, rc, strerror(-rc));
      if (!conn->doomed)
        sdm_ctx_conn_close(conn, strerror(-rc));
      return;
    }
    conn->connecting = false;
    write_out(conn);
    return;
  }
  if (events & SDM_READ)
    read_in(conn);
  if (!conn->doomed && (events & SDM_WRITE))
    write_out(conn);
}

/* Peers that have not proved themselves: few, not for long; a flood of them takes each other's places. */
static unsigned sweep_pending(struct sdm_ctx *c, bool need_room) {
  unsigned n = 0;
  int64_t now = sdm_now_us();
  struct conn *oldest = NULL;
  for (struct conn *conn = c->conns; conn; conn = conn->next) {
    if (conn->doomed || !conn->pending)
      continue;
    if (now - conn->since > CTX_AUTH_US) {
      sdm_ctx_conn_close(conn, "no authentication in time");
      continue;
    }
    n++;
    if (!oldest || conn->since < oldest->since)
      oldest = conn;
  }
  if (need_room && n >= CTX_PENDING_MAX && now - oldest->since > CTX_EVICT_US) {
    sdm_ctx_conn_close(oldest, "others are waiting");
    n--;
  }
  return n;
}

static void on_sweep(void *arg) {
  struct sdm_ctx *c = arg;
  if (sweep_pending(c, true))
    sdm_timer_set(c->sweep, sdm_now_us() + CTX_EVICT_US);
}

static void on_accept(void *arg, unsigned events) {
  struct sdm_ctx *c = arg;
  (void)events;
  for (unsigned n = sweep_pending(c, true); n < CTX_PENDING_MAX; n++) {
    int fd = sdm_net_accept(c->listener);
    if (fd < 0)
      return;
    struct conn *conn = sdm_ctx_conn_new(c, fd, false);
    conn->pending = true;
    conn->link = sdm_link_new(&c->opt.secret, false, c->opt.id, SDM_ID_NONE);
    sdm_timer_set(c->sweep, sdm_now_us() + CTX_EVICT_US);
  }
  sdm_watch_events(c->listen_watch, 0);
}

/* The node's table of functions. */
static int64_t op_now(void *arg) { return (void)arg, sdm_now_us(); }

static void op_send(void *arg, void *link, const struct sdm_frame *f) {
  (void)arg;
  struct conn *conn = link;
  if (!conn->doomed)
    sdm_link_send(conn->link, f);
}

static void op_bind(void *arg, void *link, int slot) {
  (void)arg;
  ((struct conn *)link)->slot = slot;
}

static void op_drop(void *arg, void *link) {
  struct conn *conn = link;
  (void)arg;
  conn->slot = SDM_SLOT_NONE;
  sdm_ctx_conn_close(conn, "abandoned");
}

static void op_wake(void *arg, int64_t at) { sdm_timer_set(((struct sdm_ctx *)arg)->wake, at); }

static void op_command(void *arg, uint64_t request, uint32_t ms, const void *p, size_t len) {
  TELL((struct sdm_ctx *)arg, command, request, ms, p, len);
}
static void op_input(void *arg, const struct sdm_iolist *l) { TELL((struct sdm_ctx *)arg, input, l); }
static void op_credit(void *arg, uint64_t bytes) { TELL((struct sdm_ctx *)arg, credit, bytes); }
static void op_bye(void *arg) {
  ((struct sdm_ctx *)arg)->over = true;
  TELL((struct sdm_ctx *)arg, bye);
}
static void op_event(void *arg, const struct sdm_answer *a) {
  sdm_front_tell_event(arg, a);
  TELL((struct sdm_ctx *)arg, event, a);
}
static void op_output(void *arg, const struct sdm_iolist *l) {
  if (!sdm_front_tell_output(arg, l))
    TELL((struct sdm_ctx *)arg, output, l);
}
static void op_lost(void *arg, const struct sdm_set *ids, const char *why) {
  sdm_front_tell_lost(arg, ids, why);
  TELL((struct sdm_ctx *)arg, lost, ids, why);
}

static void op_back(void *arg, const struct sdm_set *ids) {
  sdm_front_tell_back(arg, ids);
  TELL((struct sdm_ctx *)arg, back, ids);
}

static void op_orphan(void *arg, bool alone) {
  struct sdm_ctx *c = arg;
  sdm_timer_set(c->orphan, alone ? sdm_now_us() + (int64_t)c->opt.orphan_ms * 1000 : INT64_MAX);
}

static void op_answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct sdm_ctx *c = arg;
  if (sdm_front_tell_answer(c, request, flags, a))
    return;
  if (request && request != c->route_request) {
    TELL(c, answer, request, flags, a);
    return;
  }
  sdm_answer_free(c->route_answer);
  c->route_answer = sdm_answer_new(a->reducer);
  sdm_answer_merge(c->route_answer, a);
}

static const struct sdm_node_ops node_ops = {
    .now = op_now,
    .send = op_send,
    .dial = sdm_ctx_dial,
    .bind = op_bind,
    .drop = op_drop,
    .wake = op_wake,
    .command = op_command,
    .input = op_input,
    .credit = op_credit,
    .orphan = op_orphan,
    .bye = op_bye,
    .answer = op_answer,
    .event = op_event,
    .output = op_output,
    .lost = op_lost,
    .back = op_back,
};

static void on_wake(void *arg) { sdm_node_wake(((struct sdm_ctx *)arg)->node); }
static void on_alone(void *arg) {
  ((struct sdm_ctx *)arg)->over = true;
  TELL((struct sdm_ctx *)arg, alone);
}

static int start_listening(struct sdm_ctx *c, const char *host, struct dvm_error *err) {
  c->listener = sdm_net_listen(host, c->opt.base_port, c->opt.port_tries, &c->port, err);
  if (c->listener < 0)
    return c->listener;
  snprintf(c->host, sizeof(c->host), "%s", host);
  c->listen_watch = sdm_loop_watch(c->loop, c->listener, SDM_READ, on_accept, c);
  return 0;
}

static int try_register(struct sdm_ctx *c, const char *host, uint16_t port, struct dvm_error *err) {
  int fd = sdm_net_dial(host, port, err), rc;
  if (fd < 0)
    return fd;
  struct conn *conn = sdm_ctx_conn_new(c, fd, true);
  conn->registering = true;
  conn->link = sdm_link_new(&c->opt.secret, true, c->opt.id, SDM_MASTER);
  c->register_code = 0;
  int64_t until = sdm_now_us() + 10000000;
  while (!conn->doomed && conn->connecting && sdm_now_us() < until) {
    sdm_loop_run(c->loop, 100);
  }
  rc = conn->connecting ? -ECONNREFUSED : 0;
  if (!rc && c->listener < 0) { /* the address that the master can reach us at */
    char own[256] = "127.0.0.1";
    if (host[0] == '/')
      snprintf(own, sizeof(own), "%s", host);
    else
      sdm_net_own_host(conn->fd, own, sizeof(own));
    rc = start_listening(c, c->opt.host ? c->opt.host : own, err);
  }
  if (!rc) {
    struct sdm_bytes b = {0};
    sdm_bytes_block(&b, c->host, strlen(c->host));
    sdm_bytes_varint(&b, c->port);
    sdm_bytes_varint(&b, sdm_size_from_environment());
    sdm_link_send(conn->link, &(struct sdm_frame){.type = SDM_REGISTER, .payload = b.p, .payload_len = b.len});
    sdm_bytes_fini(&b);
    while (!conn->doomed && sdm_now_us() < until) {
      write_out(conn);
      if (!conn->doomed)
        sdm_watch_events(conn->watch, SDM_READ);
      sdm_loop_run(c->loop, 100);
    }
    rc = c->registered ? 0 : c->register_code ? c->register_code : -ETIMEDOUT;
  }
  if (!conn->doomed)
    sdm_ctx_conn_close(conn, "abandoned");
  bury(c);
  if (rc && c->register_code)
    dvm_error_set(err, rc, "%s", c->register_why);
  else if (rc && !err->code)
    dvm_error_set(err, rc, "%s", strerror(-rc));
  return rc;
}

static int rendezvous(struct sdm_ctx *c, struct dvm_error *err) {
  char host[256];
  uint16_t port;
  int rc = sdm_net_parse(c->opt.rendezvous, host, &port, err);
  int64_t until = sdm_now_us() + (int64_t)c->opt.start_ms * 1000, pause = 10000;
  if (rc)
    return rc;
  for (;;) {
    err->code = 0;
    rc = try_register(c, host, port, err);
    if (!rc || !sdm_net_may_come(rc) || sdm_now_us() + pause > until)
      break;
    usleep((useconds_t)pause);
    pause = pause * 2 > 1000000 ? 1000000 : pause * 2;
  }
  return rc ? dvm_error_wrap(err, "cannot register with the master at %s", c->opt.rendezvous) : 0;
}

static void fill_defaults(struct sdm_options *o) {
  if (!o->start_ms)
    o->start_ms = 30000;
  if (!o->orphan_ms)
    o->orphan_ms = 30000;
  if (!o->port_tries)
    o->port_tries = 1000;
  o->ping_ms = !o->ping_ms ? 2000 : o->ping_ms == ~0u ? 0 : o->ping_ms;
  if (!o->front_tries)
    o->front_tries = 50;
  if (o->role != SDM_ROLE_SERVER)
    o->id = o->role == SDM_ROLE_MASTER ? SDM_MASTER : SDM_FRONTEND;
}

void sdm_ctx_renew_node(struct sdm_ctx *c) {
  struct timespec now; /* a later master's are higher */
  clock_gettime(CLOCK_REALTIME, &now);
  sdm_node_free(c->node);
  c->node = sdm_node_new(&node_ops, c, c->opt.id,
                         &(struct sdm_node_options){.ping_ms = c->opt.ping_ms,
                                                    .hold_us = 5000,
                                                    .keep_answers = 64,
                                                    .epoch = c->opt.id == SDM_MASTER ? (uint32_t)now.tv_sec : 0,
                                                    .serial = ((uint64_t)now.tv_sec << 20 | (uint64_t)now.tv_nsec >> 10) << 12});
}

struct sdm_ctx *sdm_open(const struct sdm_options *o, struct dvm_error *err) {
  if (sdm_link_init()) {
    dvm_error_set(err, -EIO, "libsodium cannot be initialised");
    return NULL;
  }
  struct sdm_ctx *c = sdm_alloc(sizeof(*c));
  c->opt = *o;
  c->listener = -1;
  fill_defaults(&c->opt);
  c->loop = sdm_loop_new();
  c->gathered = sdm_set_new();
  sdm_ctx_renew_node(c);
  c->wake = sdm_loop_timer(c->loop, INT64_MAX, on_wake, c);
  c->sweep = sdm_loop_timer(c->loop, INT64_MAX, on_sweep, c);
  c->orphan = sdm_loop_timer(c->loop, INT64_MAX, on_alone, c);
  int rc = 0;
  if (!c->opt.rendezvous || c->opt.host)
    rc = start_listening(c, c->opt.host ? c->opt.host : "127.0.0.1", err);
  if (!rc && c->opt.role == SDM_ROLE_SERVER && c->opt.rendezvous)
    rc = rendezvous(c, err);
  if (!rc) {
    if (c->opt.role == SDM_ROLE_SERVER && !sdm_node_is_led(c->node)) /* the wait for the first parent is bounded too */
      sdm_timer_set(c->orphan, sdm_now_us() + ((int64_t)c->opt.start_ms + c->opt.orphan_ms) * 1000);
    return c;
  }
  sdm_finalize(c);
  return NULL;
}

static void say_goodbye(struct sdm_ctx *c) {
  int64_t until = sdm_now_us() + 1000000;
  bool more = true;
  sdm_node_send_bye(c->node);
  while (more && sdm_now_us() < until) {
    more = false;
    sdm_ctx_flush(c);
    for (struct conn *conn = c->conns; conn; conn = conn->next)
      more |= !conn->doomed && (conn->slot >= 0 || conn == c->front) && sdm_link_queued(conn->link);
    if (more)
      sdm_loop_run(c->loop, 10);
  }
}

void sdm_finalize(struct sdm_ctx *c) {
  if (!c)
    return;
  c->closing = true;
  sdm_front_say_bye(c);
  if (c->opt.role == SDM_ROLE_MASTER)
    say_goodbye(c);
  sdm_message_finalize(c);
  sdm_route_finalize(c);
  sdm_aggregate_finalize(c);
  sdm_dials_free(c);
  sdm_iof_set_stdin_handler(c, -1, -1, NULL);
  sdm_iof_set_stdout_handler(c, -1, -1, NULL);
  sdm_iof_set_stderr_handler(c, -1, -1, NULL);
  for (struct conn *conn = c->conns; conn; conn = conn->next)
    sdm_ctx_conn_close(conn, "the session ends");
  bury(c);
  if (c->listener >= 0) {
    char path[300];
    sdm_watch_free(c->listen_watch);
    sdm_net_close(c->listener);
    snprintf(path, sizeof(path), "%s/sdm.%u", c->host, c->port);
    if (c->host[0] == '/')
      unlink(path);
  }
  sdm_node_free(c->node);
  sdm_set_free(c->gathered);
  sdm_set_free(c->far_all);
  sdm_set_free(c->far_gone);
  free(c->relays);
  sdm_answer_free(c->route_answer);
  sdm_loop_free(c->loop);
  sdm_secret_wipe(&c->opt.secret);
  free(c);
}

void sdm_abandon(struct sdm_ctx *c) {
  for (const struct conn *conn = c->conns; conn; conn = conn->next)
    if (!conn->doomed)
      sdm_net_close(conn->fd);
  if (c->listener >= 0)
    sdm_net_close(c->listener);
  close(sdm_loop_fd(c->loop));
}

void sdm_progress(struct sdm_ctx *c, int timeout_ms) {
  sdm_ctx_flush(c);
  sdm_loop_run(c->loop, timeout_ms);
  sdm_ctx_flush(c);
  sdm_aggregate_progress(c);
  sdm_message_progress(c);
}

bool sdm_is_over(const struct sdm_ctx *c) { return c->over; }
struct sdm_loop *sdm_ctx_loop(struct sdm_ctx *c) { return c->loop; }
const char *sdm_ctx_host(const struct sdm_ctx *c) { return c->host; }
uint16_t sdm_ctx_port(const struct sdm_ctx *c) { return c->port; }
void sdm_hold(struct sdm_ctx *c, bool hold) { c->hold = hold; }

uint64_t sdm_request(struct sdm_ctx *c, const struct sdm_set *dest, uint8_t reducer, uint32_t timeout_ms, const void *p, size_t len) {
  if (c->opt.role == SDM_ROLE_FRONTEND)
    return sdm_front_request(c, dest, reducer, timeout_ms, p, len);
  return sdm_node_request(c->node, dest, reducer, timeout_ms, p, len);
}
void sdm_input(struct sdm_ctx *c, const struct sdm_set *dest, bool eof, const void *p, size_t len) {
  if (c->opt.role == SDM_ROLE_FRONTEND)
    sdm_front_input(c, dest, eof, p, len);
  else
    sdm_node_send_input(c->node, dest, eof, p, len);
}
void sdm_credit(struct sdm_ctx *c, const struct sdm_set *dest, uint64_t bytes) {
  if (c->opt.role == SDM_ROLE_FRONTEND)
    sdm_front_credit(c, dest, bytes);
  else
    sdm_node_send_credit(c->node, dest, bytes);
}
void sdm_reply(struct sdm_ctx *c, uint64_t request, uint8_t kind, const void *body, size_t len, const void *detail, size_t detail_len) {
  sdm_node_reply(c->node, request, kind, body, len, detail, detail_len);
}
void sdm_event(struct sdm_ctx *c, const void *body, size_t len) { sdm_node_event(c->node, body, len); }
void sdm_output(struct sdm_ctx *c, uint8_t stream, bool eof, const void *p, size_t len) { sdm_node_output(c->node, stream, eof, p, len); }
const struct sdm_set *sdm_all(const struct sdm_ctx *c) { return c->far_all ? c->far_all : sdm_node_subtree(c->node); }
const struct sdm_set *sdm_gone(const struct sdm_ctx *c) { return c->far_gone ? c->far_gone : sdm_node_gone(c->node); }
sdm_id sdm_get_my_id(const struct sdm_ctx *c) { return c->opt.id; }
