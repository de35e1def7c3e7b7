#include "driver/trace/compare/call.h"
#include "runtime/trace/text.h"
#include <stdio.h>
#include <string.h>

struct writing {
  const uint64_t *args;
  uint32_t nargs;
  size_t next;          /* argument of the next sign */
  char *buf;
  size_t size, n;
  bool fortran;
};

static void add(struct writing *w, const char *s, size_t n) {
  if (w->n + n >= w->size)
    n = w->size - 1 - w->n;
  memcpy(w->buf + w->n, s, n);
  w->buf[w->n += n] = 0;
}

static void add_text(struct writing *w, const char *s) { add(w, s, strlen(s)); }

/* A field as it is, or the argument that it stands for. */
static void add_field(struct writing *w, struct dvmt_span field) {
  char number[32];
  if (!dvmt_span_is(field, "#") || w->next >= w->nargs)
    return add(w, field.s, field.n);
  snprintf(number, sizeof(number), "%lld", (long long)w->args[w->next++]);
  add_text(w, number);
}

/* "(3,4)" of the fields "4 3": dimensions are in the order of C. */
static void add_parentheses(struct writing *w, struct dvmt_span rest) {
  char text[DVMT_NDIMS_MAX][64];
  int n = 0;
  for (; rest.n && n < DVMT_NDIMS_MAX; n++) {
    struct writing one = {w->args, w->nargs, w->next, text[n], sizeof(text[n]), 0, true};
    text[n][0] = 0;
    add_field(&one, dvmt_text_field(&rest));
    w->next = one.next;
  }
  for (int i = n; i-- > 0;) {
    add_text(w, i == n - 1 ? "(" : ",");
    add_text(w, text[i]);
  }
  add_text(w, n ? ")" : "");
}

static void add_brackets(struct writing *w, struct dvmt_span rest) {
  if (w->fortran)
    return add_parentheses(w, rest);
  while (rest.n) {
    add_text(w, "[");
    add_field(w, dvmt_text_field(&rest));
    add_text(w, "]");
  }
}

/* "<name> <flags> & <element bytes> <ndims> <extent>..": the name with its extents. */
static void add_ref(struct writing *w, struct dvmt_span rest) {
  struct dvmt_span name = dvmt_text_field(&rest);
  add(w, name.s, name.n);
  for (int i = 0; i < 4 && rest.n; i++) {
    struct dvmt_span field = dvmt_text_field(&rest);
    w->next += dvmt_span_is(field, "&") || dvmt_span_is(field, "#");
  }
  add_brackets(w, rest);
}

static void add_reduction(struct writing *w, struct dvmt_span rest) {
  struct dvmt_span operation = dvmt_text_field(&rest), name = dvmt_text_field(&rest);
  add(w, operation.s, operation.n);
  add_text(w, "(");
  add(w, name.s, name.n);
  add_text(w, ")");
}

static void add_name(struct writing *w, struct dvmt_span rest) { add_field(w, dvmt_text_field(&rest)); }

static const struct {
  char key;
  const char *before;
  void (*add)(struct writing *w, struct dvmt_span rest);
} clauses[] = {
    {DVMRT_DIRECTIVE_ARRAY, "", add_ref},
    {DVMRT_DIRECTIVE_TEMPLATE, "", add_name},
    {DVMRT_DIRECTIVE_DISTRIBUTION, "distribute ", add_brackets},
    {DVMRT_DIRECTIVE_ALIGN, "align with ", add_ref},
    {DVMRT_DIRECTIVE_ON, "on ", add_ref},
    {DVMRT_DIRECTIVE_RENEW, "shadow_renew ", add_ref},
    {DVMRT_DIRECTIVE_ACROSS, "across ", add_ref},
    {DVMRT_DIRECTIVE_WIDTHS, "widths ", add_brackets},
    {DVMRT_DIRECTIVE_REMOTE, "remote_access ", add_ref},
    {DVMRT_DIRECTIVE_REDUCTION, "reduction ", add_reduction},
    {DVMRT_DIRECTIVE_GROUP, "group ", add_name},
    {DVMRT_DIRECTIVE_SHADOW, "", add_brackets},
};

static bool add_line(void *arg, char key, struct dvmt_span rest) {
  struct writing *w = arg;
  size_t first = w->next;
  for (size_t i = 0; i < sizeof(clauses) / sizeof(*clauses); i++)
    if (clauses[i].key == key && rest.n) {
      add_text(w, w->n ? ", " : "");
      add_text(w, clauses[i].before);
      clauses[i].add(w, rest);
    }
  w->next = first + dvmt_text_signs(key, rest);
  return true;
}

void dvmt_call_text(const char *text, const uint64_t *args, uint32_t nargs, char *buf, size_t size) {
  struct writing w = {args, nargs, 0, buf, size, 0, dvmt_text_line(text, DVMRT_ANY_LANGUAGE).s != NULL};
  buf[0] = 0;
  dvmt_text_lines(text, add_line, &w);
}
