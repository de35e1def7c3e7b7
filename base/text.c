#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dvm_text_fini(struct dvm_text *t) {
  free(t->s);
  *t = (struct dvm_text)DVM_TEXT_INIT;
}

void dvm_text_clear(struct dvm_text *t) {
  t->len = 0;
  t->failed = false;
  if (t->s)
    t->s[0] = 0;
}

static bool reserve(struct dvm_text *t, size_t more) {
  if (t->failed || more > (size_t)-1 / 4 - t->len)
    return t->failed = true, false;
  size_t need = t->len + more + 1;
  if (need <= t->cap)
    return true;
  size_t cap = t->cap ? t->cap : 64;
  while (cap < need)
    cap *= 2;
  char *s = realloc(t->s, cap);
  if (!s)
    return t->failed = true, false;
  t->s = s;
  t->cap = cap;
  return true;
}

void dvm_text_add_n(struct dvm_text *t, const char *s, size_t n) {
  if (!reserve(t, n))
    return;
  memcpy(t->s + t->len, s, n);
  t->len += n;
  t->s[t->len] = 0;
}

void dvm_text_add(struct dvm_text *t, const char *s) { dvm_text_add_n(t, s, strlen(s)); }

void dvm_text_vprintf(struct dvm_text *t, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  if (n < 0)
    t->failed = true;
  else if (reserve(t, (size_t)n)) {
    vsnprintf(t->s + t->len, (size_t)n + 1, fmt, again);
    t->len += (size_t)n;
  }
  va_end(again);
}

void dvm_text_add_quoted(struct dvm_text *t, const char *s) {
  dvm_text_add(t, "\"");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      dvm_text_add(t, "\\");
    dvm_text_add_n(t, s, 1);
  }
  dvm_text_add(t, "\"");
}

void dvm_text_add_shell_word(struct dvm_text *t, const char *s) {
  dvm_text_add(t, "'");
  for (const char *quote; (quote = strchr(s, '\'')); s = quote + 1) {
    dvm_text_add_n(t, s, (size_t)(quote - s));
    dvm_text_add(t, "'\\''");
  }
  dvm_text_add(t, s);
  dvm_text_add(t, "'");
}

void dvm_text_printf(struct dvm_text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  dvm_text_vprintf(t, fmt, ap);
  va_end(ap);
}

const char *dvm_text_str(const struct dvm_text *t) { return t->s ? t->s : ""; }

#define WORD_MAX 40

unsigned dvm_text_distance(const char *a, const char *b, unsigned limit) {
  size_t n = strlen(a), m = strlen(b);
  if (n > WORD_MAX || m > WORD_MAX || (n > m ? n - m : m - n) > limit)
    return limit + 1;
  unsigned d[WORD_MAX + 1][WORD_MAX + 1];
  for (size_t i = 0; i <= n; i++)
    d[i][0] = (unsigned)i;
  for (size_t j = 0; j <= m; j++)
    d[0][j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++) {
      unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      if (d[i - 1][j] + 1 < best)
        best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best)
        best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  return d[n][m] > limit ? limit + 1 : d[n][m];
}

const char *dvm_text_nearest(const char *word, const char *const *list) {
  size_t n = strlen(word);
  unsigned limit = n < 3 ? 1 : (unsigned)(n + 2) / 3;
  const char *best = NULL;
  unsigned best_distance = limit + 1;
  for (; *list; list++) {
    unsigned d = dvm_text_distance(word, *list, limit);
    if (d < best_distance)
      best_distance = d, best = *list;
  }
  return best;
}

unsigned dvm_text_utf8_length(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  unsigned n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
  for (unsigned i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
    return 0;
  return n;
}
