/* Which sums of arrays a trace has: an array that only one side knows as such cannot be compared. */
#ifndef DVM_TRACE_JOB_KNOWN_H
#define DVM_TRACE_JOB_KNOWN_H
#include "driver/trace/format/reader.h"

struct dvmt_known;
/* NULL: 'err' says why.  'of' stays where it is. */
struct dvmt_known *dvmt_known_read(const struct dvmt_reader *of, struct dvm_error *err);
/* Behind this execution (from 1) of the construct with that site text. */
bool dvmt_known_has(const struct dvmt_known *k, const char *text, uint64_t execution, const char *array);
void dvmt_known_destroy(struct dvmt_known *k);
#endif
