#include "sdm/overlay/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum what { GOT_FRAME, GOT_DIAL, GOT_WAKE, GOT_LOST, DO_KILL, DO_STOP, DO_REPLY, DO_EVENT };

struct event {
  int64_t at;
  uint64_t seq;
  uint8_t what;
  uint32_t node;
  uint32_t link; /* 0: none */
  int slot;
  uint64_t value;
  uint8_t *p; /* owned */
  uint32_t len;
};

/* One end of a link; the other end is 'peer'. */
struct end {
  uint32_t node, peer;
  int slot;
  bool open;
  int64_t last_arrival;
};

struct vnode {
  struct sdm_sim *sim;
  struct sdm_node *node;
  uint32_t index;
  bool dead;
  int64_t busy, stopped_until;
  uint64_t wakes;
};

struct sdm_sim {
  struct sdm_sim_options o;
  struct vnode *nodes; /* [o.nodes + 1], the root is last */
  struct end *ends;    /* [nends], the first is not used */
  uint32_t nends, ends_cap;
  struct event *heap;
  size_t nheap, heap_cap;
  int64_t now;
  uint64_t seq, random;
  struct sdm_sim_stats stats;
};

static bool before(const struct event *a, const struct event *b) { return a->at != b->at ? a->at < b->at : a->seq < b->seq; }

static void push(struct sdm_sim *s, struct event e) {
  if (s->nheap == s->heap_cap) {
    s->heap_cap = s->heap_cap ? s->heap_cap * 2 : 1024;
    s->heap = sdm_realloc(s->heap, s->heap_cap * sizeof(*s->heap));
  }
  e.seq = ++s->seq;
  if (e.at < s->now)
    e.at = s->now;
  size_t i = s->nheap++;
  for (; i && before(&e, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
    s->heap[i] = s->heap[(i - 1) / 2];
  s->heap[i] = e;
}

static struct event pop(struct sdm_sim *s) {
  struct event top = s->heap[0], last = s->heap[--s->nheap];
  size_t i = 0;
  for (;;) {
    size_t c = 2 * i + 1;
    if (c >= s->nheap)
      break;
    if (c + 1 < s->nheap && before(&s->heap[c + 1], &s->heap[c]))
      c++;
    if (!before(&s->heap[c], &last))
      break;
    s->heap[i] = s->heap[c];
    i = c;
  }
  if (s->nheap)
    s->heap[i] = last;
  return top;
}

static uint32_t random_below(struct sdm_sim *s, uint32_t n) {
  s->random = s->random * 6364136223846793005ull + 1442695040888963407ull;
  return n ? (uint32_t)((s->random >> 33) % n) : 0;
}

static int64_t local_now(const struct vnode *v) { return v->busy > v->sim->now ? v->busy : v->sim->now; }

/* The node's table of functions. */
static int64_t op_now(void *arg) { return local_now(arg); }

static void op_send(void *arg, void *link, const struct sdm_frame *f) {
  struct vnode *v = arg;
  struct sdm_sim *s = v->sim;
  struct end *mine = &s->ends[(uintptr_t)link];
  if (!mine->open)
    return;
  struct sdm_bytes out = {0};
  sdm_frame_encode(f, false, &out);
  v->busy = local_now(v) + s->o.send_us + (int64_t)(out.len / s->o.bytes_per_us);
  struct end *peer = &s->ends[mine->peer];
  int64_t at = v->busy + s->o.latency_us + random_below(s, s->o.jitter_us);
  if (at <= peer->last_arrival) /* a link keeps the order */
    at = peer->last_arrival + 1;
  peer->last_arrival = at;
  push(s, (struct event){.at = at, .what = GOT_FRAME, .node = peer->node, .link = mine->peer, .p = out.p, .len = (uint32_t)out.len});
  s->stats.frames++;
  s->stats.bytes += out.len;
}

static uint32_t new_end(struct sdm_sim *s, uint32_t node) {
  if (s->nends == s->ends_cap) {
    s->ends_cap *= 2;
    s->ends = sdm_realloc(s->ends, s->ends_cap * sizeof(*s->ends));
  }
  s->ends[s->nends] = (struct end){.node = node, .slot = SDM_SLOT_NONE, .open = true};
  return s->nends++;
}

static void op_dial(void *arg, int slot, const struct sdm_table *t, const struct sdm_entry *e, int64_t until) {
  struct vnode *v = arg;
  struct sdm_sim *s = v->sim;
  (void)t;
  struct vnode *to = &s->nodes[e->id];
  struct event got = {.at = local_now(v) + 2 * s->o.latency_us, .what = GOT_DIAL, .node = v->index, .slot = slot};
  v->busy = local_now(v) + s->o.send_us;
  bool sleeps = !to->dead && to->stopped_until > s->now;
  if (sleeps && to->stopped_until > got.at)
    got.at = to->stopped_until; /* it takes the connection when it wakes */
  if (sleeps && got.at >= until)
    got.at = until;
  else if (!to->dead) {
    got.at += 2 * s->o.latency_us; /* the handshake is two round trips */
    got.link = new_end(s, v->index);
    uint32_t theirs = new_end(s, e->id);
    s->ends[got.link].peer = theirs;
    s->ends[theirs].peer = got.link;
  }
  push(s, got);
}

static void op_bind(void *arg, void *link, int slot) { ((struct vnode *)arg)->sim->ends[(uintptr_t)link].slot = slot; }

static void close_end(struct sdm_sim *s, uint32_t at) {
  struct end *e = &s->ends[at];
  if (!e->open)
    return;
  e->open = false;
  push(s, (struct event){.at = s->now + s->o.latency_us, .what = GOT_LOST, .node = s->ends[e->peer].node, .link = e->peer});
}

static void op_drop(void *arg, void *link) { close_end(((struct vnode *)arg)->sim, (uint32_t)(uintptr_t)link); }

static void op_wake(void *arg, int64_t at) {
  struct vnode *v = arg;
  push(v->sim, (struct event){.at = at, .what = GOT_WAKE, .node = v->index, .value = ++v->wakes});
}

static void op_command(void *arg, uint64_t request, uint32_t ms, const void *p, size_t len) {
  struct vnode *v = arg;
  (void)ms;
  if (v->sim->o.command)
    v->sim->o.command(v->sim->o.arg, v->sim, v->index, request, p, len);
  else
    sdm_node_reply(v->node, request, SDM_CLASS_OK, "ok", 2, NULL, 0);
}

static void op_answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct vnode *v = arg;
  if (v->sim->o.answer)
    v->sim->o.answer(v->sim->o.arg, request, flags, a);
}

static void op_event(void *arg, const struct sdm_answer *a) {
  struct vnode *v = arg;
  if (v->sim->o.event)
    v->sim->o.event(v->sim->o.arg, a);
}

static void op_output(void *arg, const struct sdm_iolist *l) {
  struct vnode *v = arg;
  if (v->sim->o.output)
    v->sim->o.output(v->sim->o.arg, l);
}

static void op_input(void *arg, const struct sdm_iolist *l) { (void)arg, (void)l; }
static void op_credit(void *arg, uint64_t bytes) { (void)arg, (void)bytes; }
static void op_orphan(void *arg, bool alone) { (void)arg, (void)alone; }
static void op_bye(void *arg) { (void)arg; }
static void op_lost(void *arg, const struct sdm_set *ids, const char *why) {
  struct sdm_sim *s = ((struct vnode *)arg)->sim;
  if (s->o.lost)
    s->o.lost(s->o.arg, ids, why);
}

static void op_back(void *arg, const struct sdm_set *ids) {
  struct sdm_sim *s = ((struct vnode *)arg)->sim;
  if (s->o.back)
    s->o.back(s->o.arg, ids);
}

static const struct sdm_node_ops ops = {
    .now = op_now,
    .send = op_send,
    .dial = op_dial,
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

struct sdm_sim_options sdm_sim_defaults(uint32_t nodes) {
  return (struct sdm_sim_options){.nodes = nodes,
                                  .seed = 1,
                                  .latency_us = 25,
                                  .jitter_us = 5,
                                  .send_us = 3,
                                  .recv_us = 5,
                                  .bytes_per_us = 1000,
                                  .node = {.ping_ms = 0, .hold_us = 5000, .keep_answers = 4}};
}

struct sdm_sim *sdm_sim_new(const struct sdm_sim_options *o) {
  struct sdm_sim *s = sdm_alloc(sizeof(*s));
  s->o = *o;
  s->random = o->seed * 2 + 1;
  s->nodes = sdm_alloc((o->nodes + 1) * sizeof(*s->nodes));
  s->ends_cap = 2 * o->nodes + 2;
  s->ends = sdm_alloc(s->ends_cap * sizeof(*s->ends));
  s->nends = 1;
  for (uint32_t i = 0; i <= o->nodes; i++) {
    struct vnode *v = &s->nodes[i];
    v->sim = s;
    v->index = i;
    v->node = sdm_node_new(&ops, v, i < o->nodes ? i : SDM_MASTER, &s->o.node);
  }
  return s;
}

void sdm_sim_free(struct sdm_sim *s) {
  if (!s)
    return;
  for (uint32_t i = 0; i <= s->o.nodes; i++)
    sdm_node_free(s->nodes[i].node);
  for (size_t i = 0; i < s->nheap; i++)
    free(s->heap[i].p);
  free(s->heap);
  free(s->ends);
  free(s->nodes);
  free(s);
}

struct sdm_node *sdm_sim_root(struct sdm_sim *s) { return s->nodes[s->o.nodes].node; }
struct sdm_node *sdm_sim_node(struct sdm_sim *s, sdm_id id) { return s->nodes[id].node; }

uint64_t sdm_sim_route(struct sdm_sim *s, uint32_t timeout_ms) {
  struct sdm_table t = {.shape = s->o.shape};
  char host[32];
  uint32_t hosts = s->o.hosts ? s->o.hosts : 1;
  for (uint32_t i = 0; i < s->o.nodes; i++) {
    snprintf(host, sizeof(host), "n%u", (uint32_t)((uint64_t)i * hosts / s->o.nodes));
    sdm_table_add(&t, i, host, 1);
  }
  uint64_t request = sdm_node_route(sdm_sim_root(s), &t, timeout_ms);
  sdm_table_fini(&t);
  return request;
}

static void kill_node(struct sdm_sim *s, uint32_t index) {
  s->nodes[index].dead = true;
  for (uint32_t i = 1; i < s->nends; i++)
    if (s->ends[i].node == index)
      close_end(s, i);
}

static void got_frame(struct sdm_sim *s, struct vnode *v, const struct event *e) {
  struct sdm_frame f;
  if (!s->ends[e->link].open)
    return;
  if (sdm_frame_decode(e->p, e->len, &f))
    abort(); /* we encoded it ourselves */
  v->busy = local_now(v) + s->o.recv_us;
  if (v->index == s->o.nodes)
    s->stats.root_frames++;
  s->stats.trace = (s->stats.trace ^ (uint64_t)e->at ^ (uint64_t)v->index << 32 ^ f.type) * 0x100000001b3ull;
  sdm_node_recv(v->node, (void *)(uintptr_t)e->link, s->ends[e->link].slot, &f);
}

static void got_lost(struct sdm_sim *s, struct vnode *v, const struct event *e) {
  struct end *end = &s->ends[e->link];
  if (!end->open)
    return;
  end->open = false;
  sdm_node_lost(v->node, end->slot, "the connection was closed");
}

static void got_dial(struct sdm_sim *s, struct vnode *v, const struct event *e) {
  bool up = e->link && s->ends[e->link].open && !s->nodes[s->ends[s->ends[e->link].peer].node].dead;
  sdm_node_dialled(v->node, e->slot, up ? (void *)(uintptr_t)e->link : NULL, up ? NULL : "connection refused");
}

static void handle(struct sdm_sim *s, struct event *e) {
  struct vnode *v = &s->nodes[e->node];
  if (v->dead)
    return;
  if (v->stopped_until > s->now && e->what != DO_KILL) {
    struct event later = *e;
    later.at = v->stopped_until;
    e->p = NULL;
    push(s, later);
    return;
  }
  switch (e->what) {
  case GOT_FRAME: got_frame(s, v, e); break;
  case GOT_DIAL: got_dial(s, v, e); break;
  case GOT_WAKE:
    if (e->value == v->wakes) /* not one that another took the place of */
      sdm_node_wake(v->node);
    break;
  case GOT_LOST: got_lost(s, v, e); break;
  case DO_KILL: kill_node(s, e->node); break;
  case DO_STOP: v->stopped_until = s->now + (int64_t)e->value; break;
  case DO_REPLY: sdm_node_reply(v->node, e->value, SDM_CLASS_OK, e->p, e->len, NULL, 0); break;
  case DO_EVENT: sdm_node_event(v->node, e->p, e->len); break;
  }
}

void sdm_sim_run(struct sdm_sim *s, int64_t us) {
  int64_t until = s->now + us;
  while (s->nheap && s->heap[0].at <= until) {
    struct event e = pop(s);
    s->now = e.at;
    handle(s, &e);
    free(e.p);
  }
  if (s->nheap)
    s->now = until;
}

static void later(struct sdm_sim *s, uint8_t what, sdm_id id, uint64_t value, const void *p, size_t len, int64_t after) {
  push(s, (struct event){.at = s->now + after, .what = what, .node = id, .value = value, .p = sdm_memdup(p, len), .len = (uint32_t)len});
}

void sdm_sim_reply(struct sdm_sim *s, sdm_id id, uint64_t request, const void *p, size_t len, int64_t after_us) {
  later(s, DO_REPLY, id, request, p, len, after_us);
}

void sdm_sim_event(struct sdm_sim *s, sdm_id id, const void *p, size_t len, int64_t after_us) {
  later(s, DO_EVENT, id, 0, p, len, after_us);
}

void sdm_sim_kill(struct sdm_sim *s, sdm_id id, int64_t after_us) { later(s, DO_KILL, id, 0, NULL, 0, after_us); }

void sdm_sim_stop(struct sdm_sim *s, sdm_id id, int64_t after_us, int64_t for_us) {
  later(s, DO_STOP, id, (uint64_t)for_us, NULL, 0, after_us);
}

struct sdm_sim_stats sdm_sim_stats(const struct sdm_sim *s) {
  struct sdm_sim_stats stats = s->stats;
  stats.now_us = local_now(&s->nodes[s->o.nodes]);
  return stats;
}
