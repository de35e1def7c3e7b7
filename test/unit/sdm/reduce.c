/* Reducers of values: in any order of merging the result is that of all values at once; damaged bodies change nothing. */
#include "sdm/reduce.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sdm/answer.h"

enum { RANKS = 200 };
static double values[RANKS];

static void fill(unsigned seed) {
  srand(seed);
  for (int i = 0; i < RANKS; i++)
    values[i] = rand() % 50 - 20;
}

/* Merges the bodies of all ranks in a random order of pairs. */
static struct sdm_bytes reduce(struct sdm_bytes *bodies, int (*merge)(struct sdm_bytes *, const void *, size_t)) {
  int left = RANKS;
  while (left > 1) {
    int a = rand() % left, b = rand() % (left - 1);
    b += b >= a;
    assert_int_equal(merge(&bodies[a], bodies[b].p, bodies[b].len), 0);
    sdm_bytes_fini(&bodies[b]);
    bodies[b] = bodies[left - 1];
    if (a == left - 1)
      a = b;
    left--;
  }
  return bodies[0];
}

static void histograms(void **state) {
  (void)state;
  for (unsigned seed = 1; seed < 20; seed++) {
    static struct sdm_bytes bodies[RANKS];
    struct sdm_histogram h, whole;
    fill(seed);
    memset(bodies, 0, sizeof(bodies));
    assert_int_equal(sdm_histogram_init(&whole, -20, 29, 1 + seed % 9), 0);
    for (sdm_id i = 0; i < RANKS; i++) {
      assert_int_equal(sdm_histogram_init(&h, -20, 29, 1 + seed % 9), 0);
      sdm_histogram_add(&h, values[i], i);
      sdm_histogram_add(&whole, values[i], i);
      sdm_histogram_encode(&h, &bodies[i]);
      sdm_histogram_fini(&h);
    }
    struct sdm_bytes all = reduce(bodies, sdm_histogram_merge), wanted = {0};
    sdm_histogram_encode(&whole, &wanted);
    assert_int_equal(all.len, wanted.len);
    assert_memory_equal(all.p, wanted.p, all.len);
    unsigned n = 0;
    for (uint32_t i = 0; i < whole.n; i++)
      n += sdm_set_size(whole.bins[i]);
    assert_int_equal(n, RANKS);
    sdm_bytes_fini(&all);
    sdm_bytes_fini(&wanted);
    sdm_histogram_fini(&whole);
  }
}

static void bins(void **state) {
  struct sdm_histogram h;
  (void)state;
  assert_int_equal(sdm_histogram_init(&h, 1, 1, 4), -EINVAL);
  assert_int_equal(sdm_histogram_init(&h, 1, INFINITY, 4), -EINVAL);
  assert_int_equal(sdm_histogram_init(&h, 0, 1, 0), -EINVAL);
  assert_int_equal(sdm_histogram_init(&h, 0, 1, SDM_BINS_MAX + 1), -EINVAL);
  assert_int_equal(sdm_histogram_init(&h, 0, 4, 4), 0);
  const double at[] = {0, 0.9, 1, 3.99, 4, -7, 90, NAN};
  const unsigned bin[] = {0, 0, 1, 3, 3, 0, 3, 0};
  for (sdm_id i = 0; i < 8; i++) {
    sdm_histogram_add(&h, at[i], i);
    assert_true(sdm_set_contains(h.bins[bin[i]], i));
  }
  sdm_histogram_fini(&h);
}

static int by_value(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return values[x] != values[y] ? (values[x] < values[y]) - (values[x] > values[y]) : (x > y) - (x < y);
}

static void extremes(void **state) {
  (void)state;
  for (unsigned seed = 1; seed < 20; seed++) {
    static struct sdm_bytes bodies[RANKS];
    struct sdm_top t;
    int order[RANKS];
    uint32_t limit = 1 + seed % SDM_TOP_MAX;
    bool smallest = seed % 2;
    fill(seed);
    memset(bodies, 0, sizeof(bodies));
    for (int i = 0; i < RANKS; i++) {
      order[i] = i;
      values[i] = smallest ? -values[i] : values[i];
      t = (struct sdm_top){.smallest = smallest, .limit = limit};
      sdm_top_add(&t, smallest ? -values[i] : values[i], (sdm_id)i);
      sdm_top_encode(&t, &bodies[i]);
    }
    struct sdm_bytes all = reduce(bodies, sdm_top_merge);
    qsort(order, RANKS, sizeof(*order), by_value);
    assert_int_equal(sdm_top_decode(&t, all.p, all.len), 0);
    assert_int_equal(t.n, limit);
    for (uint32_t i = 0; i < limit; i++) {
      assert_int_equal(t.entries[i].id, order[i]);
      assert_true(t.entries[i].value == (smallest ? -values[order[i]] : values[order[i]]));
    }
    sdm_bytes_fini(&all);
  }
}

static void what_is_not_a_number(void **state) {
  struct sdm_top t = {.limit = 3};
  (void)state;
  for (sdm_id i = 0; i < 4; i++)
    sdm_top_add(&t, i & 1 ? (long double)NAN : (long double)i, i);
  assert_int_equal(t.n, 2);
  assert_true(t.entries[0].id == 2 && t.entries[1].id == 0);
}

/* Bodies that do not fit stay two classes: nothing is lost. */
static void what_does_not_fit(void **state) {
  struct sdm_answer *a = sdm_answer_new(SDM_REDUCE_TOP);
  struct sdm_set *one = sdm_set_add_element(sdm_set_new(), 1), *two = sdm_set_add_element(sdm_set_new(), 2);
  struct sdm_top t = {.limit = 3};
  struct sdm_bytes body = {0}, other = {0};
  (void)state;
  sdm_top_add(&t, 4, 1);
  sdm_top_encode(&t, &body);
  t.limit = 4;
  sdm_top_encode(&t, &other);
  sdm_answer_add(a, SDM_CLASS_OK, one, body.p, body.len, NULL, 0, 1);
  sdm_answer_add(a, SDM_CLASS_OK, two, other.p, other.len, NULL, 0, 2);
  sdm_answer_add(a, SDM_CLASS_OK, two, "x", 1, NULL, 0, 2);
  assert_int_equal(a->n, 3);
  for (size_t cut = 0; cut < body.len; cut++)
    assert_int_equal(sdm_top_merge(&other, body.p, cut), -EBADMSG);
  sdm_answer_free(a);
  sdm_set_free(one);
  sdm_set_free(two);
  sdm_bytes_fini(&body);
  sdm_bytes_fini(&other);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(histograms), cmocka_unit_test(bins), cmocka_unit_test(extremes),
                                     cmocka_unit_test(what_is_not_a_number), cmocka_unit_test(what_does_not_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
