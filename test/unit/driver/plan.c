/* What a call is understood as.  Each row: the arguments, and what the plan says of them in words. */
#include "driver/plan.h"
#include "base/text.h"
#include "driver/config.h"
#include "driver/response.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct {
  const char *call, *plan;
} rows[] = {
  /* Phases. */
    {"a.c", "c:1 links"},
    {"-c a.c", "c:1"},
    {"-S a.c -o -", "c:1"},
    {"-E a.c", "c:1"},
    {"-E -", "c:1"},
    {"-M a.c", "c:1"},
    {"-MM a.c", "c:1"},
    {"-MD a.c", "c:1 links"},
    {"-MMD -MF d.c a.c -c", "c:1"},
    {"-MJ db.c a.c", "c:1 links"},
    {"-fsyntax-only a.c", "c:1"},
    {"--analyze a.c", "c:1"},
    {"--preprocess a.c", "c:1"},
    {"--emit-static-lib a.c", "c:1"},
    {"-emit-llvm -c a.c", "c:1"},
    {"-O2 -g -Wall -Wextra", ""},
    {"-v", ""},
    {"--version", ""},
    {"-print-search-dirs", ""},
    {"-###  a.c", "c:1 links"},
  /* Inputs. */
    {"a.c b.c c.o -o prog", "c:2 object:1 links"},
    {"a.o -lfoo", "object:1 links"},
    {"-lfoo", "links"},
    {"-l foo", "links"},
    {"libx.a liby.so.1 script", "object:3 links"},
    {"a.s b.S", "assembler:2 links"},
    {"a.S a.c", "c:1 assembler:1 links"},
    {"a.ll b.bc", "ir:2 links"},
    {"a.i", "c:1 links"},
    {"a.h", "c:1"},
    {"a.h a.c", "c:2 links"},
    {"dir.c/file", "object:1 links"},
    {"dir.o/file.c", "c:1 links"},
    {"a.cpp", "other:1(a.cpp) links"},
    {"a.c b.cc", "c:1 other:1(b.cc) links"},
    {"a.f90 -c", "other:1(a.f90)"},
    {"-x c file - -x none a.o", "c:2 object:1 links"},
    {"-xc - -c", "c:1"},
    {"--language=c -c file", "c:1"},
    {"--language c -c file", "c:1"},
    {"-x c++ a.c", "other:1(a.c) links"},
    {"-x c-header file", "c:1"},
    {"-x assembler-with-cpp a.c", "assembler:1 links"},
    {"-x ir a.c", "ir:1 links"},
    {"-c -- -odd.c", "c:1"},
    {"a.o -- -r", "object:2 links"},
  /* A value is not an input. */
    {"-o a.c", ""},
    {"-o out.c a.o", "object:1 links"},
    {"-I a.c -isystem b.c -include c.c -D d.c -U e.c", ""},
    {"-Xclang a.c -mllvm b.c -Xpreprocessor c.c", ""},
    {"-target x86_64-linux-gnu -T a.c -L b.c", ""},
    {"-sectcreate a.c b.c c.c -e d.c", ""},
    {"-Xarch_x86_64 a.c", ""},
    {"-o", ""},
  /* Kinds of link. */
    {"a.o -shared", "object:1 links shared"},
    {"a.o --shared", "object:1 links shared"},
    {"a.o -static", "object:1 links static"},
    {"a.o -static-pie", "object:1 links static"},
    {"a.o -r", "object:1 links relocatable"},
    {"a.o -Wl,-r", "object:1 links relocatable"},
    {"a.o -Wl,-z,now,-r,-x", "object:1 links relocatable"},
    {"a.o -Wl,-rpath,x", "object:1 links"},
    {"a.o -Xlinker -r", "object:1 links relocatable"},
    {"a.o -Xlinker -rpath -Xlinker -rfolder", "object:1 links"},
    {"a.o -nostdlib", "object:1 links no-libraries"},
    {"a.o -nodefaultlibs", "object:1 links no-libraries"},
    {"a.o -nostartfiles", "object:1 links"},
    {"a.c -flto -fuse-ld=lld", "c:1 links"},
  /* Machines. */
    {"-c a.c -m32", "c:1 foreign(-m32)"},
    {"-c a.c -m32 -m64", "c:1"},
    {"-c a.c --target="
     "riscv64-linux-gnu",
     "c:1 foreign(--target=riscv64-linux-gnu)"},
    {"-c a.c -target wasm32", "c:1 foreign(wasm32)"},
  /* Our own options. */
    {"-fdvm=off a.c", "off c:1 links"},
    {"-fdvm=off -fdvm=check a.c", "c:1 links"},
    {"--dvm-version", "action:2"},
    {"--dvm-help", "action:1"},
    {"--dvm-print-clang", "action:3"},
    {"--dvm-print-plugin", "action:4"},
    {"--dvm-print-runtime", "action:5"},
    {"-c a.c -Wno-dvm-undeclared-private", "c:1 plugin(Wno-dvm-undeclared-private)"},
    {"-c a.c -Wdvm-undeclared-private -Werror=dvm-undeclared-private",
     "c:1 plugin(Wdvm-undeclared-private) plugin(Werror=dvm-undeclared-private)"},
    {"-c a.c -Wno-error=dvm-undeclared-private", "c:1 plugin(Wno-error=dvm-undeclared-private)"},
    {"-c a.c -Wdvm-uncheckd", "error: unknown warning 'dvm-uncheckd' in '-Wdvm-uncheckd'; did you mean 'dvm-unchecked'?"},
    {"-c a.c -Werror=dvm-unchecked", "error: '-Werror=dvm-unchecked': 'dvm-unchecked' cannot be made an error"},
    {"-c a.c -Wno-error -Werror -Wno-dvmx", "c:1"},
    {"-c a.c -Wno-dvm-unchecked", "c:1 quiet"},
    {"-c a.c -Wno-dvm-unchecked -Wdvm-unchecked", "c:1"},
    {"-o -fdvm=off a.c", "c:1 links"},
    {"-Xlinker -fdvm=off a.c", "c:1 links"},
  /* Wrong uses of them. */
    {"-fdvm=chek a.c", "error: unknown mode 'chek' in '-fdvm=chek'; did you mean 'check'?"},
    {"-fdvm=zzz a.c", "error: unknown mode 'zzz' in '-fdvm=zzz'; the modes are 'check', 'trace', 'parallel' and 'off'"},
    {"-fdvm= a.c", "error: unknown mode '' in '-fdvm='; the modes are 'check', 'trace', 'parallel' and 'off'"},
    {"-fno-dvm", "error: unknown option '-fno-dvm'; did you mean '-fdvm=off'?"},
    {"-fdvm", "error: unknown option '-fdvm'; did you mean '-fdvm=check'?"},
    {"--dvm-versoin", "error: unknown option '--dvm-versoin'; did you mean '--dvm-version'?"},
    {"--dvm-qqqqqqqq", "error: unknown option '--dvm-qqqqqqqq'; '--dvm-help' lists the options"},
};

static void describe(const struct cc_plan *plan, struct dvm_text *out) {
  static const char *const names[CC_NLANGUAGES] = {"c", "ir", "assembler", "object", "other"};
  const struct {
    bool holds;
    const char *word;
  } words[] = {{plan->links, "links"},
               {plan->shared, "shared"},
               {plan->is_static, "static"},
               {plan->relocatable, "relocatable"},
               {plan->no_libraries != NULL, "no-libraries"},
               {!plan->warn_unchecked, "quiet"}};
  if (plan->action != CC_RUN)
    dvm_text_printf(out, " action:%d", plan->action);
  if (plan->mode == DVM_MODE_OFF)
    dvm_text_add(out, " off");
  for (int i = 0; i < CC_NLANGUAGES; i++)
    if (plan->inputs[i])
      dvm_text_printf(out, " %s:%u", names[i], plan->inputs[i]);
  if (plan->other_input)
    dvm_text_printf(out, "(%s)", plan->other_input);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i].holds)
      dvm_text_printf(out, " %s", words[i].word);
  if (plan->foreign_target)
    dvm_text_printf(out, " foreign(%s)", plan->foreign_target);
  for (size_t i = 0; i < plan->plugin_args.n; i++)
    dvm_text_printf(out, " plugin(%s)", plan->plugin_args.v[i]);
}

static void test_rows(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct dvm_error err = DVM_ERROR_INIT;
    struct dvm_list args = DVM_LIST_INIT;
    struct dvm_text found = DVM_TEXT_INIT;
    struct cc_plan plan;
    cc_line_split(rows[i].call, &args);
    int rc = cc_plan_make(&plan, args.v, args.n, &err);
    if (rc) {
      assert_int_equal(rc, -EINVAL);
      dvm_text_printf(&found, " error: %s", err.text);
    } else {
      describe(&plan, &found);
      cc_plan_fini(&plan);
    }
    const char *text = dvm_text_str(&found);
    if (strcmp(text + (*text == ' '), rows[i].plan))
      fail_msg("'%s' is read as '%s', should be '%s'", rows[i].call, text + (*text == ' '), rows[i].plan);
    dvm_text_fini(&found);
    dvm_list_fini(&args);
  }
}

static void test_no_arguments(void **state) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct cc_plan plan;
  (void)state;
  assert_int_equal(cc_plan_make(&plan, NULL, 0, &err), 0);
  assert_false(plan.links);
  cc_plan_fini(&plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_no_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
