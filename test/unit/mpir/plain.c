/* The small tools of the checkpointer: checksum, text without libc. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "mpir/image/codec.h"
#include "mpir/image/crc32c.h"
#include "mpir/crs/plain.h"

static void crc_has_the_known_values(void **state) {
  unsigned char zeros[32] = {0};

  (void)state;
  assert_int_equal(mpir_crc32c(0, "123456789", 9), 0xe3069283); /* RFC 3720, B.4 */
  assert_int_equal(mpir_crc32c(0, zeros, 32), 0x8a9136aa);
  assert_int_equal(mpir_crc32c(0, "", 0), 0);
}

static void crc_goes_on_and_agrees_with_the_portable_one(void **state) {
  unsigned char bytes[1000];

  (void)state;
  for (unsigned i = 0; i < sizeof(bytes); i++)
    bytes[i] = (unsigned char)(i * 2654435761u >> 11);
  for (unsigned n = 0; n < sizeof(bytes); n += 7) {
    uint32_t whole = mpir_crc32c(0, bytes, n);

    assert_int_equal(whole, mpir_crc32c_portable(0, bytes, n));
    assert_int_equal(whole, mpir_crc32c(mpir_crc32c(0, bytes, n / 3), bytes + n / 3, n - n / 3));
  }
}

static void text_is_cut_when_full(void **state) {
  char s[8];
  struct plain_text t = PLAIN_TEXT(s);

  (void)state;
  mpir_plain_add(&t, "abcd");
  mpir_plain_add_dec(&t, -12);
  assert_string_equal(s, "abcd-12");
  mpir_plain_add_hex(&t, 255);
  assert_string_equal(s, "abcd-12");
}

static void numbers_are_written_and_read(void **state) {
  const int64_t values[] = {0, 1, -1, 10, INT64_MAX, INT64_MIN};
  const char *text = "fff1 18446744073709551615x";
  char s[64], expected[64];

  (void)state;
  for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
    struct plain_text t = PLAIN_TEXT(s);

    mpir_plain_add_dec(&t, values[i]);
    snprintf(expected, sizeof(expected), "%lld", (long long)values[i]);
    assert_string_equal(s, expected);
    t.len = 0;
    mpir_plain_add_hex(&t, (uint64_t)values[i]);
    snprintf(expected, sizeof(expected), "%llx", (unsigned long long)values[i]);
    assert_string_equal(s, expected);
  }
  assert_int_equal(mpir_plain_hex(&text), 0xfff1);
  text++;
  assert_true(mpir_plain_dec(&text) == UINT64_MAX);
  assert_string_equal(text, "x");
}

static void lines_are_found_by_label(void **state) {
  const char *text = "Name:\tx\nUmask:\t0022\nMask: 5";

  (void)state;
  assert_memory_equal(mpir_plain_line(text, "Mask:"), "5", 2);
  assert_memory_equal(mpir_plain_line(text, "Umask:"), "0022", 4);
  assert_null(mpir_plain_line(text, "ame:"));
  assert_null(mpir_plain_line("", "Name:"));
}

static void files_are_read_and_cut(void **state) {
  char s[5];

  (void)state;
  assert_int_equal(mpir_plain_read_file("/does/not/exist", s, sizeof(s)), -ENOENT);
  assert_int_equal(mpir_plain_read_file("/proc/self/comm", s, sizeof(s)), 4);
  assert_string_equal(s, "unit");
}

static void codecs_give_back_what_they_took(void **state) {
  static unsigned char from[100000], packed[100000], space[MPIR_EXTENT_MAX];
  struct mpir_image_extent e = {.length = sizeof(from)};

  (void)state;
  for (unsigned i = 0; i < sizeof(from); i++)
    from[i] = (unsigned char)(i / 100);
  for (enum mpir_codec codec = MPIR_CODEC_ZLIB; codec <= MPIR_CODEC_ZSTD; codec++) {
    e.codec = codec;
    e.stored = mpir_codec_compress(codec, from, sizeof(from), packed, sizeof(packed));
    assert_in_range(e.stored, 1, sizeof(from) / 10);
    assert_ptr_equal(mpir_codec_expand(&e, packed, space), space);
    assert_memory_equal(space, from, sizeof(from));
    e.length--;
    assert_null(mpir_codec_expand(&e, packed, space)); /* another length than the table says */
    e.length++;
    packed[e.stored / 2] ^= 0x55;
    if (mpir_codec_expand(&e, packed, space))
      assert_memory_not_equal(space, from, sizeof(from));
    assert_int_equal(mpir_codec_compress(codec, from, sizeof(from), packed, 10), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crc_has_the_known_values),        cmocka_unit_test(crc_goes_on_and_agrees_with_the_portable_one),
      cmocka_unit_test(text_is_cut_when_full),           cmocka_unit_test(numbers_are_written_and_read),
      cmocka_unit_test(lines_are_found_by_label),        cmocka_unit_test(files_are_read_and_cut),
      cmocka_unit_test(codecs_give_back_what_they_took),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
