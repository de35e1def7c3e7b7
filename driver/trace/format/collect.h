/* From raw records (abi.h), as the program writes them, to the stream of a trace: addresses become objects and offsets, sites
 * and objects get numbers, pointers become null or non-null. */
#ifndef DVMT_COLLECT_H
#define DVMT_COLLECT_H
#include "driver/trace/format/stream.h"

struct dvmt_collector;
/* NULL without memory.  The sink stays the caller's. */
struct dvmt_collector *dvmt_collector_create(struct dvmt_sink *sink);
void dvmt_collector_destroy(struct dvmt_collector *c);
/* One chunk's words, up to the first zero or torn record.  0, or what the sink said, or -ENOMEM. */
int dvmt_collector_take(struct dvmt_collector *c, const uint64_t *words, size_t n);
/* Of a chunk that is being filled, by a program that writes the first word of each record last: 'taken' of its words have been taken, and
 * are counted on. */
int dvmt_collector_take_on(struct dvmt_collector *c, const uint64_t *words, size_t n, size_t *taken);
/* When the program has ended: what the ring has noted of code that was not recorded.  0, or the sink's error. */
struct dvmt_ring;
int dvmt_collector_unrecorded(struct dvmt_collector *c, const struct dvmt_ring *ring);
#endif
