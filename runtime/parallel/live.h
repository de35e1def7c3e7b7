/* The records of a rank go over a socket to a comparison that runs beside it (runtime/trace/live.h). */
#ifndef DVMP_LIVE_H
#define DVMP_LIVE_H
#include "runtime/trace/live.h"
#include <stdbool.h>
#include <stddef.h>

/* The program ends with a message where nobody listens. */
void dvmp_live_begin(const char *path, bool steps);
bool dvmp_live_wanted(void);
/* Construct by construct. */
bool dvmp_live_steps(void);
/* False: nobody takes them any more, the program goes on without. */
bool dvmp_live_send(const void *chunk, size_t bytes, enum dvmt_live_asks asks);
bool dvmp_live_answer(void *answer, size_t bytes);
void dvmp_live_end(void);
#endif
