/* DVM_OPTIONS of a parallel program. */
#ifndef DVMP_OPTIONS_H
#define DVMP_OPTIONS_H
#include "base/error.h"

/* Reads 'text' into dvmp_job.  0, or -EINVAL with a text that names the key and the nearest known one. */
int dvmp_options_parse(const char *text, struct dvm_error *err);
/* Line 'i' of the list of keys, NULL behind the last. */
const char *dvmp_options_line(unsigned i);
extern int dvmp_options_help;
#endif
