/* Parser of gdb/MI output (gdb manual, "GDB/MI Output Syntax"), fed with whatever a read gave.  It only makes records;
 * others act on them.  Tuples become JSON objects; lists JSON arrays, of values: the names in a list of results are
 * dropped, as they are all the same; constants become strings. */
#ifndef SDM_MI_H
#define SDM_MI_H
#include <jansson.h>
#include <stdint.h>

#include "base/text.h"

#define SDM_MI_LINE_MAX (64u << 20)
#define SDM_MI_DEPTH_MAX 200u

enum sdm_mi_kind {
  SDM_MI_RESULT = '^',
  SDM_MI_EXEC = '*',
  SDM_MI_STATUS = '+',
  SDM_MI_NOTIFY = '=',
  SDM_MI_CONSOLE = '~',
  SDM_MI_TARGET = '@',
  SDM_MI_LOG = '&',
  SDM_MI_PROMPT = '(',
  SDM_MI_OTHER = 0, /* no MI: text of something else */
};

struct sdm_mi_record {
  char kind;
  uint64_t token;   /* 0: none */
  const char *name; /* "done", "stopped", ...; borrowed */
  json_t *results;  /* object, borrowed; NULL for streams */
  const char *text; /* streams: the text; SDM_MI_OTHER: the whole line */
};

struct sdm_mi {
  struct dvm_text line;
  bool skipping; /* the rest of a line that was too long */
};

typedef void (*sdm_mi_f)(void *arg, const struct sdm_mi_record *r);
void sdm_mi_feed(struct sdm_mi *mi, const char *p, size_t len, sdm_mi_f fn, void *arg);
void sdm_mi_fini(struct sdm_mi *mi);
/* Appends 's' as an MI c-string, in quotes. */
void sdm_mi_quote(struct dvm_text *out, const char *s);
#endif
