/* Sums of arrays that are taken while rows of them are written, whatever the order: they are those of the whole. */
#include "runtime/trace/digest.h"
#include "runtime/trace/rows.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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

static uint64_t copy(void *p, const void *from, uint64_t first, uint64_t behind) {
  struct array *a = (struct array *)(void *)((char *)p - offsetof(struct array, memory));
  a->summed += (behind - first) / a->element_bytes;
  return dvmt_digest_copier(a->element_bytes)(p, from, first, behind);
}

static void put(struct array *a, uint64_t first, uint64_t behind, uint64_t step) {
  for (uint64_t i = first; i < behind; i += step)
    for (uint64_t k = 0; k < a->element_bytes; k++)
      a->memory[i * a->element_bytes + k] = (unsigned char)rand();
}

static struct dvmt_rows rows_of(struct array *a, uint64_t key) {
  return (struct dvmt_rows){.array = a,
                            .f = sum,
                            .copy = copy,
                            .copies_to = ELEMENTS,
                            .elements = ELEMENTS,
                            .address = (uintptr_t)a->memory,
                            .element_bytes = a->element_bytes,
                            .near = DVMT_ROWS_NEAR,
                            .key = key};
}

static unsigned followed, copied, next;

/* Values are put there as a program does it, or as it does by the library: a whole row without steps. */
static void write_row(struct dvmt_rows *r, struct array *a, uint64_t first, uint64_t behind, uint64_t step) {
  static unsigned char values[ELEMENTS * 8];
  const uint64_t size = a->element_bytes;
  if (step > 1 || rand() % 4) {
    put(a, first, behind, step);
    return;
  }
  for (uint64_t k = 0; k < (behind - first) * size; k++)
    values[k] = (unsigned char)rand();
  if (dvmt_rows_copy_next(r, a->memory + first * size, values, (behind - first) * size))
    next++, copied++;
  else if (dvmt_rows_copy(r, a->memory + first * size, values, (behind - first) * size))
    copied++;
  else
    memcpy(a->memory + first * size, values, (behind - first) * size);
  assert_memory_equal(a->memory + first * size, values, (behind - first) * size);
}

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
      write_row(&r, &a, first, behind, step);
      tell(&r, first, behind, step);
    }
    assert_true(dvmt_rows_end(&r) == dvmt_digest_part(a.memory, a.element_bytes, 0, ELEMENTS));
  }
  assert_true(followed > 100 && copied > 100 && next); /* the short ways were tried */
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

/* Rows that are copied one by one are summed at once; what overlaps its source, is no whole element or lies elsewhere is left to the program. */
static void test_copied(void **state) {
  static struct array a = {.element_bytes = 8};
  static unsigned char values[ROW * 8];
  struct dvmt_rows r = rows_of(&a, 400);
  (void)state;
  dvmt_rows_begin(&r);
  a.summed = 0;
  for (uint64_t at = 0; at + ROW <= ELEMENTS; at += ROW) {
    memset(values, (int)(at % 251), sizeof(values));
    assert_true(dvmt_rows_copy(&r, a.memory + at * 8, values, ROW * 8));
    assert_true(dvmt_rows_stored(&r, r.address + at * 8, r.address + (at + ROW) * 8));
  }
  assert_int_equal(a.summed, ELEMENTS);
  assert_false(dvmt_rows_copy(&r, a.memory, values, ROW * 8)); /* is in the sum */
  assert_true(dvmt_rows_end(&r) == dvmt_digest_part(a.memory, 8, 0, ELEMENTS));
  dvmt_rows_begin(&r);
  assert_false(dvmt_rows_copy(&r, a.memory + 8, a.memory, ROW * 8));
  assert_false(dvmt_rows_copy(&r, a.memory + 4, values, ROW * 8));
  assert_false(dvmt_rows_copy(&r, a.memory + 8, values, 12));
  assert_false(dvmt_rows_copy(&r, a.memory + (ELEMENTS - 1) * 8, values, ROW * 8));
  assert_false(dvmt_rows_copy(&r, values, a.memory, ROW * 8));
  assert_false(dvmt_rows_copy_next(&r, a.memory, values, ROW * 8)); /* behind nothing */
  assert_true(dvmt_rows_copy(&r, a.memory, values, ROW * 8));
  const uint64_t next_row = (ROW + 2) * 8;
  assert_false(dvmt_rows_copy_next(&r, a.memory + next_row - 4, values, ROW * 8));
  assert_false(dvmt_rows_copy_next(&r, a.memory + next_row, values, 12));
  assert_false(dvmt_rows_copy_next(&r, a.memory + next_row, values, 0));
  assert_false(dvmt_rows_copy_next(&r, a.memory + next_row, a.memory + 24, ROW * 8));
  assert_false(dvmt_rows_copy_next(&r, a.memory + next_row, a.memory + next_row + ROW * 8 - 1, ROW * 8));
  assert_false(dvmt_rows_copy_next(&r, a.memory + next_row + DVMT_ROWS_NEAR * 8, values, ROW * 8));
  assert_false(dvmt_rows_copy_next(&r, a.memory, values, ROW * 8));
  assert_true(dvmt_rows_copy_next(&r, a.memory + next_row, values, ROW * 8));
  assert_true(dvmt_rows_copy_next(&r, a.memory + next_row + ROW * 8, a.memory + next_row, ROW * 8));
  assert_true(dvmt_rows_stored(&r, r.address + ELEMENTS * 4, r.address + ELEMENTS * 4 + 8)); /* waits */
  assert_false(dvmt_rows_copy_next(&r, a.memory + next_row + 2 * ROW * 8, values, ROW * 8));
  assert_true(dvmt_rows_end(&r) == dvmt_digest_part(a.memory, 8, 0, ELEMENTS));
  dvmt_rows_begin(&r);
  r.copies_from = ROW;
  r.copies_to = 3 * ROW;
  assert_false(dvmt_rows_copy(&r, a.memory + (ROW - 1) * 8, values, ROW * 8));
  assert_false(dvmt_rows_copy(&r, a.memory + (2 * ROW + 1) * 8, values, ROW * 8));
  assert_true(dvmt_rows_copy(&r, a.memory + 2 * ROW * 8, values, ROW * 8));
  r.copy = NULL;
  assert_false(dvmt_rows_copy(&r, a.memory, values, ROW * 8));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_order), cmocka_unit_test(test_once), cmocka_unit_test(test_given_up),
                                     cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_copied)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
