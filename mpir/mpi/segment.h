/* The memory that all ranks of a job on one node share: a header, the state of each rank, and one ring of records for each ordered
   pair of ranks.  It is made by 'dvm run', which hands its descriptor down; no name is left behind when a job dies. */
#ifndef MPL_SEGMENT_H
#define MPL_SEGMENT_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MPL_MAGIC = 0x4d504c31, MPL_VERSION = 9, MPL_RANKS_MAX = 1024, MPL_PEERS = 8, MPL_CALL_BYTES = 32, MPL_TEXT_BYTES = 2048 };
#define MPL_SEGMENT_NAME "dvm-mpi"
#define MPL_FD_VARIABLE "DVM_MPI_SEGMENT"  /* decimal: the descriptor */
#define MPL_RANK_VARIABLE "DVM_MPI_RANK"

enum mpl_phase { MPL_ABSENT, MPL_ATTACHED, MPL_RUNNING, MPL_FINALIZED };

/* What a rank waits for; written by it while it stands in a call, read by the command when nothing moves. */
struct mpl_wait {
  _Atomic uint32_t blocked; /* 1: in a call that cannot go on; nothing else here counts while it is 0 */
  int32_t peer, tag;        /* peer: rank of the job, or -1 any, or -2 none in particular */
  uint32_t context;
  uint32_t nrequests;       /* of which this is the first that is not complete */
  uint32_t npeers;          /* of a collective operation: all whose messages are missing now, of which 'peers' has the first and 'peer' is one */
  int32_t peers[MPL_PEERS];
  uint64_t place;           /* return address of the call */
  char call[MPL_CALL_BYTES];
};

struct mpl_rank_state {
  _Atomic uint32_t phase;
  _Atomic int32_t pid;
  _Atomic uint32_t bell;     /* futex: changes when something may have come, or room been made */
  _Atomic uint32_t sleeping; /* somebody should ring */
  _Atomic uint64_t moves;    /* records taken and given: as long as one of these changes, the job moves */
  struct mpl_wait wait;
  uint32_t node;             /* where it runs */
  /* Of a job on several hosts, told by its proxy: */
  _Atomic int32_t ended;     /* 0, or 1 more than the status that wait(2) gave */
  _Atomic uint32_t stopped;  /* it stands under a debugger or by a signal */
  _Atomic uint64_t written, taken; /* bytes of all rings from it, and of all to it */
  _Atomic uint32_t unexpected; /* messages that it holds and nobody has asked for */
  _Atomic uint32_t told;     /* the number of the last question ('asked' of the job) that 'queues' answers */
  char queues[MPL_TEXT_BYTES]; /* text: unexpected messages, a line each */
} __attribute__((aligned(128)));

struct mpl_job {
  uint32_t magic, version, nranks;
  uint32_t eager_limit;      /* bytes; longer messages wait for their receiver */
  uint32_t strict;           /* all messages of the program do */
  uint64_t ring_bytes;       /* of one ring's records, a power of two */
  uint64_t size;             /* of the whole segment, bytes */
  _Atomic uint32_t aborted;  /* 1: a rank has called MPI_Abort, or the command ends the job */
  _Atomic int32_t abort_code;
  _Atomic uint32_t asked;    /* counts how often the command wants to know the queues of those that wait */
  int64_t start_ns;          /* CLOCK_MONOTONIC at the start: zero of MPI_Wtime; a restart moves it */
  int64_t stopped_ns;        /* the same clock when all ranks stood for the last checkpoint */
  _Atomic uint32_t held;     /* 1: a debugger comes; MPI_Init does not return before this is 0 */
  uint32_t universe, spins;  /* spins: looks at the rings before a rank gives way */
  uint64_t replicas_at;      /* offset of what replicas share (mpir/replica/shared.h), or 0 */
  uint32_t nnodes, node;     /* nodes of the job; the one of this segment, whose ranks alone have it mapped */
  _Atomic uint32_t proxy_bell, proxy_sleeping; /* as of a rank: of the process that moves records to and from other nodes */
  _Atomic uint32_t ending;   /* of a job on several hosts: the signal that ends its ranks, or MPL_OVER: its proxies end, too */
  _Atomic uint32_t crosses;  /* of a set of replicas: 1: what goes to ranks of this node may have to go to the other set, too */
};
enum { MPL_OVER = 255 };

/* The controller of a job on several hosts has a segment without rings: the states of all ranks, as their proxies tell them, and for each node a box
   for questions.  One asks at a time: writes 'question', counts 'asked' up, and waits until 'answered' is equal. */
enum { MPL_BOX_BYTES = 16 << 10, MPL_NODES_MAX = 256 };
struct mpl_box {
  char host[256];
  _Atomic uint32_t asked, answered;
  uint32_t question_bytes, answer_bytes;
  char question[MPL_BOX_BYTES], answer[MPL_BOX_BYTES];
};

/* Offsets in the segment. */
static inline size_t mpl_round(size_t n, size_t to) { return (n + to - 1) / to * to; }
static inline size_t mpl_states_at(void) { return mpl_round(sizeof(struct mpl_job), 4096); }
static inline size_t mpl_rings_at(uint32_t nranks) {
  return mpl_round(mpl_states_at() + nranks * sizeof(struct mpl_rank_state), 4096);
}
static inline size_t mpl_ring_stride(uint64_t ring_bytes) { return 4096 + ring_bytes; }
static inline size_t mpl_segment_size(uint32_t nranks, uint64_t ring_bytes) {
  return mpl_rings_at(nranks) + (size_t)nranks * nranks * mpl_ring_stride(ring_bytes);
}
static inline size_t mpl_boxes_size(uint32_t nranks, uint32_t nnodes) { return mpl_rings_at(nranks) + nnodes * sizeof(struct mpl_box); }
static inline struct mpl_box *mpl_box(struct mpl_job *job, uint32_t node) {
  return (struct mpl_box *)((char *)job + mpl_rings_at(job->nranks)) + node;
}
static inline struct mpl_rank_state *mpl_state(struct mpl_job *job, uint32_t rank) {
  return (struct mpl_rank_state *)((char *)job + mpl_states_at()) + rank;
}
#endif
