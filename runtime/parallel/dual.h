/* A reduction evaluated a second time, as if each iteration were executed by a processor of its own: it begins with the neutral element (of
 * extremes, 'and' and 'or': with the value from before), and what it ends with is combined as the clause says.  In second bodies, where
 * each iteration is told (abi.h); the value takes the place of the variable's. */
#ifndef DVMP_DUAL_H
#define DVMP_DUAL_H
#include "runtime/parallel/set.h"
#include <stdbool.h>
#include <stdint.h>

struct dvmp_dual;
/* 'op', 'type', 'bytes' as dvmp_job_combine has them.  NULL: not evaluated so. */
struct dvmp_dual *dvmp_dual_begin(struct dvmp_arena *m, void *at, int64_t count, char op, char type, int bytes);
void dvmp_dual_iteration(struct dvmp_dual *d);
/* Behind the last: the variable has the combined value. */
void dvmp_dual_end(struct dvmp_dual *d);

/* An extreme with its location: each iteration begins with the value from before. */
struct dvmp_dual_location;
struct dvmp_dual_location_of {
  char *at, *location; /* of the program */
  size_t bytes, location_bytes;
  int64_t *when; /* [nwhen]: not 0, and index variables, since the extreme was met; set by the iteration */
  size_t nwhen;
  bool last; /* of equal extremes the last counts */
};
/* Whether the extreme at 'b' is worse than that at 'a', equal or better: -1, 0, 1. */
typedef int dvmp_dual_better_f(const void *arg, const char *a, const char *b);
struct dvmp_dual_location *dvmp_dual_location_begin(struct dvmp_arena *m, const struct dvmp_dual_location_of *of);
void dvmp_dual_location_iteration(struct dvmp_dual_location *d, dvmp_dual_better_f *better, const void *arg);
/* Behind the last: the variables, and 'when', are those of the best iteration. */
void dvmp_dual_location_end(struct dvmp_dual_location *d, dvmp_dual_better_f *better, const void *arg);

/* In words, for messages: a number, or bytes. */
void dvmp_dual_text(const void *value, char type, int bytes, char *buf, size_t size);
#endif
