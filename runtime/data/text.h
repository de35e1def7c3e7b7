/* Texts of limited length that are put together piece by piece. */
#ifndef DVMRT_TEXT_H
#define DVMRT_TEXT_H
#include <stddef.h>

enum { DVMRT_TEXT_MAX = 512 };

struct dvmrt_text {
  char s[DVMRT_TEXT_MAX];
  size_t n;
};
/* Appends; cuts at the end of the buffer. */
void dvmrt_text_add(struct dvmrt_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
