#include "runtime/report/name.h"
#include <string.h>
#include <strings.h>

/* Top-level bracket groups of the text: how many. */
static int brackets(const char *text) {
  int depth = 0, n = 0;
  for (; *text; text++) {
    if (*text == '[' && depth++ == 0)
      n++;
    else if (*text == ']' && depth)
      depth--;
  }
  return n;
}

/* Does the text begin with the name and that many bracket groups?  A member behind them may have subscripts of its own. */
static bool begins(const char *text, const char *name, int groups) {
  size_t n = name ? strlen(name) : 0;
  if (!n || strncmp(text, name, n) != 0)
    return false;
  int depth = 0;
  for (text += n; *text && groups; text++) {
    if (*text == '[')
      depth++;
    else if (*text == ']' && depth)
      groups -= --depth == 0;
    else if (!depth)
      return false;
  }
  return !groups;
}

/* Are the first bracket groups of the text the subscripts that are known? */
static bool shows_subscripts(const struct dvmrt_access *x) { return brackets(x->text) == x->ndims || begins(x->text, x->name, x->ndims); }

/* The text with the inside of the first 'n' bracket groups replaced by values. */
static void with_values(const char *text, const int64_t *ix, int n, struct dvmrt_text *t) {
  int depth = 0;
  for (; *text && n; text++) {
    if (*text == '[' && depth++ == 0)
      dvmrt_text_add(t, "[%lld]", (long long)*ix++);
    else if (*text == ']' && depth)
      n -= --depth == 0;
    else if (!depth)
      dvmrt_text_add(t, "%c", *text);
  }
  dvmrt_text_add(t, "%s", text);
}

static bool same_subscripts(const struct dvmrt_event *ev) {
  return ev->array && ev->subscripts && ev->access->ndims == ev->array->ndims &&
         !memcmp(ev->subscripts, ev->ix, (size_t)ev->array->ndims * sizeof(int64_t));
}

/* 'lower': what each dimension is counted from. */
static void with_subscripts(const char *name, const int64_t *ix, const int64_t *lower, int ndims, struct dvmrt_text *t) {
  dvmrt_text_add(t, "%s", name);
  for (int d = 0; d < ndims; d++)
    dvmrt_text_add(t, "[%lld]", (long long)(ix[d] + lower[d]));
}

void dvmrt_name_element(const struct dvmrt_array *a, const int64_t *ix, struct dvmrt_text *t) {
  with_subscripts(a->name, ix, a->lower, a->ndims, t);
}

/* "A(i-1,j)", an element of the root itself: its text holds no brackets. */
static bool is_element(const struct dvmrt_access *x) {
  size_t n = x->name ? strlen(x->name) : 0;
  return x->fortran && x->ndims && n && !strncasecmp(x->text, x->name, n) && (x->text[n] == '(' || x->text[n] == ' ') &&
         !strchr(x->text, '%');
}

/* A reference that a macro writes does not show its subscripts. */
static bool hidden(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_access *x = ev->access;
  if (!ev->subscripts || !x->ndims || shows_subscripts(x))
    return false;
  if (same_subscripts(ev))
    with_subscripts(ev->array->name, ev->ix, ev->array->lower, ev->array->ndims, t);
  else if (!ev->array && x->name && x->root != 'h')
    with_subscripts(x->name, ev->subscripts, x->lower, x->ndims, t);
  else
    return false;
  return true;
}

static bool is_simple(const char *text) { return !text[strcspn(text, " +-*/(&")]; }

/* The struct that a function is given, or one of the row. */
static void name_owner(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_members *m = ev->access->members;
  if (ev->array)
    dvmrt_name_element(ev->array, ev->ix, t);
  else if (m->form == '.' && !ev->unit.of)
    dvmrt_text_add(t, "%s", m->text);
  else if (m->form != '.' && is_simple(m->text))
    dvmrt_text_add(t, "%s[%llu]", m->text, (unsigned long long)ev->unit.of);
  else
    dvmrt_text_add(t, "(%s%s)[%llu]", m->form == '.' ? "&" : "", m->text, (unsigned long long)ev->unit.of);
}

/* A member of it, as the program would write it. */
static void name_unit(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_members *m = ev->access->members;
  const struct dvmrt_member *member = ev->unit.member;
  size_t n = strlen(member->name);
  if (m->form == '>' && !ev->unit.of && !ev->array && is_simple(m->text)) {
    dvmrt_text_add(t, "%s->%s", m->text, member->name + 1);
  } else {
    name_owner(ev, t);
    dvmrt_text_add(t, "%s", member->name);
  }
  if (member->count > 1 && !(n > 4 && !strcmp(member->name + n - 4, "[..]")))
    dvmrt_text_add(t, "[%llu]", (unsigned long long)ev->unit.index);
}

void dvmrt_name_datum(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_access *x = ev->access;
  dvmrt_text_add(t, "'");
  if (x->members && ev->unit.member) {
    name_unit(ev, t);
    dvmrt_text_add(t, "'");
    return;
  }
  if (x->range && ev->array) {
    dvmrt_name_element(ev->array, ev->ix, t);
    dvmrt_text_add(t, "'");
    return;
  }
  const bool element = ev->subscripts && is_element(x);
  if (!element && hidden(ev, t)) {
    dvmrt_text_add(t, "' ('%s')", x->text);
    return;
  }
  if (element)
    with_subscripts(x->name, ev->subscripts, x->lower_varies && same_subscripts(ev) ? ev->array->lower : x->lower, x->ndims, t);
  else if (ev->subscripts && x->ndims && shows_subscripts(x))
    with_values(x->text, ev->subscripts, x->ndims, t);
  else
    dvmrt_text_add(t, "%s", x->text);
  dvmrt_text_add(t, "'");
  bool alias = ev->array && x->name && strcmp(x->name, ev->array->name) != 0;
  if (!ev->array || (same_subscripts(ev) && !alias))
    return;
  dvmrt_text_add(t, " ('");
  dvmrt_name_element(ev->array, ev->ix, t);
  dvmrt_text_add(t, "')");
}

void dvmrt_name_reference(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_access *x = ev->access;
  if (!ev->subscripts || !x->ninner) {
    dvmrt_name_datum(ev, t);
    return;
  }
  dvmrt_text_add(t, "'");
  int n = x->ndims + x->ninner;
  if (brackets(x->text) == n)
    with_values(x->text, ev->subscripts, n, t);
  else
    dvmrt_text_add(t, "%s", x->text);
  dvmrt_text_add(t, "'");
}

const char *dvmrt_name_key(const struct dvmrt_event *ev) {
  if (ev->array)
    return ev->array->name;
  return ev->access->name ? ev->access->name : ev->access->text;
}

bool dvmrt_name_known(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  if (!ev->array && (x->root == 'h' || !x->name))
    return false; /* the pointer's name is another variable's */
  return x->root == 'g' || !ev->nest || (x->cid == ev->nest->d->cid && x->pos.file == ev->nest->d->pos.file);
}

void dvmrt_name_iteration(const struct dvmrt_directive *nest, const int64_t *iv, struct dvmrt_text *t) {
  dvmrt_text_add(t, "(");
  for (int i = 0; i < nest->rank; i++)
    dvmrt_text_add(t, "%s%s=%lld", i ? ", " : "", nest->names[i], (long long)iv[i]);
  dvmrt_text_add(t, ")");
}

void dvmrt_name_place(struct dvmrt_pos pos, struct dvmrt_text *t) { dvmrt_text_add(t, "%s:%u", pos.file ? pos.file : "?", pos.line); }
