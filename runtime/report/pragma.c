#include "runtime/report/pragma.h"
#include "runtime/report/form.h"
#include "runtime/report/source.h"
#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

static const char no_file[] = "the source file cannot be read";
static const char no_directive[] = "there is no directive at its place in the source, as when a macro generates it";
static const char too_long[] = "the directive is too long";

/* ---- lines --------------------------------------------------------------------------------------------------------------------- */

/* Beginning of the line, from 1; 'size' behind the last one. */
static size_t line_begin(const struct dvmrt_pragma *p, uint32_t line) {
  size_t at = 0;
  for (uint32_t n = 1; n < line && at < p->size; n++) {
    const char *next = memchr(p->map + at, '\n', p->size - at);
    at = next ? (size_t)(next - p->map) + 1 : p->size;
  }
  return at;
}

/* Of the line that 'at' is in: where its '\n' is, or the file's end. */
static size_t line_end(const struct dvmrt_pragma *p, size_t at) {
  const char *next = memchr(p->map + at, '\n', p->size - at);
  return next ? (size_t)(next - p->map) : p->size;
}

/* Is the line that ends there continued?  'slash': where its backslash is. */
static bool is_continued(const struct dvmrt_pragma *p, size_t begin, size_t end, size_t *slash) {
  while (end > begin && is_blank(p->map[end - 1]))
    end--;
  *slash = end - 1;
  return end > begin && p->map[end - 1] == '\\';
}

static size_t previous_begin(const struct dvmrt_pragma *p, size_t begin) {
  size_t at = begin - 1;
  while (at && p->map[at - 1] != '\n')
    at--;
  return at;
}

static void span_lines(struct dvmrt_pragma *p) {
  size_t slash;
  while (p->begin) {
    size_t before = previous_begin(p, p->begin);
    if (!is_continued(p, before, p->begin - 1, &slash))
      break;
    p->begin = before;
    p->line--;
  }
  p->end = line_end(p, p->begin);
  for (size_t begin = p->begin; p->end < p->size && is_continued(p, begin, p->end, &slash); p->end = line_end(p, begin))
    begin = p->end + 1;
}

/* Comments, and the ends of continued lines, become blanks. */
static void clean(struct dvmrt_pragma *p) {
  char *t = p->text;
  size_t n = p->end - p->begin, slash;
  memcpy(t, p->map + p->begin, n);
  t[n] = 0;
  for (size_t begin = 0, i = 0; i <= n; i++) {
    if (i < n && t[i] != '\n')
      continue;
    if (i < n && is_continued(p, p->begin + begin, p->begin + i, &slash)) {
      memset(t + slash - p->begin, ' ', p->begin + i + 1 - slash);
    }
    begin = i + 1;
  }
  for (size_t i = 0; i < n; i++) {
    const char *end = t[i] != '/' ? NULL : t[i + 1] == '/' ? t + n : t[i + 1] == '*' ? strstr(t + i + 2, "*/") : NULL;
    if (t[i] == '/' && t[i + 1] == '*' && !end)
      end = t + n;
    else if (end && t[i + 1] == '*')
      end += 2;
    if (end) {
      memset(t + i, ' ', (size_t)(end - t) - i);
      i = (size_t)(end - t);
    }
  }
  for (size_t i = 0; i < n; i++)
    t[i] = is_blank(t[i]) || t[i] == '\n' ? ' ' : t[i];
}

/* ---- opening -------------------------------------------------------------------------------------------------------------------- */

void dvmrt_pragma_close(struct dvmrt_pragma *p) {
  if (p->map)
    dvmrt_source_unmap(p->map, p->size);
  p->map = NULL;
}

static const char *open_at(struct dvmrt_pragma *p, struct dvmrt_pos pos) {
  p->file = pos.file;
  p->line = pos.line;
  p->map = NULL;
  p->form = !dvmrt_site_is_fortran(pos.file) ? DVMRT_PRAGMAS : dvmrt_site_is_fixed(pos.file) ? DVMRT_FIXED : DVMRT_FREE;
  if (!pos.file || !pos.line || !dvmrt_source_map(pos.file, &p->map, &p->size))
    return no_file;
  p->begin = line_begin(p, pos.line);
  p->end = line_end(p, p->begin < p->size ? p->begin : p->size);
  if (p->begin < p->size)
    return NULL;
  dvmrt_pragma_close(p);
  return no_file;
}

static const char *after(const char *s, const char *word) {
  size_t n = strlen(word);
  while (*s == ' ')
    s++;
  return strncmp(s, word, n) || (is_word(word[n - 1]) && is_word(s[n])) ? NULL : s + n;
}

static bool is_directive(const struct dvmrt_pragma *p) {
  if (p->form)
    return dvmrt_form_is_directive(p);
  const char *s = after(p->text, "#");
  s = s ? after(s, "pragma") : NULL;
  return s && after(s, "dvm");
}

const char *dvmrt_pragma_open_line(struct dvmrt_pragma *p, struct dvmrt_pos pos) { return open_at(p, pos); }

const char *dvmrt_pragma_open(struct dvmrt_pragma *p, struct dvmrt_pos pos) {
  const char *why = open_at(p, pos);
  if (why)
    return why;
  p->form ? dvmrt_form_span(p) : span_lines(p);
  if (p->end - p->begin >= sizeof(p->text) - 1)
    why = too_long;
  else
    p->form ? dvmrt_form_clean(p) : clean(p);
  if (!why && !is_directive(p))
    why = no_directive;
  if (why)
    dvmrt_pragma_close(p);
  return why;
}

size_t dvmrt_pragma_tail(const struct dvmrt_pragma *p) {
  size_t n = p->end - p->begin;
  while (n && p->text[n - 1] == ' ')
    n--;
  return p->begin + n;
}

const char *dvmrt_pragma_line_end(const struct dvmrt_pragma *p) {
  size_t end = line_end(p, p->begin);
  return end > p->begin && p->map[end - 1] == '\r' ? "\r\n" : "\n";
}

/* ---- what is in it --------------------------------------------------------------------------------------------------------------- */

/* The next whole word outside of parentheses and brackets at or behind 'from', which is outside too; text offsets. */
static bool find_word(const char *text, size_t from, const char *word, size_t *at) {
  size_t n = strlen(word);
  int depth = 0;
  for (size_t i = from; text[i]; i++) {
    depth += strchr("([", text[i]) ? 1 : strchr(")]", text[i]) ? -1 : 0;
    if (!depth && (!i || !is_word(text[i - 1])) && !strncmp(text + i, word, n) && !is_word(text[i + n])) {
      *at = i;
      return true;
    }
  }
  return false;
}

/* Names of Fortran are the same in capital letters. */
static const char *as_written(const struct dvmrt_pragma *p, const char *name, char *buf, size_t size) {
  size_t n = 0;
  if (!p->form || !name)
    return name;
  for (; name[n] && n + 1 < size; n++)
    buf[n] = (char)tolower((unsigned char)name[n]);
  buf[n] = 0;
  return buf;
}

bool dvmrt_pragma_word(const struct dvmrt_pragma *p, const char *word, struct dvmrt_span *at) {
  size_t i;
  if (!find_word(p->text, 0, word, &i))
    return false;
  *at = (struct dvmrt_span){p->begin + i, p->begin + i + strlen(word)};
  return true;
}

/* Behind what ends at depth 0 with one of 'ends'; text offset. */
static size_t skip_to(const char *text, size_t i, const char *ends) {
  int depth = 0;
  for (; text[i]; i++) {
    if (!depth && strchr(ends, text[i]))
      break;
    depth += strchr("([{", text[i]) ? 1 : strchr(")]}", text[i]) ? -1 : 0;
  }
  return i;
}

static size_t skip_blanks(const char *text, size_t i) {
  while (text[i] == ' ')
    i++;
  return i;
}

static bool begins_with(const char *text, size_t i, const char *name) {
  size_t n = strlen(name);
  return !strncmp(text + i, name, n) && !is_word(text[i + n]);
}

/* Is the item [i, end) about the name: "A[1:1]", or "sum(s)"? */
static bool is_about(const char *text, size_t i, size_t end, const char *name, bool nested) {
  if (nested) {
    while (i < end && text[i] != '(')
      i++;
    i = skip_blanks(text, i + (i < end));
  }
  return i < end && begins_with(text, i, name);
}

/* Past "out:" and "group:". */
static size_t skip_prefix(const char *text, size_t i) {
  size_t at = i = skip_blanks(text, i);
  while (is_word(text[at]))
    at++;
  at = skip_blanks(text, at);
  return at > i && text[at] == ':' ? skip_blanks(text, at + 1) : i;
}

static bool named_in(const struct dvmrt_pragma *p, size_t open, size_t close, const char *word, const char *name, struct dvmrt_named *f) {
  const char *t = p->text;
  int items = 0;
  bool found = false, macro = false;
  for (size_t i = skip_prefix(t, open + 1), end; i < close; i = skip_prefix(t, end + 1)) {
    end = skip_to(t, i, ",)");
    size_t tail = end;
    while (tail > i && t[tail - 1] == ' ')
      tail--;
    items++;
    bool about = is_about(t, i, tail, name, !strcmp(word, "reduction"));
    macro = !p->form && !found && items == 1 && memchr(t + i, '[', tail - i) == NULL;
    if (about || (macro && !found))
      f->item = (struct dvmrt_span){p->begin + i, p->begin + tail};
    found |= about;
    if (t[end] != ',')
      break;
  }
  f->alone = items == 1;
  return found || (macro && items == 1);
}

/* "parallel (i, j) on A(i, j)" of Fortran: up to the parenthesis behind the array, or behind the index variables. */
static bool parallel_clause(const struct dvmrt_pragma *p, struct dvmrt_span *span) {
  const char *t = p->text;
  size_t at, on, i, next;
  if (!find_word(t, 0, "parallel", &at))
    return false;
  i = skip_blanks(t, at + strlen("parallel"));
  i = t[i] == '(' ? skip_to(t, i + 1, ")") : i;
  next = skip_blanks(t, t[i] ? i + 1 : i);
  if (find_word(t, next, "on", &on) && on == next) {
    for (i = skip_blanks(t, on + 2); is_word(t[i]);)
      i++;
    i = skip_blanks(t, i);
    i = t[i] == '(' ? skip_to(t, i + 1, ")") : i;
  }
  *span = (struct dvmrt_span){p->begin + at, p->begin + i + 1};
  return t[i] == ')';
}

bool dvmrt_pragma_named(const struct dvmrt_pragma *p, const char *word, const char *name, struct dvmrt_named *found) {
  const char *t = p->text;
  char lower[256];
  name = as_written(p, name, lower, sizeof(lower));
  if (p->form && !strcmp(word, "parallel"))
    return parallel_clause(p, &found->clause);
  struct dvmrt_named guess;
  int guesses = 0;
  for (size_t at = 0, i = 0; find_word(t, i, word, &at); i = at + strlen(word)) {
    size_t open = skip_blanks(t, at + strlen(word));
    if (t[open] != '(')
      continue;
    size_t close = skip_to(t, open + 1, ")");
    if (!t[close])
      return false;
    found->clause = (struct dvmrt_span){p->begin + at, p->begin + close + 1};
    if (!name)
      return true;
    if (!named_in(p, open, close, word, name, found))
      continue;
    if (is_about(t, found->item.from - p->begin, found->item.to - p->begin, name, !strcmp(word, "reduction")))
      return true;
    guess = *found;
    guesses++;
  }
  if (guesses == 1)
    *found = guess;
  return guesses == 1 || (p->form && !strcmp(word, "private") && dvmrt_pragma_named(p, "new", name, found));
}

/* "#pragma  dvm reduction_wait( g )" is "#pragma dvm reduction_wait(g)". */
static bool same_but_blanks(const char *a, const char *end, const char *b, bool fortran) {
  for (;; a++, b++) {
    while (a < end && (is_blank(*a) || (fortran && strchr("()", *a))))
      a++;
    while (is_blank(*b) || (fortran && *b && strchr("()", *b)))
      b++;
    if (a == end || !*b)
      return a == end && !*b;
    if (fortran ? tolower((unsigned char)*a) != tolower((unsigned char)*b) : *a != *b)
      return false;
  }
}

/* The words of Fortran are those behind the sentinel. */
static bool says(const struct dvmrt_pragma *p, size_t begin, size_t end, const char *directive) {
  const char *a = p->map + begin, *b = directive;
  if (p->form) {
    while (begin < end && is_blank(*a))
      a++, begin++;
    if (end - begin < 5 || strncasecmp(a + 1, "dvm$", 4) || strncasecmp(b + 1, "dvm$", 4))
      return false;
    a += 5;
    b += 5;
  }
  return same_but_blanks(a, p->map + end, b, p->form);
}

bool dvmrt_pragma_later(const struct dvmrt_pragma *p, const char *directive, struct dvmrt_span *lines) {
  for (size_t begin = p->end; begin < p->size;) {
    size_t end = line_end(p, begin);
    *lines = (struct dvmrt_span){begin, end < p->size ? end + 1 : end};
    if (says(p, begin, end, directive))
      return true;
    begin = end + 1;
  }
  return false;
}
