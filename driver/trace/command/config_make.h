/* dvm trace config: one run that measures and keeps nothing. */
#ifndef DVM_TRACE_CONFIG_MAKE_H
#define DVM_TRACE_CONFIG_MAKE_H
#include "base/error.h"

/* Runs the command and writes 'path': every construct with its iterations, events and bytes at each level.  Returns the
 * program's exit status, or -E... */
int dvmt_config_make(char *const *command, const char *path, struct dvm_error *err);
#endif
