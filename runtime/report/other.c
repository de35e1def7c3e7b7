#include "runtime/report/other.h"
#include "runtime/report/name.h"
#include <string.h>

bool dvmrt_other_shown = true;

/* The next letter of an access's text that names a member, past subscripts and blanks; "->" is '.'. */
static char member_letter(const char **text) {
  const char *t = *text;
  for (int depth = 0; *t; t++) {
    depth += (*t == '[') - (*t == ']');
    if (!depth && *t != ']' && *t != ' ')
      break;
  }
  char letter = *t;
  if (letter == '-' && t[1] == '>') {
    letter = '.';
    t++;
  }
  *text = letter ? t + 1 : t;
  return letter;
}

/* 'a.x' and 'b[i].y': other members of what they start from, whatever that is.  'a' and 'a.x' overlap. */
static bool other_members(const char *a, const char *b) {
  char of_a, of_b;
  do
    of_a = member_letter(&a);
  while (of_a && of_a != '.');
  do
    of_b = member_letter(&b);
  while (of_b && of_b != '.');
  while (of_a && of_a == of_b) {
    of_a = member_letter(&a);
    of_b = member_letter(&b);
  }
  return of_a != of_b && !((!of_a && of_b == '.') || (of_a == '.' && !of_b));
}

static int brackets(const char *text) {
  int n = 0;
  for (; *text; text++)
    n += *text == '[';
  return n;
}

/* 'f.u[2][0]' and 'f.u[0][i]', '*p' and '*(p + 1)': with subscripts that are not known, or none, they may be one place or not. */
static bool unlike(const struct dvmrt_access *x, const struct dvmrt_access *y) {
  if (!strcmp(x->text, y->text))
    return false;
  return brackets(x->text) > x->ndims || brackets(y->text) > y->ndims || x->text[0] == '*' || y->text[0] == '*';
}

/* How sure it is that 'x' touched the datum in iteration 'iv': 0 no, 1 it may have, 2 yes. */
static int touches(const struct dvmrt_event *ev, const struct dvmrt_access *x, const int64_t *iv) {
  const int64_t *want = ev->array ? ev->ix : ev->subscripts;
  int ndims = ev->array ? ev->array->ndims : ev->access->ndims;
  int sure = unlike(x, ev->access) ? 1 : 2;
  if (other_members(x->text, ev->access->text))
    return 0;
  if (x->ndims != ndims || !want)
    return x->ndims || ndims ? 1 : sure;
  for (int d = 0; d < ndims; d++) {
    const struct dvmrt_subscript *s = &x->axis[d];
    if (s->kind == 'o' || (s->kind == 'a' && !iv) || (x->lower_varies && !ev->array))
      sure = 1;
    else if (dvmrt_array_added(ev->array, x, d) + (s->kind == 'a' ? s->coef * iv[s->index] : 0) != want[d])
      return 0;
  }
  return sure;
}

static bool same_datum(const struct dvmrt_event *ev, const struct dvmrt_access *x) {
  const struct dvmrt_access *me = ev->access;
  if (ev->array && x->distributed && x->use >= 0 && (uint32_t)x->use < ev->nest->nuses && ev->nest->uses[x->use].array)
    return ev->nest->uses[x->use].array == ev->array;
  if (!x->name)
    return false;
  if (me->name && !strcmp(x->name, me->name))
    return x->declared.line == me->declared.line && x->declared.file == me->declared.file;
  return ev->array && !strcmp(x->name, ev->array->name);
}

const struct dvmrt_access *dvmrt_other_access(const struct dvmrt_event *ev, uint32_t flags, const int64_t *iv) {
  const struct dvmrt_directive *d = ev->nest->d;
  const struct dvmrt_access *maybe = NULL;
  int nmaybe = 0;
  for (const struct dvmrt_access *x = dvmrt_site_of_construct(d->site, d->pos.file, d->cid); x; x = x->next) {
    if (!(x->flags & flags) || !same_datum(ev, x))
      continue;
    int sure = touches(ev, x, iv);
    if (sure == 2)
      return x;
    if (sure == 1) {
      maybe = x;
      nmaybe++;
    }
  }
  return nmaybe == 1 ? maybe : NULL;
}

/* The same datum, as 'x' names it. */
static struct dvmrt_event as_other(const struct dvmrt_event *ev, const struct dvmrt_access *x) {
  const struct dvmrt_access *me = ev->access;
  struct dvmrt_event other = *ev;
  const bool alike = x->ndims == me->ndims && x->name && me->name && !strcmp(x->name, me->name);
  if (alike || !x->name || x->members || x->range)
    other.subscripts = x->ndims == me->ndims ? ev->subscripts : NULL;
  else {
    other.access = (struct dvmrt_access *)x; /* only named */
    other.subscripts = ev->array && x->ndims == ev->array->ndims ? ev->ix : NULL;
  }
  return other;
}

void dvmrt_other_note(struct dvmrt_report *r, const struct dvmrt_event *ev, uint32_t word, uint32_t flags, const char *what,
                      const int64_t *iv) {
  int64_t of_word[DVMRT_NDIMS_MAX];
  if (!dvmrt_other_shown)
    return;
  if (!iv && dvmrt_construct_iteration(ev->nest, word, of_word))
    iv = of_word;
  const struct dvmrt_access *x = dvmrt_other_access(ev, flags, iv);
  if (!x)
    return;
  struct dvmrt_text *t = dvmrt_diag_note(r, x->pos);
  const struct dvmrt_event other = as_other(ev, x);
  dvmrt_name_datum(&other, t);
  dvmrt_text_add(t, " %s", what);
  if (!iv)
    return;
  dvmrt_text_add(t, ", in iteration ");
  dvmrt_name_iteration(ev->nest->d, iv, t);
}
