#include "runtime/report/guess.h"
#include "runtime/report/source.h"
#include <ctype.h>
#include <string.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *skip(const char *s) {
  while (*s == ' ' || *s == '\t')
    s++;
  return s;
}

/* Past subscripts. */
static const char *after_subscripts(const char *s) {
  while (s && *s == '[') {
    int depth = 0;
    do
      depth += (*s == '[') - (*s == ']');
    while (*s++ && depth);
    s = depth ? NULL : skip(s);
  }
  return s;
}

/* The name as a whole word at 's': what follows it, else NULL. */
static const char *after_name(const char *s, const char *name) {
  size_t n = strlen(name);
  return strncmp(s, name, n) == 0 && !is_word(s[n]) ? skip(s + n) : NULL;
}

static const char *find_name(const char *s, const char *end, const char *name) {
  for (const char *p = s; p < end; p++)
    if ((p == s || !is_word(p[-1])) && after_name(p, name))
      return p;
  return NULL;
}

static const char *of_operator(char c) {
  switch (c) {
  case '+': case '-': return "sum";
  case '*': return "product";
  case '&': return "and";
  case '|': return "or";
  case '^': return "xor";
  default: return NULL;
  }
}

static bool mentions(const char *s, const char *end, const char *word) {
  for (; s + strlen(word) <= end; s++)
    if (!strncasecmp(s, word, strlen(word)))
      return true;
  return false;
}

/* "x > m" or "m < x" keep the greatest. */
static const char *of_comparison(const char *s, const char *end, const char *name) {
  const char *at = find_name(s, end, name);
  if (!at)
    return NULL;
  const char *next = after_subscripts(after_name(at, name)), *last = at;
  if (next && (*next == '<' || *next == '>'))
    return *next == '<' ? "max" : "min";
  while (last > s && (last[-1] == ' ' || last[-1] == '='))
    last--;
  if (last > s && (last[-1] == '<' || last[-1] == '>'))
    return last[-1] == '>' ? "max" : "min";
  return NULL;
}

/* "x > m ? x : m", from 's' on, with the question mark at 'mark'. */
static const char *of_choice(const char *s, const char *mark, const char *name) {
  const char *found = of_comparison(s, mark, name), *chosen = mark + 1;
  while (*chosen == ' ' || *chosen == '(')
    chosen++;
  if (!found || !after_name(chosen, name))
    return found;
  return strcmp(found, "max") ? "max" : "min"; /* the comparison says when it stays as it is */
}

/* What stands right of '='. */
static const char *of_expression(const char *s, const char *name) {
  const char *end = strchr(s, ';') ? strchr(s, ';') : s + strlen(s);
  const char *at = find_name(s, end, name);
  if (at && mentions(s, at, "max"))
    return "max";
  if (at && mentions(s, at, "min"))
    return "min";
  const char *mark = at ? memchr(s, '?', (size_t)(end - s)) : NULL;
  if (mark)
    return of_choice(s, mark, name);
  const char *next = after_subscripts(after_name(s, name));
  if (next)
    return of_operator(*next);
  next = at ? after_subscripts(after_name(at, name)) : NULL;
  if (!next || *next != ';')
    return NULL;
  while (at > s && at[-1] == ' ')
    at--;
  return at > s ? of_operator(at[-1]) : NULL;
}

static const char *of_condition(const char *line, const char *end, const char *name) {
  const char *s = strstr(line, "if");
  return s && s < end ? of_comparison(s, end, name) : NULL;
}

const char *dvmrt_guess_in(const char *before, const char *line, uint32_t column, const char *name) {
  if (!column || column > strlen(line))
    return NULL;
  const char *at = line + column - 1, *next = after_subscripts(after_name(at, name));
  if (!next) /* ++x, --x */
    return (at[0] == '+' || at[0] == '-') && at[1] == at[0] ? "sum" : NULL;
  if ((next[0] == '+' || next[0] == '-') && next[1] == next[0])
    return "sum";
  if (at - line >= 2 && at[-1] == at[-2] && (at[-1] == '+' || at[-1] == '-'))
    return "sum";
  if (next[0] && next[1] == '=' && of_operator(next[0]))
    return of_operator(next[0]);
  if (next[0] != '=' || next[1] == '=')
    return NULL;
  const char *found = of_expression(skip(next + 1), name);
  if (!found)
    found = of_condition(line, at, name);
  return found ? found : of_condition(before, before + strlen(before), name);
}

const char *dvmrt_guess_operation(struct dvmrt_pos pos, const char *name) {
  char line[512], before[512] = "";
  if (!pos.file || !dvmrt_source_line(pos.file, pos.line, line, sizeof(line)))
    return NULL;
  if (pos.line > 1 && !dvmrt_source_line(pos.file, pos.line - 1, before, sizeof(before)))
    before[0] = 0;
  return dvmrt_guess_in(before, line, pos.column, name);
}

const char *dvmrt_guess_near(struct dvmrt_pos pos, const char *name, struct dvmrt_pos *at) {
  char line[512];
  *at = pos;
  for (at->line = pos.line; at->line <= pos.line + 1; at->line++) {
    if (!pos.file || !dvmrt_source_line(pos.file, at->line, line, sizeof(line)))
      continue;
    for (const char *p = line; (p = strstr(p, name)); p++) {
      if (p > line && (isalnum((unsigned char)p[-1]) || p[-1] == '_'))
        continue;
      at->column = (uint32_t)(p - line) + 1;
      const char *operation = dvmrt_guess_operation(*at, name);
      if (operation)
        return operation;
    }
  }
  return NULL;
}
