/* A word for the shell comes back from a shell as it was. */
#include "base/text.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void comes_back(const char *word) {
  struct dvm_text command = DVM_TEXT_INIT;
  char back[256];
  dvm_text_add(&command, "printf '%s' ");
  dvm_text_add_shell_word(&command, word);
  assert_false(command.failed);
  FILE *f = popen(dvm_text_str(&command), "r");
  assert_non_null(f);
  back[fread(back, 1, sizeof(back) - 1, f)] = '\0';
  assert_int_equal(pclose(f), 0);
  assert_string_equal(back, word);
  dvm_text_fini(&command);
}

static void words_come_back(void **state) {
  static const char *const words[] = {"",      "plain", "two words",  "'",           "'''",         "it's",    "'begins",
                                      "ends'", "a\"b",  "$HOME `id`", "back\\slash", "line\nbreak", "*?[a-z]", "-n"};
  (void)state;
  for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
    comes_back(words[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(words_come_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
