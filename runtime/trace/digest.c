#include "runtime/trace/digest.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A product of halves per word, as vector units have it: for the contents of arrays, where each word's number is part of what
 * is multiplied.  One word: position and value mixed by addition, then both halves by each other.  Each operation more is seen in
 * what level checksum costs. */
static inline uint64_t word_digest(uint64_t v, uint64_t key) {
  uint64_t x = v + key;
  return (x & 0xffffffffu) * (x >> 32) + x;
}

#define ALWAYS static inline __attribute__((always_inline))
static const uint64_t step = 0x9e3779b97f4a7c15ull;

ALWAYS uint64_t sum_words(const char *at, uint64_t n, uint64_t first) {
  uint64_t sum = 0, key = step * (first + 1);
  for (uint64_t i = 0; i < n; i++, key += step) {
    uint64_t v;
    memcpy(&v, at + 8 * i, 8);
    sum += word_digest(v, key);
  }
  return sum;
}

ALWAYS uint64_t sum_halves(const char *at, uint64_t n, uint64_t first) {
  uint64_t sum = 0, key = step * (first + 1);
  for (uint64_t i = 0; i < n; i++, key += step) {
    uint32_t v;
    memcpy(&v, at + 4 * i, 4);
    sum += word_digest(v, key);
  }
  return sum;
}

/* The same sums with the vector units that the machine has: what a construct costs at level checksum is mostly this. */
__attribute__((target("avx2"))) static uint64_t sum_words_avx2(const char *at, uint64_t n, uint64_t first) {
  return sum_words(at, n, first);
}
__attribute__((target("avx2"))) static uint64_t sum_halves_avx2(const char *at, uint64_t n, uint64_t first) {
  return sum_halves(at, n, first);
}

uint64_t dvmt_digest_part(const void *p, uint64_t element_bytes, uint64_t first, uint64_t count) {
  uint64_t sum = 0, offset = first * element_bytes, bytes = count * element_bytes;
  const char *at = (const char *)p + offset;
  bool wide = __builtin_cpu_supports("avx2");
  if (element_bytes % 8 == 0)
    return wide ? sum_words_avx2(at, bytes / 8, offset / 8) : sum_words(at, bytes / 8, offset / 8);
  if (element_bytes % 4 == 0)
    return wide ? sum_halves_avx2(at, bytes / 4, offset / 4) : sum_halves(at, bytes / 4, offset / 4);
  uint64_t key = step * (offset + 1);
  for (uint64_t i = 0; i < bytes; i++, key += step)
    sum += word_digest((unsigned char)at[i], key);
  return sum;
}

uint64_t dvmt_digest_array(const void *p, uint64_t bytes, uint64_t element_bytes) {
  uint64_t count = bytes / element_bytes;
  return dvmt_digest_part(p, element_bytes, 0, count);
}

void dvmt_holes_clear(const char *holes, void *element, uint64_t element_bytes) {
  for (char *end; holes && *holes >= '0' && *holes <= '9';) {
    uint64_t at = strtoull(holes, &end, 10);
    bool bits = *end == ':';
    uint64_t bytes = strtoull(end + bits, &end, 10);
    if (bits && at < element_bytes)
      ((unsigned char *)element)[at] &= (unsigned char)~bytes;
    else if (!bits && at <= element_bytes && bytes <= element_bytes - at)
      memset((char *)element + at, 0, bytes);
    holes = *end == ' ' ? end + 1 : NULL;
  }
}

uint64_t dvmt_digest_holed(const void *p, uint64_t element_bytes, uint64_t first, uint64_t count, const char *holes) {
  unsigned char element[DVMT_HOLED_MAX], mask[DVMT_HOLED_MAX];
  uint64_t sum = 0;
  if (!holes || element_bytes > sizeof(element))
    return dvmt_digest_part(p, element_bytes, first, count);
  memset(mask, 0xff, element_bytes);
  dvmt_holes_clear(holes, mask, element_bytes);
  for (uint64_t i = first; i < first + count; i++) {
    const unsigned char *at = (const unsigned char *)p + i * element_bytes;
    for (uint64_t k = 0; k < element_bytes; k++)
      element[k] = at[k] & mask[k];
    sum += dvmt_digest_part((const void *)((uintptr_t)element - i * element_bytes), element_bytes, i, 1);
  }
  return sum;
}
