/* The debugged program's terminal: a pty for stdin and stdout (bytes exact, no echo), a pipe for stderr, so that
 * the two stay apart. */
#ifndef SDM_TERM_H
#define SDM_TERM_H
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sdm/loop.h"

struct sdm_term;
/* 'output' as in struct sdm_backend_host. */
struct sdm_term *sdm_term_new(struct sdm_loop *loop, bool (*output)(void *arg, unsigned stream, bool eof, const void *p, size_t len),
                              void *arg, struct dvm_error *err);
size_t sdm_term_pending(const struct sdm_term *t); /* bytes of input that have not been typed yet */
void sdm_term_free(struct sdm_term *t);
const char *sdm_term_name(const struct sdm_term *t);   /* of the pty's program side */
const char *sdm_term_stderr(const struct sdm_term *t); /* path of the pipe */
void sdm_term_input(struct sdm_term *t, bool eof, const void *p, size_t len);
bool sdm_term_drain(struct sdm_term *t); /* hands on what was written so far; false: output is held, there may be more */
void sdm_term_resume(struct sdm_term *t); /* output may come again */
#endif
