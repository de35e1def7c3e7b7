#include "driver/trace/format/bytes.h"

bool dvmt_bytes_reserve(struct dvmt_bytes *b, size_t more) {
  if (b->cap - b->n >= more)
    return true;
  size_t cap = b->cap ? b->cap : 4096;
  while (cap - b->n < more)
    cap *= 2;
  unsigned char *p = realloc(b->p, cap);
  if (!p) {
    b->failed = true;
    return false;
  }
  b->p = p;
  b->cap = cap;
  return true;
}

void dvmt_bytes_add(struct dvmt_bytes *b, const void *p, size_t n) {
  if (!n || !dvmt_bytes_reserve(b, n))
    return;
  memcpy(b->p + b->n, p, n);
  b->n += n;
}
