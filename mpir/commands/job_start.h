/* Becoming a rank of a job: what 'dvm run' and the proxy of a node do in a child. */
#ifndef MPIR_JOB_START_H
#define MPIR_JOB_START_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mpir_place {
  uint32_t rank, nranks, local, nlocal; /* local: of those on this node */
  int segment;                          /* descriptor of the memory that they share */
  const char *library;                  /* folder of our libmpi.so.40 */
  bool checkpointable;
  void (*last)(void *arg, uint32_t rank); /* called when the environment is set, or NULL */
  void *arg;
};
/* Ends with its parent. */
void mpir_job_lift_file_limit(void); /* as far as it can be, until mpir_job_become */
_Noreturn void mpir_job_become(const struct mpir_place *place, char **argv, pid_t parent, const sigset_t *mask);
/* Puts the checkpointer into the environment of a program.  0, or -E... with a message told. */
int mpir_job_preload(void);
/* Tells programs where images go, where nothing else has been said. */
int mpir_job_folder(void);
/* The folder of our libmpi.so.40: 'mpi' beside the command in a build folder, else in the library folder.  -ENOENT: there is none. */
int mpir_job_layer(char *folder, size_t size);
#endif
