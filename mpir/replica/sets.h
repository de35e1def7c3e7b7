/* Mains on one half of the hosts, shadows on the other: two jobs on several hosts of their own, each with its mpirun and its proxies, and what joins them, the
   memory of the command that has started both.  Only determinants go from one set to the other: shadows send each other what their mains send each other.
   When a rank has lost one of its replicas, what the other one sends goes to both sets, until a fresh one is made in its place.  A host that is lost takes its
   whole set with it, which begins anew.
   docs/replication.md tells why nothing is lost. */
#ifndef REPLICA_SETS_H
#define REPLICA_SETS_H
#include "mpir/replica/shared.h"

enum { SETS_MAINS, SETS_SHADOWS, SETS };
enum { SETS_RUNS, SETS_LOST_HOST, SETS_SILENT }; /* what became of a set that did not end by itself */
/* How a set begins: with the program; as its ranks were in a snapshot; without ranks, which are all made anew from those of the other set. */
enum sets_begin { SETS_BEGIN_PROGRAM, SETS_BEGIN_SNAPSHOT, SETS_BEGIN_EMPTY };
enum { SETS_NO_MAIN = 1, SETS_NO_SHADOW = 2, SETS_GONE = 3 }; /* of a rank, bits: a replica that is lost; 1 << side */

/* A replica is made anew (mpir/proxy/proxy_fresh.h).  Who takes the next step: */
enum sets_fresh_state {
  SETS_FRESH_NONE, /* a controller's proxy, of a set where a rank stands for it */
  SETS_FRESH_BEGINS, /* that one fills in what is here */
  SETS_FRESH_BEGUN, /* likewise: the image is taken */
  SETS_FRESH_SAVED, /* the command: what was printed until then is its own */
  SETS_FRESH_CLONED, /* the other one's proxy: it is restored */
  SETS_FRESH_RESTORED, /* the first one's: its nodes know it */
  SETS_FRESH_JOINED, /* the other one's: it counts */
  SETS_FRESH_LIVES, /* the first one's: the one that is left goes on */
  SETS_FRESH_OVER, /* the command takes notice */
  SETS_FRESH_FAILED, /* the first one's: likewise, without another one */
  SETS_FRESH_REFUSED, /* the command takes notice */
  SETS_FRESH_HELD /* the command: none is made, since the job is saved */
};
struct sets_fresh {
  _Atomic uint32_t state;
  uint32_t rank, left; /* left: the set of the replica that is left */
  char text[512]; /* why there is none */
};

/* Of a rank.  Entries of the log are written by the head of the set whose replica leads, which has them from that one's host, and read by the head of the other set. */
struct sets_rank {
  _Atomic uint64_t logged; /* entries that have come */
  _Atomic uint64_t committed; /* those before it may be followed: all that they depend on is here, too */
  _Atomic uint64_t step; /* steps passed with these */
  _Atomic uint64_t replayed, replayed_step; /* by the one that follows */
  _Atomic int32_t lost[SETS],
      ended[SETS]; /* of each replica, told by its controller: 0, or 1 more than wait(2) had; 'ended': as it should */
  _Atomic int64_t lost_ns; /* CLOCK_MONOTONIC of the command's host, when that of the one that led was noticed */
  _Atomic uint32_t leader; /* the set whose replica leads, or is the last that did */
  _Atomic uint32_t whole; /* that one is lost; all that it has logged has come and is committed */
  _Atomic uint32_t wanted, made; /* a fresh one in place of the lost one; how often there was one */
  _Atomic uint32_t versions[SETS]; /* of 'states', which are told where the other replica is lost */
  struct mpl_rank_state states[SETS];
  struct replica_counters counters[SETS]; /* as its hosts have told last */
  uint32_t takeovers, followers_lost; /* counted by the command */
  _Atomic uint64_t lag_max; /* entries */
  _Atomic int64_t leads_ns; /* CLOCK_MONOTONIC of the command's host, when the other one led; 0: it does not */
  _Atomic uint32_t differs; /* 1: these hold */
  struct replica_difference difference;
  char place[REPLICA_PLACE_BYTES];
  int32_t streams[SETS][REPLICA_STREAMS]; /* writing ends of what is printed, in the command */
};

struct sets_side {
  uint32_t begins; /* enum sets_begin */
  _Atomic int32_t controller, memory; /* process, and its descriptor of the memory where its hosts tell of themselves; 0: not yet */
  _Atomic int32_t head; /* process that carries what its hosts say */
  _Atomic int64_t head_start; /* when that one began: its number may be another's by now */
  _Atomic uint64_t beat; /* counts while that one runs */
  _Atomic int32_t mpirun; /* -1: it could not be started */
  _Atomic uint32_t runs; /* all its ranks were there */
  _Atomic uint32_t lost, node; /* enum above; the node that is silent */
  _Atomic uint32_t done; /* 1: all ranks have ended, here or there */
  _Atomic uint32_t rests; /* its head does, and is to be woken */
  int32_t way[2]; /* ends of a pipe to its head from the other one, in the command: packets */
  _Atomic uint32_t life; /* counts how often it was begun anew: both ways are new then */
};

struct sets {
  int32_t command;
  uint32_t nranks, determinants, heartbeat_ms, mode, refresh;
  _Atomic uint32_t alone; /* 1: there are no shadows any more */
  _Atomic uint32_t leads; /* 1: there are no mains any more */
  struct sets_fresh fresh;
  char folder[4096]; /* of an image, while one is made anew; hosts of both sets see it */
  struct sets_side sides[SETS];
  struct sets_rank ranks[];
};

static inline size_t sets_sent_at(uint32_t nranks) { return sizeof(struct sets) + nranks * sizeof(struct sets_rank); }
static inline size_t sets_logs_at(uint32_t nranks) {
  return mpl_round(sets_sent_at(nranks) + (size_t)nranks * nranks * sizeof(uint64_t), 4096);
}
static inline size_t sets_size(uint32_t nranks) {
  return sets_logs_at(nranks) + (size_t)nranks * REPLICA_LOG_ENTRIES * sizeof(struct replica_entry);
}
static inline struct replica_entry *sets_log(struct sets *s, uint32_t rank) {
  return (struct replica_entry *)((char *)s + sets_logs_at(s->nranks)) + (size_t)rank * REPLICA_LOG_ENTRIES;
}

/* 1 + position of the last record from one rank to another that a committed entry tells of. */
static inline _Atomic uint64_t *sets_sent(struct sets *s, uint32_t from, uint32_t to) {
  return (_Atomic uint64_t *)((char *)s + sets_sent_at(s->nranks)) + (size_t)from * s->nranks + to;
}
static inline bool sets_is_lost(const struct sets *s, uint32_t rank, unsigned side) { return atomic_load(&s->ranks[rank].lost[side]) != 0; }
/* There is no other replica that could send something else. */
static inline bool sets_is_single(const struct sets *s, uint32_t rank) {
  return sets_is_lost(s, rank, 1 - atomic_load(&s->ranks[rank].leader)) || atomic_load(&s->ranks[rank].whole);
}

/* Steps whose entries are all before this one. */
static inline uint64_t sets_step_of(const struct replica_entry *e, uint64_t near) {
  return near + (uint64_t)(int64_t)(int32_t)((uint32_t)(e->what >> 32) - (uint32_t)near);
}
#endif
