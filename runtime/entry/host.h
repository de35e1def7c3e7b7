/* The debug server inside the program (base/host.h), off unless DVM_OPTIONS=sdm= asks for it. */
#ifndef DVMRT_HOST_H
#define DVMRT_HOST_H
#include "base/error.h"
#include <stdbool.h>

/* Loads and starts it.  0, or a negative code. */
int dvmrt_host_start(const char *options, struct dvm_error *err);
/* Inside dvmrt_mem_enter: a diagnostic has been shown for the first time. */
void dvmrt_host_diagnostic(void);
/* Outside: a safe point, if dvmrt_due says so. */
void dvmrt_host_point(void);
void dvmrt_host_end(int status);
#endif
