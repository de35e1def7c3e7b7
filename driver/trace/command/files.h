/* Files that the commands of traces are given. */
#ifndef DVM_TRACE_FILES_H
#define DVM_TRACE_FILES_H
#include <stdio.h>
#include "base/error.h"
#include "driver/trace/format/reader.h"

/* dvmt_reader_open; a file that is no trace is -EBADMSG, so that it is not taken for a wrong command line. */
struct dvmt_reader *dvmt_file_open(const char *path, struct dvm_error *err);

/* Warns of what is damaged in a trace, before it is used.  0, or -E... */
int dvmt_file_note_damage(const char *path, struct dvmt_reader *r, struct dvm_error *err);
/* Warns that 'records' of a trace were in damaged blocks, if any were. */
void dvmt_file_note_lost(const char *path, uint64_t records);

/* Before a run that may take hours: whether a file can be written to 'path' at its end.  0, or -E.. with the reason. */
int dvmt_file_writable(const char *path, struct dvm_error *err);
/* The same of a file that is renamed to 'path' when it is whole: a device or a pipe there would be replaced by it. */
int dvmt_file_replaceable(const char *path, struct dvm_error *err);
/* Closes what was written to 'path'.  0, or -E.. with the reason: then no part of it is left, if it is a regular file. */
int dvmt_file_close(FILE *f, const char *path, struct dvm_error *err);
#endif
