#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "pass/directive/parse.h"

/* ---- tokens ---- */

bool dvm_parse_at_end(const struct dvm_parser *p) { return p->pos >= p->ntokens; }

bool dvm_parse_at_word(const struct dvm_parser *p) { return !dvm_parse_at_end(p) && p->tokens[p->pos].kind == DVM_TOK_WORD; }

static bool text_is(const struct dvm_token *token, const char *text) {
  size_t n = strlen(text);
  return token->len == n && !memcmp(token->text, text, n);
}

bool dvm_parse_at_this_word(const struct dvm_parser *p, const char *word) {
  return dvm_parse_at_word(p) && text_is(&p->tokens[p->pos], word);
}

bool dvm_token_is(const struct dvm_token *token, const char *punct) {
  if (token->kind != DVM_TOK_PUNCT)
    return false;
  return text_is(token, punct) || (!punct[1] && dvm_token_bracket(token) == punct[0]);
}

char dvm_token_bracket(const struct dvm_token *token) {
  if (token->kind != DVM_TOK_PUNCT)
    return 0;
  const char *t = token->text;
  if (token->len == 1)
    return *t && strchr("()[]{}", *t) ? *t : 0;
  if (token->len != 2)
    return 0;
  switch (t[0]) {
  case '<': return t[1] == ':' ? '[' : t[1] == '%' ? '{' : 0;
  case ':': return t[1] == '>' ? ']' : 0;
  case '%': return t[1] == '>' ? '}' : 0;
  default: return 0;
  }
}

/* The bracket that closes an opening one, or 0. */
static char closer_of(const struct dvm_token *token) {
  char c = dvm_token_bracket(token);
  return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0;
}

static bool is_closer(const struct dvm_token *token) {
  char c = dvm_token_bracket(token);
  return c == ')' || c == ']' || c == '}';
}

bool dvm_token_opens(const struct dvm_token *token) { return closer_of(token) != 0; }

bool dvm_parse_at_ahead(const struct dvm_parser *p, unsigned ahead, const char *punct) {
  return p->pos < p->ntokens && ahead < p->ntokens - p->pos && dvm_token_is(&p->tokens[p->pos + ahead], punct);
}

bool dvm_parse_at(const struct dvm_parser *p, const char *punct) { return dvm_parse_at_ahead(p, 0, punct); }

bool dvm_token_equal(const struct dvm_token *a, const struct dvm_token *b) {
  return a->len == b->len && (!a->len || !memcmp(a->text, b->text, a->len));
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }
static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c; }

bool dvm_token_is_word(const struct dvm_token *token, const char *word, bool any_case) {
  size_t n = strlen(word);
  if (token->kind != DVM_TOK_WORD || token->len != n)
    return false;
  bool as_small = true, as_capital = any_case;
  for (size_t i = 0; i < n; i++) {
    as_small &= token->text[i] == lower(word[i]);
    as_capital &= token->text[i] == upper(word[i]);
  }
  return as_small || as_capital;
}

/* ---- errors ---- */

static bool fail_v(struct dvm_parser *p, unsigned token, const char *fmt, va_list ap) {
  struct dvm_parse_error *e = p->error;
  memset(e, 0, sizeof *e);
  e->token = token < p->ntokens ? token : p->ntokens;
  e->loc = token < p->ntokens ? p->tokens[token].loc : p->end_loc;
  vsnprintf(e->text, sizeof e->text, fmt, ap);
  p->rc = -EINVAL;
  return false;
}

bool dvm_parse_fail(struct dvm_parser *p, unsigned token, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fail_v(p, token, fmt, ap);
  va_end(ap);
  return false;
}

const char *dvm_token_quote(const struct dvm_token *t, struct dvm_quote *quote) {
  char shown[DVM_QUOTE_MAX + 1];
  size_t n = t->len < DVM_QUOTE_MAX ? t->len : DVM_QUOTE_MAX;
  while (n < t->len && n && ((unsigned char)t->text[n] & 0xC0) == 0x80)
    n--; /* never half of a UTF-8 character */
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)t->text[i];
    shown[i] = c < ' ' || c == 0x7f ? '?' : (char)c;
  }
  shown[n] = 0;
  snprintf(quote->text, sizeof quote->text, "'%s%s'", shown, n < t->len ? ".." : "");
  return quote->text;
}

bool dvm_parse_expected(struct dvm_parser *p, const char *fmt, ...) {
  char what[160];
  struct dvm_quote quote;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  return dvm_parse_fail(p, p->pos, "expected %s, found %s", what,
                        dvm_parse_at_end(p) ? "the end of the directive" : dvm_token_quote(&p->tokens[p->pos], &quote));
}

bool dvm_parse_no_memory(struct dvm_parser *p) {
  p->rc = -ENOMEM;
  return false;
}

void dvm_parse_suggest(struct dvm_parser *p, unsigned token, const char *const *words) {
  char word[sizeof p->error->suggestion];
  if (token >= p->ntokens || p->tokens[token].kind != DVM_TOK_WORD || p->tokens[token].len >= sizeof word)
    return;
  size_t n = p->tokens[token].len;
  for (size_t i = 0; i < n; i++)
    word[i] = lower(p->tokens[token].text[i]); /* BLOCK is a misspelt 'block' */
  word[n] = 0;
  const char *nearest = dvm_text_nearest(word, words);
  if (nearest)
    snprintf(p->error->suggestion, sizeof p->error->suggestion, "%s", nearest);
}

/* ---- pieces ---- */

bool dvm_parse_take(struct dvm_parser *p, const char *punct, const char *what) {
  if (!dvm_parse_at(p, punct))
    return dvm_parse_expected(p, "'%s' %s '%s'", punct, what, p->where);
  p->pos++;
  return true;
}

bool dvm_parse_take_word(struct dvm_parser *p, const char *word) {
  if (!dvm_parse_at_this_word(p, word)) {
    const char *const words[] = {word, NULL};
    dvm_parse_expected(p, "'%s' in '%s'", word, p->where);
    dvm_parse_suggest(p, p->pos, words);
    return false;
  }
  p->pos++;
  return true;
}

bool dvm_parse_take_name(struct dvm_parser *p, const char *what, unsigned *token) {
  if (!dvm_parse_at_word(p))
    return dvm_parse_expected(p, "%s in '%s'", what, p->where);
  *token = p->pos++;
  return true;
}

static bool unclosed(struct dvm_parser *p, const struct dvm_token *opener) {
  return dvm_parse_expected(p, "'%c' to close '%.*s'", closer_of(opener), (int)opener->len, opener->text);
}

/* Skips a bracket and all in it.  The cursor stands at the opening one. */
static bool skip_brackets(struct dvm_parser *p) {
  unsigned open[DVM_NESTING_MAX], depth = 0;
  do {
    const struct dvm_token *opener = depth ? &p->tokens[open[depth - 1]] : NULL;
    if (dvm_parse_at_end(p))
      return unclosed(p, opener);
    const struct dvm_token *t = &p->tokens[p->pos];
    if (closer_of(t)) {
      if (depth == DVM_NESTING_MAX)
        return dvm_parse_fail(p, p->pos, "brackets are nested deeper than %d", DVM_NESTING_MAX);
      open[depth++] = p->pos;
    } else if (is_closer(t)) {
      if (dvm_token_bracket(t) != closer_of(opener))
        return unclosed(p, opener);
      depth--;
    }
    p->pos++;
  } while (depth);
  return true;
}

/* Takes balanced tokens up to a closing bracket and, if it is an expression, to what ends one. */
static bool scan(struct dvm_parser *p, bool expression, struct dvm_range *range) {
  unsigned first = p->pos, questions = 0;
  while (!dvm_parse_at_end(p)) {
    const struct dvm_token *t = &p->tokens[p->pos];
    if (is_closer(t) || (expression && (dvm_token_is(t, ",") || dvm_token_is(t, ";"))))
      break;
    if (expression && dvm_token_is(t, ":") && !questions--)
      break;
    questions += dvm_token_is(t, "?");
    if (!closer_of(t))
      p->pos++;
    else if (!skip_brackets(p))
      return false;
  }
  *range = (struct dvm_range){first, p->pos - first};
  return true;
}

bool dvm_parse_expr_or_nothing(struct dvm_parser *p, struct dvm_range *range) { return scan(p, true, range); }

bool dvm_parse_expr(struct dvm_parser *p, const char *what, struct dvm_range *range) {
  if (!scan(p, true, range))
    return false;
  return range->count || dvm_parse_expected(p, "%s in '%s'", what, p->where);
}

bool dvm_parse_unread(struct dvm_parser *p, struct dvm_range *range) {
  if (!scan(p, false, range))
    return false;
  return range->count || dvm_parse_expected(p, "a rule in '%s'", p->where);
}

bool dvm_parse_push(struct dvm_parser *p, void *array, unsigned *count, const void *item, size_t size) {
  return !dvm_arena_push(p->arena, array, count, item, size) || dvm_parse_no_memory(p);
}

bool dvm_parse_items(struct dvm_parser *p, bool may_be_empty, dvm_parse_item_f *item, void *to) {
  if (may_be_empty && dvm_parse_at(p, ")")) {
    p->pos++;
    return true;
  }
  for (;;) {
    if (!item(p, to))
      return false;
    if (dvm_parse_at(p, ",")) {
      p->pos++;
      continue;
    }
    if (!dvm_parse_at(p, ")"))
      return dvm_parse_expected(p, "',' or ')' in the list of '%s'", p->where);
    p->pos++;
    return true;
  }
}
