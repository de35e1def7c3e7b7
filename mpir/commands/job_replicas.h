/* Jobs of ranks that each run twice (mpir/replica), as the controller has them: who lives, who leads, what they print. */
#ifndef MPIR_JOB_REPLICAS_H
#define MPIR_JOB_REPLICAS_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/error.h"
#include "mpir/replica/door.h"
#include "mpir/replica/shared.h"

struct mpir_replicas_options {
  enum replica_protocol protocol;
  enum replica_mode mode;
  enum replica_when_full when_full;
  bool refresh, summary;
  bool nodes;     /* shadows are on other hosts than mains */
  uint32_t given; /* bits: options that were named (run_replicas.h), from RUN_REPLICATE on */
  uint32_t determinants; /* bits of enum replica_determinant */
  unsigned heartbeat_ms; /* a replica that is stopped for so long is ended; 0: none is */
  const char *report;    /* file, or NULL */
  uint64_t lag_bytes;    /* of one ring; 0: as without replicas */
  const char *shadow_cpu; /* "idle", a list of processors, or NULL */
};

/* Of one ring, where it would have 'usual' without replicas. */
uint64_t mpir_replicas_ring_bytes(const struct mpir_replicas_options *o, uint64_t usual);
struct mpir_replicas;
/* 'library': the folder of ours; borrowed. */
struct mpir_replicas *mpir_replicas_create(const struct mpir_replicas_options *o, uint32_t nranks, const char *library);
/* Before they start: rank 0 gets standard input, also where it is a pipe; 'checkpointable': snapshots know what was read.  0, or -errno. */
int mpir_replicas_take_input(struct mpir_replicas *r, bool checkpointable);
/* Bytes of the segment after 'at'; and, when it is there, what stands in them. */
uint64_t mpir_replicas_size(const struct mpir_replicas *r, uint64_t at, uint64_t ring_bytes);
void mpir_replicas_fill(struct mpir_replicas *r, struct mpl_job *job, uint64_t at);
/* All ranks stand for a checkpoint: shadows stop, too, and what was printed is noted in the segment. */
void mpir_replicas_stand(struct mpir_replicas *r);
/* No shadow is made while a checkpoint is under way, at whose end those that stopped go on.  'wait': returns when none is being made; -EAGAIN if that does not end. */
void mpir_replicas_hold(struct mpir_replicas *r, bool holds);
int mpir_replicas_wait(struct mpir_replicas *r);

/* What is known of the life of a job before: bytes of each stream of each rank that have been put out; NULL: none of those since its snapshot. */
typedef uint64_t mpir_replicas_printed[REPLICA_STREAMS];
/* Of a job whose segment was restored, and whose ranks are 'pids' and do not run yet.  'input': file of the life before (mpir_input_kept), or -1.  NULL: -E... is in 'err'. */
struct mpir_replicas *mpir_replicas_resume(struct mpl_job *job, const pid_t *pids, const mpir_replicas_printed *known, int input,
                                           struct dvm_error *err);
void mpir_replicas_saved(struct mpir_replicas *r); /* a snapshot is whole */
int mpir_replicas_kept_input(const struct mpir_replicas *r); /* as mpir_input_kept */
/* Such a job goes on without shadows. */
void mpir_replicas_renounce(struct mpl_job *job);
/* What the memory of a restored job says of them can be believed: it comes from files. */
bool mpir_replicas_are_sound(const struct mpl_job *job);
/* Standard output or error of a rank's replicas differs from byte 'at' on. */
void mpir_replicas_tell_output(uint32_t rank, int stream, uint64_t at);
/* How the replicas of a rank differ; 'place': of the call, or "". */
void mpir_replicas_tell_difference(uint32_t rank, const struct replica_difference *d, const char *place);
void mpir_replicas_put_out(const struct mpir_replicas *r, mpir_replicas_printed *to);

/* In the process that becomes a main. */
void mpir_replicas_become(const struct mpir_replicas *r, uint32_t rank);
void mpir_replicas_started(struct mpir_replicas *r, uint32_t rank, pid_t pid);

/* What is to be polled beside the rest; 'fds' has room for mpir_replicas_polled. */
nfds_t mpir_replicas_polled(const struct mpir_replicas *r);
nfds_t mpir_replicas_poll(struct mpir_replicas *r, struct pollfd *fds);
/* Moves output, lets shadows be made, ends what stands still.  The status with which the job is to end at once, or 0. */
int mpir_replicas_serve(struct mpir_replicas *r);

/* A child has ended.  MPIR_REPLICA_TOOK_OVER: '*pid' of the rank leads now.  MPIR_REPLICA_RANK_ENDED: with '*how'.  MPIR_REPLICA_RANK_LOST: it was told. */
enum mpir_replica_news {
  MPIR_REPLICA_UNKNOWN,
  MPIR_REPLICA_SHADOW_ENDED,
  MPIR_REPLICA_TOOK_OVER,
  MPIR_REPLICA_RANK_ENDED,
  MPIR_REPLICA_RANK_LOST
};
enum mpir_replica_news mpir_replicas_ended(struct mpir_replicas *r, bool ending, pid_t *pid, int *how, uint32_t *rank);
/* The same of a rank that ended while it made its shadow, when it is known what became of that; MPIR_REPLICA_UNKNOWN: there is none. */
enum mpir_replica_news mpir_replicas_orphan(struct mpir_replicas *r, pid_t *pid, int *how, uint32_t *rank);
void mpir_replicas_kill_shadows(struct mpir_replicas *r);
/* All has ended: the rest of the output, the report, the summary.  The job's status. */
int mpir_replicas_finish(struct mpir_replicas *r, int status);
void mpir_replicas_destroy(struct mpir_replicas *r);
#endif
