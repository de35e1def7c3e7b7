#include "runtime/report/guess.h"
#include "runtime/report/source.h"
#include <ctype.h>
#include <string.h>

enum { ABOVE_MAX = 8 };

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *skip(const char *s) {
  while (*s == ' ' || *s == '\t')
    s++;
  return s;
}

/* Past subscripts, of Fortran too. */
static const char *after_subscripts(const char *s) {
  while (s && (*s == '[' || *s == '(')) {
    const char open = *s, close = open == '[' ? ']' : ')';
    int depth = 0;
    do
      depth += (*s == open) - (*s == close);
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
  case '+':
  case '-': return "sum";
  case '*': return "product";
  case '&': return "and";
  case '|': return "or";
  case '^': return "xor";
  default: return NULL;
  }
}

/* What Fortran says in words, at 's': ".and.", if it is what is done last up to 'end'. */
static const char *of_word(const char *s, const char *end) {
  static const char *const words[][2] = {{".and.", "and"}, {".or.", "or"}, {".eqv.", "eqv"}, {".neqv.", "neqv"}};
  for (int i = 0; i < 4; i++) {
    const size_t n = strlen(words[i][0]);
    if (strncasecmp(s, words[i][0], n))
      continue;
    for (const char *p = s + n; p < end; p++)
      for (int looser = i + 1; looser < 4; looser++)
        if (!strncasecmp(p, words[looser][0], strlen(words[looser][0])))
          return NULL;
    return words[i][1];
  }
  return NULL;
}

static bool mentions(const char *s, const char *end, const char *word) {
  for (; s + strlen(word) <= end; s++)
    if (!strncasecmp(s, word, strlen(word)))
      return true;
  return false;
}

static const char *opposite(const char *extreme) { return !extreme ? NULL : strcmp(extreme, "max") ? "max" : "min"; }

/* Is what begins at 'at' inside of a "!( .. )" that begins at or behind 's'? */
static bool is_negated(const char *s, const char *at) {
  int depth = 0;
  bool negated = false;
  for (const char *p = at; p > s; p--) {
    depth += (p[-1] == '(') - (p[-1] == ')');
    if (p[-1] != '(' || depth < 1)
      continue;
    depth = 0; /* the group around it */
    const char *q = p - 1;
    while (q > s && q[-1] == ' ')
      q--;
    negated ^= q > s && q[-1] == '!';
  }
  return negated;
}

/* '<' or '>' for what Fortran may write ".LT.", else 0. */
static char comparison_at(const char *s) {
  if (*s == '<' || *s == '>')
    return *s;
  if (!strncasecmp(s, ".lt.", 4) || !strncasecmp(s, ".le.", 4))
    return '<';
  return !strncasecmp(s, ".gt.", 4) || !strncasecmp(s, ".ge.", 4) ? '>' : 0;
}

/* "x > m" or "m < x" keep the greatest. */
static const char *of_plain_comparison(const char *s, const char *end, const char *name) {
  const char *at = find_name(s, end, name);
  if (!at)
    return NULL;
  const char *next = after_subscripts(after_name(at, name)), *last = at;
  if (next && comparison_at(next))
    return comparison_at(next) == '<' ? "max" : "min";
  while (last > s && (last[-1] == ' ' || last[-1] == '='))
    last--;
  if (last > s && (last[-1] == '<' || last[-1] == '>'))
    return last[-1] == '>' ? "max" : "min";
  if (last - s >= 4 && last[-1] == '.' && comparison_at(last - 4))
    return comparison_at(last - 4) == '>' ? "max" : "min";
  return NULL;
}

static const char *of_comparison(const char *s, const char *end, const char *name) {
  const char *found = of_plain_comparison(s, end, name), *at = find_name(s, end, name);
  return found && is_negated(s, at) ? opposite(found) : found;
}

/* "x > m ? x : m", from 's' on, with the question mark at 'mark'. */
static const char *of_choice(const char *s, const char *mark, const char *name) {
  const char *found = of_comparison(s, mark, name), *chosen = mark + 1;
  while (*chosen == ' ' || *chosen == '(')
    chosen++;
  if (!found || !after_name(chosen, name))
    return found;
  return opposite(found); /* the comparison says when it stays as it is */
}

static int binding_of(char c) {
  switch (c) {
  case '*':
  case '/':
  case '%': return 6;
  case '+':
  case '-': return 5;
  case '<':
  case '>':
  case '=': return 4;
  case '&': return 3;
  case '^': return 2;
  case '|':
  case '?': return 1;
  default: return 0;
  }
}

/* A sign, the minus of an exponent, a part of '->'. */
static bool is_no_operator(const char *s, const char *at) {
  if (*at == '-' && at[1] == '>')
    return true;
  if (*at == '>' && at > s && at[-1] == '-')
    return true;
  const char *p = at;
  while (p > s && p[-1] == ' ')
    p--;
  if ((*at == '-' || *at == '+') && p - s >= 2 && (p[-1] == 'e' || p[-1] == 'E') && isdigit((unsigned char)p[-2]))
    return true;
  return p == s || (binding_of(p[-1]) && (*at == '-' || *at == '+' || *at == '*' || *at == '&'));
}

/* Is 'op', between the variable and this text, what is done last: "a * b" behind '+', not "a + b" behind '*'? */
static bool comes_last(const char *s, const char *end, char op) {
  int depth = 0;
  for (const char *p = s; p < end; p++) {
    depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    if (!depth && binding_of(*p) && (binding_of(*p) < binding_of(op) || (*p == '%' && op == '*')) && !is_no_operator(s, p))
      return false;
  }
  return true;
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
  if (next && *next == '.')
    return of_word(next, end);
  if (next)
    return comes_last(next + 1, end, *next) ? of_operator(*next) : NULL;
  next = at ? after_subscripts(after_name(at, name)) : NULL;
  if (!next || (*next && *next != ';' && *next != '!'))
    return NULL;
  while (at > s && at[-1] == ' ')
    at--;
  for (const char *word = at; word > s && at[-1] == '.'; word--)
    if (of_word(word - 1, at))
      return of_word(word - 1, at);
  return at > s && at[-1] != '-' && comes_last(s, at - 1, at[-1]) ? of_operator(at[-1]) : NULL; /* 'x - s' is none */
}

static const char *of_condition(const char *line, const char *end, const char *name) {
  const char *s = strcasestr(line, "if");
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

static bool is_comment(const char *line) {
  const char *s = skip(line);
  return !*s || *s == '!' || (s[0] == '/' && s[1] == '/') || *line == '*' || ((*line == 'C' || *line == 'c') && line[1] == ' ');
}

/* Does 'line' stand in the branch that begins above 'before', or behind its brace? */
static bool goes_on(struct dvmrt_pos pos, uint32_t above, const char *before, const char *line) {
  const size_t margin = strspn(before, " \t");
  if (is_comment(before) || (before[margin] == '{' && !before[margin + 1]))
    return true;
  return margin == strspn(line, " \t") && dvmrt_guess_is_plain(pos.file, above);
}

const char *dvmrt_guess_operation(struct dvmrt_pos pos, const char *name) {
  char line[512], before[512] = "";
  const char *found = NULL;
  if (!pos.file || !dvmrt_source_line(pos.file, pos.line, line, sizeof(line)))
    return NULL;
  uint32_t above = pos.line;
  do {
    if (!--above || !dvmrt_source_line(pos.file, above, before, sizeof(before)))
      before[0] = 0;
    found = dvmrt_guess_in(before, line, pos.column, name);
  } while (!found && above && above + ABOVE_MAX > pos.line && goes_on(pos, above, before, line));
  return found;
}

bool dvmrt_guess_is_plain(const char *file, uint32_t line) {
  static const char *const parting[] = {"if", "else", "endif", "for", "while", "do", "end", "enddo", "switch", "case", "select", "elseif"};
  char text[512];
  if (!dvmrt_source_line(file, line, text, sizeof(text)))
    return false;
  if (is_comment(text))
    return true;
  if (strpbrk(text, "{}"))
    return false;
  for (size_t i = 0; i < sizeof(parting) / sizeof(parting[0]); i++)
    for (const char *p = text; (p = strcasestr(p, parting[i])); p++)
      if ((p == text || !is_word(p[-1])) && !is_word(p[strlen(parting[i])]))
        return false;
  return true;
}

bool dvmrt_guess_is_call(struct dvmrt_pos pos, const char *name) {
  char line[512];
  if (!pos.file || !dvmrt_source_line(pos.file, pos.line, line, sizeof(line)))
    return true; /* nobody can tell */
  for (const char *p = strchr(line, '('); p; p = strchr(p + 1, '(')) {
    const char *end = p;
    while (end > line && is_word(end[-1]))
      end--;
    size_t n = (size_t)(p - end);
    bool keyword = n == 0 || (n == 2 && !strncmp(end, "if", 2)) || (n == 3 && !strncmp(end, "for", 3)) ||
                   (n == 5 && !strncmp(end, "while", 5)) || (n == 6 && !strncmp(end, "sizeof", 6));
    if (!keyword && find_name(p, p + strlen(p), name))
      return true;
  }
  return false;
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
