/* Values of a trace for other programs. */
#ifndef DVM_TRACE_EXPORT_H
#define DVM_TRACE_EXPORT_H
#include "driver/trace/command/filter.h"

enum dvmt_export { DVMT_EXPORT_NONE, DVMT_EXPORT_CSV, DVMT_EXPORT_JSONL, DVMT_EXPORT_NPZ };
/* The wanted values of 'path' into the file 'output' (NULL: standard output; not for NPZ).  0, or -E... */
int dvmt_export(const char *path, enum dvmt_export how, const char *output, struct dvmt_wanted *wanted, struct dvm_error *err);
#endif
