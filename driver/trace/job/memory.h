/* Distributed arrays as the values of a trace leave them: for a reference that was recorded value by value, so that it has the sums of level
 * checksum after all.  What cannot be followed (extents that nothing tells) has no sum; pointers are no values. */
#ifndef DVMT_MEMORY_H
#define DVMT_MEMORY_H
#include "driver/trace/format/stream.h"
#include <stdbool.h>

struct dvmt_memory;
struct dvmt_memory *dvmt_memory_create(void);
void dvmt_memory_destroy(struct dvmt_memory *m);
/* The next site, the next object.  0 or -ENOMEM. */
int dvmt_memory_site(struct dvmt_memory *m, const struct dvmt_site_def *def);
int dvmt_memory_object(struct dvmt_memory *m, const struct dvmt_object_def *def);
/* Any record.  0 or -ENOMEM. */
int dvmt_memory_record(struct dvmt_memory *m, const struct dvmt_record *r);
/* Of declared arrays with the same name it is the one that has been written last. */
bool dvmt_memory_latest(const struct dvmt_memory *m, uint32_t object);
/* What the object holds now; false: it is not known. */
bool dvmt_memory_sum(const struct dvmt_memory *m, uint32_t object, uint64_t *elements, uint64_t *digest);

/* Iterations of a construct, as compiled programs sum them up (pass/llvm/IterationCount.cpp). */
struct dvmt_iterations {
  uint64_t count, sum;
};
void dvmt_iterations_add(struct dvmt_iterations *to, const uint64_t *index, uint32_t n);
#endif
