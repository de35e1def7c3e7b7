/* A job of ranks on the message layer: started or restarted, watched, ended.  The command that does so is the job's controller. */
#ifndef MPIR_JOB_H
#define MPIR_JOB_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "mpir/restart/restart.h"

struct mpir_replicas_options;
struct mpir_job_options {
  uint32_t nranks;
  uint32_t eager_limit; /* bytes; longer messages wait for their receiver */
  bool strict;          /* all do */
  bool checkpointable;
  const char *library;  /* folder of our libmpi.so.40 */
  const char *name;     /* of the job, or NULL */
  const struct mpir_replicas_options *replicas; /* NULL: each rank runs once */
};

/* Runs 'argv' as all ranks, to the end.  The job's exit status: as mpirun's, 64 for a refused call, 69 for a deadlock. */
int mpir_job_run(const struct mpir_job_options *o, char **argv);

/* The same from the snapshot 'path'; 'name' (or NULL) in place of the name that it had.  'announce' is called when all ranks are what they were.
 * -1 with the reason in 'err': nothing runs. */
int mpir_job_restart(const char *path, const char *name, const struct mpir_restart_options *options,
                     void (*announce)(const struct mpir_restarted *), struct dvm_error *err);
#endif
