/* Raw records of a rank (runtime/trace/abi.h), by the thread that executes the program's constructs. */
#ifndef DVMP_EMIT_H
#define DVMP_EMIT_H
#include "runtime/trace/abi.h"
#include "runtime/trace/live.h"
#include <stdbool.h>
#include <stddef.h>

struct dvmt_ring;

void dvmp_emit_begin(struct dvmt_ring *ring);
/* To a comparison that runs beside (live.h). */
void dvmp_emit_begin_live(void);
void dvmp_emit_end(void);
/* Sends what there is, live alone.  False: nobody takes it. */
bool dvmp_emit_ask(enum dvmt_live_asks asks);
bool dvmp_emit_wanted(void);
/* Which program it is. */
void dvmp_emit_program(void);
/* A site that is told now; the text is copied. */
struct dvmt_site *dvmp_emit_site(const char *text, unsigned kind, unsigned nargs);
/* One of values at an address, of so many words and bytes. */
struct dvmt_site *dvmp_emit_values(const char *text, unsigned words, unsigned bytes);
void dvmp_emit(const struct dvmt_site *site, enum dvmt_tag tag, const uint64_t *words, size_t n);
/* Between constructs: what has been written for a while goes to the recorder, so that little is lost if the process is killed. */
void dvmp_emit_pace(void);
#endif
