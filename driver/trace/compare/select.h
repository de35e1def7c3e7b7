/* Selections of records by what people name: variables, files, functions, places; for '--ignore', '--variable' and the like. */
#ifndef DVMT_SELECT_H
#define DVMT_SELECT_H
#include "base/error.h"
#include <stdbool.h>
#include <stddef.h>

/* One thing that was named: of 'variable', 'file', 'function' and 'line' those that are given must all fit. */
struct dvmt_select_row {
  char *text;              /* as it was given; owned, as the rest */
  char *variable, *file, *function;
  unsigned line;           /* 0: any */
  bool hit;                /* something fitted */
};
struct dvmt_select {
  struct dvmt_select_row *row; /* owned */
  size_t n;
};
#define DVMT_SELECT_INIT {NULL, 0}
/* "variable:NAME", "file:NAME", "function:NAME", "FILE:LINE", "NAME@FILE:LINE", or "NAME" of a variable.  0; -EINVAL, -ENOMEM. */
int dvmt_select_add(struct dvmt_select *s, const char *text, struct dvm_error *err);
void dvmt_select_fini(struct dvmt_select *s);
/* Whether a row fits a record at the site with this text, of this variable ("" for none); then it is noted as hit. */
bool dvmt_select_has(struct dvmt_select *s, const char *variable, const char *site_text);
/* Whether a row may fit one; NULL: any variable, any site. */
bool dvmt_select_may(const struct dvmt_select *s, const char *variable, const char *site_text);
#endif
