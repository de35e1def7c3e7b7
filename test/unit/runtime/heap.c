/* Allocations against a table with one owner a byte. */
#include "runtime/data/heap.h"
#include "play.h"
#include "random.h"
#include "runtime/data/mem.h"

enum { SPACE = 40000, STEPS = 6000, BASE = 1 << 20 };
static int owner[SPACE];       /* start of the extent that holds the byte, or -1 */
static int size_of[SPACE];     /* size of the extent that begins here, or -1 */

static void model_remove(int start) {
  for (int i = start; i < start + size_of[start]; i++)
    owner[i] = -1;
  size_of[start] = -1;
}

static void model_add(int start, int size) {
  for (int i = 0; i < SPACE; i++)
    if (size_of[i] >= 0 && i < start + (size ? size : 1) && (i + size_of[i] > start || i >= start))
      model_remove(i);
  for (int i = start; i < start + size; i++)
    owner[i] = start;
  size_of[start] = size;
}

static void check(int at) {
  struct dvmrt_extent x;
  bool found = dvmrt_heap_find(BASE + (uintptr_t)at, &x);
  int want = owner[at] >= 0 ? owner[at] : size_of[at] >= 0 ? at : -1;
  assert_int_equal(found, want >= 0);
  if (found) {
    assert_int_equal(x.start, BASE + want);
    assert_int_equal(x.size, size_of[want]);
  }
}

static void test_model(void **state) {
  (void)state;
  random_seed();
  for (int i = 0; i < SPACE; i++)
    owner[i] = size_of[i] = -1;
  assert_true(dvmrt_mem_enter());
  for (int step = 0; step < STEPS; step++) {
    int at = (int)random_below(SPACE - 10000);
    at -= random_below(8) ? at % 16 : 0; /* as malloc does it, mostly */
    at -= random_below(4) ? 0 : at % 4096;
    struct dvmrt_extent x;
    if (random_below(2)) {
      int size = (int)random_below(random_below(10) ? 80 : 10000);
      dvmrt_heap_add(BASE + (uintptr_t)at, (uint64_t)size);
      model_add(at, size);
    } else {
      assert_int_equal(dvmrt_heap_remove(BASE + (uintptr_t)at, &x), size_of[at] >= 0);
      if (size_of[at] >= 0) {
        assert_int_equal(x.size, size_of[at]);
        model_remove(at);
      }
    }
    check((int)random_below(SPACE));
    check(at);
  }
  dvmrt_mem_leave();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
