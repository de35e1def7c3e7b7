/* The process as one of two replicas of its rank: the door for the message layer.  A leading replica does what a rank does and writes down what the program
   does not determine; a shadow goes through the same calls, takes what the log says, and sends nothing, until it leads.
   All functions may be called in every process; in a job without replicas they do nothing. */
#ifndef REPLICA_REPLICA_H
#define REPLICA_REPLICA_H
#include "mpir/mpi/ring.h"
#include "mpir/replica/shared.h"

struct replica_self {
  struct replica_rank *rank; /* NULL: the job has no replicas */
  struct replica_job *job;
  struct replica_counters *count;
  struct replica_entry *log;
  uint32_t me; /* 0 or 1 */
  bool live; /* it leads */
  bool quiet; /* what finds no room now has waited before */
  uint64_t step, logged, replayed, points, kill_at;
  const void *place; /* of the call that sends now */
};
extern struct replica_self mpl_replica;

static inline bool mpl_replicated(void) { return __builtin_expect(mpl_replica.rank != NULL, 0); }
static inline bool mpl_replays(void) { return mpl_replicated() && !mpl_replica.live; }
/* Shadows are on other hosts than mains, and have rings of their own. */
static inline bool mpl_replica_in_sets(void) { return mpl_replicated() && mpl_replica.job->set; }

/* In MPI_Init, when the rings are open: makes the shadow. */
void mpl_replica_start(void);
/* Sets how the ends of a ring from or to this process are read and written. */
void mpl_replica_open(struct mpl_end *in, struct mpl_end *out, uint32_t peer);
void mpl_replica_finalized(void);

/* --- steps: calls that look for what has come --- */

/* One step, by 'move' of the message layer or, in a shadow, as the other did it.  False: nothing was there, which counts for nothing in a wait.  A fresh
   shadow is made here, where one is wanted. */
bool mpl_replica_do_step(bool (*move)(void), bool waits);
/* A message of the program is about to be sent: likewise, for who does nothing else. */
void mpl_replica_renew(void);
/* The record that it takes from the ring 'in', at 'r': a shadow may get it from elsewhere.  Then, when it has been taken: */
struct mpl_record *mpl_replica_record(uint32_t from, const struct mpl_end *in, struct mpl_record *r);
void mpl_replica_taken(void);
/* What waits for room to 'to' is tried again, or has been. */
static inline void mpl_replica_retry(bool begins) { mpl_replica.quiet = begins; }
void mpl_progress_record(uint32_t from); /* receive.c */
void mpl_progress_peer(uint32_t to); /* send.c */
void mpl_ring_proxy(void); /* likewise */

/* --- sending --- */

enum { REPLICA_NO_ROOM, REPLICA_SENT, REPLICA_LEADS, REPLICA_REPEATS };
/* A shadow: what became of this record.  REPLICA_LEADS: nothing yet; it is to be sent.  REPLICA_REPEATS: likewise, to another shadow; there is room. */
int mpl_replica_put(uint32_t to, struct mpl_end *out, const struct mpl_record *head, enum mpl_kind kind, const void *data, size_t size);
/* One that leads has found room for a record of 'whole' bytes or not. */
void mpl_replica_tell_room(uint32_t to, const struct mpl_end *out, size_t whole, bool room);
/* Where replicas in two sets are compared: what is sent. */
void mpl_replica_tell_sum(uint32_t to, const struct mpl_record *head, enum mpl_kind kind, const void *data, size_t size);
static inline bool mpl_replica_sums(void) { return mpl_replica_in_sets() && mpl_replica.job->mode & REPLICA_CHECK; }
void mpl_replica_sent(struct mpl_end *out, const struct mpl_record *head, enum mpl_kind kind);
/* Internal points, at which tests end the process. */
enum replica_point {
  REPLICA_AT_INIT,
  REPLICA_AT_FORK,
  REPLICA_AT_FORWARD,
  REPLICA_AT_ENTRY, /* before one */
  REPLICA_AT_ENTERED,
  REPLICA_AT_TAKEN,
  REPLICA_AT_STEP,
  REPLICA_AT_ROOM, /* that was found or not, and told */
  REPLICA_AT_SENT,
  REPLICA_AT_REPEAT, /* a shadow, before what its main has sent */
  REPLICA_AT_VALUE, /* likewise, what its main was told */
  REPLICA_AT_LEAD, /* before it leads */
  REPLICA_AT_LED,
  REPLICA_POINTS
};
void mpl_replica_count_point(enum replica_point what);

/* --- other determinants --- */

/* What a leading replica has found in its surroundings; a shadow gets the other's. */
uint64_t mpl_replica_value(enum replica_value kind, uint64_t mine);
/* A shadow: what the other has told of something that only one does; false: this one leads. */
bool mpl_replica_follow(uint64_t *value);
void mpl_replica_text(enum replica_value kind, char *text, size_t size);
/* Returns when this replica leads: for what only one may do. */
void mpl_replica_lead(void);
#define MPL_REPLICA_COUNT(what)                                                                                                            \
  do {                                                                                                                                     \
    if (mpl_replicated() && mpl_replica.live)                                                                                              \
      replica_add(&mpl_replica.count->what, 1);                                                                                            \
  } while (0)

static inline void replica_add(_Atomic uint64_t *n, uint64_t more) {
  atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + more, memory_order_relaxed);
}

/* --- requests as records name them: the same in both replicas --- */

struct ompi_request_t;
void mpl_request_name(struct ompi_request_t *q);
void mpl_request_unname(struct ompi_request_t *q);
uint64_t mpl_request_token(struct ompi_request_t *q);
struct ompi_request_t *mpl_request_of(uint64_t token);
#endif
