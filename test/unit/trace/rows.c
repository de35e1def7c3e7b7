/* Sums of arrays that are taken while rows of them are written, whatever the order: they are those of the whole. */
#include "runtime/trace/digest.h"
#include "runtime/trace/rows.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ELEMENTS = 24000, ROW = 75 };
struct array {
  uint64_t element_bytes;
  unsigned char memory[ELEMENTS * 8];
  uint64_t summed; /* elements, by the function below */
};

static uint64_t sum(const void *array, uint64_t from, uint64_t to) {
  struct array *a = (struct array *)(uintptr_t)array;
  a->summed += to - from;
  return dvmt_digest_part(a->memory, a->element_bytes, from, to - from);
}

static void put(struct array *a, uint64_t first, uint64_t behind, uint64_t step) {
  for (uint64_t i = first; i < behind; i += step)
    for (uint64_t k = 0; k < a->element_bytes; k++)
      a->memory[i * a->element_bytes + k] = (unsigned char)rand();
}

static struct dvmt_rows rows_of(struct array *a, uint64_t key) {
  return (struct dvmt_rows){.array = a,
                            .f = sum,
                            .elements = ELEMENTS,
                            .address = (uintptr_t)a->memory,
                            .element_bytes = a->element_bytes,
                            .near = DVMT_ROWS_NEAR,
                            .key = key};
}

static unsigned followed;

static void tell(struct dvmt_rows *r, uint64_t first, uint64_t behind, uint64_t step) {
  uint64_t low, high, turns = (behind - first + step - 1) / step;
  bool down = rand() % 2;
  uint64_t from = r->address + (down ? first + (turns - 1) * step : first) * r->element_bytes, by = turns * step * r->element_bytes;
  dvmt_rows_bounds(from, down ? from - by : from + by, r->element_bytes, &low, &high);
  if (rand() % 4 && dvmt_rows_follow(r, low, high))
    followed++;
  else
    assert_true(dvmt_rows_stored(r, low, high));
}

/* Rows anywhere, some again, some in steps, some before others that were already told. */
static void test_any_order(void **state) {
  static struct array a;
  (void)state;
  for (unsigned seed = 0; seed < 1000; seed++) {
    srand(seed);
    a.element_bytes = (uint64_t[]){1, 4, 8, 3, 2}[seed % 5];
    put(&a, 0, ELEMENTS, 1);
    struct dvmt_rows r = rows_of(&a, seed % 7);
    dvmt_rows_begin(&r);
    int order = rand() % 4, nrows = rand() % (ELEMENTS / ROW);
    for (int i = 0; i < nrows; i++) {
      uint64_t at = (uint64_t)(order == 0   ? i
                               : order == 1 ? nrows - 1 - i
                                            : rand() % (ELEMENTS / ROW)) *
                    ROW,
               step = rand() % 3 ? 1 : 2 + rand() % 3;
      uint64_t first = at + (uint64_t)(rand() % 3), behind = at + ROW - (uint64_t)(rand() % (order == 3 ? ROW - 3 : 4));
      put(&a, first, behind, step);
      tell(&r, first, behind, step);
    }
    assert_true(dvmt_rows_end(&r) == dvmt_digest_part(a.memory, a.element_bytes, 0, ELEMENTS));
  }
  assert_true(followed > 100); /* the short way was tried */
}

/* Up and down, with edges that nobody writes: each element is summed once. */
static void test_once(void **state) {
  static struct array a = {.element_bytes = 8};
  (void)state;
  for (int down = 0; down < 2; down++) {
    struct dvmt_rows r = rows_of(&a, 100);
    dvmt_rows_begin(&r);
    a.summed = 0;
    for (int i = 1; i < ELEMENTS / ROW - 1; i++) {
      uint64_t at = (uint64_t)(down ? ELEMENTS / ROW - 1 - i : i) * ROW;
      put(&a, at + 1, at + ROW - 1, 1);
      tell(&r, at + 1, at + ROW - 1, 1);
    }
    assert_true(a.summed > ELEMENTS * 8 / 10);
    assert_true(dvmt_rows_end(&r) == dvmt_digest_part(a.memory, 8, 0, ELEMENTS));
    assert_int_equal(a.summed, ELEMENTS);
  }
}

/* What did not pay is not tried again at once, but later. */
static void test_given_up(void **state) {
  static struct array a = {.element_bytes = 8};
  int tried = 0;
  (void)state;
  for (int i = 0; i < 100; i++) {
    struct dvmt_rows r = rows_of(&a, 200);
    dvmt_rows_begin(&r);
    tried += !r.off;
    for (uint64_t k = 0; k < 4; k++) { /* the second half lets the first be summed, and then it is written again */
      put(&a, k % 2 * ELEMENTS / 2, k % 2 * ELEMENTS / 2 + ELEMENTS / 2, 1);
      tell(&r, k % 2 * ELEMENTS / 2, k % 2 * ELEMENTS / 2 + ELEMENTS / 2, 1);
    }
    assert_true(dvmt_rows_end(&r) == dvmt_digest_part(a.memory, 8, 0, ELEMENTS));
  }
  assert_in_range(tried, 2, 20);
}

/* What is no part of the array is not its: before, behind. */
static void test_elsewhere(void **state) {
  static struct array a = {.element_bytes = 8};
  struct dvmt_rows r = rows_of(&a, 300);
  (void)state;
  dvmt_rows_begin(&r);
  assert_false(dvmt_rows_stored(&r, r.address - 16, r.address));
  assert_false(dvmt_rows_stored(&r, r.address + ELEMENTS * 8, r.address + ELEMENTS * 8 + 8));
  assert_true(dvmt_rows_stored(&r, r.address - 16, r.address + 8));
  assert_true(dvmt_rows_stored(&r, r.address + ELEMENTS * 8 - 1, r.address + ELEMENTS * 8 + 80));
  assert_true(dvmt_rows_end(&r) == dvmt_digest_part(a.memory, 8, 0, ELEMENTS));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_order), cmocka_unit_test(test_once), cmocka_unit_test(test_given_up),
                                     cmocka_unit_test(test_elsewhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
