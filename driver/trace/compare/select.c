#include "driver/trace/compare/select.h"
#include "runtime/trace/config.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "FILE:LINE" */
static bool read_place(struct dvmt_select_row *r, const char *text) {
  const char *colon = strrchr(text, ':');
  char *end;
  unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
  if (!colon || colon == text || !line || *end || line > 100000000)
    return false;
  r->file = strndup(text, (size_t)(colon - text));
  r->line = (unsigned)line;
  return r->file;
}

static bool read_row(struct dvmt_select_row *r, const char *text) {
  static const struct {
    const char *name;
    size_t to;
  } kinds[] = {{"variable:", offsetof(struct dvmt_select_row, variable)},
               {"file:", offsetof(struct dvmt_select_row, file)},
               {"function:", offsetof(struct dvmt_select_row, function)}};
  const char *at = strchr(text, '@');
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
    size_t n = strlen(kinds[i].name);
    if (!strncmp(text, kinds[i].name, n))
      return text[n] && (*(char **)((char *)r + kinds[i].to) = strdup(text + n));
  }
  if (at)
    return at != text && (r->variable = strndup(text, (size_t)(at - text))) && read_place(r, at + 1);
  if (strchr(text, ':'))
    return read_place(r, text);
  return *text && (r->variable = strdup(text));
}

static void free_row(struct dvmt_select_row *r) {
  free(r->text);
  free(r->variable);
  free(r->file);
  free(r->function);
}

int dvmt_select_add(struct dvmt_select *s, const char *text, struct dvm_error *err) {
  struct dvmt_select_row *rows = realloc(s->row, (s->n + 1) * sizeof(*rows)), r = {.line = 0};
  if (!rows)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  s->row = rows;
  if (!read_row(&r, text) || !(r.text = strdup(text))) {
    free_row(&r);
    return dvm_error_set(err, -EINVAL, "expected variable:NAME, file:NAME, function:NAME or FILE:LINE, found '%s'", text);
  }
  rows[s->n++] = r;
  return 0;
}

void dvmt_select_fini(struct dvmt_select *s) {
  for (size_t i = 0; i < s->n; i++)
    free_row(&s->row[i]);
  free(s->row);
  *s = (struct dvmt_select)DVMT_SELECT_INIT;
}

/* Names of files agree if one ends in the other at a slash. */
static bool same_file(const char *name, struct dvmt_span file) {
  const struct dvmt_place any = {(char *)name, 1, 0};
  return file.s && dvmt_place_is(&any, file.s, file.n, 1, 0);
}

static bool fits(const struct dvmt_select_row *r, const char *variable, const char *text) {
  if (r->variable && variable && strcmp(r->variable, variable) != 0)
    return false;
  if ((!r->file && !r->function) || !text)
    return true;
  struct dvmt_where w = dvmt_site_where(text);
  if (r->file && (!same_file(r->file, w.file) || (r->line && r->line != w.line)))
    return false;
  return !r->function || dvmt_span_is(dvmt_text_line(text, DVMRT_TRACE_FUNCTION), r->function);
}

bool dvmt_select_has(struct dvmt_select *s, const char *variable, const char *site_text) {
  bool any = false;
  for (size_t i = 0; i < s->n; i++)
    if (fits(&s->row[i], variable, site_text))
      any = s->row[i].hit = true;
  return any;
}

bool dvmt_select_may(const struct dvmt_select *s, const char *variable, const char *site_text) {
  for (size_t i = 0; i < s->n; i++)
    if (fits(&s->row[i], variable, site_text))
      return true;
  return false;
}
