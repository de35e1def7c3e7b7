/* Requests at a node: who is still to answer, what came so far, and what is told upwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/overlay/node_private.h"

#define BODY_MAX (1u << 20)                      /* of one server's answer */
#define ANSWER_MAX (SDM_FRAME_MAX - (64u << 10)) /* of a merged one */
#define HOP_MARGIN_MS 100u /* at most so much of a deadline stays at one level */

struct record *sdm_record_find(struct sdm_node *n, uint64_t request) {
  for (struct record *r = n->records; r; r = r->next)
    if (r->request == request)
      return r;
  return NULL;
}

static void record_free(struct record *r) {
  sdm_set_free(r->waiting);
  sdm_set_free(r->late);
  sdm_answer_free(r->answer);
  sdm_bytes_fini(&r->payload);
  free(r);
}

void sdm_records_free(struct sdm_node *n) {
  while (n->records) {
    struct record *r = n->records;
    n->records = r->next;
    record_free(r);
  }
}

static struct record *next_finished(struct sdm_node *n) {
  for (struct record *r = n->records; r; r = r->next)
    if (!r->answered && sdm_set_is_empty(r->waiting))
      return r;
  return NULL;
}

void sdm_record_drop(struct sdm_node *n, struct record *r) {
  struct record **p = &n->records;
  while (*p != r)
    p = &(*p)->next;
  *p = r->next;
  n->nrecords--;
  record_free(r);
}

void sdm_records_reset(struct sdm_node *n) {
  struct sdm_set *self = sdm_set_add_element(sdm_set_new(), n->id);
  for (struct record *r = n->records, *next; r; r = next) {
    next = r->next;
    if (r->is_route)
      sdm_record_drop(n, r);
    else
      sdm_set_intersect(r->waiting, self);
  }
  sdm_set_free(self);
  for (struct record *r; (r = next_finished(n));)
    sdm_record_check(n, r);
}

struct record *sdm_record_open(struct sdm_node *n, uint64_t request, uint8_t reducer, uint32_t ms) {
  struct record *r = sdm_alloc(sizeof(*r));
  r->request = request;
  r->reducer = reducer;
  r->deadline = ms ? node_now(n) + (int64_t)ms * 1000 : 0;
  r->waiting = sdm_set_new();
  r->late = sdm_set_new();
  r->answer = sdm_answer_new(reducer);
  r->next = n->records;
  n->records = r;
  n->nrecords++;
  if (r->deadline)
    sdm_node_wake_at(n, r->deadline);
  return r;
}

/* The share of this level grows with the height below it, so that a node's children give up before it does. */
uint32_t sdm_record_ms_below(const struct sdm_node *n, const struct record *r) {
  if (!r->deadline)
    return 0;
  int64_t left = (r->deadline - node_now(n)) / 1000;
  unsigned height = sdm_tree_height(&n->table, 0, n->table.n, !node_is_root(n));
  int64_t margin = left / (2 * (int64_t)(height + 1));
  margin = margin > HOP_MARGIN_MS ? HOP_MARGIN_MS : margin < 1 ? 1 : margin;
  return left - margin > 1 ? (uint32_t)(left - margin) : 1;
}

static bool has_missing(const struct sdm_answer *a) {
  return !sdm_set_is_empty(a->dead) || !sdm_set_is_empty(a->timed_out) || !sdm_set_is_empty(a->unreachable);
}

static void tell(struct sdm_node *n, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  if (has_missing(a))
    flags |= SDM_FLAG_PARTIAL;
  sdm_node_flush_events(n); /* what a server said before stays before */
  if (node_is_root(n)) {
    n->ops->answer(n->arg, request, flags, a);
    return;
  }
  struct sdm_bytes body = {0};
  sdm_answer_encode(a, &body);
  if (body.len > ANSWER_MAX) { /* a frame above the limit would end the link */
    struct sdm_answer *less = sdm_answer_new(a->reducer);
    sdm_answer_merge(less, a);
    sdm_answer_fold(less, ANSWER_MAX);
    body.len = 0;
    sdm_answer_encode(less, &body);
    sdm_answer_free(less);
  }
  sdm_node_send_up(n,
                   &(struct sdm_frame){.type = SDM_REPLY, .flags = flags, .request = request, .payload = body.p, .payload_len = body.len});
  sdm_bytes_fini(&body);
}

/* Finished requests are kept newest first; the oldest go. */
static void forget_old(struct sdm_node *n) {
  uint32_t kept = 0;
  for (struct record **p = &n->records; *p;) {
    struct record *r = *p;
    bool useless = r->answered && node_is_root(n) && sdm_set_is_empty(r->late) && !r->is_route;
    if (r->answered && !r->is_route && (useless || ++kept > n->opt.keep_answers)) {
      *p = r->next;
      n->nrecords--;
      record_free(r);
    } else
      p = &r->next;
  }
}

void sdm_record_check(struct sdm_node *n, struct record *r) {
  if (r->answered || !sdm_set_is_empty(r->waiting))
    return;
  r->answered = true;
  sdm_bytes_fini(&r->payload);
  tell(n, r->request, 0, r->answer);
  forget_old(n);
}

void sdm_record_resend(struct sdm_node *n, struct record *r) { tell(n, r->request, 0, r->answer); }

/* Answers of ranks that were already reported as timed out. */
static void take_late(struct sdm_node *n, struct record *r, const struct sdm_answer *a, struct sdm_set *late) {
  struct sdm_answer *extra = sdm_answer_new(a->reducer);
  struct sdm_set *rest = sdm_answer_sources(a), *missing = sdm_answer_missing(a);
  sdm_set_diff(sdm_set_union(rest, missing), late);
  sdm_answer_merge(extra, a);
  sdm_answer_remove(extra, rest);
  sdm_set_diff(r->late, late);
  sdm_set_diff(r->answer->timed_out, late);
  sdm_answer_merge(r->answer, extra);
  bool answered = r->answered;
  uint64_t request = r->request;
  if (answered)
    tell(n, request, SDM_FLAG_SUPPLEMENT, extra);
  sdm_answer_free(extra);
  sdm_set_free(rest);
  sdm_set_free(missing);
}

/* Takes 'a' (changed by the call).  'r' may be gone afterwards. */
void sdm_record_take(struct sdm_node *n, struct record *r, struct sdm_answer *a, bool supplement) {
  struct sdm_set *named = sdm_answer_sources(a), *late = sdm_set_intersect(sdm_set_copy(named), r->late);
  if (!sdm_set_is_empty(late))
    take_late(n, r, a, late);
  if (!supplement && !r->answered) {
    struct sdm_set *missing = sdm_answer_missing(a);
    sdm_set_diff(sdm_set_union(named, missing), r->waiting); /* named twice, or never asked */
    sdm_answer_remove(a, named);
    sdm_set_union(r->late, a->timed_out);
    sdm_answer_merge(r->answer, a);
    sdm_set_free(missing);
    struct sdm_set *done = sdm_answer_sources(a);
    missing = sdm_answer_missing(a);
    sdm_set_diff(r->waiting, sdm_set_union(done, missing));
    sdm_set_free(done);
    sdm_set_free(missing);
    sdm_record_check(n, r);
  }
  sdm_set_free(late);
  sdm_set_free(named);
}

void sdm_record_ask(struct sdm_node *n, struct record *r, int slot, bool again) {
  struct sdm_set *part = sdm_set_intersect(sdm_set_copy(r->waiting), n->children[slot].ids);
  if (!sdm_set_is_empty(part)) {
    struct sdm_bytes dest = {0};
    sdm_node_put_set(&dest, part);
    sdm_node_send_child(n, slot,
                        &(struct sdm_frame){.type = SDM_CMD,
                                            .flags = again ? SDM_FLAG_REASK : 0,
                                            .request = r->request,
                                            .time = sdm_record_ms_below(n, r),
                                            .dest = dest.p,
                                            .dest_len = dest.len,
                                            .aggregate = &r->reducer,
                                            .aggregate_len = 1,
                                            .payload = r->payload.p,
                                            .payload_len = r->payload.len});
    sdm_bytes_fini(&dest);
  }
  sdm_set_free(part);
}

void sdm_records_lose(struct sdm_node *n, const struct sdm_set *ids, bool unreachable, const char *why) {
  for (struct record *r = n->records; r; r = r->next) {
    if (r->answered || !sdm_set_overlaps(r->waiting, ids))
      continue;
    if (r->is_route)
      sdm_answer_add(r->answer, SDM_CLASS_ERROR, ids, why, strlen(why), NULL, 0, 0);
    else
      sdm_set_union(unreachable ? r->answer->unreachable : r->answer->dead, ids);
    sdm_set_diff(r->waiting, ids);
  }
  for (struct record *r; (r = next_finished(n));)
    sdm_record_check(n, r);
}

void sdm_records_expire(struct sdm_node *n, int64_t now) {
  bool again = true;
  while (again) { /* telling an answer may change the list */
    again = false;
    for (struct record *r = n->records; r; r = r->next) {
      if (r->answered || !r->deadline)
        continue;
      if (r->deadline > now) {
        sdm_node_wake_at(n, r->deadline);
        continue;
      }
      sdm_set_union(r->answer->timed_out, r->waiting);
      sdm_set_union(r->late, r->waiting);
      sdm_set_clear(r->waiting);
      sdm_record_check(n, r);
      again = true;
      break;
    }
  }
}

static void start(struct sdm_node *n, struct record *r, const struct sdm_set *dest, uint16_t flags, const uint8_t *p, size_t len) {
  struct sdm_set *known = sdm_set_intersect(sdm_set_copy(dest), n->subtree);
  sdm_set_union(r->answer->unreachable, dest);
  sdm_set_diff(r->answer->unreachable, known);
  sdm_set_union(r->answer->dead, known);
  sdm_set_intersect(r->answer->dead, n->gone);
  sdm_set_assign(r->waiting, known);
  sdm_set_diff(r->waiting, n->gone);
  sdm_set_free(known);
  sdm_bytes_add(&r->payload, p, len);
  uint64_t request = r->request;
  uint32_t ms = sdm_record_ms_below(n, r);
  bool mine = !node_is_root(n) && sdm_set_contains(r->waiting, n->id);
  sdm_node_forward(n,
                   &(struct sdm_frame){.type = SDM_CMD,
                                       .flags = flags,
                                       .request = request,
                                       .time = ms,
                                       .aggregate = &r->reducer,
                                       .aggregate_len = 1,
                                       .payload = p,
                                       .payload_len = len},
                   r->waiting);
  if (mine)
    n->ops->command(n->arg, request, ms, p, len);
  r = sdm_record_find(n, request);
  if (r)
    sdm_record_check(n, r);
}

void sdm_node_take_cmd(struct sdm_node *n, const struct sdm_frame *f) {
  struct record *r = sdm_record_find(n, f->request);
  if (r) { /* asked again after a router was lost; it never runs twice */
    if (r->answered)
      sdm_record_resend(n, r);
    return;
  }
  struct sdm_set *dest = sdm_set_new();
  uint8_t reducer = f->aggregate_len ? f->aggregate[0] : SDM_REDUCE_SAME;
  if (sdm_set_deserialize(dest, (const char *)f->dest, f->dest_len, NULL) > 0 && f->request) {
    r = sdm_record_open(n, f->request, reducer, f->time);
    if (n->nrecords > NODE_RECORDS_MAX + n->opt.keep_answers) {
      static const char what[] = "too many open requests";
      sdm_answer_add(r->answer, SDM_CLASS_ERROR, dest, what, sizeof(what) - 1, NULL, 0, n->id);
      sdm_record_check(n, r);
    } else
      start(n, r, dest, f->flags, f->payload, f->payload_len);
  }
  sdm_set_free(dest);
}

void sdm_node_take_reply(struct sdm_node *n, int slot, const struct sdm_frame *f) {
  struct record *r = sdm_record_find(n, f->request);
  struct sdm_answer *a = r ? sdm_answer_decode(f->payload, f->payload_len, SDM_ID_MAX) : NULL;
  if (a)
    sdm_node_take_answer(n, slot, f->request, a);
  r = a ? sdm_record_find(n, f->request) : NULL; /* who is back may be asked at once, and forget an old one */
  if (r)
    sdm_record_take(n, r, a, f->flags & SDM_FLAG_SUPPLEMENT);
  sdm_answer_free(a);
}

uint64_t sdm_node_request(struct sdm_node *n, const struct sdm_set *dest, uint8_t reducer, uint32_t timeout_ms, const void *p, size_t len) {
  struct record *r = sdm_record_open(n, ++n->serial, reducer, timeout_ms);
  uint64_t request = r->request;
  n->event_last = 0; /* what follows is of this request: the burst before it has ended */
  start(n, r, dest, 0, p, len);
  return request;
}

void sdm_node_reply(struct sdm_node *n, uint64_t request, uint8_t kind, const void *body, size_t len, const void *detail,
                    size_t detail_len) {
  struct record *r = sdm_record_find(n, request);
  if (!r)
    return;
  struct sdm_answer *a = sdm_answer_new(r->reducer);
  struct sdm_set *self = sdm_set_add_element(sdm_set_new(), n->id);
  char why[80];
  if (len > BODY_MAX) {
    len = (size_t)snprintf(why, sizeof(why), "the answer has %zu bytes, more than %u", len, BODY_MAX);
    body = why;
    kind = SDM_CLASS_ERROR;
  }
  sdm_answer_add(a, kind, self, body, len, detail, detail_len > BODY_MAX ? 0 : detail_len, n->id);
  sdm_record_take(n, r, a, false);
  sdm_set_free(self);
  sdm_answer_free(a);
}
