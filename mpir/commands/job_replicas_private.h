#ifndef MPIR_JOB_REPLICAS_PRIVATE_H
#define MPIR_JOB_REPLICAS_PRIVATE_H
#include <sys/resource.h>
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_output.h"
#include "mpir/commands/job_replicas.h"

struct mpir_replicated_rank {
  struct mpir_output *streams[REPLICA_STREAMS];
  bool here;                /* one of its replicas has not ended */
  bool shadow_over;         /* the shadow has ended by itself, before the main */
  bool last_lost;           /* of the two, the main ended last */
  int main_how, shadow_how; /* how the last main and shadow ended */
  unsigned takeovers, shadows_lost, leaps, failed_forks, begun;
  int32_t leapt; /* the last shadow that was ended for being behind */
  int64_t orphan_ms;        /* the main has ended while it made a shadow */
  int orphan_how;
  int64_t stopped_ms[2];
  int64_t taking_ns, takeover_ns_max; /* CLOCK_MONOTONIC when the last main ended; the longest until its shadow had caught up */
};

struct mpir_replicas {
  struct mpir_replicas_options options;
  uint32_t nranks;
  const char *library;      /* borrowed */
  int notify;               /* eventfd */
  struct mpir_input *input; /* of rank 0; NULL: it reads by itself, or nothing */
  bool saves_input;         /* which is in snapshots, too */
  bool told;                /* a difference */
  bool holds, stopped;      /* no shadows are made now; they stand */
  struct rlimit files;      /* as the ranks are to have it */
  int64_t begin_ms, flushed_ms;
  struct mpl_job *job;
  struct replica_job *shared;
  struct mpir_replicated_rank *ranks;
};

/* job_replicas_tell.c */
const char *mpir_replicas_describe(int how, char *text, size_t size); /* how it ended, as wait(2) has it */
void mpir_replicas_tell_lost(struct mpir_replicas *r, uint32_t rank, int how);
void mpir_replicas_tell_unprotected(const struct mpir_replicas *r); /* if no rank had a shadow */

void mpir_replicas_name_input(const struct mpir_replicas *r, struct replica_rank *k, uint32_t rank);
void mpir_replicas_name_streams(const struct mpir_replicas *r, struct replica_rank *k, uint32_t rank);
pid_t mpir_replicas_shadow(const struct mpir_replicas *r, uint32_t rank); /* job_replicas_report.c */
void mpir_replicas_report(const struct mpir_replicas *r, int status);
#endif
