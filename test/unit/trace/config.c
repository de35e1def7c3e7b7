/* The configuration: each error with its line and column, and what is asked of it. */
#include "runtime/trace/config.h"
#include "sink.h"
#include <stdio.h>
#include <errno.h>

static const struct {
  const char *text, *error;
} wrong[] = {
    {"level modfy", "c:1:7: expected a level (none, minimal, modify, full, checksum, system); did you mean 'modify'?, found 'modfy'"},
    {"level", "c:1:6: expected a level at the end of the line"},
    {"\n  levle full", "c:2:3: expected level, start, finish, tolerance or a construct; did you mean 'level'?, found 'levle'"},
    {"start a.c:7:0 2", "c:1:7: expected a place (FILE:LINE), found 'a.c:7:0'"},
    {"parallel a.c level full", "c:1:10: expected a place (FILE:LINE), found 'a.c'"},
    {"parallel a.c:0 level full", "c:1:10: expected a place (FILE:LINE), found 'a.c:0'"},
    {"parallel a.c:3 full", "c:1:16: expected 'level', found 'full'"},
    {"parallel a.c:3 level full 0:1..2", "c:1:27: expected a range DIMENSION:LOW..HIGH with a dimension from 1 to 7, found '0:1..2'"},
    {"parallel a.c:3 level full 1:5", "c:1:30: expected '..' between the bounds, found '1:5'"},
    {"parallel a.c:3 level full 1:x..2", "c:1:29: expected the lower bound, found '1:x..2'"},
    {"parallel a.c:3 level full 1:1..x", "c:1:32: expected the upper bound, found '1:1..x'"},
    {"parallel a.c:3 level full 1:9..2", "c:1:27: the range is empty, found '1:9..2'"},
    {"parallel a.c:3 level full step 2", "c:1:27: 'step' needs a range before it"},
    {"parallel a.c:3 level full 1:..9 step 2", "c:1:38: a step needs a lower bound to count from"},
    {"loop a.c:3 level none 1:1..9 step 0", "c:1:35: expected a step of at least 1, found '0'"},
    {"start a.c:3", "c:1:12: expected a number of an execution at the end of the line"},
    {"finish a.c:3 0", "c:1:14: expected the number of an execution, at least 1, found '0'"},
    {"tolerance type int relative 1", "c:1:16: expected float, double or long-double, found 'int'"},
    {"tolerance variable A", "c:1:21: expected relative, ulps or absolute"},
    {"tolerance variable A relative -1", "c:1:31: expected a non-negative number, found '-1'"},
    {"level full now", "c:1:12: expected the end of the line, found 'now'"},
};

static void test_wrong(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
    struct dvmt_config c = DVMT_CONFIG_INIT;
    struct dvm_error err = DVM_ERROR_INIT;
    assert_int_equal(dvmt_config_parse(&c, wrong[i].text, "c", &err), -EINVAL);
    assert_string_equal(err.text, wrong[i].error);
    dvmt_config_fini(&c);
  }
}

/* Whatever the recorder calls a construct, '--bisect' and 'dvm trace config' write back. */
static void test_constructs(void **state) {
  static const char *const kinds[] = {"parallel", "task_region", "on", "loop", "remote_access", "region", "host_section"};
  (void)state;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
    struct dvmt_config c = DVMT_CONFIG_INIT;
    struct dvm_error err = DVM_ERROR_INIT;
    char text[64];
    snprintf(text, sizeof(text), "%s a.c:3 level modify", kinds[i]);
    assert_int_equal(dvmt_config_parse(&c, text, "c", &err), 0);
    assert_int_equal(c.nrules, 1);
    dvmt_config_fini(&c);
  }
}

static void test_right(void **state) {
  struct dvmt_config c = DVMT_CONFIG_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  (void)state;
  assert_int_equal(
      dvmt_config_parse(
          &c,
          "# comment\n\nlevel none # behind\r\nparallel src/a.c:3 level full 1:2..5 2:-4..10 step 2\nloop b.c:7 level minimal 1:..3\n"
          "start a.c:3 2\nfinish a.c:3 4\ntolerance type float relative 1e-3 ulps 8\ntolerance variable A absolute 0.5",
          "c", &err),
      0);
  assert_int_equal(c.level, DVMT_LEVEL_NONE);
  assert_int_equal(c.nrules, 2);
  assert_int_equal(c.rules[0].limits.dim[1].low, -4);
  assert_int_equal(c.rules[0].limits.dim[1].step, 2);
  assert_int_equal(c.rules[1].limits.dim[0].low, INT64_MIN);
  assert_int_equal(c.start.count, 2);
  assert_int_equal(c.ntolerances, 2);
  assert_true(c.tolerances[0].is_type && c.tolerances[0].ulps == 8 && c.tolerances[0].absolute < 0);
  assert_true(!c.tolerances[1].is_type && c.tolerances[1].absolute == 0.5);
  assert_ptr_equal(dvmt_config_rule(&c, "/home/x/src/a.c", 15, 3, 1), &c.rules[0]);
  assert_ptr_equal(dvmt_config_rule(&c, "a.c", 3, 3, 1), &c.rules[0]);
  assert_null(dvmt_config_rule(&c, "aa.c", 4, 3, 1));
  assert_null(dvmt_config_rule(&c, "a.c", 3, 4, 1));
  assert_null(dvmt_config_rule(&c, "xsrc/a.c", 8, 3, 1));
  dvmt_config_fini(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong), cmocka_unit_test(test_constructs), cmocka_unit_test(test_right)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
