/* The tree around a node: routes, lost children and their adoption. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/overlay/node_private.h"

#define ADOPT_US 10000000 /* how long a grandchild may take to be found, also when strangers crowd its door */

static int add_child(struct sdm_node *n, size_t lo, size_t hi, bool adopted, bool recalled) {
  if (n->nchildren == n->cap) {
    n->cap = n->cap ? n->cap * 2 : 2;
    n->children = sdm_realloc(n->children, n->cap * sizeof(*n->children));
  }
  struct child *c = &n->children[n->nchildren];
  *c = (struct child){.lo = lo, .hi = hi, .adopted = adopted, .recalled = recalled, .ids = sdm_set_new()};
  sdm_table_ids(&n->table, lo, hi, c->ids);
  return (int)n->nchildren++;
}

static bool is_known_lost(const struct sdm_node *n, const struct child *c) {
  return !c->recalled && sdm_set_contains(n->gone, n->table.entries[c->lo].id);
}

/* Dials those that are due.  A call may fail at once and add more, which it then dials itself; who heads a slice and is known to
 * be lost is passed over. */
static void dial_due(struct sdm_node *n, int64_t until) {
  for (size_t i = n->nchildren; i-- > 0;) {
    struct child *c = &n->children[i];
    if (c->state != CHILD_DUE)
      continue;
    if (is_known_lost(n, c)) {
      sdm_node_lose_child(n, (int)i, "");
      continue;
    }
    c->state = CHILD_DIALLING;
    n->ops->dial(n->arg, (int)i, &n->table, &n->table.entries[c->lo], c->recalled ? INT64_MAX : until);
  }
}

static void dial_adopted(struct sdm_node *n) { dial_due(n, node_now(n) + ADOPT_US); }

/* A server may have slept, or been cut off, and be given up: then its children are another's now.  The answer of its parent tells. */
void sdm_node_adopt(struct sdm_node *n) {
  if (node_is_root(n)) {
    dial_adopted(n);
    return;
  }
  n->proof = ++n->serial;
  sdm_node_send_up(n, &(struct sdm_frame){.type = SDM_PING, .request = n->proof});
}

void sdm_node_take_pong(struct sdm_node *n, uint64_t number) {
  if (!n->proof || number != n->proof)
    return;
  n->proof = 0;
  dial_adopted(n);
}

static void add_children(struct sdm_node *n, size_t lo, size_t hi, bool self, bool adopted) {
  struct sdm_split split = sdm_split(&n->table, lo, hi, self);
  for (size_t a, b; sdm_split_next(&split, &a, &b);)
    add_child(n, a, b, adopted, false);
}

static int64_t below_until(const struct sdm_node *n, const struct record *r) {
  return node_now(n) + (r->deadline ? (int64_t)sdm_record_ms_below(n, r) * 1000 : INT64_MAX / 4);
}

static struct record *route_record(struct sdm_node *n) {
  for (struct record *r = n->records; r; r = r->next)
    if (r->is_route)
      return r;
  return NULL;
}

static void send_route(struct sdm_node *n, int slot) {
  struct child *c = &n->children[slot];
  struct record *r = route_record(n);
  struct sdm_bytes body = {0};
  sdm_bytes_u32(&body, n->id);
  sdm_bytes_u32(&body, n->epoch);
  sdm_bytes_u32(&body, n->depth + 1);
  sdm_table_encode(&n->table, c->lo, c->hi, &body);
  struct sdm_frame f = {.type = c->adopted ? SDM_ADOPT : SDM_ROUTE, .payload = body.p, .payload_len = body.len};
  if (r) {
    f.request = r->request;
    f.time = c->adopted ? ADOPT_US / 1000 : sdm_record_ms_below(n, r);
  }
  sdm_node_send_child(n, slot, &f);
  sdm_bytes_fini(&body);
}

void sdm_node_dialled(struct sdm_node *n, int slot, void *link, const char *why) {
  if (slot < 0 || (size_t)slot >= n->nchildren || n->children[slot].state != CHILD_DIALLING) {
    if (link)
      n->ops->drop(n->arg, link);
    return;
  }
  if (!link) {
    sdm_node_lose_child(n, slot, why ? why : "no connection");
    return;
  }
  struct child *c = &n->children[slot];
  if (!node_is_heard(n)) { /* it is another's to decide now */
    n->ops->drop(n->arg, link);
    c->state = CHILD_DUE;
    return;
  }
  c->link = link;
  c->state = CHILD_UP;
  c->heard = c->said = node_now(n);
  n->ops->bind(n->arg, link, slot);
  send_route(n, slot);
  for (struct record *r = n->records; r; r = r->next)
    if (!r->is_route && !r->answered)
      sdm_record_ask(n, r, slot, true);
  sdm_node_wake(n);
}

static void tell_lost(struct sdm_node *n, const struct sdm_set *ids, const char *why) {
  if (node_is_root(n)) {
    n->ops->lost(n->arg, ids, why);
    return;
  }
  struct sdm_bytes set = {0};
  sdm_node_put_set(&set, ids);
  sdm_node_send_up(n, &(struct sdm_frame){.type = SDM_DEAD,
                                          .dest = set.p,
                                          .dest_len = set.len,
                                          .request = n->epoch,
                                          .payload = (const uint8_t *)why,
                                          .payload_len = strlen(why)});
  sdm_bytes_fini(&set);
}

/* As long as it takes: it may only be silent.  If it has ended it refuses, and that is the end of it. */
static void recall(struct sdm_node *n, size_t at) { add_child(n, at, at + 1, true, true); }

void sdm_node_lose_child(struct sdm_node *n, int slot, const char *why) {
  struct child *c = &n->children[slot];
  bool was_up = c->state == CHILD_UP, known = is_known_lost(n, c);
  size_t lo = c->lo, hi = c->hi;
  c->state = CHILD_LOST;
  c->link = NULL;
  if (c->recalled) {
    if (was_up)
      recall(n, lo);
  } else {
    if (node_is_root(n))
      sdm_node_flush_events(n); /* what the lost ones said last comes before their loss */
    struct sdm_set *ids = sdm_set_add_element(sdm_set_new(), n->table.entries[lo].id);
    char *reason = sdm_strdup(why);
    sdm_set_union(n->gone, ids);
    n->epoch++;
    add_children(n, lo, hi, true, true);
    recall(n, lo);
    if (!known)
      tell_lost(n, ids, reason);
    sdm_records_lose(n, ids, !was_up, reason);
    sdm_set_free(ids);
    free(reason);
  }
  sdm_node_adopt(n);
}

void sdm_node_note_dead(struct sdm_node *n, struct sdm_set *ids, const char *why) {
  sdm_set_intersect(ids, n->subtree);
  if (node_is_root(n)) {
    sdm_node_flush_events(n);
    sdm_set_diff(ids, n->gone); /* a new parent of those below finds the same once more */
  }
  sdm_set_union(n->gone, ids);
  if (!sdm_set_is_empty(ids))
    tell_lost(n, ids, why);
}

void sdm_node_take_dead(struct sdm_node *n, const struct sdm_frame *f) {
  struct sdm_set *ids = sdm_set_new();
  char why[256];
  snprintf(why, sizeof(why), "%.*s", (int)(f->payload_len < 255 ? f->payload_len : 255), (const char *)f->payload);
  if (f->request > n->epoch && f->request <= UINT32_MAX)
    n->epoch = (uint32_t)f->request; /* if we adopt those below it is under a higher one */
  if (sdm_set_deserialize(ids, (const char *)f->dest, f->dest_len, NULL) > 0)
    sdm_node_note_dead(n, ids, why);
  sdm_set_free(ids);
}

static void refuse(struct sdm_node *n, void *link, const char *why) {
  n->ops->send(n->arg, link, &(struct sdm_frame){.type = SDM_ERROR, .payload = (const uint8_t *)why, .payload_len = strlen(why)});
}

static void take_parent(struct sdm_node *n, void *link, sdm_id parent_id) {
  if (n->parent && n->parent != link)
    n->ops->drop(n->arg, n->parent);
  bool was_alone = !n->parent;
  n->parent = link;
  n->parent_id = parent_id;
  n->parent_heard = n->parent_said = node_now(n);
  n->ops->bind(n->arg, link, SDM_SLOT_PARENT);
  if (was_alone)
    n->ops->orphan(n->arg, false);
}

static void begin_route(struct sdm_node *n, struct record *r, bool self, bool adopted) {
  r->is_route = true;
  sdm_set_assign(r->waiting, n->subtree);
  add_children(n, 0, n->table.n, self, adopted);
  dial_due(n, below_until(n, r));
}

/* Slots are never used again: what is still on its way for them finds that they are lost. */
static void forget_children(struct sdm_node *n) {
  for (size_t i = 0; i < n->nchildren; i++) {
    struct child *c = &n->children[i];
    if (c->state == CHILD_UP)
      n->ops->drop(n->arg, c->link);
    c->state = CHILD_LOST;
    c->link = NULL;
    sdm_set_clear(c->ids);
  }
  sdm_table_fini(&n->table);
  sdm_set_clear(n->gone);
  sdm_set_clear(n->subtree);
  sdm_records_reset(n);
}

static bool same_slice(const struct sdm_table *a, const struct sdm_table *b) {
  bool same = a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++)
    same = a->entries[i].id == b->entries[i].id;
  return same;
}

/* The same table came already: a new parent took us over. */
static void answer_again(struct sdm_node *n, uint64_t request) {
  struct record *r = sdm_record_find(n, request);
  if (!request || (r && (!r->answered || !r->is_route)))
    return;
  if (r)
    sdm_record_drop(n, r); /* others are alive now */
  r = sdm_record_open(n, request, SDM_REDUCE_SAME, 0);
  r->is_route = true;
  struct sdm_set *alive = sdm_set_diff(sdm_set_copy(n->subtree), n->gone);
  sdm_answer_add(r->answer, SDM_CLASS_OK, alive, "ready", 5, NULL, 0, n->id);
  sdm_set_union(r->answer->dead, n->gone);
  sdm_set_free(alive);
  sdm_record_check(n, r);
}

void sdm_node_take_route(struct sdm_node *n, void *link, const struct sdm_frame *f) {
  struct sdm_cursor c = sdm_cursor_of(f->payload, f->payload_len);
  sdm_id parent = sdm_cursor_u32(&c);
  uint32_t epoch = sdm_cursor_u32(&c), depth = sdm_cursor_u32(&c);
  struct sdm_table table;
  if (c.bad || sdm_table_decode(&table, &c)) {
    refuse(n, link, "the routing table is damaged");
    return;
  }
  /* Who has no parent takes any: a new root does not know how far we have counted. */
  bool older = n->parent && (n->parent == link ? epoch < n->led_epoch : epoch <= n->led_epoch);
  if (node_is_root(n) || !table.n || table.entries[0].id != n->id || older) {
    refuse(n, link, older ? "an older epoch" : "the routing table is not for this server");
    sdm_table_fini(&table);
    return;
  }
  n->led_epoch = epoch;
  n->epoch = epoch > n->epoch ? epoch : n->epoch;
  n->depth = depth;
  n->proof = 0;
  take_parent(n, link, parent);
  bool known = n->table.n > 0;
  if (known && same_slice(&n->table, &table)) {
    sdm_table_fini(&table);
    dial_adopted(n); /* lost while nobody led us */
    answer_again(n, f->request);
    if (!sdm_set_is_empty(n->gone))
      tell_lost(n, n->gone, "its server was lost meanwhile");
  } else {
    if (known)
      forget_children(n);
    n->table = table;
    sdm_table_ids(&n->table, 0, n->table.n, n->subtree);
    struct record *r = sdm_record_open(n, f->request, SDM_REDUCE_SAME, f->time);
    begin_route(n, r, true, known);
    sdm_node_reply(n, f->request, SDM_CLASS_OK, "ready", 5, NULL, 0);
  }
  sdm_node_wake(n);
}

void sdm_node_take_adopt(struct sdm_node *n, void *link, const struct sdm_frame *f) { sdm_node_take_route(n, link, f); }

uint64_t sdm_node_route(struct sdm_node *n, const struct sdm_table *t, uint32_t timeout_ms) {
  struct sdm_bytes copy = {0};
  sdm_table_encode(t, 0, t->n, &copy);
  struct sdm_cursor c = sdm_cursor_of(copy.p, copy.len);
  int rc = sdm_table_decode(&n->table, &c);
  sdm_bytes_fini(&copy);
  if (rc)
    return 0;
  sdm_table_ids(&n->table, 0, n->table.n, n->subtree);
  struct record *r = sdm_record_open(n, ++n->serial, SDM_REDUCE_SAME, timeout_ms);
  uint64_t request = r->request;
  begin_route(n, r, false, false);
  r = sdm_record_find(n, request);
  if (r)
    sdm_record_check(n, r);
  sdm_node_wake(n);
  return request;
}
