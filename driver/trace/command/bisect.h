/* From sums of arrays to the element: programs are run again with one execution of one construct recorded. */
#ifndef DVM_TRACE_BISECT_H
#define DVM_TRACE_BISECT_H
#include "driver/trace/command/options.h"

/* 'reference': a trace of level checksum whose program (its command line is in the trace) can be run again.  'status': of the
 * program's first run.  Returns whether a difference beyond the tolerance was found, or -E... */
int dvmt_bisect(struct dvmt_cli *o, const char *reference, char *const *command, int *status, struct dvm_error *err);

/* Its parts.  The command line that runs a trace's program again, in its folder; owned by the caller; NULL: no memory. */
char *dvmt_bisect_again(const struct dvmt_reader *r);
/* A configuration that records this execution alone of the construct with that site text. */
int dvmt_bisect_config(const char *path, const char *text, uint64_t execution, struct dvm_error *err);
/* 'other_options': DVM_OPTIONS of the environment are for the program that is compared with it; 'nest': as struct dvmt_launch says. */
int dvmt_bisect_record(const char *again, const char *config, const char *trace, bool other_options, bool nest, struct dvm_error *err);
/* Whether the trace is of the program with that build id. */
bool dvmt_bisect_is_program(const struct dvmt_reader *r, const char *program);
#endif
