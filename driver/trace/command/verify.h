/* Whether a trace can be trusted. */
#ifndef DVM_TRACE_VERIFY_H
#define DVM_TRACE_VERIFY_H
#include "base/error.h"
#include <stdio.h>

/* Checks the whole trace: checksums, every record, the index and the counts at its end; prints what it found.  0: intact; 1: not; -E... */
int dvmt_verify(const char *path, FILE *out, struct dvm_error *err);
#endif
