/* One node of the tree, without sockets and without a clock of its own: frames and times go in, frames come out
 * through a table of functions.  The same code runs over TCP, unix sockets and the simulator.
 *
 * The root (the master, or a front end in one process with it) has no parent; it alone starts requests.  A server has
 * a rank.  Life of a server: waits for ROUTE from whoever dials it, takes that link as its parent, dials its children
 * and hands each its slice; then passes commands down and answers up.  When a child is lost its slice is split once
 * more and the grandchildren are dialled with ADOPT; when the parent is lost the server waits to be adopted.
 *
 * A lost server may only have been silent (stopped, its link cut), and those that it led have another parent by then.  It is
 * dialled for as long as nobody refuses, and gets a slice of itself alone; with a slice that it does not know a server
 * forgets its children.  No server adopts others before its own parent has answered: one that was abandoned without knowing it must not
 * take back those that it led.
 *
 * Every request ends in exactly one answer with or without SDM_FLAG_PARTIAL, at its deadline at the latest;
 * supplements may follow. */
#ifndef SDM_NODE_H
#define SDM_NODE_H
#include "sdm/answer.h"
#include "sdm/frame.h"
#include "sdm/iolist.h"
#include "sdm/set.h"
#include "sdm/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only for those who write a transport; programs of the tree need sdm.h alone.  A transport of another kind (another network, a message layer, a
 * simulator) is a table of these functions.  The sources of libsdm have one in a hundred lines (test/unit/sdm/transport.c).
 * Nodes allocate with sdm_alloc (bytes.h has what happens without memory) and are used by one thread at a time. */
struct sdm_node;

enum { SDM_SLOT_PARENT = -1, SDM_SLOT_NONE = -2 }; /* children have slots 0, 1, ... */

/* 'arg' is what sdm_node_new got.  Frames are borrowed for the call. */
struct sdm_node_ops {
  int64_t (*now)(void *arg); /* us, never goes back */
  void (*send)(void *arg, void *link, const struct sdm_frame *f);
  /* Connects to the server of 'e' until 'until' (us; INT64_MAX: for as long as it is not refused); answers with
   * sdm_node_dialled, perhaps at once. */
  void (*dial)(void *arg, int slot, const struct sdm_table *t, const struct sdm_entry *e, int64_t until);
  void (*bind)(void *arg, void *link, int slot); /* from now on, frames of 'link' carry this slot */
  void (*drop)(void *arg, void *link); /* closes it; no sdm_node_lost follows */
  void (*wake)(void *arg, int64_t at); /* calls sdm_node_wake at that time, or somewhat later */
  /* A command for this server.  Answer it with sdm_node_reply, now or later. */
  void (*command)(void *arg, uint64_t request, uint32_t ms_left, const void *p, size_t len);
  void (*input)(void *arg, const struct sdm_iolist *l); /* stdin for this server's program */
  void (*credit)(void *arg, uint64_t bytes); /* this many more bytes of output may be sent */
  void (*orphan)(void *arg, bool alone); /* the parent is lost (true), or one is there, the first or a new one (false) */
  void (*bye)(void *arg); /* the session ends */
  /* Root only.  The answer is borrowed. */
  void (*answer)(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a);
  void (*event)(void *arg, const struct sdm_answer *a);
  void (*output)(void *arg, const struct sdm_iolist *l);
  void (*lost)(void *arg, const struct sdm_set *ids, const char *why);
  void (*back)(void *arg, const struct sdm_set *ids); /* lost ones that were only silent answer again */
};

struct sdm_node_options {
  uint32_t ping_ms; /* 0: no heart-beats; a link is lost after three without an answer; default 2000 */
  uint32_t hold_us; /* events are held back this long in total to be merged; default 5000 */
  uint32_t keep_answers; /* finished requests that can be answered again; default 64 */
  /* Of a root: where its epochs and requests begin.  Servers whose root was lost may be taken over by another one: higher
   * than all that they have seen. */
  uint32_t epoch;
  uint64_t serial;
};

/* 'arg' goes to every function of 'ops', which lives as long as the node; all of them must be given. */
struct sdm_node *sdm_node_new(const struct sdm_node_ops *ops, void *arg, sdm_id id, const struct sdm_node_options *o);
void sdm_node_free(struct sdm_node *n);

/* From the transport. */
void sdm_node_recv(struct sdm_node *n, void *link, int slot, const struct sdm_frame *f);
void sdm_node_dialled(struct sdm_node *n, int slot, void *link, const char *why); /* link NULL: failed, and why */
void sdm_node_lost(struct sdm_node *n, int slot, const char *why);
void sdm_node_wake(struct sdm_node *n);

/* Root.  The table is copied.  The returned request is answered with body "ready" by every server that is in the
 * tree, and an error body (the reason) for every one that is not. */
uint64_t sdm_node_route(struct sdm_node *n, const struct sdm_table *t, uint32_t timeout_ms);
/* 'timeout_ms' 0: no limit.  Ids that are not in the tree are answered as unreachable. */
uint64_t sdm_node_request(struct sdm_node *n, const struct sdm_set *dest, uint8_t reducer, uint32_t timeout_ms, const void *p, size_t len);
void sdm_node_send_input(struct sdm_node *n, const struct sdm_set *dest, bool eof, const void *p, size_t len);
void sdm_node_send_credit(struct sdm_node *n, const struct sdm_set *dest, uint64_t bytes);
void sdm_node_send_bye(struct sdm_node *n);

/* Server.  A reply to a request that is not open (answered, forgotten) is dropped. */
void sdm_node_reply(struct sdm_node *n, uint64_t request, uint8_t kind, const void *body, size_t len, const void *detail,
                    size_t detail_len);
void sdm_node_event(struct sdm_node *n, const void *body, size_t len);
void sdm_node_output(struct sdm_node *n, uint8_t stream, bool eof, const void *p, size_t len);

sdm_id sdm_node_id(const struct sdm_node *n);
bool sdm_node_is_led(const struct sdm_node *n); /* a server with a parent */
sdm_id sdm_node_parent(const struct sdm_node *n); /* SDM_MASTER for the first servers; SDM_ID_NONE: no parent */
const struct sdm_set *sdm_node_subtree(const struct sdm_node *n); /* ids below and its own; borrowed */
const struct sdm_set *sdm_node_gone(const struct sdm_node *n); /* ids known to be lost; borrowed */
/* The children that lead to 'dest'; the part of 'dest' that can be reached from here.  The caller frees. */
struct sdm_set *sdm_node_next_hops(const struct sdm_node *n, const struct sdm_set *dest);
struct sdm_set *sdm_node_reachable(const struct sdm_node *n, const struct sdm_set *dest);
#ifdef __cplusplus
}
#endif
#endif
