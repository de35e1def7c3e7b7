/* What functions of other objects assign that a nest calls. */
#include "runtime/trace/reach.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static double read_only, assigned;

/* A variable that the nest assigns itself and a function only reads is not what functions assign. */
static void test_only_read(void **state) {
  const struct dvmt_reach_variable of_function[] = {{&read_only, "read_only", NULL, 8, DVMT_REACH_READ},
                                                    {&assigned, "assigned", NULL, 8, DVMT_REACH_WRITTEN}};
  const struct dvmt_reach_variable of_nest[] = {{&read_only, "read_only", NULL, 8, DVMT_REACH_WRITTEN}};
  const struct dvmt_reach_call calls[] = {{"work", NULL, NULL, 1}};
  const struct dvmt_reach function = {"work", "work.c", of_function, NULL, 2, 0}, nest = {NULL, "nest.c", of_nest, calls, 1, 1};
  size_t n;
  (void)state;
  dvmt_reach_add(&function, 1);
  const struct dvmt_reached *rows = dvmt_reach_of(&nest, &n);
  assert_int_equal(n, 1);
  assert_ptr_equal(rows[0].address, &assigned);
  dvmt_reach_gone(&function);
  dvmt_reach_of(&nest, &n);
  assert_int_equal(n, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_only_read)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
