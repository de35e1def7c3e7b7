/* The word rules against brute force: random accesses of iterations that run one after another, in any order. */
#include "runtime/rules/check.h"
#include "play.h"
#include "random.h"
#include <string.h>

enum { ROUNDS = 60000, ITERATIONS = 6, ACCESSES = 3, BASE = 2000 };

struct history {
  int reader[64], writer[64]; /* iterations that read, wrote, so far */
  int nread, nwritten;
  bool valued;
};

static bool another(const int *list, int n, int iteration) {
  for (int i = 0; i < n; i++)
    if (list[i] != iteration)
      return true;
  return false;
}

/* Is there a conflict, first in this sequence, at this access? */
static bool conflict(const struct history *h, int iteration, uint32_t flags) {
  if (flags == DVMRT_READ)
    return another(h->writer, h->nwritten, iteration);
  return another(h->writer, h->nwritten, iteration) || another(h->reader, h->nread, iteration);
}

static void note(struct history *h, int iteration, uint32_t flags) {
  if (flags == DVMRT_READ)
    h->reader[h->nread++] = iteration;
  else
    h->writer[h->nwritten++] = iteration;
  h->valued |= flags == DVMRT_WRITE;
}

static uint32_t now_of(int iteration) { return ((BASE + (uint32_t)iteration) << 1) | 1; }

static void test_shared(void **state) {
  (void)state;
  random_seed();
  for (int round = 0; round < ROUNDS; round++) {
    struct history h = {.valued = random_below(2)};
    uint32_t w = h.valued ? random_below(2) ? DVMRT_W_ASSIGNED : (BASE - 7) << 1 : DVMRT_W_NEVER;
    bool told = false;
    for (int it = 0; it < ITERATIONS && !told; it++) {
      for (uint32_t k = random_below(ACCESSES + 1); k && !told; k--) {
        uint32_t flags = random_below(2) ? DVMRT_READ : DVMRT_WRITE;
        enum dvmrt_verdict v;
        bool empty = flags == DVMRT_READ && !h.valued;
        w = dvmrt_check_word(DVMRT_CLASS_SHARED, w, flags, now_of(it), BASE << 1, false, &v);
        assert_int_equal(v == DVMRT_UNINIT, empty);
        if (empty)
          continue;
        assert_int_equal(v != DVMRT_FINE, conflict(&h, it, flags));
        if (v == DVMRT_FLOW || v == DVMRT_OUTPUT)
          assert_true(another(h.writer, h.nwritten, it));
        if (v == DVMRT_ANTI)
          assert_true(another(h.reader, h.nread, it) && !another(h.writer, h.nwritten, it));
        told = v != DVMRT_FINE;
        note(&h, it, flags);
      }
    }
  }
}

static void test_private(void **state) {
  (void)state;
  random_seed();
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t w = DVMRT_W_PRIVATE;
    for (int it = 0; it < ITERATIONS; it++) {
      bool mine = false;
      for (uint32_t k = random_below(ACCESSES + 1); k; k--) {
        uint32_t flags = random_below(2) ? DVMRT_READ : DVMRT_WRITE;
        enum dvmrt_verdict v;
        w = dvmrt_check_word(DVMRT_CLASS_PRIVATE, w, flags, now_of(it), BASE << 1, false, &v);
        assert_int_equal(v == DVMRT_PRIVATE_UNINIT, flags == DVMRT_READ && !mine);
        mine |= flags == DVMRT_WRITE;
      }
    }
  }
}

/* Replicated data of a mapped nest: the first access decides. */
static void test_first(void **state) {
  (void)state;
  random_seed();
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t w = DVMRT_W_ASSIGNED;
    enum { OPEN, READ_ONLY, PRIVATE } class = OPEN;
    bool spoiled = false;
    for (int it = 0; it < ITERATIONS && !spoiled; it++) {
      bool mine = false;
      for (uint32_t k = random_below(ACCESSES + 1); k && !spoiled; k--) {
        uint32_t flags = random_below(2) ? DVMRT_READ : DVMRT_WRITE;
        enum dvmrt_verdict v, want = DVMRT_FINE;
        w = dvmrt_check_word(DVMRT_CLASS_FIRST, w, flags, now_of(it), BASE << 1, false, &v);
        if (class == OPEN) {
          class = flags == DVMRT_READ ? READ_ONLY : PRIVATE;
          want = flags == DVMRT_READ ? DVMRT_FINE : DVMRT_UNDECLARED;
        } else if (class == READ_ONLY) {
          want = flags == DVMRT_WRITE ? DVMRT_READONLY_WRITE : DVMRT_FINE;
        } else if (flags == DVMRT_READ && !mine) {
          want = DVMRT_PRIVATE_UNINIT;
        }
        mine |= flags == DVMRT_WRITE;
        assert_int_equal(v, want);
        spoiled = want == DVMRT_READONLY_WRITE;
      }
    }
  }
}

/* A compound assignment reads first. */
static void test_compound(void **state) {
  (void)state;
  enum dvmrt_verdict v;
  uint32_t both = DVMRT_READ | DVMRT_WRITE;
  dvmrt_check_word(DVMRT_CLASS_FIRST, DVMRT_W_ASSIGNED, both, now_of(0), BASE << 1, false, &v);
  assert_int_equal(v, DVMRT_READONLY_WRITE);
  dvmrt_check_word(DVMRT_CLASS_SHARED, now_of(0), both, now_of(1), BASE << 1, false, &v);
  assert_int_equal(v, DVMRT_FLOW);
  assert_int_equal(dvmrt_check_word(DVMRT_CLASS_PLAIN, DVMRT_W_NEVER, both, DVMRT_W_ASSIGNED, 0, false, &v), DVMRT_W_ASSIGNED);
  assert_int_equal(v, DVMRT_UNINIT);
}

/* What is born in the construct and written first there is the iteration's own. */
static void test_born_here(void **state) {
  (void)state;
  enum dvmrt_verdict v;
  dvmrt_check_word(DVMRT_CLASS_FIRST, 20, DVMRT_WRITE, now_of(0), BASE << 1, true, &v);
  assert_int_equal(v, DVMRT_FINE);
  dvmrt_check_word(DVMRT_CLASS_FIRST, 20, DVMRT_WRITE, now_of(0), BASE << 1, false, &v);
  assert_int_equal(v, DVMRT_UNDECLARED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared),   cmocka_unit_test(test_private),   cmocka_unit_test(test_first),
      cmocka_unit_test(test_compound), cmocka_unit_test(test_born_here),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
