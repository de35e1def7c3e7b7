#include "runtime/data/scan.h"
#include "runtime/data/mem.h"
#include <string.h>

void dvmrt_scan_init(struct dvmrt_scan *s, const char *text) { *s = (struct dvmrt_scan){text, text, text}; }

char dvmrt_scan_line(struct dvmrt_scan *s) {
  struct dvmrt_site_line line;
  if (!dvmrt_site_next_line(&s->next, s->next + strlen(s->next), &line))
    return 0;
  s->at = line.s;
  s->end = line.s + line.n;
  return line.key;
}

size_t dvmrt_scan_word(struct dvmrt_scan *s, const char **word) {
  while (s->at < s->end && *s->at == ' ')
    s->at++;
  *word = s->at;
  while (s->at < s->end && *s->at != ' ')
    s->at++;
  return (size_t)(s->at - *word);
}

bool dvmrt_scan_is(struct dvmrt_scan *s, const char *word) {
  struct dvmrt_scan look = *s;
  const char *w;
  size_t n = dvmrt_scan_word(&look, &w);
  if (n != strlen(word) || memcmp(w, word, n))
    return false;
  *s = look;
  return true;
}

int64_t dvmrt_scan_digits(const char **p, const char *end) {
  bool negative = *p < end && **p == '-';
  uint64_t v = 0;
  if (*p < end && (**p == '-' || **p == '+'))
    ++*p;
  for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
    v = v * 10 + (uint64_t)(**p - '0');
  return (int64_t)(negative ? 0 - v : v);
}

int64_t dvmrt_scan_number(struct dvmrt_scan *s) {
  const char *w;
  size_t n = dvmrt_scan_word(s, &w);
  return dvmrt_scan_digits(&w, w + n);
}

char *dvmrt_scan_rest(struct dvmrt_scan *s) {
  char *r = dvmrt_mem_strndup(s->at, (size_t)(s->end - s->at));
  s->at = s->end;
  return r;
}

char *dvmrt_scan_string(struct dvmrt_scan *s) {
  const char *w;
  size_t n = dvmrt_scan_word(s, &w);
  return dvmrt_mem_strndup(w, n);
}
