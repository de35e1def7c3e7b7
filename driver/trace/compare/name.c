#include "driver/trace/compare/name.h"
#include "driver/trace/format/lead.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dvmt_span dvmt_span_base(struct dvmt_span file) {
  for (size_t i = file.n; i-- > 0;)
    if (file.s[i] == '/')
      return (struct dvmt_span){file.s + i + 1, file.n - i - 1};
  return file;
}

struct dvmt_where dvmt_site_where(const char *text) {
  struct dvmt_span place = dvmt_text_line(text, DVMRT_ANY_PLACE);
  struct dvmt_where w = {dvmt_text_line(text, DVMRT_ANY_FILE), 0, 0};
  if (place.s) {
    w.line = (unsigned)dvmt_span_number(dvmt_text_field(&place), 0);
    w.column = (unsigned)dvmt_span_number(dvmt_text_field(&place), 0);
  }
  return w;
}

void dvmt_where_text(const struct dvmt_where *w, char *buf, size_t size) {
  if (w->file.s)
    snprintf(buf, size, "%.*s:%u:%u", (int)w->file.n, w->file.s, w->line, w->column);
  else
    snprintf(buf, size, "?");
}

struct dvmt_span dvmt_site_kind(const char *text) {
  struct dvmt_span k = dvmt_text_line(text, DVMRT_ANY_KIND);
  if (!k.s)
    return (struct dvmt_span){"?", 1};
  return dvmt_text_field(&k);
}

static bool has_shape(const struct dvmt_object_def *o) {
  for (int d = 1; d < o->ndims; d++)
    if (o->extent[d] <= 0)
      return false;
  return o->ndims && o->element_bytes;
}

static bool is_fortran(const struct dvmt_object_def *o) { return o->flags & DVMT_OBJECT_FORTRAN; }

/* What the source has behind the first 'n' groups of subscripts: the field of a struct. */
static struct dvmt_span field_of(struct dvmt_span t, int n, char open, char close) {
  size_t at = 0;
  for (; n > 0 && at < t.n; n--) {
    int depth = 0;
    while (at < t.n && t.s[at] != open)
      at++;
    for (; at < t.n; at++) {
      depth += t.s[at] == open;
      depth -= t.s[at] == close;
      if (!depth) {
        at++;
        break;
      }
    }
  }
  return (struct dvmt_span){t.s + at, t.n - at};
}

void dvmt_lead_text(uint64_t word, const struct dvmt_object_def *variable, char *buf, size_t size) {
  char element[200];
  int64_t distance = dvmt_lead_distance(word);
  if (!dvmt_lead_known(word) || (word & DVMT_LEAD_NAMED && !variable)) {
    snprintf(buf, size, word ? "non-null" : "null");
  } else if (!variable) {
    snprintf(buf, size, "byte %lld of allocation %u", (long long)distance, dvmt_lead_object(word) & (DVMT_LEAD_NUMBERS - 1));
  } else {
    dvmt_element_text(variable, distance, NULL, element, sizeof(element));
    snprintf(buf, size, "&%s", element);
  }
}

/* "z <path> <offset> <stride>..": the path from an element, 'rest' bytes into it, with the subscripts that the bytes tell.  False:
 * they do not fit. */
static bool path_text(struct dvmt_span z, int64_t rest, bool through_pointer, char *buf, size_t size) {
  struct dvmt_span path = dvmt_text_field(&z);
  rest -= dvmt_span_number(dvmt_text_field(&z), 0);
  size_t n = 0;
  buf[0] = 0;
  if (path.n > 1 && path.s[0] == '-' && !through_pointer)
    path = (struct dvmt_span){path.s + 1, path.n - 1}; /* "->" */
  if (path.n > 1 && path.s[0] == '.' && through_pointer) { /* of *p */
    n = (size_t)snprintf(buf, size, "->");
    path = (struct dvmt_span){path.s + 1, path.n - 1};
  }
  for (size_t i = 0; i < path.n && n + 24 < size; i++) {
    if (path.s[i] != '[') {
      buf[n++] = path.s[i] == '>' && !through_pointer ? '.' : path.s[i];
      buf[n] = 0;
      continue;
    }
    int64_t stride = dvmt_span_number(dvmt_text_field(&z), 0);
    if (stride <= 0 || rest < 0)
      return false;
    n += (size_t)snprintf(buf + n, size - n, "[%lld]", (long long)(rest / stride));
    rest %= stride;
    i++; /* ']' */
  }
  return rest == 0;
}

/* Whether a subscript in it is no number: then the text is the same for many elements. */
static bool is_variable(struct dvmt_span t, bool fortran) {
  for (size_t i = 0, depth = 0; fortran && i < t.n; i++) {
    depth += t.s[i] == '(';
    depth -= t.s[i] == ')' && depth;
    if (depth && !strchr("0123456789(), +-", t.s[i]))
      return true;
  }
  for (size_t i = 0; i + 1 < t.n; i++)
    if (t.s[i] == '[' && (t.s[i + 1] < '0' || t.s[i + 1] > '9'))
      return true;
  return false;
}

/* Whether the access's path begins at another struct than the object's elements are: one inside of them. */
static bool is_inner(const struct dvmt_object_def *o, struct dvmt_span z, const char *text) {
  struct dvmt_span bytes = z.s ? dvmt_text_line(text, DVMRT_ACCESS_ELEMENT) : (struct dvmt_span){NULL, 0};
  return bytes.s && dvmt_span_number(bytes, 0) != o->element_bytes;
}

/* "A[2][0]", or "A(1,3)".  Returns the length. */
static size_t subscripted(const struct dvmt_object_def *o, const int64_t *index, char *buf, size_t size) {
  size_t n = (size_t)snprintf(buf, size, "%s", o->name);
  for (int d = 0; d < o->ndims && n < size; d++) {
    const int k = o->ndims - 1 - d;
    if (is_fortran(o))
      n += (size_t)snprintf(buf + n, size - n, "%c%lld%s", d ? ',' : '(', (long long)(index[k] + o->lower[k]), k ? "" : ")");
    else
      n += (size_t)snprintf(buf + n, size - n, "[%lld]", (long long)index[d]);
  }
  return n;
}

/* What nobody knows the shape of. */
static void without_shape(const struct dvmt_object_def *o, int64_t offset, struct dvmt_span t, char *buf, size_t size) {
  if (o->ndims && o->element_bytes && !is_fortran(o))
    snprintf(buf, size, "%s[%lld]", o->name, (long long)(offset / (int64_t)o->element_bytes));
  else if (t.s)
    snprintf(buf, size, is_variable(t, is_fortran(o)) ? "%.*s (byte %lld)" : "%.*s", (int)t.n, t.s, (long long)offset);
  else
    snprintf(buf, size, "%s", o->name);
}

void dvmt_element_text(const struct dvmt_object_def *o, int64_t offset, const char *text, char *buf, size_t size) {
  struct dvmt_span t = text ? dvmt_text_line(text, DVMRT_ACCESS_TEXT) : (struct dvmt_span){NULL, 0};
  struct dvmt_span z = text ? dvmt_text_line(text, DVMRT_TRACE_BEHIND) : (struct dvmt_span){NULL, 0};
  char path[256];
  if (!o->ndims && z.s && offset >= 0 && path_text(z, offset, o->flags & DVMT_OBJECT_POINTED, path, sizeof(path))) {
    snprintf(buf, size, "%s%s", o->name, path);
    return;
  }
  if (!has_shape(o) || offset < 0) {
    without_shape(o, offset, t, buf, size);
    return;
  }
  int64_t linear = offset / o->element_bytes, index[DVMT_NDIMS_MAX];
  for (int d = o->ndims - 1; d > 0; d--) {
    index[d] = linear % o->extent[d];
    linear /= o->extent[d];
  }
  index[0] = linear;
  size_t n = subscripted(o, index, buf, size);
  if (is_inner(o, z, text) && t.s && n < size) {
    char element[256];
    snprintf(element, sizeof(element), "%s", buf);
    snprintf(buf, size, "%.*s (in %s)", (int)t.n, t.s, element);
    return;
  }
  struct dvmt_span field = is_fortran(o) ? field_of(t, 1, '(', ')') : field_of(t, o->ndims, '[', ']');
  if (z.s && path_text(z, offset % o->element_bytes, false, path, sizeof(path)))
    field = (struct dvmt_span){path, strlen(path)};
  if (n < size && field.n && (field.s[0] == '.' || field.s[0] == '[' || field.s[0] == '%'))
    snprintf(buf + n, size - n, "%.*s", (int)field.n, field.s);
}

void dvmt_iteration_text(const char *text, const uint64_t *words, uint32_t n, char *buf, size_t size) {
  struct dvmt_span names = dvmt_text_line(text, DVMRT_DIRECTIVE_NAMES);
  size_t at = 0;
  int64_t count = names.s ? dvmt_span_number(dvmt_text_field(&names), 0) : 0;
  buf[0] = 0;
  for (uint32_t d = 0; d < n && at < size; d++) {
    struct dvmt_span name = d < count ? dvmt_text_field(&names) : (struct dvmt_span){"", 0};
    at += (size_t)snprintf(buf + at, size - at, "%s%.*s%s%lld", d ? ", " : "", (int)name.n, name.s, name.n ? "=" : "", (long long)words[d]);
  }
}

int64_t dvmt_element_offset(const struct dvmt_object_def *o, const struct dvmt_subscripts *s) {
  if (s->n != o->ndims || (s->n && !has_shape(o)) || (s->fortran && !is_fortran(o)))
    return -1;
  int64_t linear = 0;
  for (int d = 0; d < s->n; d++) {
    const int64_t index = s->fortran ? s->index[s->n - 1 - d] - o->lower[d] : s->index[d];
    if (index < 0 || (o->extent[d] > 0 && index >= o->extent[d]))
      return -1;
    linear = linear * (d ? o->extent[d] : 1) + index;
  }
  return linear * (int64_t)o->element_bytes;
}

bool dvmt_element_parse(const char *s, struct dvmt_span *name, struct dvmt_subscripts *to) {
  *name = (struct dvmt_span){s, strcspn(s, "[(")};
  s += name->n;
  *to = (struct dvmt_subscripts){.fortran = *s == '('};
  while (*s == '[' || (to->fortran && (*s == '(' || *s == ','))) {
    char *end;
    if (to->n == DVMT_NDIMS_MAX)
      return false;
    to->index[to->n++] = strtoll(s + 1, &end, 10);
    if (end == s + 1 || (to->fortran ? *end != ',' && *end != ')' : *end != ']'))
      return false;
    s = to->fortran && *end == ',' ? end : end + 1;
    if (to->fortran && *end == ')')
      break;
  }
  return !*s && name->n;
}

struct reductions {
  uint64_t left;
  struct dvmt_span operation, name;
  struct dvmt_type *type;
};

/* "R <op> <name> & <element bytes> <count> <kind>" */
static bool find_reduction(void *arg, char key, struct dvmt_span rest) {
  struct reductions *r = arg;
  if (key != DVMRT_DIRECTIVE_REDUCTION || r->left--)
    return true;
  r->operation = dvmt_text_field(&rest);
  r->name = dvmt_text_field(&rest);
  for (int i = 0; i < 3; i++)
    dvmt_text_field(&rest);
  struct dvmt_span kind = dvmt_text_field(&rest);
  char line[32];
  snprintf(line, sizeof(line), "y %.*s", (int)kind.n, kind.s);
  *r->type = dvmt_type_of(line);
  return false;
}

struct dvmt_span dvmt_result_name(const char *text, uint64_t number, struct dvmt_type *type) {
  struct reductions r = {number & 0xffffffff, {NULL, 0}, {"?", 1}, type};
  *type = (struct dvmt_type){'o', 8, 0};
  dvmt_text_lines(text, find_reduction, &r);
  return r.name;
}

bool dvmt_result_adds_up(const char *text, uint64_t number) {
  struct dvmt_type type;
  struct reductions r = {number & 0xffffffff, {NULL, 0}, {"?", 1}, &type};
  dvmt_text_lines(text, find_reduction, &r);
  return r.operation.s && (dvmt_span_is(r.operation, "sum") || dvmt_span_is(r.operation, "product"));
}
