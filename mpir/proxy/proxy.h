/* The proxy of a node: the only process of a job on several hosts that is a process of Open MPI.  It makes the memory that the ranks of its node share,
   starts the ranks, and keeps each ring from a rank here to one elsewhere, and back, equal to the ring of the same name on the other node: what the writer
   has published goes over with its positions, what the reader has taken comes back.  Nothing of a message is in a proxy alone: the writer's node has all
   that the reader has not taken, so a checkpoint needs no drain, and a new set of proxies goes on from the positions in the rings.
   Process 0 of Open MPI's is at the controller ('dvm run'), and has no ranks: it carries states, questions and answers. */
#ifndef MPIR_PROXY_H
#define MPIR_PROXY_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "mpir/mpi/ring.h"
#include "mpir/replica/sets.h"

enum proxy_kind {
  PROXY_DATA = 1,
  PROXY_TAKEN,
  PROXY_STATE,
  PROXY_FLAGS,
  PROXY_ABORTED,
  PROXY_QUESTION,
  PROXY_ANSWER,
  PROXY_LOG,
  PROXY_REPLAYED,
  PROXY_OUTPUT,
  PROXY_PRINTED,
  PROXY_ALIVE,
  PROXY_COUNTED,
  PROXY_DIFFERS,
  PROXY_ROLE, /* what became of rank 'from': 'to' has bits */
  PROXY_CROSS, /* of a ring of the other set, as PROXY_DATA */
  PROXY_ENDS, /* of the ring of this name in the other set: 'position' is written, the data taken */
  PROXY_FRESH /* a replica is made anew (proxy_fresh.h) */
};
enum { PROXY_LEADS = 4 }; /* beside enum SETS_...: all that its main has logged is there */
enum { PROXY_PIECE = 64 << 10 };

struct proxy_head {
  uint32_t kind, from, to, bytes; /* from, to: ranks of the job, where there are such */
  uint64_t position;
};

/* What the controller says to all. */
struct proxy_flags {
  uint32_t aborted, held, ending, asked;
  int32_t abort_code;
  uint32_t leads, alone; /* of a set of replicas: it is the only one now */
};

struct proxy {
  struct mpl_job *job;
  int fd; /* of its memory */
  uint32_t node, nnodes; /* node: MPL_NODES_MAX at the controller */
  uint32_t first, end; /* ranks of this node */
  unsigned long slack_ns; /* of timers, as ranks have it */
  const char *library, *snapshot;
  char **argv; /* the program, or NULL */
  bool checkpointable;
  bool debug, restore_files, truncate;
  bool over, started;
  uint32_t set; /* 1 + which, of a job whose mains and shadows are on different hosts; else 0 */
  uint32_t determinants, heartbeat_ms, mode, refresh; /* likewise */
  uint32_t begins; /* likewise, enum sets_begin */
  uint8_t *gone, *leader; /* likewise, by rank: bits of sets.h; the set whose replica leads */
};

/* What a rank has printed when its log had 'position' entries. */
enum { PROXY_OUTPUT_BYTES = 16 << 10 };
struct proxy_output {
  uint64_t step;
  char text[PROXY_OUTPUT_BYTES];
};

/* Of a rank's log (mpir/replica/shared.h), beginning with entry 'position'. */
enum { PROXY_ENTRIES = (PROXY_PIECE - 8) / 16 };
struct proxy_log {
  uint64_t step;
  struct {
    uint64_t what, value;
  } entries[PROXY_ENTRIES];
};

/* What is counted of a rank (mpir/replica/shared.h), and how its replicas differ. */
struct proxy_counted {
  struct replica_counters counters;
  uint64_t lag_max;
  uint64_t leads; /* 1: a shadow that does */
};
struct proxy_differs {
  struct replica_difference difference;
  char place[REPLICA_PLACE_BYTES];
};

/* proxy_wire.c: messages between proxies; 'to' is a number of Open MPI's.  They come in the order in which they were sent. */
void proxy_wire_open(void);
void proxy_wire_meet(void); /* until all proxies are here */
bool proxy_wire_has_room(void);
void proxy_wire_send(int to, const struct proxy_head *head, const void *data);
typedef void proxy_take_f(struct proxy *p, int from, const struct proxy_head *head, const char *data);
bool proxy_wire_progress(struct proxy *p, proxy_take_f *take);
void proxy_wire_close(void);

/* proxy_names.c: files of Open MPI's that a killed process would leave: after MPI_Init everywhere, and before MPI_Finalize. */
void proxy_names_drop(void);
void proxy_names_give_back(void);

/* proxy_packet.c: what is wrong with a packet that 'peer', a number of Open MPI's, has sent and of which 'received' bytes came; NULL: it can be believed. */
const char *proxy_packet_wrong(const struct proxy *p, int peer, const struct proxy_head *head, const char *data, size_t received);

/* proxy_rings.c */
void proxy_rings_open(struct proxy *p);
bool proxy_rings_progress(struct proxy *p, bool idle);
void proxy_rings_data(struct proxy *p, const struct proxy_head *head, const char *data);
void proxy_rings_taken(struct proxy *p, const struct proxy_head *head);
/* Bytes of whole records from 'at' on that make one piece, without a turn at the end of the ring. */
size_t proxy_rings_measure(const struct mpl_job *job, const char *ring, uint64_t at, uint64_t end);
/* A ring with one end here: what is behind 'position' is to be sent; the writer knows that all before it is taken. */
void proxy_rings_sent(uint32_t from, uint32_t to, uint64_t position);
void proxy_rings_told(uint32_t from, uint32_t to, uint64_t position);
void proxy_ring_bell(_Atomic uint32_t *bell, const _Atomic uint32_t *sleeping);

/* proxy_ranks.c: the processes of this node. */
int proxy_ranks_start(struct proxy *p);
void proxy_ranks_reap(struct proxy *p);
void proxy_ranks_signal(struct proxy *p, int sig);
/* Tells the controller what has changed. */
void proxy_ranks_report(struct proxy *p);
void proxy_ranks_question(struct proxy *p, const struct proxy_head *head, const char *data);
void proxy_ranks_tell_again(struct proxy *p, uint32_t rank); /* what the controller knows of it is of another process */
/* Sends answers that have come from our children. */
bool proxy_ranks_answers(struct proxy *p);

struct fresh_cut;

/* proxy_outputs.c: a node of a set of replicas: what ranks print, each piece with the length of the log that was there when it was printed. */
int proxy_outputs_open(struct proxy *p); /* 0, or -errno: no pipes */
void proxy_outputs_become(struct proxy *p, uint32_t rank); /* in the process that becomes one */
void proxy_outputs_started(struct proxy *p);
/* For a replica that goes on behind what the memory says that it has printed: ends of pipes, to be closed. */
int proxy_outputs_begin(struct proxy *p, uint32_t rank, int streams[REPLICA_STREAMS]);
void proxy_outputs_drain(struct proxy *p); /* all ranks stand: the memory says how much they have printed */
bool proxy_outputs_send(struct proxy *p, uint32_t rank);
bool proxy_outputs_are_sent(struct proxy *p, uint32_t rank); /* of a rank that prints nothing more */
void proxy_outputs_printed(struct proxy *p, const struct proxy_head *head);

/* proxy_replicas.c: there, too: logs. */
size_t proxy_replicas_size(uint32_t nranks);
void proxy_replicas_fill(struct proxy *p, size_t at);
int proxy_replicas_open(struct proxy *p); /* 0, or -errno: no pipes */
void proxy_replicas_resume(struct proxy *p); /* the memory has what a snapshot says */
void proxy_replicas_become(void *p, uint32_t rank); /* in the process that becomes one */
bool proxy_replicas_progress(struct proxy *p, bool idle);
bool proxy_replicas_told(struct proxy *p, uint32_t rank); /* of a rank that has ended: all that it has left is on its way */
bool proxy_replicas_take(struct proxy *p, const struct proxy_head *head, const char *data); /* false: it is something else */
void proxy_replicas_lead(struct proxy *p, const struct proxy_flags *f);
void proxy_replicas_role(struct proxy *p, uint32_t rank, uint32_t bits);
_Noreturn void proxy_replicas_gap(uint32_t rank); /* its log cannot be followed */
void proxy_replicas_beat(struct proxy *p); /* now and then */
/* A fresh replica begins here, or one from here elsewhere. */
void proxy_replicas_begin(struct proxy *p, uint32_t rank, const struct fresh_cut *cut);
void proxy_replicas_followed(struct proxy *p, uint32_t rank, const struct fresh_cut *cut);

/* proxy_cross.c: a node of a set whose ranks have lost replicas. */
void proxy_cross_open(struct proxy *p);
void proxy_cross_gone(struct proxy *p, uint32_t rank, uint8_t bits); /* bits of sets.h */
bool proxy_cross_progress(struct proxy *p, bool idle);
bool proxy_cross_take(struct proxy *p, const struct proxy_head *head, const char *data); /* false: it is something else */
void proxy_cross_data(struct proxy *p, const struct proxy_head *head, const char *data); /* some of it may be there already */
void proxy_cross_back(struct proxy *p, uint32_t rank, const struct fresh_cut *cut); /* a fresh replica, of this set or the other one */
bool proxy_cross_is_over(const struct proxy *p, uint32_t rank); /* the other set has all that it has sent */
/* Its replica in this set leads, or did. */
static inline bool proxy_leads(const struct proxy *p, uint32_t rank) { return p->leader[rank] == p->set - 1; }
/* Its replica in this set, or in the other one. */
static inline bool proxy_is_gone(const struct proxy *p, uint32_t rank, bool here) {
  return p->gone && p->gone[rank] & ((p->set == 1) == here ? SETS_NO_MAIN : SETS_NO_SHADOW);
}

/* proxy_ways.c: between the controllers' proxies of both sets. */
void proxy_ways_open(struct sets *shared, unsigned side);
void proxy_ways_put(const struct proxy_head *head, const char *data); /* to the other one */
bool proxy_ways_progress(struct proxy *p);
void proxy_ways_wake(void); /* the other one, if it rests: there is something for it in the memory that the two share */
void proxy_ways_rest(unsigned us); /* nothing moves: so long, or until the other one sends something; less where rings go over */

/* proxy_roles.c: there, too: which replicas are lost, and what nodes are told of that. */
void proxy_roles_open(const struct proxy *p, struct sets *shared, unsigned side);
void proxy_roles_tell(struct proxy *p);
bool proxy_roles_state(struct proxy *p, const struct proxy_head *head,
                       const char *data); /* true: it is not this set that tells of this rank */
void proxy_roles_returns(uint32_t rank); /* its nodes are about to be told that it has both replicas again: one does not count yet */
void proxy_roles_back(uint32_t rank); /* it does */
void proxy_roles_copy(struct proxy *p); /* states of ranks that are lost here, as the other set has them */

/* proxy_sets.c: the same at the controller of a set. */
void proxy_sets_open(struct proxy *p, pid_t controller, int fd, unsigned side);
void proxy_sets_heard(int from); /* something has come from there */
bool proxy_sets_take(struct proxy *p, const struct proxy_head *head, const char *data);
bool proxy_sets_progress(struct proxy *p, bool idle);
void proxy_sets_flags(struct proxy_flags *f);
void proxy_sets_lead(uint32_t rank); /* the one that has followed does from now on */
void proxy_sets_begin(uint32_t rank, uint64_t logged, uint64_t step); /* a fresh replica begins there */
bool proxy_sets_is_alone(void); /* the other set is lost */
bool proxy_sets_has_all(uint32_t rank); /* a shadow's host: what was logged and committed, and the steps */
int proxy_sets_descriptor(pid_t process, int fd, int flags,
                          const char *what); /* of another process; ends this one where that is impossible */

/* proxy_prints.c: what ranks of a set print, there. */
void proxy_prints_open(const struct proxy *p, struct sets *shared, unsigned side);
void proxy_prints_take(const struct proxy_head *head, const char *data);
bool proxy_prints_move(const struct proxy *p, uint32_t rank, int stream, bool late);
bool proxy_prints_are_out(uint32_t rank);
void proxy_prints_begin(uint32_t rank); /* a fresh replica has printed nothing */
void proxy_prints_close(void);

/* proxy_head.c: at the controller. */
/* 'sets': descriptor of what joins two sets, or -1; 'side': which one this is. */
void proxy_head_run(pid_t controller, int fd, int sets, unsigned side);
#endif
