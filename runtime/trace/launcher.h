/* Which rank of a job a process is, as its launcher says in the environment: for programs that know nothing of MPI themselves. */
#ifndef DVMT_LAUNCHER_H
#define DVMT_LAUNCHER_H
#include <stdbool.h>
#include <stdlib.h>

static inline bool dvmt_launcher_number(const char *const *names, int *n) {
  for (; *names; names++) {
    const char *text = getenv(*names);
    char *end;
    long v = text ? strtol(text, &end, 10) : -1;
    if (text && *text >= '0' && *text <= '9' && !*end && v < 1 << 24) {
      *n = (int)v;
      return true;
    }
  }
  return false;
}

/* 'size' is 0 where it is not told. */
static inline bool dvmt_launcher_rank(int *rank, int *size) {
  static const char *const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "DVM_MPI_RANK", "SLURM_PROCID", NULL};
  static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "DVM_MPI_SIZE", "SLURM_NTASKS", NULL};
  *size = 0;
  if (!dvmt_launcher_number(ranks, rank))
    return false;
  dvmt_launcher_number(sizes, size);
  return true;
}

/* A job that is recorded: each rank writes a stream of its own, 'NAME.RANK'.  Options of DVM_OPTIONS:
 *   trace_job=CODEC.VERBOSE   set by the commands; 'trace_file' is NAME, DVM_RECORD_META has the meta lines
 *   trace_results=FILE        results of reductions of the reference (results.h)
 *   trace_elements=N@FILE:LINE  this execution of this construct is told element by element (elements.h)
 * In the environment of what a recorded rank starts: its own process number; they are not recorded. */
#define DVMT_RECORDED_BY "DVM_RECORDED_BY"
/* Program started by a program that is recorded. */
static inline bool dvmt_launcher_taken(int pid) {
  const char *by = getenv(DVMT_RECORDED_BY);
  return by && atoi(by) != pid;
}
#endif
