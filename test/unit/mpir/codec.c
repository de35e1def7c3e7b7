/* Pieces of an image's data: what is compressed comes back, what is damaged does not; the checksum is CRC-32C in both forms. */
#include "mpir/image/codec.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "mpir/image/crc32c.h"

static unsigned char from[MPIR_EXTENT_MAX], to[MPIR_EXTENT_MAX], back[MPIR_EXTENT_MAX];

/* Runs of equal bytes, as memory has them, so that it can be compressed. */
static void fill(size_t size) {
  for (size_t i = 0; i < size; i++)
    from[i] = (unsigned char)(i / 7 % 5 + (rand() % 50 == 0 ? 1 : 0));
}

static struct mpir_image_extent extent(enum mpir_codec codec, size_t size, size_t stored) {
  struct mpir_image_extent e;

  memset(&e, 0, sizeof(e));
  e.length = size;
  e.stored = stored;
  e.codec = (uint32_t)codec;
  return e;
}

static void what_is_compressed_comes_back(void **state) {
  static const enum mpir_codec codecs[] = {MPIR_CODEC_ZLIB, MPIR_CODEC_ZSTD};
  static const size_t sizes[] = {4096, 65536, MPIR_EXTENT_MAX};

  (void)state;
  for (size_t c = 0; c < 2; c++)
    for (size_t s = 0; s < 3; s++) {
      fill(sizes[s]);
      size_t n = mpir_codec_compress(codecs[c], from, sizes[s], to, sizeof(to));
      struct mpir_image_extent e = extent(codecs[c], sizes[s], n);

      assert_true(n > 0 && n < sizes[s]); /* it is smaller */
      const void *content = mpir_codec_expand(&e, to, back);
      assert_true(content == back && !memcmp(back, from, sizes[s])); /* and comes back */
      assert_true(mpir_codec_compress(codecs[c], from, sizes[s], to, n / 2) == 0); /* where it does not fit, it says so */
    }
}

static void what_is_not_compressed_stays_where_it_is(void **state) {
  struct mpir_image_extent e = extent(MPIR_CODEC_NONE, 4096, 4096);

  (void)state;
  assert_true(mpir_codec_expand(&e, from, back) == from); /* no copy */
}

static void what_is_damaged_is_refused(void **state) {
  (void)state;
  srand(1);
  fill(4096);
  for (int round = 0; round < 4000; round++) {
    enum mpir_codec codec = round % 2 ? MPIR_CODEC_ZLIB : MPIR_CODEC_ZSTD;
    size_t n = mpir_codec_compress(codec, from, 4096, to, sizeof(to));
    struct mpir_image_extent e = extent(codec, 4096, n);

    to[(size_t)rand() % n] ^= (unsigned char)(1 << rand() % 8);
    const void *content = mpir_codec_expand(&e, to, back); /* one that is not noticed here the checksum finds */
    assert_true(!content || mpir_crc32c(0, content, 4096) != mpir_crc32c(0, from, 4096) || !memcmp(content, from, 4096));
    e.stored = n / 2;
    assert_null(mpir_codec_expand(&e, to, back)); /* half of it is not enough */
  }
  struct mpir_image_extent unknown = extent((enum mpir_codec)77, 4096, 4096);
  assert_null(mpir_codec_expand(&unknown, from, back)); /* another codec */
}

static void the_checksum_is_crc32c(void **state) {
  (void)state;
  assert_int_equal(mpir_crc32c(0, "123456789", 9), 0xe3069283); /* the check value of the catalogue */
  srand(2);
  for (int round = 0; round < 300; round++) {
    size_t size = (size_t)rand() % 5000, cut = size ? (size_t)rand() % size : 0, at = (size_t)rand() % 64;
    for (size_t i = 0; i < size; i++)
      from[at + i] = (unsigned char)rand();
    uint32_t whole = mpir_crc32c(0, from + at, size);
    assert_int_equal(whole, mpir_crc32c_portable(0, from + at, size)); /* with and without the instruction */
    assert_int_equal(whole, mpir_crc32c(mpir_crc32c(0, from + at, cut), from + at + cut, size - cut)); /* in two parts */
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_compressed_comes_back),
      cmocka_unit_test(what_is_not_compressed_stays_where_it_is),
      cmocka_unit_test(what_is_damaged_is_refused),
      cmocka_unit_test(the_checksum_is_crc32c),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
