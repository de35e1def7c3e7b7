/* Texts in distributed arrays among the arguments of 'printf'. */
#ifndef DVMP_TEXTS_H
#define DVMP_TEXTS_H
#include <stdarg.h>

enum { DVMP_TEXTS_MAX = 32 };
struct dvmp_texts {
  int n;
  char *slot[DVMP_TEXTS_MAX], *copy[DVMP_TEXTS_MAX];
  const char *before[DVMP_TEXTS_MAX];
};
/* All ranks that are together: each '%s' of 'format' whose text other ranks have, or may have, is given a copy in 'args' itself, until
 * dvmp_texts_free. */
void dvmp_texts_collect(struct dvmp_texts *t, const char *format, va_list args);
void dvmp_texts_free(struct dvmp_texts *t);
#endif
