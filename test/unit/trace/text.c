/* What a result of a reduction is called: scalars, elements of arrays of C and of Fortran, arrays of which little is known. */
#include "runtime/trace/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const char c_text[] = "K parallel 1\nF a.c\nP 3 1\nN 1 i\nR sum s & 8 1 f\nR max h & 4 24 i\ne 3 2 3 4\nR sum *p & 8 1 f\nR maxloc "
                             "m & 8 1 f at & 4 2 i\nR sum open & 8 "
                             "12 f\ne 2 0 3\nR sum p -> x & 4 2 i\ne 1 2";
static const char fortran_text[] = "K parallel 1\nu F\nF a.f90\nP 3 1\nR sum s & 8 1 f\nR sum h & 8 6 f\ne 2 3 2\nR sum g & 4 # i\ne 1 0 "
                                   "-2\nR max box & 4 # i\nR sum w & 4 4 i\ne 2 2 2 0 5";

static const char *name(const char *text, uint64_t number, uint64_t element) {
  static char buf[64];
  dvmt_text_result(text, number | element << 32, buf, sizeof(buf));
  return buf;
}

static void test_c(void **state) {
  (void)state;
  assert_string_equal(name(c_text, 0, 0), "s");
  assert_string_equal(name(c_text, 1, 0), "h[0][0][0]");
  assert_string_equal(name(c_text, 1, 23), "h[1][2][3]");
  assert_string_equal(name(c_text, 2, 0), "*p");
  assert_string_equal(name(c_text, 3, 0), "m");
  assert_string_equal(name(c_text, 4, 7), "open[2][1]");
  assert_string_equal(name(c_text, 5, 1), "p -> x[1]");
  assert_string_equal(name(c_text, 6, 0), "?");
}

static void test_fortran(void **state) {
  (void)state;
  assert_string_equal(name(fortran_text, 0, 0), "s");
  assert_string_equal(name(fortran_text, 1, 0), "h(1,1)");
  assert_string_equal(name(fortran_text, 1, 5), "h(2,3)");
  assert_string_equal(name(fortran_text, 2, 3), "g(1)");
  assert_string_equal(name(fortran_text, 3, 0), "box");
  assert_string_equal(name(fortran_text, 3, 4), "box (element 5)");
  assert_string_equal(name(fortran_text, 4, 2), "w(5,1)");
}

/* Cut off, not written behind. */
static void test_room(void **state) {
  char buf[8] = "-------";
  (void)state;
  dvmt_text_result(c_text, 1 | 23ull << 32, buf, 6);
  assert_string_equal(buf, "h[1][");
  assert_int_equal(buf[6], '-');
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_c), cmocka_unit_test(test_fortran), cmocka_unit_test(test_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
