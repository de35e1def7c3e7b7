/* What the replicas of a rank share with each other and with the command, in the segment of the job: who leads, and the log of what the leading
   replica did that the program alone does not determine.  docs/replication.md tells why this is enough. */
#ifndef REPLICA_SHARED_H
#define REPLICA_SHARED_H
#include "mpir/mpi/segment.h"

#define REPLICA_NOTIFY_VARIABLE "DVM_REPLICA_NOTIFY" /* decimal: eventfd that wakes the command */
#define REPLICA_KILL_VARIABLE "DVM_REPLICA_KILL" /* RANK.REPLICA@POINT,...: dies there by SIGKILL; for tests.  See also proxy_fresh.c */
#define REPLICA_KILLED_VARIABLE "DVM_REPLICA_KILLED" /* file that gets a line of each that did: RANK.REPLICA@POINT and what the point is */

enum { REPLICA_LOG_ENTRIES = 1 << 16, REPLICA_FORWARD_BYTES = 4 << 20, REPLICA_STREAMS = 2, REPLICA_VALUE_BYTES = 8 };
enum replica_protocol { REPLICA_SHARED, REPLICA_RECEIVER_FORWARDING, REPLICA_SENDER_FORWARDING };
enum replica_mode { REPLICA_CRASH = 1, REPLICA_CHECK = 2, REPLICA_BOTH = 3 };
enum replica_when_full { REPLICA_BLOCK, REPLICA_LEAP, REPLICA_SPOOL };

/* Events of the leading replica, in its order.  'value' is a position in the ring where there is one. */
enum replica_event {
  REPLICA_IN = 1, /* it takes the next record of the ring from 'rank' */
  REPLICA_OUT, /* what waited for room in the ring to 'rank' moves */
  REPLICA_FULL, /* a record found no room in the ring to 'rank' */
  REPLICA_VALUE, /* something from outside: the time, a name; 'rank' is an enum replica_value */
  REPLICA_RECORD, /* of a job in two sets: it is about to publish a record to 'rank' */
  REPLICA_SUM /* likewise, where replicas are compared: a sum of its bytes */
};
enum replica_value { REPLICA_WTIME = 1, REPLICA_NAME, REPLICA_PRELOADED };

struct replica_entry {
  uint64_t what; /* event | rank << 8 | step << 32 */
  uint64_t value;
};

/* REPLICA_IS_FRESH: where the other one is, on another host, it is REPLICA_FORKED */
enum replica_fork { REPLICA_NO_FORK, REPLICA_WANTS_FORK, REPLICA_MAY_FORK, REPLICA_FORKED, REPLICA_MUST_NOT_FORK, REPLICA_IS_FRESH };

/* Of one replica; counted by it alone while it leads, 'points' always. */
struct replica_counters {
  _Atomic uint64_t points; /* internal points passed */
  _Atomic uint64_t messages; /* point-to-point messages that the program sent */
  _Atomic uint64_t message_bytes;
  _Atomic uint64_t collectives; /* records of collective operations sent */
  _Atomic uint64_t records; /* all records sent */
  _Atomic uint64_t copies; /* records written a second time, for a shadow */
  _Atomic uint64_t forwarded; /* records handed to the own shadow */
  _Atomic uint64_t wildcards, tests, probes, times, names; /* non-deterministic events: D */
  _Atomic uint64_t syncs; /* of these, told apart from the order of the messages */
  _Atomic uint64_t entries; /* of the log */
  _Atomic uint64_t blocked_by_log_ns, blocked_by_shadow_ns;
  _Atomic uint64_t fork_ns, forks;
  _Atomic uint64_t compared, compared_bytes;
};

struct replica_difference {
  uint32_t kind; /* 0 none, 1 a record, 2 an event, 3 the head of a record, 4 the sum of one */
  uint32_t to;
  uint64_t message, offset, place;
  uint64_t expected, found; /* eight bytes of the main and of the shadow; or events */
};

enum { REPLICA_PLACE_BYTES = 512 };

struct replica_rank {
  _Atomic uint32_t leader; /* 0 or 1; changed by the command when the one that leads has ended */
  _Atomic uint32_t alive; /* bits: replicas that there are */
  _Atomic uint32_t readers; /* bits: replicas whose positions in the rings to this rank hold up those who write */
  _Atomic int32_t pid[2];
  _Atomic uint32_t fork_state; /* enum replica_fork; futex */
  _Atomic uint32_t wanted; /* 1: a fresh shadow at the next call */
  _Atomic uint32_t leap; /* 1: its shadow holds up others and is to be replaced */
  int32_t stream_fds[2][REPLICA_STREAMS]; /* of each replica: the writing ends of its standard output and error, in the command */
  int32_t input_fds[2]; /* of each replica: the reading end of its standard input, there; -1: it is not a pipe of the command */
  _Atomic uint32_t finalized[2];
  _Atomic uint32_t over; /* the main has come to its end: nothing of the shadow is needed */
  _Atomic uint32_t differs; /* 1: 'difference' holds */
  _Atomic uint32_t begun; /* shadows that were ready */
  _Atomic uint32_t threads; /* a shadow could not be forked: there are so many threads */
  _Atomic uint64_t took_over_ns; /* CLOCK_MONOTONIC when the shadow had caught up */
  uint64_t
      printed[REPLICA_STREAMS]; /* bytes that the main had printed when all stood for the last checkpoint; in a set: that this one has */
  /* By the leading replica. */
  _Atomic uint64_t step __attribute__((aligned(64))); /* steps that it has passed */
  _Atomic uint64_t logged; /* entries */
  /* By the shadow. */
  _Atomic uint64_t replayed __attribute__((aligned(64)));
  _Atomic uint64_t replayed_step;
  _Atomic uint32_t bell; /* futex of a waiting shadow */
  _Atomic uint64_t lag_max, lag_bytes_max; /* entries of the log, and bytes of messages taken then */
  struct replica_counters counters[2];
  struct replica_difference difference;
  struct mpl_rank_state state; /* the shadow's, which nobody else looks at */
};

enum {
  REPLICA_FILES = 4096,
  REPLICA_FILE_WHOLE = 0x8000 /* it reads it, too */,
  REPLICA_FILE_SEVERAL = 0x4000 /* so do others */,
  REPLICA_FILE_RANK = 0x3fff
};

struct replica_job {
  uint32_t protocol, mode, when_full, refresh; /* enums; refresh: 1 fresh shadows */
  uint32_t determinants; /* bits of enum replica_determinant */
  uint32_t set; /* of a job in two sets (sets.h): 1 + the one of this host, else 0 */
  char shadow_cpu[256]; /* "idle", a list of processors, or "" */
  int32_t controller; /* process of the command; 0: a restarted job that goes on without shadows */
  uint32_t heartbeat_ms, summary; /* as the options, for who restarts the job */
  char report[1024];
  _Atomic uint32_t restarts; /* lives before this one */
  _Atomic uint64_t files[REPLICA_FILES]; /* that ranks write: 48 bits of a key, what follows, the first rank + 1; a hash table */
  uint64_t log_at, log_stride; /* offsets in the segment */
  uint64_t forward_at, forward_stride;
  uint64_t
      input_at; /* of a job that is saved and reads a pipe: what has come and was not read when all stood for the last checkpoint; or 0 */
  uint64_t input_position; /* bytes of it that the main had read */
  uint32_t input_bytes, input_over; /* over: nothing more came */
  uint64_t copies_at; /* REPLICA_SENDER_FORWARDING: a second set of rings */
  struct replica_rank ranks[];
};

static inline struct replica_job *replica_job(struct mpl_job *job) {
  return job->replicas_at ? (struct replica_job *)((char *)job + job->replicas_at) : NULL;
}
static inline struct replica_entry *replica_log(struct mpl_job *job, uint32_t rank) {
  struct replica_job *r = replica_job(job);
  return (struct replica_entry *)((char *)job + r->log_at + rank * r->log_stride);
}
/* Whether all replicas of rank 'to' have taken what there is: a shadow that is behind keeps room that others wait for. */
static inline bool replica_all_taken(struct mpl_job *job, const _Atomic uint64_t taken[2], uint64_t written, uint32_t to) {
  struct replica_job *r = replica_job(job);
  uint32_t readers = r ? atomic_load(&r->ranks[to].readers) : 1;
  return (!(readers & 1) || atomic_load(&taken[0]) == written) && (!(readers & 2) || atomic_load(&taken[1]) == written);
}
static inline size_t replica_size(uint32_t nranks) {
  return mpl_round(sizeof(struct replica_job) + nranks * sizeof(struct replica_rank), 4096);
}
#endif
