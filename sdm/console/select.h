/* Set expressions of the console: 0-3,7 and 10-30/2; all, stopped, running, exited, dead; names given by the user;
 * live sets bp(N), at(FUNCTION), host(NAME), value(EXPR); operators ',' union, '!' minus, '&' and, '^' either, all of
 * the same strength, from left to right, with parentheses. */
#ifndef SDM_SELECT_H
#define SDM_SELECT_H
#include "sdm/session/session.h"

struct sdm_names { /* sets that the user named */
  struct {
    char *name;
    char *text; /* kept as an expression, so that it stays live */
  } *items;
  size_t n;
};

void sdm_names_set(struct sdm_names *names, const char *name, const char *text);
void sdm_names_fini(struct sdm_names *names);
/* The set (the caller frees), only ranks of this session; or NULL with the reason. */
struct sdm_set *sdm_select(struct sdm_session *s, const struct sdm_names *names, const char *text, struct dvm_error *err);
#endif
