/* A job of ranks on the message layer: started or restarted, watched, ended.  The command that does so is the job's controller. */
#ifndef MPIR_JOB_H
#define MPIR_JOB_H
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "mpir/restart/restart.h"

struct mpir_replicas_options;
struct mpir_half;
struct mpir_job_options {
  uint32_t nranks;
  uint32_t eager_limit; /* bytes; longer messages wait for their receiver */
  bool strict;          /* all do */
  bool checkpointable;
  bool debug;           /* ranks wait for a debugger before they begin, and are listed for it on standard error */
  const char *library;  /* folder of our libmpi.so.40 */
  const char *name;     /* of the job, or NULL */
  const struct mpir_replicas_options *replicas; /* NULL: each rank runs once */
  const char *hosts;    /* as '--hosts' takes them, or NULL: all ranks on this host, without mpirun */
  const char *launcher; /* words in place of mpirun, or NULL */
  const struct mpir_half *set; /* mains or shadows of a job that has these on different hosts, or NULL */
};

/* Runs 'argv' as all ranks, to the end.  The job's exit status: as mpirun's, 64 for a refused call, 69 for a deadlock. */
int mpir_job_run(const struct mpir_job_options *o, char **argv);

struct job;
struct mpir_job_announce {
  void (*processes)(const struct mpir_restarted *); /* of a job on this host */
  void (*ranks)(const struct job *);                /* of one on several */
};
uint32_t mpir_job_size(const struct job *j); /* ranks */
/* Host and process number of a rank that runs; 0: it has ended. */
int mpir_job_rank_place(const struct job *j, uint32_t rank, const char **host);
/* The same from the snapshot 'path'; of 'job' the name, or NULL: the one that it had; likewise the hosts; and launcher and library.  'announce' is called when all ranks are what they were.
 * -1 with the reason in 'err': nothing runs. */
int mpir_job_restart(const char *path, const struct mpir_job_options *job, const struct mpir_restart_options *options,
                     const struct mpir_job_announce *announce, struct dvm_error *err);
#endif
