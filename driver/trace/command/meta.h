/* The lines of a trace's header: what ran, where, when. */
#ifndef DVM_TRACE_META_H
#define DVM_TRACE_META_H
#include "base/error.h"
#include "base/text.h"

/* Owned text, or NULL.  'level' may be NULL. */
char *dvmt_meta(char *const *command, const char *level, struct dvm_error *err);
/* Adds a blank and a word as a shell reads it back, without line breaks. */
void dvmt_meta_word(struct dvm_text *t, const char *word);
#endif
