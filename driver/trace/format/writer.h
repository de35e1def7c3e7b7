/* Writes a .dvmt file (docs/trace-format.md).  Records are encoded by the caller's thread; a second one packs and writes, at most
 * a few blocks behind.  The file grows under its name with '.part' added and is renamed when it is closed; what is on disk is
 * readable at any time up to its last whole block. */
#ifndef DVMT_WRITER_H
#define DVMT_WRITER_H
#include "base/error.h"
#include <stdbool.h>
#include "driver/trace/format/format.h"
#include "driver/trace/format/stream.h"

struct dvmt_writer;

struct dvmt_totals {
  uint64_t records, values, raw_bytes, file_bytes;
};

/* 'meta': lines 'key value' about the run.  'path' NULL: nothing is written, only counted.  NULL: 'err' says why. */
struct dvmt_writer *dvmt_writer_create(const char *path, const char *meta, enum dvmt_codec codec, struct dvm_error *err);
/* The same under the trace's own name from the start: for a program that is checkpointed, and may be restarted after it has ended. */
struct dvmt_writer *dvmt_writer_create_in_place(const char *path, const char *meta, enum dvmt_codec codec, struct dvm_error *err);
/* At its close the file gets this name, if it is whole.  0 or -ENOMEM. */
int dvmt_writer_rename(struct dvmt_writer *w, const char *path);
/* From the thread that sends records: they go to the file without waiting for a whole block. */
void dvmt_writer_flush(struct dvmt_writer *w);
/* Waits until all blocks that have been ended are in the file. */
void dvmt_writer_settle(struct dvmt_writer *w);
/* From any thread.  Before a checkpoint: what the image takes for written is on the medium.  After a restart: whatever else the file has got
 * is cut off before the next block. */
void dvmt_writer_sync(struct dvmt_writer *w);
void dvmt_writer_cut(struct dvmt_writer *w);
/* The sink that takes the stream; belongs to the writer. */
struct dvmt_sink *dvmt_writer_sink(struct dvmt_writer *w);
/* What the program ended with by itself: its exit status; to be told before the end. */
void dvmt_writer_status(struct dvmt_writer *w, int status);
/* Ends the last block, writes the index and renames; 'complete': the program ended by itself.  0, or the first error of all the
 * time: then the file holds the blocks before it and has no index.  Frees the writer.  'totals' may be NULL. */
int dvmt_writer_close(struct dvmt_writer *w, bool complete, struct dvmt_totals *totals, struct dvm_error *err);
#endif
