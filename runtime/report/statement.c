#include "runtime/report/statement.h"
#include <ctype.h>
#include <string.h>

/* Does a statement end with that line, or begin behind it? */
static bool ends_statement(const struct dvmrt_pragma *p, size_t begin, size_t end) {
  size_t first = begin;
  while (first < end && strchr(" \t\r", p->map[first]))
    first++;
  for (size_t i = first; i + 1 < end; i++)
    if (p->map[i] == '/' && p->map[i + 1] == '/')
      end = i;
  while (end > first && strchr(" \t\r", p->map[end - 1]))
    end--;
  if (end - first >= 4 && !memcmp(p->map + end - 4, "else", 4))
    return true;
  return end == first || p->map[first] == '#' || strchr(";{}:)/", p->map[end - 1]) != NULL;
}

/* A statement of several lines begins in the first of them. */
static void to_first_line(struct dvmrt_pragma *p) {
  while (p->begin) {
    size_t before = p->begin - 1;
    while (before && p->map[before - 1] != '\n')
      before--;
    if (ends_statement(p, before, p->begin - 1))
      return;
    p->begin = before;
    p->line--;
  }
}

/* What is known of the text so far. */
struct reader {
  const char *s;
  size_t n;                    /* all that is looked at */
  size_t first;                /* where the statement begins; SIZE_MAX: at the next character that is not blank */
  int depth;                   /* of parentheses, and of braces of initialisers */
  bool heads;                  /* the statement has begun with 'for', 'if' ..: behind its parentheses another one begins */
  bool labels;                 /* with 'case' or 'default': behind its colon */
  bool alone;                  /* it is one word so far, which may be a label */
  char before; /* what stood before the last outermost parenthesis: a type, that of a compound literal, follows an operator */
  char last; /* the last character that was not blank */
};

static bool is_word(const char *s, size_t n, const char *const *words) {
  for (; *words; words++)
    if (strlen(*words) == n && !memcmp(s, *words, n))
      return true;
  return false;
}

static size_t past_literal(const struct reader *r, size_t i) {
  const char quote = r->s[i];
  for (i++; i < r->n && r->s[i] != quote; i++)
    i += r->s[i] == '\\';
  return i + 1;
}

/* Or 'i' itself, if none begins there. */
static size_t past_comment(const struct reader *r, size_t i) {
  if (i + 1 >= r->n || r->s[i] != '/' || (r->s[i + 1] != '/' && r->s[i + 1] != '*'))
    return i;
  const char *end = r->s[i + 1] == '/' ? memchr(r->s + i, '\n', r->n - i) : memmem(r->s + i + 2, r->n - i - 2, "*/", 2);
  return end ? (size_t)(end - r->s) + (r->s[i + 1] == '/' ? 1 : 2) : r->n;
}

static size_t take_word(struct reader *r, size_t i) {
  static const char *const heads[] = {"for", "while", "if", "switch", NULL}, *const labels[] = {"case", "default", NULL},
                           *const alone[] = {"else", "do", NULL};
  size_t n = 1;
  while (i + n < r->n && (isalnum((unsigned char)r->s[i + n]) || r->s[i + n] == '_'))
    n++;
  if (r->first == i) {
    r->heads = is_word(r->s + i, n, heads);
    r->labels = is_word(r->s + i, n, labels);
    if (is_word(r->s + i, n, alone))
      r->first = SIZE_MAX;
  }
  return i + n;
}

static void take_mark(struct reader *r, char c) {
  const bool literal = r->last == ')' && r->before && strchr("=,?:+-*/&|!<>", r->before);
  const bool initialiser = c == '{' && (r->last == '=' || r->last == ',' || literal || r->depth);
  if (!r->depth && c == '(')
    r->before = r->last;
  if (c == '(' || c == '[' || initialiser) {
    r->depth++;
    return;
  }
  if (r->depth && strchr(")]}", c)) {
    r->depth--;
    if (!r->depth && c == ')' && r->heads)
      r->first = SIZE_MAX;
  } else if (!r->depth && (strchr(";{}", c) || (c == ':' && r->labels))) {
    r->first = SIZE_MAX;
  }
  if (r->first == SIZE_MAX)
    r->heads = r->labels = false;
}

/* Of the last one that begins in the text. */
static size_t last_begin(const char *s, size_t n) {
  struct reader r = {.s = s, .n = n, .first = SIZE_MAX};
  for (size_t i = 0; i < n;) {
    if (strchr(" \t\r\n", s[i]) || past_comment(&r, i) != i) {
      i = strchr(" \t\r\n", s[i]) ? i + 1 : past_comment(&r, i);
      continue;
    }
    if (r.first == SIZE_MAX && s[i] != '{' && s[i] != '}' && s[i] != ';')
      r.first = i;
    const char c = s[i];
    const bool begins = r.first == i;
    if (c == ':' && r.alone)
      r.labels = true;
    if (c == '"' || c == '\'')
      i = past_literal(&r, i);
    else if (isalpha((unsigned char)c) || c == '_')
      i = take_word(&r, i);
    else
      take_mark(&r, s[i++]);
    r.last = c;
    r.alone = begins && (isalpha((unsigned char)c) || c == '_');
  }
  return r.first == SIZE_MAX ? 0 : r.first;
}

size_t dvmrt_statement_begin(struct dvmrt_pragma *p, struct dvmrt_pos pos) {
  const size_t line = p->begin, at = line + (pos.column ? pos.column - 1 : 0);
  to_first_line(p);
  return at < p->size && p->map[p->begin] != '#' ? p->begin + last_begin(p->map + p->begin, at + 1 - p->begin) : p->begin;
}
