#include "runtime/trace/text.h"
#include <stdio.h>
#include <string.h>

void dvmt_text_lines(const char *text, bool (*f)(void *arg, char key, struct dvmt_span rest), void *arg) {
  const char *end = text ? text + strlen(text) : NULL;
  for (struct dvmrt_site_line line; text && dvmrt_site_next_line(&text, end, &line);)
    if (!f(arg, line.key, (struct dvmt_span){line.s, line.n}))
      return;
}

struct wanted {
  char key;
  struct dvmt_span found;
};
static bool is_wanted(void *arg, char key, struct dvmt_span rest) {
  struct wanted *w = arg;
  if (key == w->key)
    w->found = rest;
  return key != w->key;
}
struct dvmt_span dvmt_text_line(const char *text, char key) {
  struct wanted w = {key, {NULL, 0}};
  dvmt_text_lines(text, is_wanted, &w);
  return w.found;
}

struct dvmt_span dvmt_text_field(struct dvmt_span *rest) {
  size_t n = 0;
  while (n < rest->n && rest->s[n] != ' ')
    n++;
  struct dvmt_span field = {rest->s, n};
  if (!rest->n)
    return field;
  rest->s += n + (n < rest->n);
  rest->n -= n + (n < rest->n);
  return field;
}

bool dvmt_span_is(struct dvmt_span s, const char *text) { return s.n == strlen(text) && !memcmp(s.s, text, s.n); }

int64_t dvmt_span_number(struct dvmt_span s, int64_t otherwise) {
  size_t i = s.n && s.s[0] == '-';
  uint64_t v = 0;
  if (i == s.n || s.n - i > 18)
    return otherwise;
  for (size_t k = i; k < s.n; k++) {
    if (s.s[k] < '0' || s.s[k] > '9')
      return otherwise;
    v = v * 10 + (uint64_t)(s.s[k] - '0');
  }
  return i ? -(int64_t)v : (int64_t)v;
}

size_t dvmt_text_signs(char key, struct dvmt_span rest) {
  size_t signs = 0;
  const struct dvmrt_site_line line = {key, rest.s, rest.n};
  rest.n = dvmrt_site_signs(&line);
  for (size_t i = 0; i < rest.n; i++)
    signs += rest.s[i] == '#' || rest.s[i] == '&';
  return signs;
}

struct reading {
  const int64_t *args;
  size_t nargs, next;
  struct dvmt_array_ref *ref;
  bool found;
};

/* A field that is a number or stands for the next argument. */
static int64_t value_of(struct reading *r, struct dvmt_span field) {
  if (field.n == 1 && (field.s[0] == '#' || field.s[0] == '&'))
    return r->next < r->nargs ? r->args[r->next++] : 0;
  return dvmt_span_number(field, 0);
}

static bool read_array(void *arg, char key, struct dvmt_span rest) {
  struct reading *r = arg;
  if (r->found) { /* the line behind it */
    for (int d = 0; key == DVMRT_DIRECTIVE_LOWER && d < r->ref->ndims; d++)
      r->ref->lower[d] = value_of(r, dvmt_text_field(&rest));
    return false;
  }
  if (key != DVMRT_DIRECTIVE_ARRAY && key != DVMRT_DIRECTIVE_TEMPLATE) {
    r->next += dvmt_text_signs(key, rest);
    return true;
  }
  *r->ref = (struct dvmt_array_ref){.name = dvmt_text_field(&rest)};
  struct dvmt_span flags = dvmt_text_field(&rest);
  r->ref->kind = flags.n > 1 ? flags.s[1] : 'o';
  r->ref->address = (uint64_t)value_of(r, dvmt_text_field(&rest));
  r->ref->element_bytes = (uint64_t)value_of(r, dvmt_text_field(&rest));
  int64_t ndims = value_of(r, dvmt_text_field(&rest));
  if (key == DVMRT_DIRECTIVE_TEMPLATE || ndims < 0 || ndims > DVMT_NDIMS_MAX)
    return false;
  r->ref->ndims = (int)ndims;
  for (int d = 0; d < r->ref->ndims; d++)
    r->ref->extent[d] = value_of(r, dvmt_text_field(&rest));
  r->found = r->ref->address && r->ref->element_bytes;
  return r->found;
}

bool dvmt_text_array(const char *text, const int64_t *args, size_t nargs, struct dvmt_array_ref *ref) {
  struct reading r = {args, nargs, 0, ref, false};
  dvmt_text_lines(text, read_array, &r);
  return r.found;
}

/* ---- results of reductions ----------------------------------------------------------------------------------------------------------- */

struct result {
  uint64_t left;
  struct dvmt_span name, extents;
  bool found;
};

/* "R <op> <name> & ..", and the line behind it: the name may have blanks. */
static bool find_result(void *arg, char key, struct dvmt_span rest) {
  struct result *r = arg;
  if (r->found) {
    r->extents = key == DVMRT_DIRECTIVE_RESULTS ? rest : r->extents;
    return false;
  }
  if (key != DVMRT_DIRECTIVE_REDUCTION || r->left--)
    return true;
  dvmt_text_field(&rest);
  r->name = rest;
  for (size_t i = 0; i + 1 < rest.n && r->name.n == rest.n; i++)
    if (rest.s[i] == ' ' && rest.s[i + 1] == '&')
      r->name.n = i;
  return r->found = true;
}

/* Subscripts of an element, the last dimension in memory first; false: the extents do not tell. */
static bool subscripts_of(uint64_t element, const struct dvmt_array_ref *shape, int64_t *at) {
  for (int d = shape->ndims; d-- > 0;) {
    if (d && shape->extent[d] < 1)
      return false;
    at[d] = shape->lower[d] + (int64_t)(d ? element % (uint64_t)shape->extent[d] : element);
    element /= d ? (uint64_t)shape->extent[d] : 1;
  }
  return shape->ndims > 0;
}

static void write_subscripts(const struct dvmt_array_ref *shape, const int64_t *at, bool fortran, char *buf, size_t size) {
  size_t n = 0;
  for (int d = 0; d < shape->ndims && n < size; d++) {
    const char *before = !fortran ? "[" : d ? "," : "(", *behind = !fortran ? "]" : d + 1 == shape->ndims ? ")" : "";
    n += (size_t)snprintf(buf + n, size - n, "%s%lld%s", before, (long long)at[fortran ? shape->ndims - 1 - d : d], behind);
  }
}

void dvmt_text_result(const char *text, uint64_t word, char *buf, size_t size) {
  const bool fortran = dvmt_text_line(text, DVMRT_ANY_LANGUAGE).s != NULL;
  const uint64_t element = word >> 32;
  struct result r = {word & 0xffffffff, {"?", 1}, {NULL, 0}, false};
  struct dvmt_array_ref shape = {.ndims = 0};
  int64_t at[DVMT_NDIMS_MAX];
  dvmt_text_lines(text, find_result, &r);
  int64_t ndims = dvmt_span_number(dvmt_text_field(&r.extents), 0);
  shape.ndims = ndims > 0 && ndims <= DVMT_NDIMS_MAX ? (int)ndims : 0;
  for (int d = 0; d < shape.ndims; d++)
    shape.extent[d] = dvmt_span_number(dvmt_text_field(&r.extents), 0);
  for (int d = 0; d < shape.ndims; d++)
    shape.lower[d] = dvmt_span_number(dvmt_text_field(&r.extents), fortran);
  size_t n = (size_t)snprintf(buf, size, "%.*s", (int)r.name.n, r.name.s);
  if (n < size && subscripts_of(element, &shape, at))
    write_subscripts(&shape, at, fortran, buf + n, size - n);
  else if (n < size && element)
    snprintf(buf + n, size - n, " (element %llu)", (unsigned long long)element + 1);
}
