/* A trace as the run of a comparison. */
#ifndef DVM_TRACE_FEED_H
#define DVM_TRACE_FEED_H
#include "driver/trace/compare/compare.h"

/* Sends the trace to the comparison, but for what both have in the same blocks.  0, or -E... */
int dvmt_feed(struct dvmt_reader *r, struct dvmt_compare *c, struct dvm_error *err);
/* Sends all of it to a sink; damaged blocks are passed over.  0, or -E... */
int dvmt_feed_sink(struct dvmt_reader *r, struct dvmt_sink *sink, struct dvm_error *err);
#endif
