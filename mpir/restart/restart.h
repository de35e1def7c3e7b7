/* Restarting a process from a checkpoint image. */
#ifndef DVM_MPIR_RESTART_H
#define DVM_MPIR_RESTART_H
#include <stdbool.h>
#include <sys/types.h>
#include "base/error.h"

enum mpir_restart_ids {
  MPIR_IDS_AUTO,      /* the old process and thread numbers, in a pid namespace of their own if one is taken */
  MPIR_IDS_KEEP,      /* the old numbers, or an error */
  MPIR_IDS_NAMESPACE, /* always a pid namespace: the old numbers inside, another one outside */
};

struct mpir_restarted;
struct mpir_restart_options {
  bool debug;     /* threads wait for a debugger (MPIR_debug_with_checkpoint) */
  bool lazy;      /* memory is given when it is touched, and verified then */
  bool truncate;  /* cut files that the process has open for writing to their length at the checkpoint */
  bool restore_files; /* put the length of open and shared files back, and their contents as far as the image has them */
  bool detach;    /* nobody waits for the process: what it asked to happen when its parent dies is left out */
  enum mpir_restart_ids ids;
  /* For who leads a set: */
  bool tied;      /* the processes end with the calling one */
  const char *given_name; /* shared memory of this name (as /proc/PID/maps has it) is the memory file 'given_fd'; NULL: none */
  int given_fd;
  bool given_filled;      /* .. which has its content already, whatever the images say */
  const int *chosen;      /* of the set these processes alone, with their descendants; NULL: all */
  size_t chosen_count;
  int (*ready)(void *arg, const struct mpir_restarted *out,
               struct dvm_error *err); /* all are what they were, none runs; not 0: none will */
  void *ready_arg;
};

struct mpir_restarted {
  pid_t child;    /* to wait for: the process, or the first process of its namespace, which ends as it does */
  pid_t pid;      /* the process as seen from here */
  pid_t inner_pid; /* as it sees itself */
  bool apart;      /* it leads a session or group of its own: signals of a terminal come to the command alone */
  pid_t foreground; /* process group that had the terminal, or 0 */
  pid_t *all;       /* of a set: all processes as seen from here, 0 at the end; the caller frees.  NULL for one process */
  const _Atomic int *how; /* of a set in a namespace, by member: 0, or 1 more than the status with which it ended; else NULL */
};

/* Returns 0 when the process runs again.  Negative: nothing runs, and no file was touched unless the text says so. */
int mpir_restart(const char *path, const struct mpir_restart_options *options, struct mpir_restarted *out, struct dvm_error *err);
#endif
