/* A whole tree in one process over an in-memory transport with a simulated clock: same seed, same run.
 * Frames are encoded and decoded as on a real link.  Each node handles one frame at a time: handling and sending cost
 * time, links have latency with jitter and a bandwidth, so that the shape of the tree shows in the latency. */
#ifndef SDM_SIM_H
#define SDM_SIM_H
#include "sdm/node.h"

struct sdm_sim;

struct sdm_sim_options {
  uint32_t nodes; /* servers */
  struct sdm_shape shape;
  uint32_t hosts;          /* servers are spread over so many hosts in blocks; 0: one */
  uint64_t seed;
  uint32_t latency_us, jitter_us, send_us, recv_us; /* defaults with sdm_sim_defaults */
  uint32_t bytes_per_us;
  struct sdm_node_options node;
  /* Behaviour of a server; NULL: answers "ok" at once.  Calls sdm_sim_reply or sdm_sim_event. */
  void (*command)(void *arg, struct sdm_sim *sim, sdm_id id, uint64_t request, const void *p, size_t len);
  /* What reaches the root. */
  void (*answer)(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a);
  void (*event)(void *arg, const struct sdm_answer *a);
  void (*output)(void *arg, const struct sdm_iolist *l);
  void (*lost)(void *arg, const struct sdm_set *ids, const char *why);
  void (*back)(void *arg, const struct sdm_set *ids);
  void *arg;
};

struct sdm_sim_stats {
  uint64_t frames, bytes, root_frames; /* root_frames: those that the root got */
  uint64_t trace; /* digest of the whole run */
  int64_t now_us;
};

struct sdm_sim_options sdm_sim_defaults(uint32_t nodes);
struct sdm_sim *sdm_sim_new(const struct sdm_sim_options *o);
void sdm_sim_free(struct sdm_sim *s);

struct sdm_node *sdm_sim_root(struct sdm_sim *s);
struct sdm_node *sdm_sim_node(struct sdm_sim *s, sdm_id id);
/* Dials and routes; the answer to the returned request tells the result. */
uint64_t sdm_sim_route(struct sdm_sim *s, uint32_t timeout_ms);
/* Runs until nothing is left to do or 'us' have passed. */
void sdm_sim_run(struct sdm_sim *s, int64_t us);
void sdm_sim_reply(struct sdm_sim *s, sdm_id id, uint64_t request, const void *p, size_t len, int64_t after_us);
void sdm_sim_event(struct sdm_sim *s, sdm_id id, const void *p, size_t len, int64_t after_us);

/* Faults, 'after_us' from now. */
void sdm_sim_kill(struct sdm_sim *s, sdm_id id, int64_t after_us);
void sdm_sim_stop(struct sdm_sim *s, sdm_id id, int64_t after_us, int64_t for_us); /* as SIGSTOP, then SIGCONT */

struct sdm_sim_stats sdm_sim_stats(const struct sdm_sim *s);
#endif
