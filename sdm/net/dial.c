/* Reaching a server whose host is known and whose port may not be: the default start-up of the PTP design (sdm/README.md).  Every port from the
 * base on is tried; a wrong server there says so and the next port is tried at once.  After the last port the dialler
 * pauses (10 ms, doubling to 1 s) and begins anew, until the limit.  Without a limit, for a server that was there and may only be
 * stopped or cut off, it goes on until everybody has refused. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/net/ctx_private.h"
#include "sdm/net/net.h"

#define BACKOFF_FIRST_US 10000
#define BACKOFF_LAST_US 1000000
#define ATTEMPT_US 5000000 /* one peer may take so long to prove itself */
#define SEARCH_US 1000000 /* the same while ports are searched, where anybody may be found */

static void attempt(struct dial *d);
static void step(struct dial *d, int code, const char *why);

static void dial_free(struct dial *d) {
  for (struct dial **p = &d->ctx->dials; *p; p = &(*p)->next)
    if (*p == d) {
      *p = d->next;
      break;
    }
  sdm_timer_free(d->timer);
  free(d->host);
  free(d);
}

void sdm_dials_free(struct sdm_ctx *c) {
  while (c->dials) {
    if (c->dials->conn)
      c->dials->conn->dial = NULL;
    dial_free(c->dials);
  }
}

static void finish(struct dial *d, struct conn *conn, const char *why) {
  struct sdm_node *node = d->ctx->node;
  int slot = d->slot;
  char text[600];
  if (d->tries > 1)
    snprintf(text, sizeof(text), "no server %u at %s, ports %u to %u: %s", d->id, d->host, d->base, d->base + d->tries - 1, why ? why : "");
  else
    snprintf(text, sizeof(text), "no server %u at %s:%u: %s", d->id, d->host, d->base, why ? why : "");
  dial_free(d);
  sdm_node_dialled(node, slot, conn, text);
}

void sdm_dial_ready(struct conn *conn) {
  struct dial *d = conn->dial;
  conn->dial = NULL;
  finish(d, conn, NULL);
}

static void on_timer(void *arg) {
  struct dial *d = arg;
  struct conn *conn = d->conn;
  if (!conn) {
    attempt(d);
    return;
  }
  conn->dial = NULL; /* it took too long */
  d->conn = NULL;
  sdm_ctx_conn_close(conn, "no answer");
  step(d, -ETIMEDOUT, "no answer in time");
}

/* By a host where nobody listens, or somebody else does. */
static bool refused(int code) { return code == -ECONNREFUSED || code == -ENOENT || code == -EADDRNOTAVAIL; }

/* Takes the next step after a failure: next port, a pause, or the end. */
static void step(struct dial *d, int code, const char *why) {
  int64_t now = sdm_now_us();
  bool other = code == -EADDRNOTAVAIL, known = d->tries <= 1;
  if (!other || !d->why[0])
    snprintf(d->why, sizeof(d->why), "%.150s", why);
  d->at = (uint16_t)(d->at + 1);
  bool round_over = d->at >= d->tries;
  d->doubt |= !refused(code);
  /* At a known port its server listens before anybody is told of it: a refusal there is final. */
  bool over = d->until == INT64_MAX ? round_over && !d->doubt : known && code != -EAGAIN && code != -ETIMEDOUT;
  if (now >= d->until || over) {
    finish(d, NULL, d->why);
    return;
  }
  if (round_over) {
    d->at = 0;
    d->doubt = false;
  }
  int64_t pause = round_over ? d->backoff : 0;
  if (round_over)
    d->backoff = d->backoff * 2 > BACKOFF_LAST_US ? BACKOFF_LAST_US : d->backoff * 2;
  sdm_timer_set(d->timer, now + pause < d->until ? now + pause : d->until);
}

void sdm_dial_failed(struct conn *conn, int code, const char *why) {
  struct dial *d = conn->dial;
  conn->dial = NULL;
  d->conn = NULL;
  step(d, code, why);
}

static void attempt(struct dial *d) {
  struct dvm_error err = DVM_ERROR_INIT;
  int fd = sdm_net_dial(d->host, (uint16_t)(d->base + d->at), &err);
  if (fd < 0) {
    step(d, fd, err.text);
    return;
  }
  int64_t limit = sdm_now_us() + (d->tries > 1 ? SEARCH_US : ATTEMPT_US);
  d->conn = sdm_ctx_conn_new(d->ctx, fd, true);
  d->conn->dial = d;
  d->conn->link = sdm_link_new(&d->ctx->opt.secret, true, d->ctx->opt.id, d->id);
  sdm_timer_set(d->timer, limit < d->until ? limit : d->until);
}

void sdm_ctx_dial(void *arg, int slot, const struct sdm_table *t, const struct sdm_entry *e, int64_t until) {
  struct sdm_ctx *c = arg;
  struct dial *d = sdm_alloc(sizeof(*d));
  *d = (struct dial){.ctx = c,
                     .slot = slot,
                     .id = e->id,
                     .host = sdm_strdup(t->hosts[e->host]),
                     .until = until,
                     .backoff = BACKOFF_FIRST_US,
                     .base = e->port ? e->port : t->base_port,
                     .tries = e->port || !t->port_tries ? 1 : t->port_tries,
                     .next = c->dials};
  c->dials = d;
  d->timer = sdm_loop_timer(c->loop, INT64_MAX, on_timer, d);
  attempt(d);
}
