/* The call of clang that a call of dvmcc becomes, word by word. */
#include "driver/command.h"
#include "base/text.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define PLUGIN "--start-no-unused-arguments -fplugin=/dev/null -fpass-plugin=/dev/null -D_DVMH=1 -Wno-pass-failed --end-no-unused-arguments"
#define RUNTIME(needed) "-Xlinker --push-state -Xlinker " needed " -Xlinker /dev/null -Xlinker --pop-state -Xlinker -rpath -Xlinker /dev"

static const struct {
  const char *call, *command;
} rows[] = {
    {"-c a.c", "clang " PLUGIN " -c a.c"},
    {"-E -x c -", "clang " PLUGIN " -E -x c -"},
    {"a.c -o p", "clang " PLUGIN " a.c -o p " RUNTIME("--no-as-needed")},
    {"a.o", "clang a.o " RUNTIME("--no-as-needed")},
    {"a.o -shared", "clang a.o -shared " RUNTIME("--as-needed")},
    {"a.o -r", "clang a.o -r"},
    {"a.c -nostdlib", "clang " PLUGIN " a.c -nostdlib"},
    {"-c a.s", "clang -c a.s"},
    {"-c a.cpp", "clang -c a.cpp"},
    {"-c a.ll", "clang " PLUGIN " -c a.ll"},
    {"-c a.c -m32", "clang -c a.c -m32"},
    {"--version", "clang --version"},
    {"", "clang"},
    {"-fdvm=off a.c", "clang a.c"},
    {"-c -fdvm=check a.c -Wno-dvm-undeclared-private", "clang --start-no-unused-arguments -fplugin=/dev/null -fpass-plugin=/dev/null "
                                                       "-D_DVMH=1 -Wno-pass-failed -fplugin-arg-dvm-Wno-dvm-undeclared-private "
                                                       "--end-no-unused-arguments -c a.c"},
    {"a.o -- b.o -c", "clang a.o b.o ./-c " RUNTIME("--no-as-needed")},
    {"-c a.cdv b.c", "clang " PLUGIN " -c -x c a.cdv -x none b.c"},
    {"-c -x c a.cdv", "clang " PLUGIN " -c -x c a.cdv"},
    {"-c -x c b -x none a.cdv", "clang " PLUGIN " -c -x c b -x none -x c a.cdv"},
    {"-fdvm=off -c -- -a.cdv", "clang -c -x c ./-a.cdv"},
    {"-fdvm=off a.o -- -b.o", "clang a.o ./-b.o"},
};

static void test_rows(void **state) {
  const struct dvm_place place = {.clang = "clang", .plugin = "/dev/null", .runtime = "/dev/null"};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct dvm_error err = DVM_ERROR_INIT;
    struct dvm_list argv = DVM_LIST_INIT, command = DVM_LIST_INIT;
    struct dvm_text found = DVM_TEXT_INIT;
    struct cc_line line;
    struct cc_plan plan;
    dvm_list_add(&argv, "dvmcc");
    cc_line_split(rows[i].call, &argv);
    assert_int_equal(cc_line_read(&line, (int)argv.n, argv.v, &err), 0);
    assert_int_equal(cc_plan_make(&plan, line.args.v, line.args.n, &err), 0);
    assert_int_equal(cc_command_make(&command, argv.v, &line, &plan, &place, &err), 0);
    for (size_t k = 0; k < command.n; k++)
      dvm_text_printf(&found, k ? " %s" : "%s", command.v[k]);
    assert_string_equal(dvm_text_str(&found), rows[i].command);
    dvm_text_fini(&found);
    dvm_list_fini(&command);
    cc_plan_fini(&plan);
    cc_line_fini(&line);
    dvm_list_fini(&argv);
  }
}

/* A part that is missing is named, and nothing is compiled unchecked in silence. */
static void test_missing(void **state) {
  const struct dvm_place place = {.clang = "clang", .plugin = "/nowhere/p.so", .runtime = "/nowhere/r.so"};
  static char *const calls[][3] = {{"dvmcc", "a.c", NULL}, {"dvmcc", "a.o", NULL}};
  static const char *const texts[] = {"cannot find the compiler plug-in '/nowhere/p.so'; '-fdvm=off' compiles without it",
                                      "cannot find the run-time library '/nowhere/r.so'; '-fdvm=off' compiles without it"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    struct dvm_error err = DVM_ERROR_INIT;
    struct dvm_list command = DVM_LIST_INIT;
    struct cc_line line;
    struct cc_plan plan;
    assert_int_equal(cc_line_read(&line, 2, calls[i], &err), 0);
    assert_int_equal(cc_plan_make(&plan, line.args.v, line.args.n, &err), 0);
    assert_int_equal(cc_command_make(&command, calls[i], &line, &plan, &place, &err), -ENOENT);
    assert_string_equal(err.text, texts[i]);
    dvm_list_fini(&command);
    cc_plan_fini(&plan);
    cc_line_fini(&line);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_missing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
