#include "sdm/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/overlay/node_private.h"

struct sdm_node *sdm_node_new(const struct sdm_node_ops *ops, void *arg, sdm_id id, const struct sdm_node_options *o) {
  struct sdm_node *n = sdm_alloc(sizeof(*n));
  n->ops = ops;
  n->arg = arg;
  n->id = id;
  n->opt = o ? *o : (struct sdm_node_options){.ping_ms = 2000, .hold_us = 5000, .keep_answers = 64};
  n->parent_id = SDM_ID_NONE;
  n->subtree = sdm_set_new();
  n->gone = sdm_set_new();
  n->next_wake = INT64_MAX;
  n->epoch = n->opt.epoch;
  n->serial = n->opt.serial;
  if (!node_is_root(n))
    sdm_set_add_element(n->subtree, id);
  return n;
}

void sdm_node_free(struct sdm_node *n) {
  if (!n)
    return;
  for (size_t i = 0; i < n->nchildren; i++)
    sdm_set_free(n->children[i].ids);
  free(n->children);
  sdm_records_free(n);
  sdm_node_drop_events(n);
  sdm_iolist_fini(&n->io);
  sdm_set_free(n->self);
  sdm_table_fini(&n->table);
  sdm_set_free(n->subtree);
  sdm_set_free(n->gone);
  free(n);
}

void sdm_node_wake_at(struct sdm_node *n, int64_t at) {
  if (at >= n->next_wake)
    return;
  n->next_wake = at;
  n->ops->wake(n->arg, at);
}

void sdm_node_put_set(struct sdm_bytes *out, const struct sdm_set *set) {
  size_t start = out->len;
  char *at = (char *)sdm_bytes_grow(out, sdm_set_serialized_length(set));
  out->len = start + sdm_set_serialize(set, at, NULL);
}

void sdm_node_send_up(struct sdm_node *n, const struct sdm_frame *f) {
  if (!n->parent)
    return;
  n->parent_said = node_now(n);
  n->ops->send(n->arg, n->parent, f);
}

void sdm_node_send_child(struct sdm_node *n, int slot, const struct sdm_frame *f) {
  struct child *c = &n->children[slot];
  if (c->state != CHILD_UP)
    return;
  c->said = node_now(n);
  n->ops->send(n->arg, c->link, f);
}

/* Down the tree: each child gets the part of 'dest' that lies below it.  The last children have the deepest subtrees,
 * so they go first. */
void sdm_node_forward(struct sdm_node *n, const struct sdm_frame *f, const struct sdm_set *dest) {
  struct sdm_bytes encoded = {0};
  for (size_t i = n->nchildren; i-- > 0;) {
    if (n->children[i].state != CHILD_UP)
      continue;
    struct sdm_set *part = sdm_set_intersect(sdm_set_copy(dest), n->children[i].ids);
    if (!sdm_set_is_empty(part)) {
      struct sdm_frame down = *f;
      encoded.len = 0;
      sdm_node_put_set(&encoded, part);
      down.dest = encoded.p;
      down.dest_len = encoded.len;
      sdm_node_send_child(n, (int)i, &down);
    }
    sdm_set_free(part);
  }
  sdm_bytes_fini(&encoded);
}

static void take_bye(struct sdm_node *n) {
  struct sdm_frame bye = {.type = SDM_BYE};
  for (size_t i = 0; i < n->nchildren; i++)
    sdm_node_send_child(n, (int)i, &bye);
  n->ops->bye(n->arg);
}

static void take_credit(struct sdm_node *n, const struct sdm_frame *f) {
  struct sdm_set *dest = sdm_set_new();
  if (sdm_set_deserialize(dest, (const char *)f->dest, f->dest_len, NULL) > 0) {
    if (!node_is_root(n) && sdm_set_contains(dest, n->id))
      n->ops->credit(n->arg, f->request);
    sdm_node_forward(n, f, dest);
  }
  sdm_set_free(dest);
}

static void heard_from(struct sdm_node *n, int slot) {
  if (slot == SDM_SLOT_PARENT)
    n->parent_heard = node_now(n);
  else if (slot >= 0)
    n->children[slot].heard = node_now(n);
}

/* Which way a frame may travel is part of the table: a child cannot send commands, a parent no answers. */
enum way { WAY_ANY = 1, WAY_DOWN = 2, WAY_UP = 4, WAY_NEW = 8 };

static const uint8_t ways[SDM_FRAME_TYPES] = {
    [SDM_ROUTE] = WAY_NEW | WAY_DOWN,
    [SDM_ADOPT] = WAY_NEW | WAY_DOWN,
    [SDM_CMD] = WAY_DOWN,
    [SDM_REPLY] = WAY_UP,
    [SDM_EVENT] = WAY_UP,
    [SDM_IO] = WAY_UP | WAY_DOWN,
    [SDM_CREDIT] = WAY_DOWN,
    [SDM_PING] = WAY_ANY,
    [SDM_PONG] = WAY_ANY,
    [SDM_DEAD] = WAY_UP,
    [SDM_BACK] = WAY_UP,
    [SDM_BYE] = WAY_DOWN,
    [SDM_ERROR] = WAY_ANY,
};

void sdm_node_recv(struct sdm_node *n, void *link, int slot, const struct sdm_frame *f) {
  uint8_t way = slot == SDM_SLOT_PARENT ? WAY_DOWN : slot >= 0 ? WAY_UP : WAY_NEW;
  uint8_t allowed = f->type < SDM_FRAME_TYPES ? ways[f->type] : 0;
  if (slot >= 0 && ((size_t)slot >= n->nchildren || n->children[slot].link != link))
    return; /* a link that was given up */
  heard_from(n, slot);
  if (!(allowed & (way | WAY_ANY))) {
    static const char what[] = "this frame is not expected here";
    if (f->type != SDM_ERROR)
      n->ops->send(n->arg, link, &(struct sdm_frame){.type = SDM_ERROR, .payload = (const uint8_t *)what, .payload_len = sizeof(what) - 1});
    return;
  }
  switch (f->type) {
  case SDM_ROUTE: sdm_node_take_route(n, link, f); break;
  case SDM_ADOPT: sdm_node_take_adopt(n, link, f); break;
  case SDM_CMD: sdm_node_take_cmd(n, f); break;
  case SDM_REPLY: sdm_node_take_reply(n, slot, f); break;
  case SDM_EVENT: sdm_node_take_event(n, f); break;
  case SDM_IO: sdm_node_take_io(n, slot == SDM_SLOT_PARENT, f); break;
  case SDM_CREDIT: take_credit(n, f); break;
  case SDM_DEAD: sdm_node_take_dead(n, f); break;
  case SDM_BACK: sdm_node_take_back(n, f); break;
  case SDM_BYE: take_bye(n); break;
  case SDM_PING: n->ops->send(n->arg, link, &(struct sdm_frame){.type = SDM_PONG, .request = f->request}); break;
  case SDM_PONG:
    if (slot == SDM_SLOT_PARENT)
      sdm_node_take_pong(n, f->request);
    break;
  case SDM_ERROR:
    if (slot >= 0)
      sdm_node_take_refusal(n, slot, f);
    break;
  default: break;
  }
}

static bool silent(const struct sdm_node *n, int64_t heard, int64_t now) { return now - heard > (int64_t)n->opt.ping_ms * 3000; }

static void lose_parent(struct sdm_node *n) {
  n->parent = NULL;
  n->ops->orphan(n->arg, true);
}

void sdm_node_lost(struct sdm_node *n, int slot, const char *why) {
  if (slot == SDM_SLOT_PARENT)
    lose_parent(n);
  else if (slot >= 0 && (size_t)slot < n->nchildren && n->children[slot].state == CHILD_UP)
    sdm_node_lose_child(n, slot, why);
}

static void ping(struct sdm_node *n, int64_t now) {
  struct sdm_frame f = {.type = SDM_PING};
  int64_t every = (int64_t)n->opt.ping_ms * 1000;
  char why[80];
  bool due = false;
  for (size_t i = 0; i < n->nchildren; i++) {
    struct child *c = &n->children[i];
    due |= c->state == CHILD_DUE;
    if (c->state != CHILD_UP)
      continue;
    if (silent(n, c->heard, now)) {
      snprintf(why, sizeof(why), "no answer to heartbeats for %.1f s", (double)(now - c->heard) / 1e6);
      n->ops->drop(n->arg, c->link);
      sdm_node_lose_child(n, (int)i, why);
    } else if (now - c->heard >= every)
      sdm_node_send_child(n, (int)i, &f);
  }
  if (due)
    sdm_node_adopt(n);
  /* A parent that is silent is not given up: a stopped front end is to find its session as it left it.  If it is gone,
   * the connection ends; if it is stuck, its own parent finds that, and adopts us. */
  if (n->parent && now - n->parent_heard >= every)
    sdm_node_send_up(n, &f);
}

/* Who slept himself has heard nobody; that is not the others' silence. */
static void forgive(struct sdm_node *n, int64_t now) {
  for (size_t i = 0; i < n->nchildren; i++)
    n->children[i].heard = now;
}

void sdm_node_wake(struct sdm_node *n) {
  int64_t now = node_now(n);
  n->next_wake = INT64_MAX;
  sdm_records_expire(n, now);
  sdm_node_expire_holds(n, now);
  if (n->opt.ping_ms && (n->parent || n->nchildren)) {
    if (now >= n->next_ping) {
      if (n->next_ping && now - n->next_ping > (int64_t)n->opt.ping_ms * 1000)
        forgive(n, now);
      if (n->next_ping)
        ping(n, now);
      n->next_ping = now + (int64_t)n->opt.ping_ms * 1000;
    }
    sdm_node_wake_at(n, n->next_ping);
  }
}

void sdm_node_send_bye(struct sdm_node *n) { take_bye(n); }

void sdm_node_send_input(struct sdm_node *n, const struct sdm_set *dest, bool eof, const void *p, size_t len) {
  struct sdm_iolist l = {0};
  struct sdm_bytes body = {0};
  sdm_iolist_add(&l, SDM_STDIN, eof, dest, p, len);
  sdm_iolist_encode(&l, &body);
  sdm_node_forward(n, &(struct sdm_frame){.type = SDM_IO, .payload = body.p, .payload_len = body.len}, dest);
  sdm_bytes_fini(&body);
  sdm_iolist_fini(&l);
}

void sdm_node_send_credit(struct sdm_node *n, const struct sdm_set *dest, uint64_t bytes) {
  sdm_node_forward(n, &(struct sdm_frame){.type = SDM_CREDIT, .request = bytes}, dest);
}

sdm_id sdm_node_id(const struct sdm_node *n) { return n->id; }
bool sdm_node_is_led(const struct sdm_node *n) { return n->parent != NULL; }
sdm_id sdm_node_parent(const struct sdm_node *n) { return n->parent ? n->parent_id : SDM_ID_NONE; }
const struct sdm_set *sdm_node_subtree(const struct sdm_node *n) { return n->subtree; }
const struct sdm_set *sdm_node_gone(const struct sdm_node *n) { return n->gone; }

struct sdm_set *sdm_node_next_hops(const struct sdm_node *n, const struct sdm_set *dest) {
  struct sdm_set *hops = sdm_set_new();
  for (size_t i = 0; i < n->nchildren; i++)
    if (n->children[i].state == CHILD_UP && sdm_set_overlaps(n->children[i].ids, dest))
      sdm_set_add_element(hops, n->table.entries[n->children[i].lo].id);
  return hops;
}

struct sdm_set *sdm_node_reachable(const struct sdm_node *n, const struct sdm_set *dest) {
  return sdm_set_diff(sdm_set_intersect(sdm_set_copy(dest), n->subtree), n->gone);
}
