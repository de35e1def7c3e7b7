/* From sums of arrays to the element: programs are run again with one execution of one construct recorded. */
#ifndef DVM_TRACE_BISECT_H
#define DVM_TRACE_BISECT_H
#include "driver/trace/command/options.h"

/* 'reference': a trace of level checksum whose program (its command line is in the trace) can be run again.  'status': of the
 * program's first run.  Returns whether a difference beyond the tolerance was found, or -E... */
int dvmt_bisect(struct dvmt_cli *o, const char *reference, char *const *command, int *status, struct dvm_error *err);
#endif
