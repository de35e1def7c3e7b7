#include "runtime/trace/digest.h"
#include <immintrin.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The words of an array are taken in pieces of PIECE words, counted from the array's beginning.  Each word has a key by its place in the piece, a
 * random number: key and value are added, then both halves of the sum are multiplied by each other.  The products of a piece are added up, and
 * multiplied by an odd number that is the piece's.  Elements of other sizes than whole words have keys of 32 bits, by which they are multiplied.  Each
 * operation more for a word is seen in what level checksum costs; keys that were multiples of one number would be cheaper to have, but then
 * changes by +1, -2, +1 in a row leave the sum as it is. */
enum { PIECE = 128 /* a power of 2 */, SMALL_PIECE = 2 * PIECE, PART_BYTES = 8192 };
static union {
  uint64_t word[PIECE];
  uint32_t half[SMALL_PIECE];
} keys __attribute__((aligned(64)));

__attribute__((constructor(101))) static void make_keys(void) {
  for (uint64_t i = 0; i < PIECE; i++)
    keys.word[i] = dvmt_mix(0x9e3779b97f4a7c15ull * (i + 1)) | 0x100000001ull;
}

static uint64_t piece_factor(uint64_t piece) { return dvmt_mix(piece + 0x6a09e667f3bcc909ull) | 1; }

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS uint64_t word_product(const char *at, uint64_t key) {
  uint64_t x;
  memcpy(&x, at, 8);
  x += key;
  return (x & 0xffffffffu) * (x >> 32);
}

ALWAYS uint64_t piece_words(const char *at, uint64_t n, uint64_t first) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++)
    sum += word_product(at + 8 * i, keys.word[first + i]);
  return sum;
}

ALWAYS uint64_t piece_halves(const char *at, uint64_t n, uint64_t first) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    uint32_t v;
    memcpy(&v, at + 4 * i, 4);
    sum += (uint64_t)v * keys.half[first + i];
  }
  return sum;
}

ALWAYS uint64_t piece_bytes(const char *at, uint64_t n, uint64_t first) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++)
    sum += (uint64_t)(unsigned char)at[i] * keys.half[first + i];
  return sum;
}

/* 'n' units of 'unit' bytes, the first of which has number 'first' in the array at 'p'; 'piece' of them are one. */
typedef uint64_t piece_f(const char *at, uint64_t n, uint64_t first);
ALWAYS uint64_t sum_pieces(piece_f *f, const char *p, uint64_t unit, uint64_t piece, uint64_t first, uint64_t n) {
  uint64_t sum = 0;
  for (uint64_t behind = first + n, next; first < behind; first = next) {
    next = (first / piece + 1) * piece;
    next = next < behind ? next : behind;
    sum += piece_factor(first / piece) * f(p + first * unit, next - first, first % piece);
  }
  return sum;
}

/* The same with the vector units that the machine has: what a construct costs at level checksum is mostly this. */
typedef uint64_t sum_f(const char *p, uint64_t first, uint64_t n);
#define MADE_FOR(name, how, f, unit, piece)                                                                                                \
  how static uint64_t name(const char *p, uint64_t first, uint64_t n) { return sum_pieces(f, p, unit, piece, first, n); }
#define WIDE __attribute__((target("avx2")))
MADE_FOR(words, , piece_words, 8, PIECE)
MADE_FOR(halves, , piece_halves, 4, SMALL_PIECE)
MADE_FOR(bytes, , piece_bytes, 1, SMALL_PIECE)
MADE_FOR(words_wide, WIDE, piece_words, 8, PIECE)
MADE_FOR(halves_wide, WIDE, piece_halves, 4, SMALL_PIECE)
MADE_FOR(bytes_wide, WIDE, piece_bytes, 1, SMALL_PIECE)

#include "runtime/trace/digest_widest.h"

static sum_f *const all_words[] = {words, words_wide, words_widest}, *const all_halves[] = {halves, halves_wide, halves_widest},
                    *const all_bytes[] = {bytes, bytes_wide, bytes_wide};

/* Vectors of eight only where the processor need not slow down for them: those that know VBMI2. */
static int width(void) {
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2"))
    return 2;
  return __builtin_cpu_supports("avx2") ? 1 : 0;
}

uint64_t dvmt_digest_part(const void *p, uint64_t element_bytes, uint64_t first, uint64_t count) {
  if (element_bytes % 8 == 0)
    return all_words[width()](p, first * (element_bytes / 8), count * (element_bytes / 8));
  if (element_bytes % 4 == 0)
    return all_halves[width()](p, first * (element_bytes / 4), count * (element_bytes / 4));
  return all_bytes[width()](p, first * element_bytes, count * element_bytes);
}

/* With narrow vectors: so many elements that what has been copied is still in the first cache when it is summed. */
ALWAYS uint64_t copy_by_parts(char *p, const char *from, uint64_t unit, uint64_t at, uint64_t behind) {
  uint64_t sum = 0;
  for (uint64_t n; at < behind; at += n, from += n) {
    n = behind - at < PART_BYTES ? behind - at : PART_BYTES;
    memcpy(p + at, from, n);
    sum += dvmt_digest_part(p, unit, at / unit, n / unit);
  }
  return sum;
}

static uint64_t copy_narrow_words(void *p, const void *from, uint64_t at, uint64_t behind) { return copy_by_parts(p, from, 8, at, behind); }
static uint64_t copy_narrow_halves(void *p, const void *from, uint64_t at, uint64_t behind) {
  return copy_by_parts(p, from, 4, at, behind);
}
static uint64_t copy_bytes(void *p, const void *from, uint64_t at, uint64_t behind) { return copy_by_parts(p, from, 1, at, behind); }

dvmt_digest_copy_f *dvmt_digest_copier(uint64_t element_bytes) {
  if (element_bytes % 8 == 0)
    return width() == 2 ? copy_words : copy_narrow_words;
  if (element_bytes % 4 == 0)
    return width() == 2 ? copy_halves : copy_narrow_halves;
  return copy_bytes;
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

/* Bits that belong to values, of as many elements as fit, of 'count': how many. */
static uint64_t make_mask(unsigned char mask[DVMT_HOLED_MAX], uint64_t element_bytes, uint64_t count, const char *holes) {
  uint64_t n = DVMT_HOLED_MAX / element_bytes;
  n = count < n ? count : n;
  memset(mask, 0xff, element_bytes);
  dvmt_holes_clear(holes, mask, element_bytes);
  for (uint64_t i = 1; i < n; i *= 2)
    memcpy(mask + i * element_bytes, mask, (i < n - i ? i : n - i) * element_bytes);
  return n;
}

/* With narrow vectors, or of bytes. */
static uint64_t sum_masked(const unsigned char *p, const unsigned char *mask, uint64_t element_bytes, uint64_t first, uint64_t n) {
  unsigned char values[DVMT_HOLED_MAX];
  for (uint64_t k = 0; k < n * element_bytes; k++)
    values[k] = p[first * element_bytes + k] & mask[k];
  return dvmt_digest_part((const void *)((uintptr_t)values - first * element_bytes), element_bytes, first, n);
}

uint64_t dvmt_digest_holed(const void *p, uint64_t element_bytes, uint64_t first, uint64_t count, const char *holes) {
  unsigned char mask[DVMT_HOLED_MAX];
  uint64_t sum = 0;
  if (!holes || element_bytes > sizeof(mask))
    return dvmt_digest_part(p, element_bytes, first, count);
  const uint64_t most = make_mask(mask, element_bytes, count, holes), behind = first + count;
  const bool wide = width() == 2 && element_bytes % 4 == 0;
  for (uint64_t n; first < behind; first += n) {
    n = behind - first < most ? behind - first : most;
    if (!wide)
      sum += sum_masked(p, mask, element_bytes, first, n);
    else
      sum += (element_bytes % 8 ? masked_halves : masked_words)(p, (const char *)mask, first * element_bytes, (first + n) * element_bytes);
  }
  return sum;
}
