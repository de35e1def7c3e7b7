/* Of the command that runs two sets of replicas: what job_sets.c and job_sets_lost.c share. */
#ifndef MPIR_JOB_SETS_PRIVATE_H
#define MPIR_JOB_SETS_PRIVATE_H
#include <signal.h>
#include <sys/types.h>
#include "mpir/commands/job_hosts.h"
#include "mpir/commands/job_output.h"
#include "mpir/commands/job_replicas.h"
#include "mpir/commands/job_sets.h"
#include "mpir/commands/job_socket.h"

enum { LOST = 68 }; /* status: both replicas of a rank */

struct side {
  struct mpir_half set;
  pid_t controller; /* 0: has ended */
  int how;
  uint64_t beat;
  int64_t beat_ms;
  char all_hosts[sizeof(((struct mpir_half *)NULL)->hosts)]; /* of the set, when it was begun again */
  unsigned left_out; /* of these the next one without which it is tried */
  unsigned anew; /* times that it was begun again when it was lost, and got no fresh replica since */
};

/* Of a rank. */
struct run_rank {
  struct mpir_output *streams[REPLICA_STREAMS];
  unsigned leader; /* whose output counts */
  bool told[SETS]; /* that this replica is lost */
  bool refused; /* a fresh one cannot be made */
  uint32_t takeovers;
  int64_t lost_ns; /* when its shadow was to lead, or 0 */
};

struct run {
  const struct mpir_replicas_options *options;
  struct sets *shared;
  int fd, signals;
  uint32_t nranks;
  struct side sides[SETS];
  struct run_rank *ranks;
  struct mpir_input *input;
  bool has_input; /* its standard input is a file that is not empty, or may have had something */
  int64_t flushed_ms, looked_ms, begin_ms;
  int64_t waits_ms; /* since then the mains are at their end, and shadows come to theirs, to be compared; or 0 */
  bool over, stopped; /* stopped: by a signal */
  int status;
  /* Of its snapshots (job_sets_saved.c): */
  const struct mpir_job_options *job;
  char **argv;
  const sigset_t *mask; /* of signals, for what is started */
  char *command, *folder; /* for people */
  struct mpir_job_socket *socket;
  struct mpir_job_clock *clock;
  unsigned saves; /* the set that is saved, or was */
  bool holds, killed; /* holds: a checkpoint is under way; killed: the job ends with it */
  struct mpl_job *hosts; /* what that set's hosts tell, or NULL */
  size_t hosts_size;
  char *snapshot; /* to go back to, or NULL: of the set 'from', whose ranks had come to 'saved' */
  unsigned from, tries; /* tries: restarts from it, one after another */
  struct mpir_segment_rank *saved;
  uint64_t (*known)[REPLICA_STREAMS]; /* bytes that lives before this one have put out, or NULL: there was none */
};

static inline struct sets_side *mpir_sets_side(const struct run *r, unsigned side) { return &r->shared->sides[side]; }

/* job_sets.c: the job ends with this status; all that can be moved of what was printed and is to be read. */
void mpir_sets_end(struct run *r, int status);
void mpir_sets_move(struct run *r, bool all);
int mpir_sets_start(struct run *r, unsigned side); /* 0 or -errno */

/* job_sets_make.c: 0, or a status, told; 0 or -errno */
int mpir_sets_split(struct run *r, const char *list);
int mpir_sets_make(struct run *r, const struct mpir_job_options *o);
void mpir_sets_unmake(struct run *r); /* so that it can be made again */

/* job_sets_fresh.c: ranks that have lost a replica get a fresh one. */
void mpir_sets_refresh_begin(struct run *r);
void mpir_sets_refresh(struct run *r);
/* Its fresh one is there, and counts soon, which the loss of the other can await. */
bool mpir_sets_returns(const struct run *r, uint32_t rank);
void mpir_sets_refresh_end(struct run *r); /* nothing is left of what was under way */

/* job_sets_saved.c: commands that save the job. */
int mpir_sets_open(struct run *r); /* 0, or a status, told */
void mpir_sets_serve(struct run *r);
void mpir_sets_leave_saving(struct run *r, unsigned side); /* that set is lost */
void mpir_sets_close(struct run *r); /* who leads a checkpoint gives up */
/* The job was lost: whether it goes on from a snapshot; prepares that; what both sets share is new, and gets to be as it says. */
bool mpir_sets_goes_back(const struct run *r);
int mpir_sets_go_back(struct run *r);
void mpir_sets_begin_again(struct run *r);

/* job_sets_anew.c: a set that was lost as a whole. */
bool mpir_sets_can_begin_anew(const struct run *r, unsigned side);
int mpir_sets_begin_anew(struct run *r, unsigned side); /* 0 or -errno; all its ranks count as lost */

/* job_sets_lost.c */
void mpir_sets_ended(struct run *r, unsigned side); /* its controller has, as 'how' there says */
void mpir_sets_look_at_ranks(struct run *r); /* replicas that were lost since the last look */
#endif
