/* Sums of arrays: what is written down of them, the same with each vector unit, and which changes they cannot leave out. */
#include "runtime/trace/digest.c"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { BYTES = 8 * 1000, ROUNDS = 2000 };
static const uint64_t sizes[] = {8, 4, 1, 2, 3, 16, 24, 12};
enum { SIZES = sizeof(sizes) / sizeof(*sizes) };
static unsigned char memory[BYTES + 64];

static void fill(void) {
  for (size_t i = 0; i < sizeof(memory); i++)
    memory[i] = (unsigned char)rand();
}

static uint64_t key(uint64_t i) { return dvmt_mix(0x9e3779b97f4a7c15ull * (i + 1)) | 0x100000001ull; }
static uint32_t half_key(uint64_t i) { return (uint32_t)(key(i / 2) >> (i % 2 ? 32 : 0)); }

/* As docs/trace-format.md has it. */
static uint64_t by_the_book(const unsigned char *p, uint64_t element_bytes, uint64_t first, uint64_t count) {
  uint64_t sum = 0, unit = element_bytes % 8 == 0 ? 8 : element_bytes % 4 == 0 ? 4 : 1, piece = unit == 8 ? 128 : 256;
  for (uint64_t i = first * element_bytes / unit; i < (first + count) * element_bytes / unit; i++) {
    uint64_t v = 0, factor = dvmt_mix(i / piece + 0x6a09e667f3bcc909ull) | 1;
    memcpy(&v, p + i * unit, unit);
    uint64_t x = v + key(i % piece), product = unit == 8 ? (uint32_t)x * (x >> 32) : v * half_key(i % piece);
    sum += factor * product;
  }
  return sum;
}

static void test_book(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    srand(round);
    fill();
    uint64_t size = sizes[round % SIZES], n = BYTES / size, first = (uint64_t)rand() % n, count = (uint64_t)rand() % (n - first + 1);
    const unsigned char *at = memory + rand() % 64;
    assert_true(dvmt_digest_part(at, size, first, count) == by_the_book(at, size, first, count));
  }
}

static void test_units(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    srand(round);
    fill();
    const char *at = (const char *)memory + rand() % 64;
    for (int w = 0; w <= width(); w++) {
      uint64_t first = (uint64_t)rand() % 1000, n = (uint64_t)rand() % (1001 - first);
      assert_true(all_words[w](at, first, n) == words(at, first, n));
      assert_true(all_halves[w](at, first, n) == halves(at, first, n));
      assert_true(all_bytes[w](at, first, n) == bytes(at, first, n));
    }
  }
}

/* What is copied is what is summed, and nothing beside it is touched. */
static void test_copies(void **state) {
  static unsigned char to[BYTES], was[BYTES];
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    srand(round);
    fill();
    const uint64_t size = sizes[round % SIZES], n = BYTES / size, first = (uint64_t)rand() % n, count = (uint64_t)rand() % (n - first + 1);
    const unsigned char *from = memory + rand() % 64;
    for (int narrow = 0; narrow < 2; narrow++) {
      memset(to, (int)(round % 256), BYTES);
      memset(was, (int)(round % 256), BYTES);
      memcpy(was + first * size, from, count * size);
      dvmt_digest_copy_f *copy = !narrow         ? dvmt_digest_copier(size)
                                 : size % 8 == 0 ? copy_narrow_words
                                 : size % 4 == 0 ? copy_narrow_halves
                                                 : copy_bytes;
      uint64_t sum = copy(to, from, first * size, (first + count) * size);
      assert_memory_equal(to, was, BYTES);
      assert_true(sum == dvmt_digest_part(was, size, first, count));
    }
  }
}

static void test_parts(void **state) {
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    srand(round);
    fill();
    uint64_t size = sizes[round % SIZES], n = BYTES / size, a = (uint64_t)rand() % (n + 1), b = a + (uint64_t)rand() % (n - a + 1);
    assert_true(dvmt_digest_part(memory, size, 0, a) + dvmt_digest_part(memory, size, a, b - a) +
                    dvmt_digest_part(memory, size, b, n - b) ==
                dvmt_digest_array(memory, BYTES, size));
  }
}

static void put_int(uint64_t at, int32_t by) {
  int32_t v;
  memcpy(&v, memory + at, 4);
  v += by;
  memcpy(memory + at, &v, 4);
}

/* Changes that cancel out in sums with even weights: of ints, and of the upper halves of words. */
static void test_balanced(void **state) {
  (void)state;
  for (unsigned size = 4; size <= 8; size += 4)
    for (unsigned round = 0; round < ROUNDS; round++) {
      srand(round);
      fill();
      uint64_t before = dvmt_digest_array(memory, BYTES, size), by = (1 + (uint64_t)rand() % 3) * size;
      uint64_t at = (uint64_t)rand() % 500 * size + size - 4;
      put_int(at, 1);
      put_int(at + by, -2);
      put_int(at + 2 * by, 1);
      assert_true(dvmt_digest_array(memory, BYTES, size) != before);
    }
}

/* Two elements that change places, also by whole pieces, and signs of any two. */
static void test_places(void **state) {
  static const uint64_t bys[] = {1, 2, 8, 64, 128, 256, 512};
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    srand(round);
    fill();
    uint64_t size = round % 2 ? 8 : 4, at = (uint64_t)rand() % 400 * size, to = at + bys[round % 7] * size, before;
    before = dvmt_digest_array(memory, BYTES, size);
    unsigned char element[8];
    memcpy(element, memory + at, size);
    memcpy(memory + at, memory + to, size);
    memcpy(memory + to, element, size);
    assert_true(dvmt_digest_array(memory, BYTES, size) != before);
    before = dvmt_digest_array(memory, BYTES, size);
    memory[at + size - 1] ^= 0x80;
    memory[to + size - 1] ^= 0x80;
    assert_true(dvmt_digest_array(memory, BYTES, size) != before);
  }
}

/* Bytes and bits that belong to no value, in elements of any size, from any element on. */
static void test_holes(void **state) {
  static const char holes[] = "1 2 5:240\nnot this";
  (void)state;
  for (unsigned round = 0; round < ROUNDS; round++) {
    srand(round);
    fill();
    uint64_t size = 6 + (uint64_t)rand() % 30, n = BYTES / size, first = (uint64_t)rand() % n, count = (uint64_t)rand() % (n - first + 1);
    uint64_t holed = dvmt_digest_holed(memory, size, first, count, holes);
    for (uint64_t i = first; i < first + count; i++) {
      memory[i * size + 1] = memory[i * size + 2] = 0;
      memory[i * size + 5] &= 15;
    }
    assert_true(holed == dvmt_digest_part(memory, size, first, count));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_book),     cmocka_unit_test(test_units),  cmocka_unit_test(test_copies), cmocka_unit_test(test_parts),
      cmocka_unit_test(test_balanced), cmocka_unit_test(test_places), cmocka_unit_test(test_holes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
