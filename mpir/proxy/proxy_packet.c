/* What another node's proxy has sent is looked at before it is believed: it may be of another version, and its host may be ill. */
#include <string.h>
#include "mpir/proxy/proxy_fresh.h"

static bool is_of(const struct proxy *p, uint32_t rank, int peer) {
  return rank < p->job->nranks && (int)mpl_state(p->job, rank)->node + 1 == peer;
}
static bool is_here(const struct proxy *p, uint32_t rank) { return rank >= p->first && rank < p->end; }

/* A reader follows the sizes of records, and copies as many bytes as one says. */
static const char *wrong_records(const char *data, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes;) {
    struct mpl_record r;
    const uint32_t rest = bytes - at;
    memcpy(&r, data + at, rest < sizeof(r) ? rest : sizeof(r));
    const uint64_t word = atomic_load_explicit(&r.head, memory_order_relaxed), size = word >> 8;
    const enum mpl_kind kind = (enum mpl_kind)(word & 0xff);
    if (!size || size % 16 || size > rest)
      return "a record's size";
    if (kind < MPL_SKIP || kind > MPL_CANCELLED)
      return "a record's kind";
    if (kind != MPL_SKIP && size < sizeof(r))
      return "a record's size";
    const bool carries = kind == MPL_EAGER || kind == MPL_EAGER_SYNC || kind == MPL_DATA;
    if (carries && r.bytes > size - sizeof(r))
      return "a record's data";
    at += (uint32_t)size;
  }
  return NULL;
}

static const char *wrong_data(const struct proxy *p, int peer, const struct proxy_head *head, const char *data) {
  const uint64_t room = p->job->ring_bytes;
  if (!is_here(p, head->to) || (head->kind == PROXY_DATA && !is_of(p, head->from, peer)))
    return "ranks";
  const struct mpl_ring *ring = mpl_ring_at(p->job, head->from, head->to);
  const uint64_t taken = atomic_load(&ring->taken[0]), written = atomic_load(&ring->written), end = head->position + head->bytes;
  const bool is_twofold = head->kind == PROXY_CROSS || proxy_is_gone(p, head->from, true); /* the other set has sent it, too */
  if ((is_twofold ? head->position > written + room : head->position != written) || head->position % 16)
    return "a position";
  if (!head->bytes || head->bytes > room || (head->position & (room - 1)) + head->bytes > room || (end > taken && end - taken > room))
    return "a length";
  return wrong_records(data, head->bytes);
}

static const char *wrong_taken(const struct proxy *p, int peer, const struct proxy_head *head) {
  if (!is_here(p, head->from) || !is_of(p, head->to, peer))
    return "ranks";
  if (proxy_is_gone(p, head->to, true)) /* it does not count any more */
    return NULL;
  const struct mpl_ring *ring = mpl_ring_at(p->job, head->from, head->to);
  return head->position < atomic_load(&ring->taken[0]) || head->position > atomic_load(&ring->written) ? "a position" : NULL;
}

/* A shadow does what they say. */
static const char *wrong_entries(const struct proxy *p, const struct proxy_head *head, const char *data) {
  for (uint32_t at = sizeof(uint64_t); at < head->bytes; at += sizeof(struct replica_entry)) {
    struct replica_entry e;
    memcpy(&e, data + at, sizeof(e));
    const uint64_t event = e.what & 0xff, rank = (e.what >> 8) & 0xffffff;
    if (event < REPLICA_IN || event > REPLICA_SUM)
      return "an event";
    if (event == REPLICA_VALUE ? rank < REPLICA_WTIME || rank > REPLICA_PRELOADED : rank >= p->job->nranks)
      return "ranks";
  }
  return NULL;
}

/* From the other set. */
static const char *wrong_cross(const struct proxy *p, int peer, const struct proxy_head *head, const char *data) {
  const bool leads = p->node == MPL_NODES_MAX;
  const uint32_t n = p->job->nranks;
  uint64_t taken;
  if (!p->set || (!leads && peer))
    return "a kind";
  if (head->from >= n || head->to >= n || head->from == head->to)
    return "ranks";
  if (head->kind == PROXY_CROSS)
    return leads                                ? is_of(p, head->from, peer) ? NULL : "ranks"
           : proxy_is_gone(p, head->from, true) ? wrong_data(p, peer, head, data)
                                                : "a kind";
  if (leads ? !is_of(p, head->to, peer) : !is_here(p, head->from))
    return "ranks";
  if (head->bytes != sizeof(taken))
    return "a length";
  memcpy(&taken, data, sizeof(taken));
  return taken > head->position || head->position >= UINT64_MAX / 4 ? "a position" : NULL;
}

static const char *wrong_cut(const struct proxy *p, const struct proxy_head *head, const char *data) {
  struct fresh_cut c;
  if (head->bytes != fresh_cut_bytes(p->job->nranks))
    return "a length";
  memcpy(&c, data, head->bytes);
  if (c.nranks != p->job->nranks || !memchr(c.folder, 0, sizeof(c.folder)))
    return "a cut";
  for (uint32_t i = 0; i < c.nranks; i++)
    if (c.rings[i].in % 16 || c.rings[i].out % 16 || c.rings[i].in >= UINT64_MAX / 4 || c.rings[i].out >= UINT64_MAX / 4)
      return "a position";
  return NULL;
}

/* A replica is made anew: what a host says to the controller's proxy, and that one to hosts. */
static const char *wrong_fresh(const struct proxy *p, int peer, const struct proxy_head *head, const char *data) {
  static const bool from_node[FRESH_STEPS] = {[FRESH_ASKS] = true,   [FRESH_CUT] = true,    [FRESH_REACHED] = true, [FRESH_MADE] = true,
                                              [FRESH_JOINED] = true, [FRESH_FAILED] = true, [FRESH_LATER] = true},
                    to_node[FRESH_STEPS] = {[FRESH_WANTED] = true, [FRESH_MAY] = true, [FRESH_CUT] = true,   [FRESH_MAKE] = true,
                                            [FRESH_BACK] = true,   [FRESH_GO] = true,  [FRESH_FAILED] = true};
  const bool leads = p->node == MPL_NODES_MAX, is_cut = head->to == FRESH_CUT || head->to == FRESH_BACK,
             is_text = head->to == FRESH_MAY || head->to == FRESH_FAILED;
  if (!p->set || head->to >= FRESH_STEPS || (leads ? !from_node[head->to] : peer || !to_node[head->to]))
    return "a kind";
  if (leads && (peer < 1 || (uint32_t)peer > p->nnodes))
    return "a node";
  if (head->from >= p->job->nranks || (!leads && !is_cut && !is_here(p, head->from)))
    return "ranks";
  if (is_cut)
    return wrong_cut(p, head, data);
  if (is_text ? !head->bytes || head->bytes > sizeof(((struct fresh_cut *)0)->folder) || data[head->bytes - 1] : head->bytes != 0)
    return "a length";
  return NULL;
}

/* Between a node and the controller's proxy.  Positions are compared by those who have what they count. */
static const char *wrong_of_set(const struct proxy *p, int peer, const struct proxy_head *head, const char *data) {
  const bool leads = p->node == MPL_NODES_MAX;
  const enum proxy_kind kind = (enum proxy_kind)head->kind;
  if (!p->set || (!leads && peer) || (kind == PROXY_OUTPUT && !leads) || (kind == PROXY_PRINTED && leads) ||
      ((kind == PROXY_ALIVE || kind == PROXY_COUNTED || kind == PROXY_DIFFERS) && !leads))
    return "a kind";
  if (kind == PROXY_ALIVE)
    return peer >= 1 && (uint32_t)peer <= p->nnodes ? NULL : "a node";
  if (kind == PROXY_ROLE)
    return leads ? "a kind" : head->from >= p->job->nranks ? "ranks" : head->to < 2 * PROXY_LEADS ? NULL : "a role";
  if (leads ? !is_of(p, head->from, peer) : !is_here(p, head->from))
    return "ranks";
  if (kind == PROXY_LOG)
    return head->bytes % 16 == 8 ? wrong_entries(p, head, data) : "a length";
  if (kind == PROXY_COUNTED)
    return head->bytes == sizeof(struct proxy_counted) ? NULL : "a length";
  if (kind == PROXY_DIFFERS)
    return head->bytes == sizeof(struct proxy_differs) ? NULL : "a length";
  if (kind == PROXY_REPLAYED)
    return head->bytes == 8 ? NULL : "a length";
  if (kind == PROXY_OUTPUT && (head->bytes <= sizeof(uint64_t) || head->bytes > sizeof(struct proxy_output)))
    return "a length";
  return head->to < 2 ? NULL : "a stream";
}

const char *proxy_packet_wrong(const struct proxy *p, int peer, const struct proxy_head *head, const char *data, size_t received) {
  const bool leads = p->node == MPL_NODES_MAX;
  if (received < sizeof(*head) || received - sizeof(*head) != head->bytes || head->bytes > PROXY_PIECE)
    return "a length";
  switch ((enum proxy_kind)head->kind) {
  case PROXY_DATA: return leads ? "a kind" : wrong_data(p, peer, head, data);
  case PROXY_TAKEN: return leads ? "a kind" : wrong_taken(p, peer, head);
  case PROXY_FLAGS: return leads || peer ? "a kind" : head->bytes == sizeof(struct proxy_flags) ? NULL : "a length";
  case PROXY_QUESTION: return leads || peer ? "a kind" : head->bytes <= MPL_BOX_BYTES ? NULL : "a length";
  case PROXY_STATE:
    return !leads ? "a kind" : !is_of(p, head->from, peer) ? "ranks" : head->bytes == sizeof(struct mpl_rank_state) ? NULL : "a length";
  case PROXY_ABORTED: return leads ? NULL : "a kind";
  case PROXY_ANSWER: return !leads || peer < 1 || (uint32_t)peer > p->nnodes ? "a kind" : head->bytes <= MPL_BOX_BYTES ? NULL : "a length";
  case PROXY_CROSS:
  case PROXY_ENDS: return wrong_cross(p, peer, head, data);
  case PROXY_FRESH: return wrong_fresh(p, peer, head, data);
  case PROXY_ROLE:
  case PROXY_LOG:
  case PROXY_REPLAYED:
  case PROXY_OUTPUT:
  case PROXY_PRINTED:
  case PROXY_ALIVE:
  case PROXY_COUNTED:
  case PROXY_DIFFERS: return wrong_of_set(p, peer, head, data);
  default: return "a kind";
  }
}
