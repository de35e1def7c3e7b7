/* What can be compared of a program whatever number of ranks executes it: its parallel constructs in their order, results of reductions,
 * and sums of the distributed arrays that they write.  A sink that passes on just that of any trace; texts of sites are reduced to what
 * does not depend on how the program was compiled. */
#ifndef DVMT_PROJECT_H
#define DVMT_PROJECT_H
#include "driver/trace/format/stream.h"
#include <stdbool.h>

/* Row 'i' of a table of numbers that grows by zeros; NULL: no memory. */
int64_t *dvmt_shape_row(int64_t **rows, size_t *n, size_t i);

struct dvmt_shape; /* definitions as they go out: one of each */
struct dvmt_shape *dvmt_shape_create(struct dvmt_sink *out);
void dvmt_shape_destroy(struct dvmt_shape *s);
/* The site of a parallel construct with that text, of any program; or -E.. */
int64_t dvmt_shape_construct(struct dvmt_shape *s, const char *text);
/* Another site as it is, by its text. */
int64_t dvmt_shape_site(struct dvmt_shape *s, const struct dvmt_site_def *def);
int64_t dvmt_shape_object(struct dvmt_shape *s, const struct dvmt_object_def *def);
/* The text that goes out. */
const char *dvmt_shape_text(const struct dvmt_shape *s, int64_t construct);
/* 'level': checksum, or modify where values come in place of sums; 'number': of the execution, from 1. */
int dvmt_shape_enter(struct dvmt_shape *s, int64_t construct, enum dvmt_level level, uint32_t number);
int dvmt_shape_leave(struct dvmt_shape *s, int64_t construct);
/* 'words' as in a record DVMT_RESULT. */
int dvmt_shape_result(struct dvmt_shape *s, int64_t construct, const uint64_t words[6]);
int dvmt_shape_digest(struct dvmt_shape *s, int64_t construct, int64_t object, uint64_t elements, uint64_t digest);

/* Whether a text is that of a parallel construct; of a variable that a construct assigns and that no clause names. */
int dvmt_shape_is_parallel(const char *text);
int dvmt_shape_is_shared(const char *text);
int dvmt_shape_is_executed(const char *text); /* of the iterations that it executes */

struct dvmt_project;
/* 'valued': of a trace that has values in place of sums (level modify or full); sums are made of them.  'elements': of constructs that have level
 * modify or full there, the values of arrays are passed on in place of sums, if the trace has them (relay.h); may be NULL; borrowed. */
struct dvmt_config;
struct dvmt_project *dvmt_project_create(struct dvmt_sink *out, bool valued, const struct dvmt_config *elements);
struct dvmt_sink *dvmt_project_sink(struct dvmt_project *p);
/* Sums that were passed on. */
uint64_t dvmt_project_sums(const struct dvmt_project *p);
uint64_t dvmt_project_constructs(const struct dvmt_project *p);
void dvmt_project_destroy(struct dvmt_project *p);
#endif
