/* Columns of numbers into a file of numpy's (.npz: a zip archive of .npy arrays, not packed).  What does not fit in small buffers waits in a
 * temporary file. */
#ifndef DVM_TRACE_NPZ_H
#define DVM_TRACE_NPZ_H
#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

struct dvmt_npz;
struct dvmt_npz *dvmt_npz_create(const char *path, struct dvm_error *err);
/* A column 'name' of numpy's type 'type' ("<f8"), 'bytes' each.  Its number, or -ENOMEM. */
int dvmt_npz_column(struct dvmt_npz *z, const char *name, const char *type, unsigned bytes);
/* Appends a number to it.  Errors are told by npz_close. */
void dvmt_npz_add(struct dvmt_npz *z, int column, const void *number);
/* A file beside the columns. */
void dvmt_npz_text(struct dvmt_npz *z, const char *name, char *text /* taken over */);
/* Writes the archive.  0, or -E... */
int dvmt_npz_close(struct dvmt_npz *z, struct dvm_error *err);
#endif
