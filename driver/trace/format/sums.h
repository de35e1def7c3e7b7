/* Level checksum where the program cannot sum by itself: values that a construct or loop writes become one sum for each variable,
 * given when it ends. */
#ifndef DVMT_SUMS_H
#define DVMT_SUMS_H
#include "driver/trace/format/stream.h"
#include <stdbool.h>

struct dvmt_sums;
/* NULL without memory. */
struct dvmt_sums *dvmt_sums_create(void);
void dvmt_sums_destroy(struct dvmt_sums *s);
void dvmt_sums_enter(struct dvmt_sums *s, unsigned level);
/* 1: the value is summed, and not to be kept; 0: it is none of ours; -ENOMEM. */
int dvmt_sums_add(struct dvmt_sums *s, const struct dvmt_record *r);
/* Sends the sums of what ends here.  0, or the sink's error, or -ENOMEM. */
int dvmt_sums_leave(struct dvmt_sums *s, uint32_t site, struct dvmt_sink *sink);
#endif
