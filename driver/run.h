/* Starting other programs. */
#ifndef DVM_DRIVER_RUN_H
#define DVM_DRIVER_RUN_H
#include "base/error.h"
#include "driver/list.h"
#include <sys/types.h>

/* Replaces this process by command[0], looked for in PATH when it has no slash.  A command line that is too long for the
 * system is handed over as a response file, so use it for compilers alone.  Returns only when that failed: -E... */
int dvm_run_exec(const struct dvm_list *command, struct dvm_error *err);

/* Starts command[0] (terminated by NULL), looked for in PATH when it has no slash.  'prepare' is called in the child before it becomes the
 * program: 0, or an errno.  Returns 0, or -E... if it could not be started; then there is no child. */
int dvm_run_start(char *const *command, int (*prepare)(void *arg), void *arg, pid_t *pid);

/* Runs 'command' and waits for it.  SIGINT and SIGQUIT reach it from the terminal and are ignored here meanwhile; SIGTERM and
 * SIGHUP are passed on.  'status' is as from waitpid.  Returns 0, or -E... when it could not be started. */
int dvm_run_wait(const struct dvm_list *command, int *status, struct dvm_error *err);

/* The value that this process must return to end as a program with that wait status ended; for a death by a signal it does not
 * return but dies of the same one. */
int dvm_run_end_like(int status);
#endif
