/* Response files: how they are parted, where their words come from, what happens to odd ones. */
#define _GNU_SOURCE
#include "driver/response.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void test_split(void **state) {
  /* The words are shown between '|'. */
  static const struct {
    const char *text, *words;
  } rows[] = {
      {"", "|"},
      {" \t\r\n ", "|"},
      {"a b\nc", "|a|b|c|"},
      {"'a b' \"c d\"", "|a b|c d|"},
      {"a'b c'd", "|ab cd|"},
      {"a\\ b \\\\ \\'", "|a b|\\|'|"},
      {"'a\\'b' \"a\\\"b\"", "|a'b|a\"b|"},
      {"\"\" ''", "|||"},
      {"'open end", "|open end|"},
      {"end\\", "|end\\|"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct dvm_list words = DVM_LIST_INIT;
    char joined[256] = "|";
    cc_line_split(rows[i].text, &words);
    for (size_t k = 0; k < words.n; k++)
      strcat(strcat(joined, words.v[k]), "|");
    assert_string_equal(joined, rows[i].words);
    dvm_list_fini(&words);
  }
}

static char folder[] = "/tmp/dvm-response-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return !mkdtemp(folder) || chdir(folder);
}

static int remove_folder(void **state) {
  (void)state;
  unlink("inner");
  unlink("outer");
  unlink("loop");
  return chdir("/") || rmdir(folder);
}

static void write_file(const char *name, const char *text) {
  FILE *f = fopen(name, "w");
  assert_non_null(f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static void test_nested(void **state) {
  char *argv[] = {"dvmcc", "first", "@outer", "last", "@absent", NULL};
  static const char *const words[] = {"first", "one", "two", "three", "last", "@absent"};
  static const size_t origins[] = {0, 1, 1, 1, 2, 3};
  struct dvm_error err = DVM_ERROR_INIT;
  struct cc_line line;
  (void)state;
  write_file("inner", "\xef\xbb\xbftwo");
  write_file("outer", "one @inner\nthree\n");
  assert_int_equal(cc_line_read(&line, 5, argv, &err), 0);
  assert_int_equal(line.args.n, 6);
  for (size_t i = 0; i < 6; i++) {
    assert_string_equal(line.args.v[i], words[i]);
    assert_int_equal(line.origin[i], origins[i]);
  }
  cc_line_fini(&line);
}

static void test_loop(void **state) {
  char *argv[] = {"dvmcc", "@loop", NULL};
  struct dvm_error err = DVM_ERROR_INIT;
  struct cc_line line;
  (void)state;
  write_file("loop", "a @loop");
  assert_int_equal(cc_line_read(&line, 2, argv, &err), -ELOOP);
  assert_string_equal(err.text, "response file 'loop' includes itself");
}

static void test_folder(void **state) {
  char *argv[] = {"dvmcc", "@.", "@", NULL};
  struct dvm_error err = DVM_ERROR_INIT;
  struct cc_line line;
  (void)state;
  assert_int_equal(cc_line_read(&line, 3, argv, &err), 0);
  assert_int_equal(line.args.n, 2);
  assert_string_equal(line.args.v[0], "@.");
  assert_string_equal(line.args.v[1], "@");
  cc_line_fini(&line);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_split),
      cmocka_unit_test(test_nested),
      cmocka_unit_test(test_loop),
      cmocka_unit_test(test_folder),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
