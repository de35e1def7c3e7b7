/* A job of ranks on the message layer: started, watched, ended. */
#ifndef MPIR_JOB_H
#define MPIR_JOB_H
#include <stdbool.h>
#include <stdint.h>

struct mpir_job_options {
  uint32_t nranks;
  uint32_t eager_limit; /* bytes; longer messages wait for their receiver */
  bool strict;          /* all do */
  const char *library;  /* folder of our libmpi.so.40 */
};

/* Runs 'argv' as all ranks, to the end.  The job's exit status: as mpirun's, 64 for a refused call, 69 for a deadlock. */
int mpir_job_run(const struct mpir_job_options *o, char **argv);
#endif
