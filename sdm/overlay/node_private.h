/* The inside of a node: node.c joins tree, requests and events. */
#ifndef SDM_NODE_PRIVATE_H
#define SDM_NODE_PRIVATE_H
#include "sdm/node.h"

#define NODE_RECORDS_MAX 1024u /* open requests at one node; more are refused */

enum child_state { CHILD_DUE, CHILD_DIALLING, CHILD_UP, CHILD_LOST }; /* due: to be dialled, once we know that we may */

struct child {
  size_t lo, hi; /* its slice of the node's table */
  void *link;
  uint8_t state;
  bool adopted;  /* it had another parent, and has not answered our slice yet */
  bool recalled; /* the same, and it was lost: counted as gone until it answers */
  struct sdm_set *ids;
  int64_t heard, said; /* us: last frame from it, last frame to it */
};

/* A request at this node.  Open while 'waiting' is not empty; then kept for a while, to be told again. */
struct record {
  uint64_t request;
  bool is_route, answered;
  uint8_t reducer;
  int64_t deadline; /* us; 0: none */
  struct sdm_set *waiting; /* no word from them yet, own id included */
  struct sdm_set *late;    /* reported as timed out, may still come */
  struct sdm_answer *answer;
  struct sdm_bytes payload; /* of the command, as long as somebody may have to be asked again */
  struct record *next;
};

struct sdm_node {
  const struct sdm_node_ops *ops;
  void *arg;
  struct sdm_node_options opt;
  sdm_id id, parent_id;
  uint32_t epoch, led_epoch, depth; /* the highest that is known here; that under which the parent leads us */
  uint64_t serial, proof; /* proof: number of the PING that the parent is to answer before we adopt; 0: none */
  void *parent;
  int64_t parent_heard, parent_said;
  struct sdm_table table;
  size_t nchildren, cap;
  struct child *children;
  struct sdm_set *subtree, *gone;
  struct record *records; /* newest first */
  size_t nrecords;
  struct held *held; /* events waiting for company; see node_event.c */
  size_t nheld;
  int64_t event_flush, event_limit;
  int64_t event_last, event_hold; /* root: last time it told some, and how long it holds them in a burst */
  struct sdm_iolist io;
  struct sdm_set *self; /* this node alone, or NULL: not needed yet */
  int64_t io_flush, io_limit;
  int64_t next_wake, next_ping;
};

static inline int64_t node_now(const struct sdm_node *n) { return n->ops->now(n->arg); }
static inline bool node_is_root(const struct sdm_node *n) { return n->id >= SDM_MASTER; }
static inline bool node_is_heard(const struct sdm_node *n) { return node_is_root(n) || n->parent; }

/* node.c */
void sdm_node_wake_at(struct sdm_node *n, int64_t at);
void sdm_node_send_up(struct sdm_node *n, const struct sdm_frame *f);
void sdm_node_send_child(struct sdm_node *n, int slot, const struct sdm_frame *f);
void sdm_node_forward(struct sdm_node *n, const struct sdm_frame *f, const struct sdm_set *dest);
void sdm_node_put_set(struct sdm_bytes *out, const struct sdm_set *set);

/* node_tree.c */
void sdm_node_take_route(struct sdm_node *n, void *link, const struct sdm_frame *f);
void sdm_node_take_adopt(struct sdm_node *n, void *link, const struct sdm_frame *f);
void sdm_node_take_dead(struct sdm_node *n, const struct sdm_frame *f);
void sdm_node_note_dead(struct sdm_node *n, struct sdm_set *ids, const char *why); /* changes 'ids' */
void sdm_node_take_back(struct sdm_node *n, const struct sdm_frame *f);
void sdm_node_adopt(struct sdm_node *n); /* dials children that are due, as soon as the parent has answered */
void sdm_node_take_pong(struct sdm_node *n, uint64_t number); /* of the parent */
void sdm_node_take_answer(struct sdm_node *n, int slot, uint64_t request, const struct sdm_answer *a); /* to a slice, perhaps */
void sdm_node_take_refusal(struct sdm_node *n, int slot, const struct sdm_frame *f);
void sdm_node_lose_child(struct sdm_node *n, int slot, const char *why);

/* node_request.c */
struct record *sdm_record_find(struct sdm_node *n, uint64_t request);
struct record *sdm_record_open(struct sdm_node *n, uint64_t request, uint8_t reducer, uint32_t ms);
void sdm_record_drop(struct sdm_node *n, struct record *r);
void sdm_record_take(struct sdm_node *n, struct record *r, struct sdm_answer *a, bool supplement);
void sdm_record_check(struct sdm_node *n, struct record *r);
void sdm_record_resend(struct sdm_node *n, struct record *r);
void sdm_record_ask(struct sdm_node *n, struct record *r, int slot, bool again);
void sdm_records_lose(struct sdm_node *n, const struct sdm_set *ids, bool unreachable, const char *why);
void sdm_records_expire(struct sdm_node *n, int64_t now);
void sdm_records_free(struct sdm_node *n);
void sdm_records_reset(struct sdm_node *n); /* no server is below any more: only our own part of each remains; routes are dropped */
uint32_t sdm_record_ms_below(const struct sdm_node *n, const struct record *r);
void sdm_node_take_cmd(struct sdm_node *n, const struct sdm_frame *f);
void sdm_node_take_reply(struct sdm_node *n, int slot, const struct sdm_frame *f);

/* node_event.c */
void sdm_node_take_event(struct sdm_node *n, const struct sdm_frame *f);
void sdm_node_take_io(struct sdm_node *n, bool from_parent, const struct sdm_frame *f);
void sdm_node_drop_events(struct sdm_node *n);
void sdm_node_flush_events(struct sdm_node *n);
void sdm_node_flush_io(struct sdm_node *n);
void sdm_node_expire_holds(struct sdm_node *n, int64_t now);
#endif
