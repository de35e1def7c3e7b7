/* A growing row of bytes with variable-length numbers, and its safe reading. */
#ifndef DVMT_BYTES_H
#define DVMT_BYTES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct dvmt_bytes {
  unsigned char *p; /* owned */
  size_t n, cap;
  bool failed;
};

/* Room for 'more' bytes behind the end; false (and 'failed') if there is no memory. */
bool dvmt_bytes_reserve(struct dvmt_bytes *b, size_t more);
void dvmt_bytes_add(struct dvmt_bytes *b, const void *p, size_t n);

static inline uint64_t dvmt_zigzag(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }
static inline int64_t dvmt_unzigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

static inline void dvmt_bytes_number(struct dvmt_bytes *b, uint64_t v) {
  if (b->cap - b->n < 10 && !dvmt_bytes_reserve(b, 10))
    return;
  for (; v >= 0x80; v >>= 7)
    b->p[b->n++] = (unsigned char)(v | 0x80);
  b->p[b->n++] = (unsigned char)v;
}

struct dvmt_cursor {
  const unsigned char *at, *end;
  bool bad; /* something was asked for that is not there */
};
static inline uint64_t dvmt_cursor_number(struct dvmt_cursor *c) {
  uint64_t v = 0;
  for (int shift = 0; c->at < c->end && shift < 64; shift += 7) {
    unsigned char byte = *c->at++;
    v |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80)
      return v;
  }
  c->bad = true;
  return 0;
}
static inline const void *dvmt_cursor_bytes(struct dvmt_cursor *c, size_t n) {
  if ((size_t)(c->end - c->at) < n) {
    c->bad = true;
    return NULL;
  }
  c->at += n;
  return c->at - n;
}
#endif
