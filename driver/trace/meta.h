/* The lines of a trace's header: what ran, where, when. */
#ifndef DVM_TRACE_META_H
#define DVM_TRACE_META_H
#include "base/error.h"

/* Owned text, or NULL.  'level' may be NULL. */
char *dvmt_meta(char *const *command, const char *level, struct dvm_error *err);
#endif
