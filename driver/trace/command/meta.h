/* The lines of a trace's header: what ran, where, when. */
#ifndef DVM_TRACE_META_H
#define DVM_TRACE_META_H
#include "base/error.h"
#include "base/text.h"
#include <stdbool.h>

/* Owned text, or NULL.  'level' may be NULL, as may 'config', the path of a configuration whose text is kept. */
char *dvmt_meta(char *const *command, const char *level, const char *config, struct dvm_error *err);
/* The same with a line that tells one job from another, for the streams of its ranks.  Owned, or NULL. */
char *dvmt_meta_job(const char *meta);
/* How a trace was recorded: its level, and the configuration that it holds.  0, or -E... */
struct dvmt_config;
struct dvmt_reader;
int dvmt_meta_recorded(const struct dvmt_reader *r, struct dvmt_config *config, struct dvm_error *err);
/* Whether two recordings keep the same. */
bool dvmt_meta_same(const struct dvmt_reader *a, const struct dvmt_reader *b);
/* The configuration's text, or NULL; the caller's. */
char *dvmt_meta_config(const struct dvmt_reader *r);
/* Adds a blank and a word as a shell reads it back, without line breaks. */
void dvmt_meta_word(struct dvm_text *t, const char *word);
#endif
