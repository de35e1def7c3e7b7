/* The same standard input for two runs of a program. */
#ifndef DVM_TRACE_INPUT_H
#define DVM_TRACE_INPUT_H
#include "base/error.h"
#include <sys/types.h>

struct dvmt_input {
  off_t at;    /* of a file: where it stood; -1: it is none */
  int kept;    /* file with what a pipe has given, or -1 */
  pid_t relay; /* process that passes a pipe on and keeps what it gives, or 0 */
};
/* Before the first run.  A file is read again from where it stood; of a pipe or a socket what comes is passed on and kept; a terminal is asked
 * twice.  0, or -E... */
int dvmt_input_begin(struct dvmt_input *in, struct dvm_error *err);
/* Before the second run: it begins with the input that the first one could have read. */
void dvmt_input_again(struct dvmt_input *in);
#endif
