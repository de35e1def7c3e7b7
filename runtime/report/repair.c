#include "runtime/report/repair.h"
#include "runtime/report/diag.h"
#include "runtime/report/form.h"
#include "runtime/report/pragma.h"
#include "runtime/report/spell.h"
#include "runtime/report/statement.h"
#include <stdio.h>
#include <string.h>

static const char no_clause[] = "the clause is not in the directive's source text, as when a macro generates it";
static const char no_array[] = "the directive of the declaration cannot be found above it";
static const char too_many[] = "it needs too many changes";

/* ---- edits ------------------------------------------------------------------------------------------------------------------------ */

static struct dvmrt_pos position(const struct dvmrt_pragma *p, size_t at) {
  struct dvmrt_pos pos = {p->file, p->line, 1};
  size_t line = p->begin;
  for (size_t i = p->begin; i < at; i++) {
    if (p->map[i] == '\n') {
      pos.line++;
      line = i + 1;
    }
  }
  pos.column = (uint32_t)(at - line) + 1;
  return pos;
}

static bool is_cut(const struct dvmrt_text *t) { return t->n == DVMRT_TEXT_MAX - 1; }

static const char *put(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, size_t from, size_t to, const char *before,
                       const char *text) {
  if (edits->n == DVMRT_EDITS_MAX)
    return too_many;
  struct dvmrt_edit *e = &edits->edit[edits->n++];
  e->at = position(p, from);
  e->to = position(p, to);
  e->length = to - from;
  struct dvmrt_text folded = {.n = 0};
  dvmrt_text_add(&folded, "%s%s", before, text);
  if (!is_cut(&folded) && p->form && folded.n && !strchr(folded.s, '\n'))
    dvmrt_form_fold(p, from, to, &folded);
  snprintf(e->text, sizeof(e->text), "%s", folded.s);
  return is_cut(&folded) ? too_many : NULL;
}

/* The blanks that the line begins with. */
static void indentation(const struct dvmrt_pragma *p, char *buf, size_t size) {
  size_t n = 0;
  while (n + 1 < size && p->begin + n < p->size && strchr(" \t", p->map[p->begin + n]) && p->map[p->begin + n])
    n++;
  memcpy(buf, p->map + p->begin, n);
  buf[n] = 0;
}

/* In a line of its own before a statement that begins at 'at', behind something else in its line: "for (..) s += a[i];". */
static const char *put_between(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, size_t at, const char *text) {
  struct dvmrt_text lines = {.n = 0};
  char blanks[128];
  size_t from = at;
  indentation(p, blanks, sizeof(blanks));
  while (from > p->begin && strchr(" \t", p->map[from - 1]))
    from--;
  dvmrt_text_add(&lines, "%s%s  %s%s%s  ", dvmrt_pragma_line_end(p), blanks, text, dvmrt_pragma_line_end(p), blanks);
  return is_cut(&lines) ? too_many : put(edits, p, from, at, "", lines.s);
}

/* Lines of the text at 'at', as this file ends and indents its own. */
static const char *put_lines(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, size_t at, const char *text) {
  struct dvmrt_text lines = {.n = 0};
  char blanks[128];
  indentation(p, blanks, sizeof(blanks));
  for (const char *s = text, *end; *s; s = *end ? end + 1 : end) {
    end = strchrnul(s, '\n');
    if (p->form) {
      char line[DVMRT_TEXT_MAX];
      snprintf(line, sizeof(line), "%.*s", (int)(end - s), s);
      dvmrt_form_line(p, line, &lines);
      dvmrt_text_add(&lines, "%s", dvmrt_pragma_line_end(p));
      continue;
    }
    dvmrt_text_add(&lines, "%s%.*s%s", blanks, (int)(end - s), s, dvmrt_pragma_line_end(p));
  }
  if (is_cut(&lines))
    return too_many;
  bool open = at == p->size && at && p->map[at - 1] != '\n'; /* the file ends without a line end */
  return put(edits, p, at, at, open ? dvmrt_pragma_line_end(p) : "", lines.s);
}

/* As the user's language has it. */
static const char *spelled(const struct dvmrt_pragma *p, struct dvmrt_text *t) {
  if (p->form)
    dvmrt_spell_fortran(t);
  return t->s;
}

/* What parts a clause from those before it. */
static const char *comma(const struct dvmrt_pragma *p) { return p->form ? ", " : " "; }

/* ---- one function a kind ------------------------------------------------------------------------------------------------------------ */

/* With a comma that parts it from the others, and the blanks before it. */
static struct dvmrt_span with_comma(const struct dvmrt_pragma *p, struct dvmrt_span s) {
  size_t from = s.from;
  while (from > p->begin && p->text[from - 1 - p->begin] == ' ')
    from--;
  if (from > p->begin && p->text[from - 1 - p->begin] == ',')
    return (struct dvmrt_span){from - 1, s.to};
  size_t to = s.to;
  while (to < p->end && p->text[to - p->begin] == ' ')
    to++;
  if (to < p->end && p->text[to - p->begin] == ',') {
    for (to++; to < p->end && p->map[to] == ' ';)
      to++;
    return (struct dvmrt_span){s.from, to};
  }
  for (from = s.from; from > p->begin && p->map[from - 1] == ' ';)
    from--;
  return (struct dvmrt_span){from, s.to};
}

static const char *drop(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r) {
  struct dvmrt_named named;
  if (!dvmrt_pragma_named(p, r->word, r->name, &named))
    return no_clause;
  struct dvmrt_span s = with_comma(p, named.alone ? named.clause : named.item);
  return put(edits, p, s.from, s.to, "", "");
}

static const char *change_item(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r, const char *text) {
  struct dvmrt_named named;
  if (!dvmrt_pragma_named(p, r->word, r->name, &named))
    return no_clause;
  return put(edits, p, named.item.from, named.item.to, "", text);
}

static const char *change_operation(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r) {
  struct dvmrt_named named;
  if (!dvmrt_pragma_named(p, "reduction", r->name, &named))
    return no_clause;
  const char *open = memchr(p->text + (named.item.from - p->begin), '(', named.item.to - named.item.from);
  if (!open)
    return no_clause;
  size_t to = p->begin + (size_t)(open - p->text);
  while (to > named.item.from && p->text[to - 1 - p->begin] == ' ')
    to--;
  return put(edits, p, named.item.from, to, "", r->text.s);
}

static const char *change_clause(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r) {
  struct dvmrt_named named;
  if (p->form && !strcmp(r->word, "on"))
    return no_clause;
  if (!dvmrt_pragma_named(p, r->word, r->name, &named))
    return no_clause;
  return put(edits, p, named.clause.from, named.clause.to, "", r->text.s);
}

static const char *add_item(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r) {
  struct dvmrt_named named;
  if (dvmrt_pragma_named(p, r->word, NULL, &named))
    return put(edits, p, named.clause.to - 1, named.clause.to - 1, ", ", r->text.s);
  struct dvmrt_text clause = {.n = 0}; /* a macro has written it: a clause beside it */
  dvmrt_text_add(&clause, "%s(%s)", r->word, r->text.s);
  return put(edits, p, dvmrt_pragma_tail(p), dvmrt_pragma_tail(p), comma(p), clause.s);
}

static const char *change_word(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r) {
  struct dvmrt_span at;
  if (!dvmrt_pragma_word(p, r->word, &at))
    return no_clause;
  if (!r->text.n)
    at = with_comma(p, at);
  return put(edits, p, at.from, at.to, "", r->text.s);
}

/* Of Fortran: the widths alone, or a directive of its own. */
static const char *change_widths(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r,
                                 struct dvmrt_span edge) {
  struct dvmrt_text line = {.n = 0};
  const char *widths = strchr(r->text.s, '(');
  if (!widths)
    return no_clause;
  if (edge.to)
    return put(edits, p, edge.from, edge.to, "", widths);
  dvmrt_text_add(&line, "!DVM$ SHADOW %s%s", r->name, widths);
  return put_lines(edits, p, p->end < p->size ? p->end + 1 : p->end, line.s);
}

static const char *change_edge(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r) {
  struct dvmrt_span at;
  if (!dvmrt_pragma_word(p, "shadow", &at))
    return put(edits, p, dvmrt_pragma_tail(p), dvmrt_pragma_tail(p), " ", r->text.s);
  size_t to = at.to, i = to;
  for (;;) { /* past "[1:1] [0:0]" */
    while (i < p->end && p->text[i - p->begin] == ' ')
      i++;
    const char *close = i < p->end && p->text[i - p->begin] == '[' ? strchr(p->text + (i - p->begin), ']') : NULL;
    if (!close)
      break;
    to = i = p->begin + (size_t)(close - p->text) + 1;
  }
  return to == at.to ? no_clause : put(edits, p, at.from, to, "", r->text.s);
}

static const char *take_out(struct dvmrt_edits *edits, const struct dvmrt_pragma *p) {
  return put(edits, p, p->begin, p->end < p->size ? p->end + 1 : p->end, "", "");
}

/* A later directive of the same words has nothing left to do. */
static const char *take_later_out(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const char *text) {
  const char *why = NULL;
  for (const char *s = text, *end; *s && !why; s = *end ? end + 1 : end) {
    char line[DVMRT_TEXT_MAX];
    struct dvmrt_span later;
    end = strchrnul(s, '\n');
    snprintf(line, sizeof(line), "%.*s", (int)(end - s), s);
    if (dvmrt_pragma_later(p, line, &later))
      why = put(edits, p, later.from, later.to, "", "");
  }
  return why;
}

/* 'at': of a statement; 0: of the line. */
static const char *put_above(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, size_t at, const char *text) {
  return at ? put_between(edits, p, at, text) : put_lines(edits, p, p->begin, text);
}

static const char *put_before(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_repair *r, size_t at) {
  const char *why = put_above(edits, p, at, r->text.s);
  return why || !r->word ? why : take_later_out(edits, p, r->text.s);
}

static const char *put_found(struct dvmrt_edits *edits, const struct dvmrt_pragma *p, const struct dvmrt_clause *clause, size_t at) {
  struct dvmrt_text line = {.n = 0};
  dvmrt_text_add(&line, "#pragma dvm ");
  dvmrt_clause_text(clause, &line);
  return put_above(edits, p, at, spelled(p, &line));
}

/* 'at': where the statement begins, if that is behind something else in its line; else 0. */
static const char *repair_directive(const struct dvmrt_repair *r, struct dvmrt_pragma *p, const struct dvmrt_clause *clause, size_t at,
                                    struct dvmrt_edits *edits) {
  struct dvmrt_text found = {.n = 0};
  size_t tail = dvmrt_pragma_tail(p);
  switch (r->kind) {
  case DVMRT_REPAIR_ADD: return put(edits, p, tail, tail, comma(p), r->text.s);
  case DVMRT_REPAIR_ADD_FOUND: dvmrt_clause_text(clause, &found); return put(edits, p, tail, tail, comma(p), spelled(p, &found));
  case DVMRT_REPAIR_ITEM: return change_item(edits, p, r, r->text.s);
  case DVMRT_REPAIR_ITEM_FOUND: dvmrt_clause_inside(clause, &found); return change_item(edits, p, r, spelled(p, &found));
  case DVMRT_REPAIR_OPERATION: return change_operation(edits, p, r);
  case DVMRT_REPAIR_MORE: return add_item(edits, p, r);
  case DVMRT_REPAIR_DROP: return drop(edits, p, r);
  case DVMRT_REPAIR_CLAUSE: return change_clause(edits, p, r);
  case DVMRT_REPAIR_WORD: return change_word(edits, p, r);
  case DVMRT_REPAIR_EDGE: return change_edge(edits, p, r);
  case DVMRT_REPAIR_OUT: return take_out(edits, p);
  case DVMRT_REPAIR_BEHIND: return put_lines(edits, p, p->end < p->size ? p->end + 1 : p->end, r->text.s);
  case DVMRT_REPAIR_BEFORE_FOUND:
  case DVMRT_REPAIR_STATEMENT_FOUND: return put_found(edits, p, clause, at);
  case DVMRT_REPAIR_BEFORE:
  case DVMRT_REPAIR_STATEMENT: break;
  }
  return put_before(edits, p, r, at);
}

/* ---- places ---------------------------------------------------------------------------------------------------------------------------- */

/* The directive of a declaration stands in its line, or above. */
static const char *open_above(struct dvmrt_pragma *p, struct dvmrt_pos pos) {
  const char *why = no_array;
  for (int up = 0; up < 8 && pos.line; up++, pos.line--) {
    why = dvmrt_pragma_open(p, pos);
    if (!why)
      return NULL;
  }
  return why ? no_array : NULL;
}

static bool is_first_in_line(const struct dvmrt_pragma *p, size_t at) {
  while (at > p->begin && strchr(" \t", p->map[at - 1]))
    at--;
  return at == p->begin;
}

static const char *repair_one(const struct dvmrt_repair *r, const struct dvmrt_clause *clause, struct dvmrt_edits *edits) {
  static struct dvmrt_pragma p;
  static struct dvmrt_repair own;
  struct dvmrt_span edge = {0, 0};
  const bool statement = r->kind == DVMRT_REPAIR_STATEMENT || r->kind == DVMRT_REPAIR_STATEMENT_FOUND;
  const bool fortran = dvmrt_site_is_fortran(r->at.file), widths = fortran && r->kind == DVMRT_REPAIR_EDGE;
  const char *why = statement                      ? dvmrt_pragma_open_line(&p, r->at)
                    : widths                       ? (dvmrt_form_open_edge(&p, r->at, r->name, &edge) ? NULL : no_array)
                    : r->kind == DVMRT_REPAIR_EDGE ? open_above(&p, r->at)
                                                   : dvmrt_pragma_open(&p, r->at);
  if (why)
    return why;
  own = *r;
  if (fortran)
    dvmrt_spell_fortran(&own.text);
  size_t at = 0;
  if (statement && fortran)
    dvmrt_form_statement(&p);
  else if (statement && is_first_in_line(&p, at = dvmrt_statement_begin(&p, r->at)))
    at = 0;
  why = widths ? change_widths(edits, &p, &own, edge) : repair_directive(&own, &p, clause, at, edits);
  dvmrt_pragma_close(&p);
  return why;
}

void dvmrt_repair_edits(const struct dvmrt_repair *repairs, int n, const struct dvmrt_clause *clause, struct dvmrt_edits *edits) {
  edits->n = 0;
  edits->why_not = NULL;
  for (int i = 0; i < n && !edits->why_not; i++)
    edits->why_not = repair_one(&repairs[i], clause, edits);
  if (edits->why_not)
    edits->n = 0;
}
