#include "runtime/report/location.h"
#include "runtime/data/site.h"
#include "runtime/report/guess.h"
#include "runtime/report/name.h"
#include "runtime/report/source.h"
#include <ctype.h>
#include <string.h>

enum { APART_MAX = 8 };

/* Is all that is assigned an index variable of the loops? */
static bool notes_index(const struct dvmrt_directive *d, const struct dvmrt_access *x) {
  char line[512];
  if (x->ndims > 1 || x->range || x->whole || !dvmrt_source_line(x->pos.file, x->pos.line, line, sizeof(line)) ||
      x->pos.column > strlen(line))
    return false;
  const char *s = strchr(line + x->pos.column - 1, '=');
  s = s ? s + 1 + strspn(s + 1, " (") : "=";
  for (int k = 0; k < d->rank; k++) {
    const size_t n = strlen(d->names[k]);
    const char *end = s + n;
    if (strncasecmp(s, d->names[k], n) == 0 && !isalnum((unsigned char)*end) && *end != '_' && strchr(";,!", end[strspn(end, " )")]))
      return true; /* of an empty rest strchr finds the end */
  }
  return false;
}

/* Are the two executed together: in one line, or one below the other with plain statements between? */
static bool together(const struct dvmrt_access *x, const struct dvmrt_access *y) {
  const uint32_t low = x->pos.line < y->pos.line ? x->pos.line : y->pos.line, high = x->pos.line ^ y->pos.line ^ low;
  if (x->pos.file != y->pos.file || high - low > APART_MAX || (low != high && x->pos.column != y->pos.column))
    return false;
  for (uint32_t line = low + 1; line < high; line++)
    if (!dvmrt_guess_is_plain(x->pos.file, line))
      return false;
  return true;
}

static bool is_write(const struct dvmrt_access *x) { return (x->flags & DVMRT_WRITE) && x->name && x->pos.column; }

/* Not a variable of the loop's body. */
static bool is_outer(const struct dvmrt_directive *d, const struct dvmrt_access *x) {
  return x->declared.file != d->pos.file || x->declared.line < d->pos.line;
}

static const char *extreme_operation(const struct dvmrt_access *x) {
  const char *operation = x->ndims ? NULL : dvmrt_guess_operation(x->pos, x->name);
  return operation && (!strcmp(operation, "max") || !strcmp(operation, "min")) ? operation : NULL;
}

static bool find(const struct dvmrt_directive *d, const char *extreme, const char *place, struct dvmrt_location *l) {
  const struct dvmrt_access *all = dvmrt_site_of_construct(d->site, d->pos.file, d->cid);
  for (const struct dvmrt_access *p = all; p; p = p->next) {
    if (!is_write(p) || (place && strcmp(p->name, place)) || !is_outer(d, p) || !notes_index(d, p) ||
        (p->ndims && (!p->nextents || p->extent[0] <= 0)))
      continue;
    for (const struct dvmrt_access *m = all; m; m = m->next) {
      if (!is_write(m) || (extreme && strcmp(m->name, extreme)) || !strcmp(m->name, p->name) || !together(m, p))
        continue;
      *l = (struct dvmrt_location){extreme_operation(m), m->name, p->name, p->ndims ? (long long)p->extent[0] : 1};
      if (l->operation)
        return true;
    }
  }
  return false;
}

bool dvmrt_location_of_place(const struct dvmrt_directive *d, const char *place, struct dvmrt_location *l) {
  return find(d, NULL, place, l);
}

bool dvmrt_location_of_extreme(const struct dvmrt_directive *d, const char *extreme, struct dvmrt_location *l) {
  return find(d, extreme, NULL, l);
}

/* How the directive reduces the extreme; NULL: not at all. */
static const struct dvmrt_item *reduced(const struct dvmrt_directive *d, const char *extreme) {
  for (const struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_REDUCTION); i;
       i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_REDUCTION))
    if (!strcmp(i->ref.name, extreme))
      return i;
  return NULL;
}

bool dvmrt_location_help(struct dvmrt_report *r, const struct dvmrt_directive *d, const struct dvmrt_location *l) {
  const struct dvmrt_item *i = reduced(d, l->extreme);
  if (i && strcmp(i->word, l->operation))
    return false;
  struct dvmrt_text *help = dvmrt_diag_help(r);
  struct dvmrt_text *clause =
      dvmrt_diag_repair(r, i ? DVMRT_REPAIR_ITEM : DVMRT_REPAIR_ADD, d->pos, i ? "reduction" : NULL, i ? l->extreme : NULL);
  dvmrt_text_add(clause, i ? "%sloc(%s, %s, %lld)" : "reduction(%sloc(%s, %s, %lld))", l->operation, l->extreme, l->place, l->count);
  dvmrt_text_add(help, i ? "write '%s' in the 'reduction' of the directive at " : "add '%s' to the directive at ", clause->s);
  dvmrt_name_place(d->pos, help);
  return true;
}
