/* dvm trace config: one run that measures and keeps nothing. */
#ifndef DVM_TRACE_CONFIG_MAKE_H
#define DVM_TRACE_CONFIG_MAKE_H
#include "base/error.h"
#include <stdint.h>
#include <stdio.h>

/* Runs the command and writes 'path': every construct with its iterations, events and bytes at each level.  Returns the
 * program's exit status, or -E... */
int dvmt_config_make(char *const *command, const char *path, struct dvm_error *err);

/* A construct's bounds in each of 'ndims' dimensions, and its rule: "parallel FILE:LINE level LEVEL", of a site's text. */
void dvmt_config_write_rule(const char *text, unsigned ndims, const int64_t *low, const int64_t *high, const char *level, FILE *f);
/* Lines that say what else there is. */
void dvmt_config_write_points(FILE *f);
#endif
