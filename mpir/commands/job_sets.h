/* Replicas on different hosts: 'dvm run' starts two controllers, each of a job on several hosts, one of mains and one of shadows, and joins them by a
   memory (mpir/replica/sets.h).  A rank that has lost one replica goes on with the other one; a set whose host is lost is given up as a whole, and begins anew. */
#ifndef MPIR_JOB_SETS_H
#define MPIR_JOB_SETS_H
#include "mpir/commands/job.h"
#include "mpir/replica/sets.h"

/* One of the two, for its controller. */
struct mpir_half {
  struct sets *shared;
  int fd, said; /* of that; of a file for what mpirun says */
  unsigned side;
  char hosts[4096];
  const char *snapshot; /* which its ranks begin from; or NULL */
};

/* Runs 'argv' as mains on the first half of the hosts and as shadows on the second.  The job's status. */
int mpir_sets_run(const struct mpir_job_options *o, char **argv);

/* What it says of itself at its end.  'lost_ns': by rank, CLOCK_MONOTONIC when its shadow was to lead, or 0. */
void mpir_sets_report(const struct sets *shared, const struct mpir_replicas_options *o, int status, int64_t begin_ms,
                      const int64_t *lost_ns);

/* --- in a controller --- */
const char *mpir_half_words(const struct mpir_half *s); /* for the proxies of its hosts */
void mpir_half_opened(const struct mpir_half *s, int memory); /* its controller's */
bool mpir_half_is_empty(const struct mpir_half *s); /* it begins without ranks */
bool mpir_half_has_head(const struct mpir_half *s); /* its proxies are there */
void mpir_half_await_turn(const struct mpir_half *s); /* until its mpirun may be started */
void mpir_half_started(const struct mpir_half *s, pid_t mpirun); /* -1: it could not be */
void mpir_half_runs(const struct mpir_half *s); /* all its ranks are there */
bool mpir_half_is_lost(const struct mpir_half *s); /* a host says nothing any more */
/* The set is lost: nothing of it goes out from now on.  'lost': of the enum; ends this process. */
_Noreturn void mpir_half_leave(const struct mpir_half *s, uint32_t lost);
void mpir_half_end_head(const struct sets_side *side);
/* A rank of this set is lost: it goes on in the other one alone.  Or it has ended as it should.  'how': as wait(2) has it. */
void mpir_half_lost_rank(const struct mpir_half *s, uint32_t rank, int how);
void mpir_half_ended_rank(const struct mpir_half *s, uint32_t rank, int how);
bool mpir_half_is_elsewhere(const struct mpir_half *s, uint32_t rank); /* it was lost here */
int mpir_half_ended(const struct mpir_half *s, uint32_t rank); /* 0, or 1 more than how it ended there */
bool mpir_half_tells_deadlock(const struct mpir_half *s); /* this controller, and not that of the other set */
bool mpir_half_must_stay(const struct mpir_half *s); /* though all ranks have ended */
void mpir_half_done(const struct mpir_half *s); /* all ranks have ended, here or there */
#endif
