/* Starting other programs. */
#ifndef DVM_DRIVER_RUN_H
#define DVM_DRIVER_RUN_H
#include "base/error.h"
#include "driver/list.h"

/* Replaces this process by command[0], looked for in PATH when it has no slash.  A command line that is too long for the
 * system is handed over as a response file.  Returns only when that failed: -E... */
int dvm_run_exec(const struct dvm_list *command, struct dvm_error *err);
#endif
