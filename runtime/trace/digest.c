#include "runtime/trace/digest.h"
#include <immintrin.h>
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

/* Eight at a time: compilers prefer vectors of four, for the sake of processors that run slower where they see wide ones. */
struct wide {
  __m512i sum, products, key;
};

#define WIDE __attribute__((target("avx512f")))
WIDE ALWAYS void add_wide(struct wide *w, __m512i v, __mmask8 which) {
  __m512i x = _mm512_maskz_add_epi64(which, v, w->key);
  w->sum = _mm512_add_epi64(w->sum, x);
  w->products = _mm512_add_epi64(w->products, _mm512_mul_epu32(x, _mm512_srli_epi64(x, 32)));
  w->key = _mm512_add_epi64(w->key, _mm512_set1_epi64((int64_t)(16 * step)));
}

WIDE ALWAYS __m512i load_wide(const char *at, uint64_t i, bool half, __mmask8 which) {
  if (half)
    return _mm512_cvtepu32_epi64(_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(which, at + 4 * i)));
  return _mm512_maskz_loadu_epi64(which, at + 8 * i);
}

WIDE ALWAYS uint64_t sum_wide(const char *at, uint64_t n, uint64_t first, bool half) {
  uint64_t keys[16], i = 0;
  for (uint64_t k = 0; k < 16; k++)
    keys[k] = step * (first + k + 1);
  const __m512i zero = _mm512_setzero_si512();
  struct wide a = {zero, zero, _mm512_loadu_si512(keys)}, b = {zero, zero, _mm512_loadu_si512(keys + 8)};
  for (; i + 16 <= n; i += 16) {
    add_wide(&a, load_wide(at, i, half, 0xff), 0xff);
    add_wide(&b, load_wide(at, i + 8, half, 0xff), 0xff);
  }
  const uint64_t left = n - i;
  const __mmask8 in_a = left < 8 ? (__mmask8)((1u << left) - 1) : 0xff, in_b = left > 8 ? (__mmask8)((1u << (left - 8)) - 1) : 0;
  add_wide(&a, load_wide(at, i, half, in_a), in_a);
  add_wide(&b, load_wide(at, i + 8, half, in_b), in_b);
  return (uint64_t)_mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_add_epi64(a.sum, a.products), _mm512_add_epi64(b.sum, b.products)));
}

WIDE static uint64_t sum_words_avx512(const char *at, uint64_t n, uint64_t first) { return sum_wide(at, n, first, false); }
WIDE static uint64_t sum_halves_avx512(const char *at, uint64_t n, uint64_t first) { return sum_wide(at, n, first, true); }

typedef uint64_t sum_f(const char *at, uint64_t n, uint64_t first);
static sum_f *const words[] = {sum_words, sum_words_avx2, sum_words_avx512}, *const halves[] = {sum_halves, sum_halves_avx2,
                                                                                                sum_halves_avx512};

/* Vectors of eight only where the processor need not slow down for them: those that know VBMI2. */
static int width(void) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vbmi2"))
    return 2;
  return __builtin_cpu_supports("avx2") ? 1 : 0;
}

uint64_t dvmt_digest_part(const void *p, uint64_t element_bytes, uint64_t first, uint64_t count) {
  uint64_t sum = 0, offset = first * element_bytes, bytes = count * element_bytes;
  const char *at = (const char *)p + offset;
  if (element_bytes % 8 == 0)
    return words[width()](at, bytes / 8, offset / 8);
  if (element_bytes % 4 == 0)
    return halves[width()](at, bytes / 4, offset / 4);
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
