/* Ends of a parallel program that are not its own: a message, once or from the rank that knows, and a status. */
#ifndef DVMP_FAIL_H
#define DVMP_FAIL_H
#include "runtime/data/site.h"

/* Said by all ranks alike (what is wrong is the same on each): printed once, by rank 0; all end with 'status'. */
void dvmp_fail_all(int status, const struct dvmrt_pos *at, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));
/* Said by this rank; the job ends. */
void dvmp_fail_here(int status, const struct dvmrt_pos *at, const char *format, ...) __attribute__((noreturn, format(printf, 3, 4)));
void dvmp_out_of_memory(void) __attribute__((noreturn));
enum { DVMP_STATUS_USAGE = 2, DVMP_STATUS_WRONG = 66 };
#endif
