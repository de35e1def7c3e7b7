/* Diagnostics of a run, as its .jsonl report has them (docs/report-formats.md). */
#ifndef DVM_FIX_FOUND_H
#define DVM_FIX_FOUND_H
#include "base/error.h"
#include "driver/list.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fix_edit {
  char *file, *text;
  size_t line, column, length; /* lines and byte columns from 1; bytes to remove */
};

struct fix_found {
  char *id, *severity, *file, *message, *variable, *help, *no_edit; /* "" where there is none */
  size_t line, column;
  size_t nedits;
  struct fix_edit *edits;
  size_t origin;               /* the line in the text as it was at first */
};

struct fix_findings {
  struct fix_found *v;
  size_t n;
};

/* All lines of the reports in a folder, equal findings once; 'nreports': how many reports there are.  'names': pairs; in all texts the first
 * of a pair gives way to the second, for the names of files.  -E... when one cannot be read or is no such file; then there are none. */
int fix_findings_read(struct fix_findings *f, const char *folder, const struct dvm_list *names, size_t *nreports, struct dvm_error *err);
int fix_findings_copy(struct fix_findings *to, const struct fix_findings *from, struct dvm_error *err);
void fix_findings_fini(struct fix_findings *f);
/* Are the two about one thing: the same diagnostic of the same variable; 'any_id': or another one of it, in that line? */
bool fix_found_same(const struct fix_found *a, const struct fix_found *b, bool any_id);
/* The one of 'f' that is so, or NULL. */
const struct fix_found *fix_findings_like(const struct fix_findings *f, const struct fix_found *a, bool any_id);
#endif
