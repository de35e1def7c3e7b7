/* Process sets against a naive twin (one byte an id) and against libroaring. */
#include "sdm/set.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <roaring/roaring.h>

#include "sdm/bytes.h"

#define UNIVERSE 200000u

static uint64_t seed = 20261121;
static uint32_t rnd(uint32_t below) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (uint32_t)((seed >> 33) % below);
}

static void check_same(const struct sdm_set *s, const uint8_t *twin) {
  struct sdm_set_iter it = sdm_set_iter(s);
  uint32_t n = 0;
  sdm_id id, from = 0;
  while (sdm_set_iter_id(&it, &id)) {
    assert_true(id < UNIVERSE && twin[id]);
    for (; from < id; from++)
      assert_false(twin[from]);
    from = id + 1;
    n++;
  }
  for (; from < UNIVERSE; from++)
    assert_false(twin[from]);
  assert_int_equal(sdm_set_size(s), n);
  assert_int_equal(sdm_set_is_empty(s), n == 0);
}

static size_t check_codec(const struct sdm_set *s) {
  size_t bound = sdm_set_serialized_length(s);
  char *buf = malloc(bound + 1), *end, *copy;
  const char *rest;
  size_t n = sdm_set_serialize(s, buf, &end);
  assert_true(n <= bound);
  assert_ptr_equal(end, buf + n);
  struct sdm_set *back = sdm_set_new();
  copy = malloc(n + 1); /* one byte more: the form must end by itself */
  memcpy(copy, buf, n);
  copy[n] = 0x55;
  assert_int_equal(sdm_set_deserialize(back, copy, n + 1, &rest), (long)n);
  assert_ptr_equal(rest, copy + n);
  assert_true(sdm_set_equal(s, back));
  for (size_t cut = n > 6 ? n - 6 : 0; cut < n; cut++)
    assert_int_equal(sdm_set_deserialize(back, buf, cut, NULL), -EBADMSG);
  sdm_set_free(back);
  free(copy);
  free(buf);
  return n;
}

static void check_text(const struct sdm_set *s) {
  struct dvm_text t = DVM_TEXT_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *back = sdm_set_new();
  sdm_set_print(s, &t);
  assert_int_equal(sdm_set_parse(back, dvm_text_str(&t), &err), 0);
  assert_true(sdm_set_equal(s, back));
  sdm_set_free(back);
  dvm_text_fini(&t);
}

static void random_step(struct sdm_set *s, uint8_t *twin) {
  sdm_id lo = rnd(UNIVERSE), hi = lo + rnd(rnd(3) ? 50 : 90000), step = 1 + rnd(9);
  if (hi >= UNIVERSE)
    hi = UNIVERSE - 1;
  switch (rnd(6)) {
  case 0:
    sdm_set_add_range(s, lo, hi);
    memset(twin + lo, 1, hi - lo + 1);
    break;
  case 1:
    sdm_set_remove_range(s, lo, hi);
    memset(twin + lo, 0, hi - lo + 1);
    break;
  case 2:
    sdm_set_add_element(s, lo);
    twin[lo] = 1;
    break;
  case 3:
    sdm_set_remove_element(s, lo);
    twin[lo] = 0;
    break;
  default:
    for (unsigned n = 0; n < 3000 && lo < UNIVERSE; n++, lo += step) {
      sdm_set_add_element(s, lo);
      twin[lo] = 1;
    }
  }
}

static void model(void **state) {
  (void)state;
  uint8_t *ta = calloc(1, UNIVERSE), *tb = calloc(1, UNIVERSE), *tc = calloc(1, UNIVERSE);
  for (int round = 0; round < 60; round++) {
    struct sdm_set *a = sdm_set_new(), *b = sdm_set_new();
    memset(ta, 0, UNIVERSE);
    memset(tb, 0, UNIVERSE);
    for (unsigned i = rnd(14); i; i--)
      random_step(a, ta);
    for (unsigned i = rnd(14); i; i--)
      random_step(b, tb);
    check_same(a, ta);
    check_codec(a);
    check_text(a);
    bool subset = true, same = true, overlap = false;
    for (unsigned op = 0; op < 4; op++) {
      for (unsigned i = 0; i < UNIVERSE; i++)
        tc[i] = op == 0 ? ta[i] | tb[i] : op == 1 ? ta[i] & tb[i] : op == 2 ? ta[i] & !tb[i] : ta[i] ^ tb[i];
      struct sdm_set *c = sdm_set_copy(a);
      assert_ptr_equal((op == 0 ? sdm_set_union : op == 1 ? sdm_set_intersect : op == 2 ? sdm_set_diff : sdm_set_xor)(c, b), c);
      check_same(c, tc);
      check_codec(c);
      sdm_set_free(c);
    }
    for (unsigned i = 0; i < UNIVERSE; i++) {
      subset &= ta[i] <= tb[i];
      same &= ta[i] == tb[i];
      overlap |= ta[i] & tb[i];
    }
    assert_int_equal(sdm_set_is_subset(a, b), subset);
    assert_int_equal(sdm_set_compare(a, b), !same);
    assert_int_equal(sdm_set_overlaps(a, b), overlap);
    assert_true(sdm_set_is_subset(a, a));
    sdm_set_free(a);
    sdm_set_free(b);
  }
  free(ta);
  free(tb);
  free(tc);
}

static struct sdm_set *from_roaring(const roaring_bitmap_t *r) {
  struct sdm_set *s = sdm_set_new();
  roaring_uint32_iterator_t it;
  for (roaring_init_iterator(r, &it); it.has_value; roaring_advance_uint32_iterator(&it))
    sdm_set_add_element(s, it.current_value);
  return s;
}

static void oracle(void **state) {
  (void)state;
  for (int round = 0; round < 8; round++) {
    roaring_bitmap_t *ra = roaring_bitmap_create(), *rb = roaring_bitmap_create();
    for (int i = 0; i < 30; i++) {
      uint32_t lo = rnd(1u << 20);
      roaring_bitmap_add_range(ra, lo, lo + rnd(40000));
      roaring_bitmap_add_range(rb, lo + rnd(9000), lo + 9000 + rnd(40000));
      for (int k = 0; k < 400; k++)
        roaring_bitmap_add(round & 1 ? ra : rb, rnd(1u << 20));
    }
    struct sdm_set *a = from_roaring(ra), *b = from_roaring(rb);
    roaring_bitmap_t *(*const rop[])(const roaring_bitmap_t *, const roaring_bitmap_t *) = {roaring_bitmap_or, roaring_bitmap_and,
                                                                                            roaring_bitmap_andnot, roaring_bitmap_xor};
    struct sdm_set *(*const sop[])(struct sdm_set *, const struct sdm_set *) = {sdm_set_union, sdm_set_intersect, sdm_set_diff,
                                                                                sdm_set_xor};
    for (int op = 0; op < 4; op++) {
      roaring_bitmap_t *rc = rop[op](ra, rb);
      struct sdm_set *c = sop[op](sdm_set_copy(a), b), *want = from_roaring(rc);
      assert_true(sdm_set_equal(c, want));
      assert_int_equal(sdm_set_size(c), roaring_bitmap_get_cardinality(rc));
      if (!sdm_set_is_empty(c))
        assert_int_equal(sdm_set_last(c), roaring_bitmap_maximum(rc));
      roaring_bitmap_free(rc);
      sdm_set_free(c);
      sdm_set_free(want);
    }
    roaring_bitmap_free(ra);
    roaring_bitmap_free(rb);
    sdm_set_free(a);
    sdm_set_free(b);
  }
}

static void documented_meaning(void **state) {
  (void)state;
  struct sdm_set *s = sdm_set_new_limited(7), *none = sdm_set_new();
  assert_int_equal(sdm_set_max(s), 7); /* the limit, although the set is empty */
  assert_null(sdm_set_add_element(s, 8));
  assert_true(sdm_set_is_empty(s));
  sdm_set_add_all(s, 7); /* inclusive */
  assert_int_equal(sdm_set_size(s), 8);
  assert_null(sdm_set_add_all(s, 8));
  assert_int_equal(sdm_set_size(s), 8);
  assert_true(sdm_set_is_subset(none, s));
  assert_false(sdm_set_is_subset(s, none));
  sdm_set_intersect(s, none);
  assert_true(sdm_set_is_empty(s));
  assert_int_equal(sdm_set_first(s), SDM_ID_NONE);
  assert_true(sdm_set_done(s));
  sdm_set_add_element(sdm_set_add_element(s, 2), 5);
  assert_int_equal(sdm_set_first(s), 2);
  assert_false(sdm_set_done(s));
  assert_int_equal(sdm_set_next(s), 5);
  assert_false(sdm_set_done(s));
  sdm_set_next(s);
  assert_true(sdm_set_done(s));
  sdm_set_remove_element(s, 5);
  assert_true(sdm_set_contains(s, 2) && !sdm_set_contains(s, 5));
  sdm_set_add_element(none, 9);
  assert_null(sdm_set_union(s, none)); /* 9 is above the limit */
  assert_int_equal(sdm_set_size(s), 1);
  sdm_set_free(s);
  sdm_set_free(none);
  sdm_set_free(NULL);
}

static void sizes_on_the_wire(void **state) {
  (void)state;
  const uint32_t n = 1u << 20;
  struct sdm_set *s = sdm_set_add_all(sdm_set_new(), n - 1);
  assert_true(check_codec(s) <= 8);
  sdm_set_remove_element(s, 777777);
  assert_true(check_codec(s) <= 16);
  sdm_set_clear(s);
  assert_int_equal(check_codec(s), 1);
  sdm_set_add_element(s, n - 1);
  assert_true(check_codec(s) <= 8);
  for (uint32_t k = 2; k < 9; k += 3) {
    sdm_set_clear(s);
    for (uint32_t i = 0; i < n; i += k)
      sdm_set_add_element(s, i);
    assert_true(check_codec(s) <= 10);
    struct sdm_set *rest = sdm_set_diff(sdm_set_add_all(sdm_set_new(), n - 1), s);
    assert_true(check_codec(rest) <= 20); /* all but every k-th */
    sdm_set_free(rest);
  }
  sdm_set_clear(s);
  for (uint32_t i = 0; i < n; i += 1 + rnd(3))
    sdm_set_add_element(s, i);
  assert_true(check_codec(s) <= n / 8 + 100);
  sdm_set_free(s);
}

static void hostile_bytes(void **state) {
  (void)state;
  struct sdm_set *s = sdm_set_new_limited(99);
  static const struct {
    const char *bytes;
    size_t len;
  } bad[] = {
      {"", 0},
      {"\x07", 1},
      {"\x01", 1},
      {"\x01\x00", 2},                         /* no items: must be written as the empty form */
      {"\x01\x01\x01\x80\x01", 5},             /* a range of 130 in a set of 100 */
      {"\x01\xff\xff\xff\xff\x0f\x00", 7},     /* four milliard items announced */
      {"\x01\x02\x00\x00", 4},                 /* 0,1 as two items: not canonical */
      {"\x01\x01\x80\x00", 4},                 /* a varint longer than needed */
      {"\x03\x01\x01", 3},                     /* a bitmap that is not there */
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
    assert_int_equal(sdm_set_deserialize(s, bad[i].bytes, bad[i].len, NULL), -EBADMSG);
  assert_int_equal(sdm_set_deserialize(s, "\x01\x01\x01\x62", 4, NULL), 4); /* all of 0-99 */
  assert_int_equal(sdm_set_size(s), 100);
  sdm_set_free(s);
}

static void text_form(void **state) {
  (void)state;
  static const char *const same[] = {"", "0-3,7,10-30/2", "5", "0-1", "1,3,8", "0-1000000/5"};
  static const char *const bad[] = {"-", "3-1", "1,,2", "1,", "a", "1-", "1-5/0", "99999999999", "1;2", " 1"};
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_set *s = sdm_set_new();
  for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
    struct dvm_text t = DVM_TEXT_INIT;
    assert_int_equal(sdm_set_parse(s, same[i], &err), 0);
    sdm_set_print(s, &t);
    assert_string_equal(dvm_text_str(&t), same[i]);
    dvm_text_fini(&t);
  }
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    assert_int_equal(sdm_set_parse(s, bad[i], &err), -EINVAL);
    assert_true(sdm_set_is_empty(s) && err.text[0]);
  }
  sdm_set_free(s);
}

static void byte_cursor(void **state) {
  (void)state;
  struct sdm_bytes b = {0};
  const uint64_t values[] = {0, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
  for (size_t i = 0; i < 7; i++)
    sdm_bytes_varint(&b, values[i]);
  sdm_bytes_u32(&b, 0x01020304);
  assert_int_equal(b.p[b.len - 4], 4); /* little endian */
  struct sdm_cursor c = sdm_cursor_of(b.p, b.len);
  for (size_t i = 0; i < 7; i++)
    assert_true(sdm_cursor_varint(&c) == values[i]);
  assert_int_equal(sdm_cursor_u32(&c), 0x01020304);
  assert_false(c.bad);
  assert_int_equal(sdm_cursor_u8(&c), 0);
  assert_true(c.bad);
  sdm_bytes_fini(&b);
  assert_int_equal(sdm_crc32c("123456789", 9), 0xe3069283u); /* the check value of CRC-32C */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(documented_meaning), cmocka_unit_test(model),     cmocka_unit_test(oracle),      cmocka_unit_test(sizes_on_the_wire),
      cmocka_unit_test(hostile_bytes),      cmocka_unit_test(text_form), cmocka_unit_test(byte_cursor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
