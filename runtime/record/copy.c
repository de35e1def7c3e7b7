#include "runtime/record/copy.h"
#include "runtime/trace/text.h"
#include <stdlib.h>
#include <string.h>

/* One side: a section of an array. */
struct side {
  struct dvmt_array_ref ref;
  int naxes;
  int64_t low[DVMT_NDIMS_MAX], count[DVMT_NDIMS_MAX];
  bool one[DVMT_NDIMS_MAX];     /* a place, not a range of one */
};

struct reading {
  const int64_t *args;
  size_t nargs, next;
  int nsides;
  struct side side[2];
  bool wrong;
};

/* A number, or '#', which stands for the next argument, up to 'end'. */
static int64_t value_of(struct reading *r, struct dvmt_span s) {
  if (s.n == 1 && s.s[0] == '#')
    return r->next < r->nargs ? r->args[r->next++] : 0;
  r->wrong |= dvmt_span_number(s, INT64_MIN) == INT64_MIN;
  return dvmt_span_number(s, 0);
}

static void read_range(struct reading *r, struct side *s, struct dvmt_span axis) {
  int d = s->naxes;
  const char *colon = memchr(axis.s, ':', axis.n);
  if (!colon) {
    r->wrong = true;
    return;
  }
  struct dvmt_span low = {axis.s, (size_t)(colon - axis.s)}, high = {colon + 1, axis.n - low.n - 1};
  s->low[d] = value_of(r, low);
  int64_t last = dvmt_span_is(high, "*") ? -1 : value_of(r, high);
  if (last < 0)
    last = s->ref.extent[d] - 1;
  else if (s->ref.extent[d] <= 0)
    s->ref.extent[d] = last + 1;
  s->count[d] = last - s->low[d] + 1;
}

static void read_axis(struct reading *r, struct side *s, struct dvmt_span axis) {
  if (s->naxes >= s->ref.ndims || !axis.n) {
    r->wrong = true;
    return;
  }
  int d = s->naxes;
  struct dvmt_span rest = {axis.s + 1, axis.n - 1};
  if (axis.s[0] == 'c') {
    s->low[d] = value_of(r, rest);
    s->count[d] = s->one[d] = true;
  } else if (axis.s[0] == 'r') {
    read_range(r, s, rest);
  } else {
    r->wrong |= axis.s[0] != 'e';
  }
  s->naxes++;
}

static bool read_line(void *arg, char key, struct dvmt_span rest) {
  struct reading *r = arg;
  if (key == DVMRT_DIRECTIVE_AXIS && r->nsides) {
    read_axis(r, &r->side[r->nsides - 1], dvmt_text_field(&rest));
  } else if (key == DVMRT_DIRECTIVE_ARRAY && r->nsides < 2) {
    struct side *s = &r->side[r->nsides++];
    size_t signs = dvmt_text_signs(key, rest), left = r->next < r->nargs ? r->nargs - r->next : 0;
    char line[512] = {DVMRT_DIRECTIVE_ARRAY, ' '};
    r->wrong |= rest.n > sizeof(line) - 3;
    memcpy(line + 2, rest.s, r->wrong ? 0 : rest.n);
    r->wrong |= !dvmt_text_array(line, r->args + r->next, left, &s->ref);
    r->next += signs;
    for (int d = 0; d < s->ref.ndims; d++)
      s->count[d] = s->ref.extent[d];
  } else {
    r->next += dvmt_text_signs(key, rest);
  }
  return !r->wrong;
}

/* Elements of the section; 0: it is not inside the array. */
static int64_t size_of(struct side *s) {
  int64_t n = 1;
  for (int d = 0; d < s->ref.ndims; d++) {
    if (s->count[d] < 1 || s->low[d] < 0 || s->low[d] + s->count[d] > s->ref.extent[d])
      return 0;
    n *= s->count[d];
  }
  return n;
}

/* The dimensions of more than one place are as long. */
static bool same_shape(const struct side *a, const struct side *b) {
  int i = 0, k = 0;
  for (;; i++, k++) {
    while (i < a->ref.ndims && a->one[i])
      i++;
    while (k < b->ref.ndims && b->one[k])
      k++;
    if (i == a->ref.ndims || k == b->ref.ndims)
      return i == a->ref.ndims && k == b->ref.ndims;
    if (a->count[i] != b->count[k])
      return false;
  }
}

/* Row by row between the section and a buffer. */
static void move_section(const struct side *s, char *buffer, bool out) {
  int64_t at[DVMT_NDIMS_MAX] = {0}, last = s->ref.ndims - 1;
  size_t row = (size_t)(s->count[last] * (int64_t)s->ref.element_bytes);
  for (int d = (int)last; d >= 0;) {
    int64_t offset = 0;
    for (int k = 0; k <= last; k++)
      offset = offset * s->ref.extent[k] + s->low[k] + at[k];
    char *p = (char *)(uintptr_t)s->ref.address + offset * (int64_t)s->ref.element_bytes;
    memcpy(out ? buffer : p, out ? p : buffer, row);
    buffer += row;
    for (d = (int)last - 1; d >= 0 && ++at[d] == s->count[d]; d--)
      at[d] = 0;
  }
}

bool dvmt_copy_run(const char *text, const int64_t *args, size_t nargs) {
  struct reading r = {.args = args, .nargs = nargs};
  struct dvmt_span kind = dvmt_text_line(text, DVMRT_ANY_KIND);
  if (!dvmt_span_is(dvmt_text_field(&kind), "array_copy"))
    return false;
  dvmt_text_lines(text, read_line, &r);
  struct side *to = &r.side[0], *from = &r.side[1];
  int64_t n = r.wrong || r.nsides < 2 ? 0 : size_of(from);
  if (!n || size_of(to) != n || !same_shape(to, from) || to->ref.element_bytes != from->ref.element_bytes)
    return true; /* the checker tells why */
  char *buffer = malloc((size_t)n * to->ref.element_bytes); /* both may be parts of one array */
  if (!buffer)
    abort();
  move_section(from, buffer, true);
  move_section(to, buffer, false);
  free(buffer);
  return true;
}
