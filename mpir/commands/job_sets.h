/* Replicas on different hosts: 'dvm run' starts two controllers, each of a job on several hosts, one of mains and one of shadows, and joins them by a
   memory (mpir/replica/sets.h).  A set that is lost is given up as a whole; the other one goes on. */
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
};

/* Runs 'argv' as mains on the first half of the hosts and as shadows on the second.  The job's status. */
int mpir_sets_run(const struct mpir_job_options *o, char **argv);

/* What it says of itself at its end.  'lost_ns': CLOCK_MONOTONIC when the shadows were told to lead, or 0. */
void mpir_sets_report(const struct sets *shared, const struct mpir_replicas_options *o, int status, int64_t begin_ms, int64_t lost_ns);

/* --- in a controller --- */
const char *mpir_half_words(const struct mpir_half *s); /* for the proxies of its hosts */
void mpir_half_runs(const struct mpir_half *s); /* all its ranks are there */
bool mpir_half_is_lost(const struct mpir_half *s); /* a host says nothing any more */
/* The set is lost: nothing of it goes out from now on.  'lost': of the enum; ends this process. */
_Noreturn void mpir_half_leave(const struct mpir_half *s, uint32_t lost, uint32_t rank, int how);
#endif
