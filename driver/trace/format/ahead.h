/* Decodes the blocks of a trace in a thread of its own, ahead of the reader that they are for. */
#ifndef DVMT_AHEAD_H
#define DVMT_AHEAD_H
#include "driver/trace/format/codec.h"
#include "driver/trace/format/reader.h"

struct dvmt_ahead;

/* A block of records. */
struct dvmt_decoded {
  uint64_t first;              /* number of the first record */
  size_t nsites, nobjects;     /* that it may name */
  struct dvmt_decoded_rows rows;
  struct dvmt_bytes start;     /* as dvmt_reader_start tells it */
};

/* For blocks of the file of 'of', which needs not live.  NULL: no memory, no thread: whoever reads decodes. */
struct dvmt_ahead *dvmt_ahead_create(const struct dvmt_reader *of);
/* The block of 'n' records from number 'first' on, until the next call; waits for it if it is the next one.  NULL: it is not to be had;
 * then those behind it are prepared. */
const struct dvmt_decoded *dvmt_ahead_take(struct dvmt_ahead *a, uint64_t first, uint32_t n);
void dvmt_ahead_destroy(struct dvmt_ahead *a);
#endif
