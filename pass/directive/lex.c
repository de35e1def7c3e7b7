/* C text to tokens, for callers that have no lexer of their own: tests, the fuzzer, Fortran's directive lines. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass/directive/directive.h"

struct lexer {
  const char *text;
  size_t len, pos;
  struct dvm_token *tokens;
  size_t ntokens, capacity;
  struct dvm_parse_error *error;
};

static int fail(struct lexer *lx, size_t at, const char *text) {
  memset(lx->error, 0, sizeof *lx->error);
  lx->error->loc = at;
  lx->error->token = (unsigned)lx->ntokens;
  snprintf(lx->error->text, sizeof lx->error->text, "%s", text);
  return -EINVAL;
}

static int peek(const struct lexer *lx, size_t ahead) { return ahead < lx->len - lx->pos ? (unsigned char)lx->text[lx->pos + ahead] : -1; }

static bool is_digit(int c) { return c >= '0' && c <= '9'; }
/* Bytes above ASCII are part of an identifier: whether they may be is for the compiler to say. */
static bool is_word_start(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80; }
static bool is_word(int c) { return is_word_start(c) || is_digit(c); }
static bool is_blank(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Skips one blank, comment or spliced line end.  Returns 1 if it did, 0 if there was none, or -EINVAL. */
static int skip_blank(struct lexer *lx) {
  int c = peek(lx, 0), next = peek(lx, 1);
  if (is_blank(c)) {
    lx->pos++;
    return 1;
  }
  if (c == '\\' && (next == '\n' || (next == '\r' && peek(lx, 2) == '\n'))) {
    lx->pos += next == '\n' ? 2 : 3;
    return 1;
  }
  if (c == '/' && next == '/') {
    while (lx->pos < lx->len && peek(lx, 0) != '\n')
      lx->pos++;
    return 1;
  }
  if (c == '/' && next == '*') {
    size_t start = lx->pos;
    for (lx->pos += 2; lx->pos < lx->len; lx->pos++)
      if (peek(lx, 0) == '*' && peek(lx, 1) == '/') {
        lx->pos += 2;
        return 1;
      }
    return fail(lx, start, "this comment is not terminated");
  }
  return 0;
}

/* A preprocessing number (C11 6.4.8): 1, 0x1p-3, 1.5e+3f. */
static size_t number_length(const struct lexer *lx) {
  size_t n = 1;
  for (;; n++) {
    int c = peek(lx, n), before = peek(lx, n - 1) | 0x20;
    bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'p');
    if (!is_word(c) && c != '.' && !sign)
      return n;
  }
}

/* Length of a string or character from its opening quote, 'from' bytes ahead; 0 if it is not closed on its line. */
static size_t quoted_length(const struct lexer *lx, size_t from) {
  int quote = peek(lx, from);
  for (size_t n = from + 1;; n++) {
    int c = peek(lx, n);
    if (c == quote)
      return n + 1;
    if (c == '\\')
      n++;
    if (c == '\n' || peek(lx, n) < 0)
      return 0;
  }
}

/* The prefix of L"..", u8"..": its length if a quote follows, else 0. */
static size_t prefix_length(const struct lexer *lx) {
  static const char *const prefixes[] = {"u8", "L", "u", "U"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    size_t n = strlen(prefixes[i]);
    if (lx->len - lx->pos > n && !memcmp(lx->text + lx->pos, prefixes[i], n) && (peek(lx, n) == '"' || peek(lx, n) == '\''))
      return n;
  }
  return 0;
}

/* C11 6.4.6, longest first, and '@', which names the variable of a derived distribution. */
static size_t punct_length(const struct lexer *lx) {
  static const char *const puncts[] = {"%:%:", "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                       "*=",   "/=",  "%=",  "+=",  "-=", "&=", "^=", "|=", "##", "<:", ":>", "<%", "%>", "%:"};
  for (size_t i = 0; i < sizeof puncts / sizeof *puncts; i++) {
    size_t n = strlen(puncts[i]);
    if (lx->len - lx->pos >= n && !memcmp(lx->text + lx->pos, puncts[i], n))
      return n;
  }
  int c = peek(lx, 0);
  return c > 0 && strchr("[](){}.&*+-~!/%<>^|?:;=,#@", c) ? 1 : 0;
}

/* Kind and length of the token at 'pos'; length 0: none begins here. */
static size_t token_length(const struct lexer *lx, enum dvm_token_kind *kind, const char **trouble) {
  int c = peek(lx, 0);
  size_t prefix = prefix_length(lx);
  *trouble = "this byte does not begin a C token";
  if (prefix || c == '"' || c == '\'') {
    bool string = peek(lx, prefix) == '"';
    *kind = string ? DVM_TOK_STRING : DVM_TOK_CHAR;
    *trouble = string ? "this string is not terminated" : "this character constant is not terminated";
    return quoted_length(lx, prefix);
  }
  if (is_digit(c) || (c == '.' && is_digit(peek(lx, 1)))) {
    *kind = DVM_TOK_NUMBER;
    return number_length(lx);
  }
  if (is_word_start(c)) {
    size_t n = 1;
    while (is_word(peek(lx, n)))
      n++;
    *kind = DVM_TOK_WORD;
    return n;
  }
  *kind = DVM_TOK_PUNCT;
  return punct_length(lx);
}

static int add_token(struct lexer *lx, enum dvm_token_kind kind, size_t length) {
  if (lx->ntokens == DVM_TOKENS_MAX)
    return fail(lx, lx->pos, "the directive is too long");
  if (lx->ntokens == lx->capacity) {
    size_t capacity = lx->capacity ? 2 * lx->capacity : 32;
    struct dvm_token *tokens = realloc(lx->tokens, capacity * sizeof *tokens);
    if (!tokens)
      return -ENOMEM;
    lx->tokens = tokens;
    lx->capacity = capacity;
  }
  lx->tokens[lx->ntokens++] = (struct dvm_token){kind, lx->text + lx->pos, length, lx->pos};
  lx->pos += length;
  return 0;
}

static int lex_all(struct lexer *lx) {
  while (lx->pos < lx->len) {
    int rc = skip_blank(lx);
    if (rc < 0)
      return rc;
    if (rc > 0)
      continue;
    enum dvm_token_kind kind;
    const char *trouble;
    size_t length = token_length(lx, &kind, &trouble);
    rc = length ? add_token(lx, kind, length) : fail(lx, lx->pos, trouble);
    if (rc)
      return rc;
  }
  return 0;
}

int dvm_directive_lex(const char *text, size_t len, struct dvm_token **tokens, size_t *ntokens, struct dvm_parse_error *error) {
  struct lexer lx = {.text = text, .len = len, .error = error};
  int rc = lex_all(&lx);
  if (rc) {
    free(lx.tokens);
    lx.tokens = NULL;
    lx.ntokens = 0;
  }
  *tokens = lx.tokens;
  *ntokens = lx.ntokens;
  return rc;
}
