/* What this rank records for a comparison: the parallel constructs that it comes through, results of reductions, and of each array that a
 * construct may have written a digest of the rank's part.  Started by 'dvm record' and 'dvm compare' (trace_job= of DVM_OPTIONS); else
 * nothing here does anything. */
#ifndef DVMP_RECORD_H
#define DVMP_RECORD_H
#include "runtime/parallel/construct.h"

void dvmp_record_begin(void);
/* The stream ends, as the process will. */
void dvmp_record_end(void);
/* Before the first turn, and behind the last, results and all. */
void dvmp_record_enter(struct dvmp_construct *c);
void dvmp_record_leave(struct dvmp_construct *c);

/* A directive that stands alone, or a block of remote_access that begins, with the values of its text's '#' and '&'. */
void dvmp_record_direct(const struct dvmrt_directive *d, const int64_t *args);

/* Calls 'tell' for each distributed array that functions of other files may have assigned, and that the construct does not name itself. */
struct dvmrt_item;
void dvmp_record_reached(const struct dvmp_construct *c, const struct dvmrt_item *i,
                         void (*tell)(const struct dvmp_construct *c, const struct dvmp_array *a, const char *kind), const char *kind);

/* The array is known to whoever reads the stream, as it lies now. */
void dvmp_record_array(const struct dvmp_array *a);
/* Text of a directive by which what lies there is the array, under its own name or the latest one that the program has given it. */
void dvmp_record_declaration(const struct dvmp_array *a, bool latest, char *text, size_t room);

/* A result of construct 'd', the number of its R line and << 32 of the element; all ranks have it.  One that agrees with the reference's
 * becomes it. */
struct dvmp_result;
void dvmp_record_result(const struct dvmrt_directive *d, uint64_t number, uint64_t execution, const struct dvmp_result *value);
/* Of the construct's executions so far; 0: nothing is recorded. */
uint64_t dvmp_record_execution(const struct dvmrt_directive *d);
#endif
