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
/* In words, for messages: a number, or bytes. */
void dvmp_dual_text(const void *value, char type, int bytes, char *buf, size_t size);
#endif
