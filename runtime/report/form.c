#include "runtime/report/form.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SENTINEL = 5, FIXED_MAX = 72, FREE_MAX = 132 };

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool is_fixed(const struct dvmrt_pragma *p) { return p->form == DVMRT_FIXED; }

/* ---- lines ------------------------------------------------------------------------------------------------------------------------ */

static size_t line_end(const struct dvmrt_pragma *p, size_t at) {
  const char *next = memchr(p->map + at, '\n', p->size - at);
  return next ? (size_t)(next - p->map) : p->size;
}

static size_t line_begin(const struct dvmrt_pragma *p, size_t at) {
  while (at && p->map[at - 1] != '\n')
    at--;
  return at;
}

static size_t skip_blanks(const struct dvmrt_pragma *p, size_t at, size_t end) {
  while (at < end && strchr(" \t\r", p->map[at]) && p->map[at])
    at++;
  return at;
}

/* Where the sentinel of the line stands, or SIZE_MAX. */
static size_t sentinel(const struct dvmrt_pragma *p, size_t begin) {
  size_t end = line_end(p, begin), at = is_fixed(p) ? begin : skip_blanks(p, begin, end);
  if (end - at < SENTINEL || !strchr(is_fixed(p) ? "!cC*" : "!", p->map[at]) || strncasecmp(p->map + at + 1, "dvm$", 4))
    return SIZE_MAX;
  return at;
}

/* Where what the compiler reads of the line ends: before comments, and at column 72. */
static size_t text_end(const struct dvmrt_pragma *p, size_t begin, size_t end) {
  size_t at = sentinel(p, begin), limit = is_fixed(p) && end - begin > FIXED_MAX ? begin + FIXED_MAX : end;
  char quote = 0;
  for (at = at == SIZE_MAX ? begin : at + SENTINEL; at < limit; at++) {
    const char c = p->map[at];
    if (quote ? c == quote : c == '\'' || c == '"')
      quote = quote ? 0 : c;
    else if (c == '!' && !quote)
      return at;
  }
  return limit;
}

static bool ends_open(const struct dvmrt_pragma *p, size_t begin, size_t *mark) {
  size_t end = text_end(p, begin, line_end(p, begin));
  while (end > begin && strchr(" \t\r", p->map[end - 1]))
    end--;
  *mark = end - 1;
  return end > begin && p->map[end - 1] == '&';
}

/* Does the directive line at 'begin' go on with the one that begins at 'next'? */
static bool goes_on(const struct dvmrt_pragma *p, size_t begin, size_t next) {
  size_t mark, at = sentinel(p, next);
  if (at == SIZE_MAX)
    return false;
  if (!is_fixed(p))
    return ends_open(p, begin, &mark);
  at += SENTINEL;
  return at < line_end(p, next) && !strchr(" \t0\r", p->map[at]);
}

/* A comment that is no directive, or an empty line. */
static bool is_comment(const struct dvmrt_pragma *p, size_t begin) {
  size_t end = line_end(p, begin), at = skip_blanks(p, begin, end);
  return sentinel(p, begin) == SIZE_MAX && (at == end || p->map[at] == '!' || (is_fixed(p) && strchr("cC*dD", p->map[begin])));
}

/* The line before that one, or behind it, that is no comment. */
static size_t line_above(const struct dvmrt_pragma *p, size_t begin, uint32_t *lines) {
  do {
    begin = line_begin(p, begin - 1);
    ++*lines;
  } while (begin && is_comment(p, begin));
  return begin;
}

static size_t line_below(const struct dvmrt_pragma *p, size_t end) {
  while (end < p->size && end + 1 < p->size && is_comment(p, end + 1))
    end = line_end(p, end + 1);
  return end + 1;
}

void dvmrt_form_span(struct dvmrt_pragma *p) {
  uint32_t up = 0;
  for (size_t above; p->begin && sentinel(p, above = line_above(p, p->begin, &up)) != SIZE_MAX && goes_on(p, above, p->begin); up = 0) {
    p->begin = above;
    p->line -= up;
  }
  p->end = line_end(p, p->begin);
  for (size_t begin = p->begin, next; p->end < p->size; p->end = line_end(p, begin)) {
    next = line_below(p, p->end);
    if (next >= p->size || !goes_on(p, begin, next))
      break;
    begin = next;
  }
}

void dvmrt_form_clean(struct dvmrt_pragma *p) {
  size_t mark;
  memset(p->text, ' ', p->end - p->begin);
  p->text[p->end - p->begin] = 0;
  for (size_t begin = p->begin, end; begin < p->end; begin = end + 1) {
    end = line_end(p, begin);
    size_t at = sentinel(p, begin), stop = text_end(p, begin, end);
    if (at == SIZE_MAX)
      continue;
    if (!is_fixed(p) && ends_open(p, begin, &mark))
      stop = mark;
    for (at += SENTINEL + (is_fixed(p) && begin != p->begin); at < stop; at++)
      p->text[at - p->begin] = strchr("\t\r\f\v", p->map[at]) ? ' ' : (char)tolower((unsigned char)p->map[at]);
  }
}

bool dvmrt_form_is_directive(const struct dvmrt_pragma *p) { return sentinel(p, p->begin) != SIZE_MAX; }

/* ---- what is put there -------------------------------------------------------------------------------------------------------------- */

/* As the directive has it, or else the first one of the file. */
static void own_sentinel(const struct dvmrt_pragma *p, char own[SENTINEL + 1]) {
  size_t at = sentinel(p, p->begin);
  for (size_t begin = 0; at == SIZE_MAX && begin < p->size; begin = line_end(p, begin) + 1)
    at = sentinel(p, begin);
  memcpy(own, at == SIZE_MAX ? "!DVM$" : p->map + at, SENTINEL);
  own[SENTINEL] = 0;
}

static size_t indentation(const struct dvmrt_pragma *p) { return is_fixed(p) ? 0 : skip_blanks(p, p->begin, p->size) - p->begin; }

/* What ends a line and begins the next one of the same directive; returns the column behind it. */
static size_t break_line(const struct dvmrt_pragma *p, struct dvmrt_text *out) {
  char own[SENTINEL + 1];
  own_sentinel(p, own);
  dvmrt_text_add(out, "%s%s%.*s%s%s", is_fixed(p) ? "" : " &", dvmrt_pragma_line_end(p), (int)indentation(p), p->map + p->begin, own,
                 is_fixed(p) ? "* " : " ");
  return indentation(p) + SENTINEL + 1 + is_fixed(p);
}

/* Bytes of 's' up to and with the comma behind the next clause, or, if that is more than fit in a line, the next comma. */
static size_t piece(const char *s, size_t most) {
  size_t n = 0;
  for (int depth = 0; s[n] && (s[n] != ',' || depth > 0); n++)
    depth += (s[n] == '(') - (s[n] == ')');
  n = n > most ? strcspn(s, ",") : n;
  return s[n] ? n + 1 : n;
}

/* 's' from that column on; returns the column behind it. */
static size_t add_pieces(const struct dvmrt_pragma *p, const char *s, size_t column, struct dvmrt_text *out) {
  const size_t most = is_fixed(p) ? FIXED_MAX : FREE_MAX - 2, first = indentation(p) + SENTINEL + 2;
  for (size_t n; *s; s += n) {
    n = piece(s, most - first);
    if (column + n > most && column > first) {
      column = break_line(p, out);
      for (; *s == ' '; n--)
        s++;
    }
    dvmrt_text_add(out, "%.*s", (int)n, s);
    column += n;
  }
  return column;
}

void dvmrt_form_fold(const struct dvmrt_pragma *p, size_t from, size_t to, struct dvmrt_text *text) {
  struct dvmrt_text out = {.n = 0};
  const size_t most = is_fixed(p) ? FIXED_MAX : FREE_MAX;
  size_t head = from - line_begin(p, from), end = line_end(p, to), rest = text_end(p, line_begin(p, to), end);
  rest = rest > to ? rest - to : 0;
  if (head + text->n + rest <= most)
    return;
  size_t column = add_pieces(p, text->s, head, &out);
  if (rest && column + rest > most)
    break_line(p, &out);
  *text = out;
}

void dvmrt_form_line(const struct dvmrt_pragma *p, const char *directive, struct dvmrt_text *line) {
  char own[SENTINEL + 1];
  own_sentinel(p, own);
  dvmrt_text_add(line, "%.*s%s", (int)indentation(p), p->map + p->begin, own);
  add_pieces(p, directive + (strncmp(directive, "!DVM$", SENTINEL) ? 0 : SENTINEL), line->n, line);
}

/* ---- places -------------------------------------------------------------------------------------------------------------------------- */

static bool is_continued(const struct dvmrt_pragma *p, size_t begin) {
  size_t mark;
  uint32_t lines = 0;
  if (is_fixed(p))
    return line_end(p, begin) - begin > SENTINEL && p->map[begin] == ' ' && !memchr(p->map + begin, '\t', SENTINEL + 1) &&
           !strchr(" 0", p->map[begin + SENTINEL]);
  size_t above = line_above(p, begin, &lines);
  return sentinel(p, above) == SIZE_MAX && !is_comment(p, above) && ends_open(p, above, &mark);
}

void dvmrt_form_statement(struct dvmrt_pragma *p) {
  for (uint32_t lines = 0; p->begin && is_continued(p, p->begin); lines = 0) {
    p->begin = line_above(p, p->begin, &lines);
    p->line -= lines;
  }
}

/* Where the name stands as a word of 's', from 'at' on; SIZE_MAX. */
static size_t find_name(const char *s, size_t at, const char *name) {
  size_t n = strlen(name);
  for (; s[at]; at++)
    if (!strncasecmp(s + at, name, n) && !is_word(s[at + n]) && (!at || !is_word(s[at - 1])))
      return at;
  return SIZE_MAX;
}

static bool widths_at(const struct dvmrt_pragma *p, size_t at, struct dvmrt_span *edge) {
  while (p->text[at] == ' ')
    at++;
  const char *close = p->text[at] == '(' ? strchr(p->text + at, ')') : NULL;
  if (close)
    *edge = (struct dvmrt_span){p->begin + at, p->begin + (size_t)(close - p->text) + 1};
  return close;
}

/* "SHADOW A(1:1), B(1:1)", or "SHADOW (1:1) :: A, B", with other attributes too. */
static bool gives_edge(const struct dvmrt_pragma *p, const char *array, struct dvmrt_span *edge) {
  size_t word = find_name(p->text, 0, "shadow"), name = word == SIZE_MAX ? word : find_name(p->text, word + 1, array);
  if (name == SIZE_MAX)
    return false;
  return widths_at(p, word + strlen("shadow"), edge) || widths_at(p, name + strlen(array), edge);
}

static bool places_array(const struct dvmrt_pragma *p, const char *array) {
  return (find_name(p->text, 0, "distribute") != SIZE_MAX || find_name(p->text, 0, "align") != SIZE_MAX) &&
         find_name(p->text, 0, "parallel") == SIZE_MAX && find_name(p->text, 0, array) != SIZE_MAX;
}

static uint32_t way(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

/* The directive that begins in the line at 'begin'. */
static bool take(struct dvmrt_pragma *p, size_t begin, uint32_t line) {
  p->begin = begin;
  p->line = line;
  if (sentinel(p, begin) == SIZE_MAX)
    return false;
  dvmrt_form_span(p);
  if (p->begin != begin || p->end - begin >= sizeof(p->text) - 1)
    return false;
  dvmrt_form_clean(p);
  return true;
}

bool dvmrt_form_open_edge(struct dvmrt_pragma *p, struct dvmrt_pos pos, const char *array, struct dvmrt_span *edge) {
  size_t best = SIZE_MAX;
  uint32_t best_line = 0, line = 1;
  bool with_edge = false;
  if (dvmrt_pragma_open_line(p, (struct dvmrt_pos){pos.file, 1, 1}))
    return false;
  for (size_t begin = 0; begin < p->size; begin = line_end(p, begin) + 1, line++) {
    if (!take(p, begin, line))
      continue;
    const bool gives = gives_edge(p, array, edge);
    if ((gives || places_array(p, array)) &&
        (!best_line || gives > with_edge || (gives == with_edge && way(line, pos.line) < way(best_line, pos.line)))) {
      best = begin;
      best_line = line;
      with_edge = gives;
    }
  }
  *edge = (struct dvmrt_span){0, 0};
  if (best_line && take(p, best, best_line) && (!with_edge || gives_edge(p, array, edge)))
    return true;
  dvmrt_pragma_close(p);
  return false;
}
