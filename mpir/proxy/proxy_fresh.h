/* A fresh replica of a rank that has lost one of its two, which are on different hosts: an image of the one that is left is restored on the lost one's host.
   docs/replication.md says in which order, and why.  One is made at a time.  Its packets are PROXY_FRESH, 'from' is the rank and 'to' the step: */
#ifndef MPIR_PROXY_FRESH_H
#define MPIR_PROXY_FRESH_H
#include "mpir/proxy/proxy.h"

enum fresh_step {
  FRESH_WANTED, /* to the host of the one that is left */
  FRESH_ASKS, /* from there: it stands, and the other set has all that it has sent */
  FRESH_MAY, /* its turn: the folder for the image is the data */
  FRESH_CUT, /* from there: the image is there.  Also to the other set, and to all of its nodes: struct fresh_cut */
  FRESH_REACHED, /* from each of these: what its ranks have sent there reaches the cut */
  FRESH_MAKE, /* to the lost one's host */
  FRESH_MADE, /* from there: it stands as restored; 'position' is its process */
  FRESH_BACK, /* to all nodes of its set, and then of the other one: it counts again */
  FRESH_JOINED, /* from each of these */
  FRESH_GO, /* to both hosts: both replicas go on */
  FRESH_FAILED, /* to or from a host, with the reason: it stays lost */
  FRESH_LATER, /* from the host of the one that is left, in place of the image: it has to take something before */
  FRESH_STEPS
};

/* Where the one that is left stands.  Of the ring from or to each other rank: positions of its end, and 1 more than that of the record that it took last. */
struct fresh_ring {
  uint64_t in, out, last;
};
struct fresh_cut {
  uint64_t logged, step, printed[REPLICA_STREAMS];
  uint32_t unexpected, nranks;
  char folder[4096];
  struct fresh_ring rings[MPL_RANKS_MAX];
};
static inline uint32_t fresh_cut_bytes(uint32_t nranks) {
  return (uint32_t)(offsetof(struct fresh_cut, rings) + nranks * sizeof(struct fresh_ring));
}

/* --- proxy_fresh.c: a node --- */
void proxy_fresh_open(struct proxy *p);
void proxy_fresh_take(struct proxy *p, const struct proxy_head *head, const char *data);
bool proxy_fresh_progress(struct proxy *p);
void proxy_fresh_ended(struct proxy *p, pid_t pid, int how); /* a child of the proxy */
void proxy_fresh_release(struct proxy *p); /* the other set is lost: who stands goes on */

/* --- proxy_fresh_back.c: there --- */
/* Whether what the ranks of this node have sent to 'rank' reaches the cut. */
bool proxy_fresh_reached(const struct proxy *p, uint32_t rank, const struct fresh_cut *cut);
/* On the lost one's host: all that it shares is as if it had come to the cut by itself. */
void proxy_fresh_prepare(struct proxy *p, uint32_t rank, const struct fresh_cut *cut);
/* The replica counts again, in this set or the other one. */
void proxy_fresh_back(struct proxy *p, uint32_t rank, const struct fresh_cut *cut);

/* Whether 'rank', which is alone here, has still to take what the other set would not have for its fresh replica: another one began anew there, and its ring with it. */
bool proxy_fresh_owes(const struct proxy *p, uint32_t rank);

/* --- proxy_fresh_make.c: processes that save and restore one rank --- */
struct fresh_maker {
  pid_t pid; /* 0: none */
  int fd; /* what it says; -1 */
};
int proxy_fresh_save(const struct proxy *p, uint32_t rank, const char *folder, struct fresh_maker *m);
/* 'streams': standard output and error of the process. */
int proxy_fresh_restore(const struct proxy *p, uint32_t rank, const char *folder, const int streams[REPLICA_STREAMS],
                        struct fresh_maker *m);

/* --- proxy_fresh_head.c: at the controller of a set --- */
void proxy_fresh_head_open(const struct proxy *p, struct sets *shared, unsigned side);
void proxy_fresh_head_take(struct proxy *p, const struct proxy_head *head, const char *data);
bool proxy_fresh_head_progress(struct proxy *p);
#endif
