/* The chain of calls: a tree of the functions that the run has entered, each node one way to get there. */
#include "driver/trace/compare/compare_private.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS_MAX = 1 << 16, SLOTS = 2 * CHAINS_MAX, SHOWN_MAX = 32 };

struct call_chain {
  uint32_t parent, site;   /* of node n - 1 */
  uint32_t next;           /* with the same hash: 1 + its number */
};

static uint32_t hash_of(uint32_t parent, uint32_t site) { return (uint32_t)(dvmt_mix((uint64_t)parent << 32 | site) % SLOTS); }

/* Slots lie behind the nodes; both are made at once. */
static uint32_t *slots_of(const struct dvmt_compare *c) { return (uint32_t *)(c->chains + CHAINS_MAX); }

static uint32_t enter(struct dvmt_compare *c, uint32_t site) {
  if (!c->chains) {
    c->chains = calloc(1, CHAINS_MAX * sizeof(*c->chains) + SLOTS * sizeof(uint32_t));
    if (!c->chains) {
      c->rc = -ENOMEM;
      return 0;
    }
  }
  uint32_t *slot = &slots_of(c)[hash_of(c->chain, site)];
  for (uint32_t n = *slot; n; n = c->chains[n - 1].next)
    if (c->chains[n - 1].parent == c->chain && c->chains[n - 1].site == site)
      return n;
  if (c->nchains == CHAINS_MAX)
    return c->chain; /* a deep recursion: its upper part will do */
  c->chains[c->nchains] = (struct call_chain){c->chain, site, *slot};
  return *slot = ++c->nchains;
}

void dvmt_cmp_follow_call(struct dvmt_compare *c, const struct dvmt_record *r) {
  uint32_t n = c->chain;
  if (r->kind == DVMT_CALL) {
    c->chain = enter(c, r->site);
    return;
  }
  while (n && c->chains[n - 1].site != r->site)
    n = c->chains[n - 1].parent;
  if (n)
    c->chain = c->chains[n - 1].parent;
}

void dvmt_cmp_clear_calls(struct dvmt_compare *c) { free(c->chains); }

struct chain_text {
  char buf[1024];
  size_t n;
  struct dvmt_span last;
};

static void add(struct chain_text *t, const char *text) {
  struct dvmt_span f = text ? dvmt_text_line(text, DVMRT_TRACE_FUNCTION) : (struct dvmt_span){NULL, 0};
  if (!f.s || (f.n == t->last.n && !memcmp(f.s, t->last.s, f.n)) || t->n + 1 >= sizeof(t->buf))
    return;
  int n = snprintf(t->buf + t->n, sizeof(t->buf) - t->n, "%s%.*s", t->n ? " > " : "", (int)f.n, f.s);
  t->n += n > 0 ? (size_t)n : 0;
  t->last = f;
}

char *dvmt_cmp_calls_text(const struct dvmt_compare *c, const char *text) {
  struct chain_text t = {.n = 0, .last = {"", 0}};
  uint32_t path[SHOWN_MAX], depth = 0;
  for (uint32_t n = c->now ? c->now->chain : c->chain; n && depth < SHOWN_MAX; n = c->chains[n - 1].parent)
    path[depth++] = n;
  if (depth == SHOWN_MAX)
    t.n = (size_t)snprintf(t.buf, sizeof(t.buf), "..");
  for (uint32_t d = depth; d; d--)
    add(&t, c->b_sites[c->chains[path[d - 1] - 1].site].text);
  for (int d = 0; !depth && d < c->depth; d++) /* a trace that does not tell calls: those that have something open */
    add(&t, c->open[d].text);
  add(&t, text);
  return t.n ? strdup(t.buf) : NULL;
}
