/* Sums with vectors of eight, for digest.c alone, which has the keys. */
#ifndef DVMT_DIGEST_WIDEST_H
#define DVMT_DIGEST_WIDEST_H

/* 64 bytes at a time: compilers prefer vectors of 32, for the sake of processors that run slower where they see wide ones.  A piece has as
 * many bytes of halves as of words; 'half' is known when this is compiled. */
#define WIDEST __attribute__((target("avx512f,avx512dq,avx512bw")))
enum { WIDTH = 64, PIECE_BYTES = 8 * PIECE, VECTORS = PIECE_BYTES / WIDTH };
WIDEST ALWAYS __m512i products(__m512i v, __m512i key, bool half) {
  if (half)
    return _mm512_add_epi64(_mm512_mul_epu32(v, key), _mm512_mul_epu32(_mm512_srli_epi64(v, 32), _mm512_srli_epi64(key, 32)));
  __m512i x = _mm512_add_epi64(v, key);
  return _mm512_mul_epu32(x, _mm512_srli_epi64(x, 32));
}

WIDEST ALWAYS __m512i products_of(const char *piece, uint64_t at, __mmask64 which, bool half) {
  return products(_mm512_maskz_loadu_epi8(which, piece + at), _mm512_maskz_loadu_epi8(which, (const char *)keys.word + at), half);
}

WIDEST ALWAYS __m512i times_factor(__m512i sum, uint64_t piece) {
  return _mm512_mullo_epi64(sum, _mm512_set1_epi64((int64_t)piece_factor(piece)));
}

/* Bytes 'from' up to and without 'to' of a piece, in vectors of what lies together in it. */
WIDEST ALWAYS __m512i sum_part(const char *p, uint64_t piece, uint64_t from, uint64_t to, bool half) {
  const __mmask64 first = ~0ull << from % WIDTH, last = ~0ull >> (-to % WIDTH);
  uint64_t at = from / WIDTH * WIDTH;
  p += piece * PIECE_BYTES;
  if (at + WIDTH >= to)
    return times_factor(products_of(p, at, first & last, half), piece);
  __m512i sum = products_of(p, at, first, half);
  while ((at += WIDTH) + WIDTH < to)
    sum = _mm512_add_epi64(sum, products_of(p, at, ~0ull, half));
  return times_factor(_mm512_add_epi64(sum, products_of(p, at, last, half)), piece);
}

/* Whole pieces, with the keys in registers: where values lie across lines of the cache, loading keys too takes longer than the rest. */
WIDEST ALWAYS __m512i sum_whole(const char *p, uint64_t piece, uint64_t behind, bool half) {
  __m512i key[VECTORS], sum = _mm512_setzero_si512();
  for (uint64_t v = 0; v < VECTORS; v++)
    key[v] = _mm512_load_si512(keys.word + 8 * v);
  for (; piece < behind; piece++) {
    const char *at = p + PIECE_BYTES * piece;
    __m512i a = _mm512_setzero_si512(), b = a;
    for (uint64_t v = 0; v < VECTORS; v += 2) {
      a = _mm512_add_epi64(a, products(_mm512_loadu_si512(at + WIDTH * v), key[v], half));
      b = _mm512_add_epi64(b, products(_mm512_loadu_si512(at + WIDTH * v + WIDTH), key[v + 1], half));
    }
    sum = _mm512_add_epi64(sum, times_factor(_mm512_add_epi64(a, b), piece));
  }
  return sum;
}

WIDEST ALWAYS uint64_t sum_widest(const char *p, uint64_t first, uint64_t behind, bool half) {
  const uint64_t from = (first + PIECE_BYTES - 1) / PIECE_BYTES, to = behind / PIECE_BYTES;
  __m512i sum = _mm512_setzero_si512();
  if (first == behind)
    return 0;
  if (from > to)
    return (uint64_t)_mm512_reduce_add_epi64(sum_part(p, to, first % PIECE_BYTES, behind % PIECE_BYTES, half));
  if (first % PIECE_BYTES)
    sum = sum_part(p, from - 1, first % PIECE_BYTES, PIECE_BYTES, half);
  if (from < to)
    sum = _mm512_add_epi64(sum, sum_whole(p, from, to, half));
  if (behind % PIECE_BYTES)
    sum = _mm512_add_epi64(sum, sum_part(p, to, 0, behind % PIECE_BYTES, half));
  return (uint64_t)_mm512_reduce_add_epi64(sum);
}

WIDEST static uint64_t words_widest(const char *p, uint64_t first, uint64_t n) { return sum_widest(p, 8 * first, 8 * (first + n), false); }
WIDEST static uint64_t halves_widest(const char *p, uint64_t first, uint64_t n) { return sum_widest(p, 4 * first, 4 * (first + n), true); }

/* Copied in vectors from the first byte on, wherever it lies in its piece. */
WIDEST ALWAYS __m512i copy_vector(char *p, const char *from, const char *key, __mmask64 which, bool half) {
  __m512i v = _mm512_maskz_loadu_epi8(which, from);
  _mm512_mask_storeu_epi8(p, which, v);
  return products(v, _mm512_maskz_loadu_epi8(which, key), half);
}

/* Four vectors; what comes a few lines behind them, in the next row too, is fetched meanwhile: of arrays beyond the second cache the processor has too
 * few lines under way by itself. */
enum { COPIED = 4 * WIDTH, AHEAD = 2 * COPIED };
WIDEST ALWAYS __m512i copy_vectors(char *p, const char *from, const char *key, bool half) {
  __m512i v[4], sum = _mm512_setzero_si512();
  for (int i = 0; i < 4; i++) {
    _mm_prefetch(from + AHEAD + WIDTH * i, _MM_HINT_T0);
    __builtin_prefetch(p + AHEAD + WIDTH * i, 1);
  }
  for (int i = 0; i < 4; i++)
    v[i] = _mm512_loadu_si512(from + WIDTH * i);
  for (int i = 0; i < 4; i++)
    _mm512_storeu_si512(p + WIDTH * i, v[i]);
  for (int i = 0; i < 4; i++)
    sum = _mm512_add_epi64(sum, products(v[i], _mm512_loadu_si512(key + WIDTH * i), half));
  return sum;
}

WIDEST ALWAYS uint64_t copy_widest(char *p, const char *from, uint64_t first, uint64_t behind, bool half) {
  __m512i sum = _mm512_setzero_si512();
  for (uint64_t at = first, end; at < behind; at = end) {
    const uint64_t piece = at / PIECE_BYTES;
    const char *key = (const char *)keys.word + at % PIECE_BYTES;
    __m512i a = _mm512_setzero_si512();
    end = (piece + 1) * PIECE_BYTES < behind ? (piece + 1) * PIECE_BYTES : behind;
    for (; at + COPIED <= end; at += COPIED, key += COPIED)
      a = _mm512_add_epi64(a, copy_vectors(p + at, from + (at - first), key, half));
    for (; at < end; at += WIDTH, key += WIDTH)
      a = _mm512_add_epi64(a,
                           copy_vector(p + at, from + (at - first), key, end - at < WIDTH ? ~0ull >> (WIDTH - (end - at)) : ~0ull, half));
    sum = _mm512_add_epi64(sum, times_factor(a, piece));
  }
  return (uint64_t)_mm512_reduce_add_epi64(sum);
}

WIDEST static uint64_t copy_words(void *p, const void *from, uint64_t first, uint64_t behind) {
  return copy_widest(p, from, first, behind, false);
}
WIDEST static uint64_t copy_halves(void *p, const void *from, uint64_t first, uint64_t behind) {
  return copy_widest(p, from, first, behind, true);
}

/* The bits that a mask has; its bytes are beside those from 'first' on. */
WIDEST ALWAYS __m512i masked_vector(const char *p, const char *mask, const char *key, __mmask64 which, bool half) {
  __m512i v = _mm512_and_si512(_mm512_maskz_loadu_epi8(which, p), _mm512_maskz_loadu_epi8(which, mask));
  return products(v, _mm512_maskz_loadu_epi8(which, key), half);
}

WIDEST ALWAYS uint64_t masked_widest(const char *p, const char *mask, uint64_t first, uint64_t behind, bool half) {
  __m512i sum = _mm512_setzero_si512();
  for (uint64_t at = first, end; at < behind; at = end) {
    const uint64_t piece = at / PIECE_BYTES;
    const char *key = (const char *)keys.word + at % PIECE_BYTES;
    __m512i a = _mm512_setzero_si512();
    end = (piece + 1) * PIECE_BYTES < behind ? (piece + 1) * PIECE_BYTES : behind;
    for (; at + WIDTH <= end; at += WIDTH, key += WIDTH)
      a = _mm512_add_epi64(a, masked_vector(p + at, mask + (at - first), key, ~0ull, half));
    if (at < end)
      a = _mm512_add_epi64(a, masked_vector(p + at, mask + (at - first), key, ~0ull >> (WIDTH - (end - at)), half));
    sum = _mm512_add_epi64(sum, times_factor(a, piece));
  }
  return (uint64_t)_mm512_reduce_add_epi64(sum);
}

WIDEST static uint64_t masked_words(const char *p, const char *mask, uint64_t first, uint64_t behind) {
  return masked_widest(p, mask, first, behind, false);
}
WIDEST static uint64_t masked_halves(const char *p, const char *mask, uint64_t first, uint64_t behind) {
  return masked_widest(p, mask, first, behind, true);
}
#endif
