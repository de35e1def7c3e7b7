#include "runtime/data/text.h"
#include <stdarg.h>
#include <stdio.h>

void dvmrt_text_add(struct dvmrt_text *t, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(t->s + t->n, sizeof(t->s) - t->n, fmt, ap);
  va_end(ap);
  if (n > 0)
    t->n += (size_t)n < sizeof(t->s) - t->n ? (size_t)n : sizeof(t->s) - t->n - 1;
}
