/* DVM_OPTIONS. */
#include "runtime/data/options.h"
#include "play.h"
#include "runtime/data/ids.h"
#include <errno.h>
#include <string.h>

static struct dvmrt_options o;
static struct dvm_error err;

static int parse(const char *text) {
  dvmrt_options_default(&o);
  return dvmrt_options_parse(&o, text, &err);
}

static void refuses(const char *text, const char *says) {
  assert_true(parse(text) < 0);
  if (!strstr(err.text, says))
    fail_msg("'%s' gives '%s', expected '%s'", text, err.text, says);
}

static void test_values(void **state) {
  (void)state;
  assert_int_equal(parse(""), 0);
  assert_int_equal(o.exitcode, 66);
  assert_int_equal(o.max_errors, 1000);
  assert_true(o.history);
  assert_int_equal(parse("exitcode=7:max_errors=0:halt_on_error=1:color=never:stats=1:history=0"), 0);
  assert_int_equal(o.exitcode, 7);
  assert_int_equal(o.max_errors, 0);
  assert_true(o.halt_on_error && o.stats && !o.history);
  assert_int_equal(o.color, DVMRT_COLOR_NEVER);
  assert_int_equal(parse("trace=off"), 0);
}

static void test_colon(void **state) {
  (void)state;
  assert_int_equal(parse("report=a\\:b.jsonl:report=c.sarif:"), 0);
  assert_int_equal(o.nreports, 2);
  assert_string_equal(o.report[0], "a:b.jsonl");
  assert_string_equal(o.report[1], "c.sarif");
}

static void test_checks(void **state) {
  (void)state;
  assert_int_equal(parse("checks=-all,+uninitialized,+dvm-usage"), 0);
  assert_int_equal(o.checks, 1ull << DVMRT_ID_UNINITIALIZED | 1ull << DVMRT_ID_USAGE);
  assert_int_equal(parse("checks=-anti"), 0);
  assert_int_equal(o.checks, ~(1ull << DVMRT_CHECK_ANTI));
}

static void test_refusals(void **state) {
  (void)state;
  refuses("exitcod=1", "did you mean 'exitcode'?");
  refuses("zzz=1", "unknown key 'zzz'");
  refuses("stats", "expected key=value");
  refuses("stats=yes", "'stats=yes': expected 0 or 1");
  refuses("exitcode=256", "a number from 0 to 255");
  refuses("exitcode=-1", "a number from 0 to 255");
  refuses("exitcode=", "a number from 0 to 255");
  refuses("max_errors=1x", "a number");
  refuses("color=blue", "auto, always or never");
  refuses("checks=uninitialized", "a list of -name and +name");
  refuses("checks=-uninitialised", "did you mean 'uninitialized'?");
  refuses("trace=record", "was compiled for checking, not for recording");
  refuses("reduction=both", "mirror or emulate");
  refuses("report=", "a file name");
  refuses("report=x.txt", "ends in .jsonl or .sarif");
  char text[3000] = "report=";
  memset(text + 7, 'x', 2000);
  refuses(text, "longer");
}

static void test_help(void **state) {
  (void)state;
  static const char *const keys[] = {"help",         "report",     "exitcode",   "max_errors",    "halt_on_error",  "color",
                                     "stats",        "history",    "checks",     "summaries",     "stretches",      "repeats",
                                     "reduction",    "device",     "sources",    "trace",         "trace_file",     "trace_level",
                                     "trace_config", "trace_ring", "trace_job",  "trace_results", "trace_elements", "trace_live",
                                     "trace_step",   "trace_nest", "trace_rows", "substitute",    "reference",      "tolerance",
                                     "sdm"};
  char line[256];
  for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
    assert_non_null(dvmrt_options_line(i, line, sizeof(line)));
    assert_int_equal(strncmp(line, keys[i], strlen(keys[i])), 0);
    assert_int_equal(line[strlen(keys[i])], '=');
  }
  assert_null(dvmrt_options_line(sizeof(keys) / sizeof(keys[0]), line, sizeof(line)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),   cmocka_unit_test(test_colon), cmocka_unit_test(test_checks),
      cmocka_unit_test(test_refusals), cmocka_unit_test(test_help),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
