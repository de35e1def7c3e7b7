/* Results of the reference's reductions (runtime/trace/results.h), put in place of this run's where they agree. */
#ifndef DVMP_RESULTS_H
#define DVMP_RESULTS_H
#include "runtime/data/directive.h"
#include "runtime/trace/inside.h"
#include <stdbool.h>
#include <stddef.h>

/* 'place': of the recorder's library (runtime/trace/inside.h), for constructs of libraries that the program loads itself; or NULL. */
void dvmp_results_begin(const char *path, __typeof__(&dvmt_inside_place) place);
/* The same from memory, which stays the caller's; false: it holds none. */
bool dvmp_results_take(const void *p, size_t n);
/* There are results of a reference. */
bool dvmp_results_there(void);
/* A value of this run. */
struct dvmp_result {
  void *at;
  char type;
  int bytes;
  float magnitude; /* of what ranks have added up, or 0 */
};
/* The reference's value where this one does not agree with it, else NULL. */
const void *dvmp_results_disagree(const struct dvmrt_directive *construct, uint64_t number, uint64_t execution,
                                  const struct dvmp_result *value);
/* The value becomes the reference's if it agrees with it within the tolerance; 'put': if the reference has one there.  Alike on all ranks. */
struct dvmt_results_row;
void dvmp_results_apply(const struct dvmt_results_row *row, const struct dvmp_result *value);
void dvmp_results_put(const struct dvmrt_directive *construct, uint64_t number, uint64_t execution, const struct dvmp_result *value);
#endif
