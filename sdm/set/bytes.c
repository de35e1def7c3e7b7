#include "sdm/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end_program(size_t bytes, void *arg) {
  (void)arg;
  fprintf(stderr, "sdm: error: no memory for %zu bytes\n", bytes);
  abort();
}

static sdm_no_memory_f no_memory = end_program;
static void *no_memory_arg;

void sdm_set_no_memory(sdm_no_memory_f f, void *arg) {
  no_memory = f ? f : end_program;
  no_memory_arg = arg;
}

void *sdm_alloc(size_t bytes) {
  for (;;) {
    void *p = calloc(1, bytes ? bytes : 1);
    if (p)
      return p;
    no_memory(bytes, no_memory_arg);
  }
}

void *sdm_realloc(void *old, size_t bytes) {
  for (;;) {
    void *p = realloc(old, bytes ? bytes : 1);
    if (p)
      return p;
    no_memory(bytes, no_memory_arg);
  }
}

void *sdm_memdup(const void *p, size_t bytes) {
  void *copy = sdm_alloc(bytes);
  if (bytes)
    memcpy(copy, p, bytes);
  return copy;
}

char *sdm_strdup(const char *s) { return sdm_memdup(s, strlen(s) + 1); }

void sdm_bytes_fini(struct sdm_bytes *b) {
  free(b->p);
  *b = (struct sdm_bytes){0};
}

uint8_t *sdm_bytes_grow(struct sdm_bytes *b, size_t len) {
  if (b->len + len > b->cap) {
    size_t cap = b->cap ? b->cap * 2 : 64;
    while (cap < b->len + len)
      cap *= 2;
    b->p = sdm_realloc(b->p, cap);
    b->cap = cap;
  }
  uint8_t *at = b->p + b->len;
  b->len += len;
  return at;
}

void sdm_bytes_add(struct sdm_bytes *b, const void *p, size_t len) {
  if (len)
    memcpy(sdm_bytes_grow(b, len), p, len);
}

void sdm_bytes_u8(struct sdm_bytes *b, uint8_t v) { *sdm_bytes_grow(b, 1) = v; }

static void put_le(struct sdm_bytes *b, uint64_t v, unsigned n) {
  uint8_t *at = sdm_bytes_grow(b, n);
  for (unsigned i = 0; i < n; i++)
    at[i] = (uint8_t)(v >> (8 * i));
}

void sdm_bytes_u32(struct sdm_bytes *b, uint32_t v) { put_le(b, v, 4); }
void sdm_bytes_u64(struct sdm_bytes *b, uint64_t v) { put_le(b, v, 8); }

void sdm_bytes_f64(struct sdm_bytes *b, double v) {
  uint64_t bits;
  memcpy(&bits, &v, 8);
  put_le(b, bits, 8);
}

void sdm_bytes_varint(struct sdm_bytes *b, uint64_t v) {
  while (v >= 0x80) {
    sdm_bytes_u8(b, (uint8_t)(v | 0x80));
    v >>= 7;
  }
  sdm_bytes_u8(b, (uint8_t)v);
}

unsigned sdm_varint_size(uint64_t v) {
  unsigned n = 1;
  while (v >>= 7)
    n++;
  return n;
}

void sdm_bytes_block(struct sdm_bytes *b, const void *p, size_t len) {
  sdm_bytes_varint(b, len);
  sdm_bytes_add(b, p, len);
}

void sdm_bytes_consume(struct sdm_bytes *b, size_t n) {
  if (n >= b->len)
    b->len = 0;
  else if (n) {
    memmove(b->p, b->p + n, b->len - n);
    b->len -= n;
  }
}

struct sdm_cursor sdm_cursor_of(const void *p, size_t len) {
  static const uint8_t none;
  const uint8_t *at = p ? p : &none;
  return (struct sdm_cursor){at, at + (p ? len : 0), false};
}

size_t sdm_cursor_left(const struct sdm_cursor *c) { return c->bad ? 0 : (size_t)(c->end - c->p); }

const uint8_t *sdm_cursor_take(struct sdm_cursor *c, size_t len) {
  if (c->bad || (size_t)(c->end - c->p) < len) {
    c->bad = true;
    return NULL;
  }
  const uint8_t *at = c->p;
  c->p += len;
  return at;
}

static uint64_t get_le(struct sdm_cursor *c, unsigned n) {
  const uint8_t *at = sdm_cursor_take(c, n);
  uint64_t v = 0;
  for (unsigned i = 0; at && i < n; i++)
    v |= (uint64_t)at[i] << (8 * i);
  return v;
}

uint8_t sdm_cursor_u8(struct sdm_cursor *c) { return (uint8_t)get_le(c, 1); }
uint32_t sdm_cursor_u32(struct sdm_cursor *c) { return (uint32_t)get_le(c, 4); }
uint64_t sdm_cursor_u64(struct sdm_cursor *c) { return get_le(c, 8); }

double sdm_cursor_f64(struct sdm_cursor *c) {
  uint64_t bits = get_le(c, 8);
  double v;
  memcpy(&v, &bits, 8);
  return v;
}

uint64_t sdm_cursor_varint(struct sdm_cursor *c) {
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = sdm_cursor_u8(c);
    if (c->bad || (shift == 63 && byte > 1) || (shift && !byte))
      break;
    v |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return v;
  }
  c->bad = true;
  return 0;
}

const uint8_t *sdm_cursor_block(struct sdm_cursor *c, size_t *len) {
  uint64_t n = sdm_cursor_varint(c);
  if (n > sdm_cursor_left(c))
    c->bad = true;
  *len = c->bad ? 0 : (size_t)n;
  return sdm_cursor_take(c, *len);
}

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4), reflected polynomial, four bits at a time: small and quick enough for
 * the unsealed links, which only tests use. */
uint32_t sdm_crc32c(const void *p, size_t len) {
  uint32_t table[16], crc = ~0u;
  for (unsigned i = 0; i < 16; i++) {
    uint32_t v = i;
    for (int k = 0; k < 4; k++)
      v = (v >> 1) ^ (v & 1 ? 0x82f63b78u : 0);
    table[i] = v;
  }
  for (const uint8_t *b = p, *end = b + len; b < end; b++) {
    crc ^= *b;
    crc = (crc >> 4) ^ table[crc & 15];
    crc = (crc >> 4) ^ table[crc & 15];
  }
  return ~crc;
}

uint64_t sdm_digest(const void *p, size_t len) {
  uint64_t h = 0x9e3779b97f4a7c15ull ^ len;
  const uint8_t *b = p;
  for (; len >= 8; b += 8, len -= 8) {
    uint64_t w;
    memcpy(&w, b, 8);
    h = (h ^ w) * 0xff51afd7ed558ccdull;
    h ^= h >> 32;
  }
  for (; len; b++, len--)
    h = (h ^ *b) * 0x100000001b3ull;
  return h ^ h >> 29;
}

void sdm_bytes_real(struct sdm_bytes *b, long double v) {
  double high = (double)v;
  sdm_bytes_f64(b, high);
  sdm_bytes_f64(b, high - high == 0 ? (double)(v - (long double)high) : 0); /* infinite ones have no rest */
}

long double sdm_cursor_real(struct sdm_cursor *c) {
  double high = sdm_cursor_f64(c);
  return (long double)high + (long double)sdm_cursor_f64(c);
}
