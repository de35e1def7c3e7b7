/* What ranks may print otherwise than one process: digits of sums, and nothing else. */
#include "driver/fix/same.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char first[] = "/tmp/dvm-same-1-XXXXXX", second[] = "/tmp/dvm-same-2-XXXXXX";

static void put(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static int judged(const char *a, const char *b) { /* bytes, rounding */
  put(first, a);
  put(second, b);
  return fix_same(first, second) << 1 | fix_same_but_rounding(first, second);
}

static void equal_texts(void **state) {
  (void)state;
  assert_int_equal(judged("", ""), 3);
  assert_int_equal(judged("sum 1.25\n", "sum 1.25\n"), 3);
  assert_int_equal(judged("nan inf -0.0\n", "nan inf -0.0\n"), 3);
}

static void rounding(void **state) {
  (void)state;
  assert_int_equal(judged(" 845. 2.2459624 .25 14 T\n", " 845. 2.2459621 .25 14 T\n"), 1);
  assert_int_equal(judged("s=1.00000001e3,\n", "s=9.9999999e2,\n"), 1);
  assert_int_equal(judged("residual  1.2e-17\n", "residual -3.4e-17\n"), 1);
  assert_int_equal(judged("a -.25 1.\n", "a -0.25  1.0\n"), 1);
}

static void other_values(void **state) {
  (void)state;
  assert_int_equal(judged("sum 1.25\n", "sum 1.26\n"), 0);
  assert_int_equal(judged("1.\n", "-1.\n"), 0);
  assert_int_equal(judged("count 14\n", "count 15\n"), 0);
  assert_int_equal(judged("count 100000000\n", "count 100000001\n"), 0); /* whole numbers are no sums of rounded ones */
  assert_int_equal(judged("x1.5\n", "x1.500001\n"), 0); /* a name */
  assert_int_equal(judged("1.5\n", "nan\n"), 0);
  assert_int_equal(judged("1.5\n", "1.5\n1.5\n"), 0);
  assert_int_equal(judged("T F\n", "T T\n"), 0);
  assert_int_equal(judged("1 2\n", "1 2 3\n"), 0);
}

static void no_file(void **state) {
  (void)state;
  put(first, "1\n");
  assert_false(fix_same(first, "/nowhere/at/all"));
  assert_false(fix_same_but_rounding("/nowhere/at/all", first));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(equal_texts), cmocka_unit_test(rounding), cmocka_unit_test(other_values),
                                     cmocka_unit_test(no_file)};
  close(mkstemp(first));
  close(mkstemp(second));
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(first);
  unlink(second);
  return failed;
}
