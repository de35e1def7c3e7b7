#include "runtime/trace/digest.h"
#include <string.h>

/* A product of halves per word, as vector units have it: for the contents of arrays, where each word's number is part of what
 * is multiplied.  One word: position and value mixed by addition, then both halves by each other. */
static inline uint64_t word_digest(uint64_t v, uint64_t key) {
  uint64_t x = v + key;
  x ^= x >> 27;
  return (x & 0xffffffffu) * (x >> 32) + (x ^ (x << 23));
}

uint64_t dvmt_digest_array(const void *p, uint64_t bytes, uint64_t element_bytes) {
  const char *at = p;
  uint64_t sum = 0, key = 0x9e3779b97f4a7c15ull, unit = element_bytes % 8 ? element_bytes : 8;
  if (unit == 8) {
    for (uint64_t i = 0; i < bytes / 8; i++, key += 0x9e3779b97f4a7c15ull) {
      uint64_t v;
      memcpy(&v, at + 8 * i, 8);
      sum += word_digest(v, key);
    }
    return sum;
  }
  if (unit == 4) {
    for (uint64_t i = 0; i < bytes / 4; i++, key += 0x9e3779b97f4a7c15ull) {
      uint32_t v;
      memcpy(&v, at + 4 * i, 4);
      sum += word_digest(v, key);
    }
    return sum;
  }
  for (uint64_t i = 0; i < bytes; i++, key += 0x9e3779b97f4a7c15ull)
    sum += word_digest((unsigned char)at[i], key);
  return sum;
}
