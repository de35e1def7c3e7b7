/* 'dvm compare --live REFERENCE -- mpirun ..': both programs run beside the comparison, no trace is written. */
#ifndef DVM_TRACE_LIVE_H
#define DVM_TRACE_LIVE_H
#include "driver/trace/command/options.h"

/* 'reference': a command line.  With 'stop' both programs are held at the first difference.  1: something differs, 0, or -E.. with a text.
 * 'status': of the run, as from waitpid. */
int dvmt_live(struct dvmt_cli *o, const char *reference, bool stop, char *const *command, int *status, struct dvm_error *err);
#endif
