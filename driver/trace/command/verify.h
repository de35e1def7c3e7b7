/* Whether a trace can be trusted. */
#ifndef DVM_TRACE_VERIFY_H
#define DVM_TRACE_VERIFY_H
#include "base/error.h"
#include <stdio.h>

/* Checks all of it: checksums, every record, the index and the counts at its end; says what it found.  0: all is whole; 1: it is not; -E... */
int dvmt_verify(const char *path, FILE *out, struct dvm_error *err);
#endif
