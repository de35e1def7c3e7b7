/* Comparisons against what must come of them: a random reference, and runs of it that are shuffled, cut and changed. */
#include "driver/trace/compare/compare.h"
#include "driver/trace/format/writer.h"
#include "sink.h"
#include <stdio.h>
#include <unistd.h>

enum { ITERATIONS = 400, EXECUTIONS = 3 };

static char path[64];
static const struct dvmt_site_def sites[] = {
    {"K parallel 1\nF a.c\nP 3 9\nN 1 i\nR sum s & 8 1 f8", DVMT_SITE_CONSTRUCT, 1, 0, 0, 1},
    {"K w\nF a.c\nP 5 7\nT A[i]\nV A\nS 8\ny f8", DVMT_SITE_ACCESS, 1, 8, DVMT_WHERE_ADDRESS, 0},
    {"K w\nF a.c\nP 6 7\nT s\nV s\nS 8\ny f8", DVMT_SITE_ACCESS, 1, 8, 0, 0},
    {"K w\nF a.c\nP 9 3\nT n\nV n\nS 4\ny i4", DVMT_SITE_ACCESS, 1, 4, 0, 0},
};
static const struct dvmt_object_def objects[] = {
    {"A", 8, DVMT_OBJECT_ARRAY, 1, {ITERATIONS}, {0}}, {"s", 8, 0, 0, {0}, {0}}, {"n", 4, 0, 0, {0}, {0}}};

/* How a run differs from the reference. */
struct change {
  bool shuffled;
  int skip_from;          /* iterations from this one on are not executed; -1: none */
  int twice, unknown;     /* iteration; -1: none */
  int wrong;              /* iteration with another value in the second execution; -1: none */
  double by;              /* relative error of that value, or of the sum */
  bool wrong_sum;
  int in_order;           /* so many iterations at the beginning are not shuffled */
};
#define AS_IT_WAS {false, -1, -1, -1, -1, 0, false, 0}

static void send(struct dvmt_sink *s, uint8_t kind, uint32_t site, uint32_t object, int64_t offset, const uint64_t *words, uint32_t n) {
  struct dvmt_record r = {kind, n, site, object, offset, words};
  assert_int_equal(s->record(s, &r), 0);
}

static uint64_t bits(double v) {
  uint64_t w;
  memcpy(&w, &v, 8);
  return w;
}

static void iteration(struct dvmt_sink *s, const struct change *c, int execution, uint64_t i, double *sum) {
  double v = 1 + (double)i * 0.25 + execution;
  if (c->wrong == (int)i && execution == 1)
    v *= 1 + c->by;
  uint64_t value = bits(v);
  send(s, DVMT_ITER, 0, 0, 0, &i, 1);
  send(s, DVMT_WRITE, 1, 0, (int64_t)(i % ITERATIONS) * 8, &value, 1);
  *sum += v;
  value = bits(*sum);
  if (i % 3) /* conditional updates of a reduction variable are optional */
    send(s, DVMT_WRITE, 2, 1, 0, &value, 1);
}

static void play(struct dvmt_sink *s, const struct change *c, uint64_t seed) {
  for (size_t i = 0; i < 4; i++)
    s->site(s, &sites[i]);
  for (size_t i = 0; i < 3; i++)
    s->object(s, &objects[i]);
  for (int e = 0; e < EXECUTIONS; e++) {
    uint64_t order[ITERATIONS], args[2] = {2, 1}, n = (uint64_t)e;
    double sum = 0;
    for (uint64_t i = 0; i < ITERATIONS; i++)
      order[i] = i;
    for (uint64_t i = ITERATIONS - 1, low = (uint64_t)c->in_order; c->shuffled && i > low; i--) {
      uint64_t k = low + test_random(&seed) % (i - low + 1), was = order[i];
      order[i] = order[k];
      order[k] = was;
    }
    send(s, DVMT_WRITE, 3, 2, 0, &n, 1);
    send(s, DVMT_ENTER, 0, 0, 0, args, 2);
    for (uint64_t i = 0; i < ITERATIONS; i++)
      if (c->skip_from < 0 || order[i] < (uint64_t)c->skip_from)
        iteration(s, c, e, order[i], &sum);
    if (c->twice >= 0)
      iteration(s, c, e, (uint64_t)c->twice, &sum);
    if (c->unknown >= 0)
      iteration(s, c, e, (uint64_t)c->unknown, &sum);
    uint64_t result[6] = {0, 8, bits(c->wrong_sum ? sum * (1 + c->by) : sum), 0, 0, 0};
    send(s, DVMT_RESULT, 0, 0, 0, result, 6);
    send(s, DVMT_LEAVE, 0, 0, 0, NULL, 0);
  }
}

static struct dvmt_reader *reference;
static struct dvmt_compare *compared(const struct change *c, uint64_t seed, size_t window, bool partial) {
  static const struct dvmt_config config = DVMT_CONFIG_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_compare_options o = {.relative = -1, .ulps = -1, .config = &config, .window_bytes = window, .partial = partial};
  reference = dvmt_reader_open(path, &err);
  assert_non_null(reference);
  struct dvmt_compare *cmp = dvmt_compare_create(reference, &o);
  play(dvmt_compare_sink(cmp), c, seed);
  assert_int_equal(dvmt_compare_end(cmp, NULL, false, &err), 0);
  return cmp;
}

static void done(struct dvmt_compare *c) {
  dvmt_compare_destroy(c);
  dvmt_reader_close(reference);
}

static int write_reference(void **state) {
  static const struct change none = AS_IT_WAS;
  struct dvm_error err = DVM_ERROR_INIT;
  (void)state;
  snprintf(path, sizeof(path), "unit-compare-%d.dvmt", (int)getpid());
  struct dvmt_writer *w = dvmt_writer_create(path, "", DVMT_CODEC_ZSTD, &err);
  play(dvmt_writer_sink(w), &none, 1);
  return dvmt_writer_close(w, true, NULL, &err);
}

static void expect(const struct change *change, uint64_t seed, const char *message) {
  struct dvmt_compare *c = compared(change, seed, 0, false);
  if (!message) {
    assert_int_equal(dvmt_compare_nfindings(c), 0);
  } else {
    assert_true(dvmt_compare_nfindings(c) > 0);
    assert_non_null(strstr(dvmt_compare_finding(c, 0)->message, message));
  }
  done(c);
}

static void test_orders(void **state) {
  (void)state;
  struct change c = AS_IT_WAS;
  expect(&c, 1, NULL);
  c.shuffled = true;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    expect(&c, seed, NULL);
    struct change wrong = c;
    wrong.wrong = (int)(seed * 19 % ITERATIONS);
    wrong.by = 1e-6;
    char text[64];
    snprintf(text, sizeof(text), "'A[%d]' is ", wrong.wrong);
    expect(&wrong, seed, text);
    wrong.by = 1e-14; /* within the tolerance */
    expect(&wrong, seed, NULL);
  }
}

static void test_structure(void **state) {
  (void)state;
  for (int shuffled = 0; shuffled < 2; shuffled++) {
    struct change twice = AS_IT_WAS, unknown = AS_IT_WAS, cut = AS_IT_WAS;
    twice.shuffled = unknown.shuffled = cut.shuffled = shuffled;
    twice.twice = 7;
    unknown.unknown = ITERATIONS + 5;
    cut.skip_from = ITERATIONS - 11;
    expect(&twice, 3, "iteration (i=7) is executed a second time");
    expect(&unknown, 3, "iteration (i=405) is not in the reference");
    expect(&cut, 3, "11 iterations of the reference are not executed; the first is (i=389)");
    struct dvmt_compare *c = compared(&cut, 3, 0, true);
    assert_int_equal(dvmt_compare_nfindings(c), 1); /* the sum over fewer terms */
    assert_non_null(strstr(dvmt_compare_finding(c, 0)->message, "'s' is "));
    done(c);
  }
}

static void test_sum(void **state) {
  (void)state;
  struct change c = AS_IT_WAS;
  c.wrong_sum = true;
  c.by = 1e-3;
  expect(&c, 1, "'s' is ");
  c.by = 1e-13;
  expect(&c, 1, NULL);
}

/* A window of one iteration: memory stays small, what has left it is read again. */
static void test_window(void **state) {
  (void)state;
  struct change c = AS_IT_WAS;
  c.shuffled = true;
  struct dvmt_compare *cmp = compared(&c, 5, 1, false);
  assert_int_equal(dvmt_compare_nfindings(cmp), 0);
  assert_true(dvmt_compare_totals(cmp)->window_peak < 100000);
  done(cmp);
  for (c.in_order = 0; c.in_order < ITERATIONS; c.in_order += ITERATIONS / 2)
    for (c.wrong = ITERATIONS / 2 + 1, c.by = 0; c.by < 1e-5; c.by += 1e-6)
      for (uint64_t seed = 1; seed < 4; seed++) {
        cmp = compared(&c, seed, 1, false);
        assert_int_equal(dvmt_compare_nfindings(cmp) > 0, c.by > 0);
        if (c.by > 0)
          assert_non_null(strstr(dvmt_compare_finding(cmp, 0)->message, "'A[201]' is "));
        done(cmp);
      }
  c.in_order = 0;
  cmp = compared(&c, 5, 0, false);
  assert_true(dvmt_compare_totals(cmp)->window_peak > 1000);
  done(cmp);
}

/* An iteration that both execute twice is no difference, one that only the reference repeats is. */
static void test_both_twice(void **state) {
  (void)state;
  struct change c = AS_IT_WAS;
  struct dvm_error err = DVM_ERROR_INIT;
  c.twice = 7;
  struct dvmt_writer *w = dvmt_writer_create(path, "", DVMT_CODEC_ZSTD, &err);
  play(dvmt_writer_sink(w), &c, 1);
  assert_int_equal(dvmt_writer_close(w, true, NULL, &err), 0);
  expect(&c, 1, NULL);
  c.twice = -1;
  expect(&c, 1, "1 iteration of the reference is not executed: (i=7)");
  c.twice = 8;
  expect(&c, 1, "iteration (i=8) is executed a second time");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_structure), cmocka_unit_test(test_sum),
                                     cmocka_unit_test(test_window), cmocka_unit_test(test_both_twice)};
  int failed = cmocka_run_group_tests(tests, write_reference, NULL);
  unlink(path);
  return failed;
}
