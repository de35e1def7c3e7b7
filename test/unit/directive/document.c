/* The examples of docs/language.md are accepted, and there is one of each directive and clause. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pass/directive/directive.h"

static void examples_are_accepted(void **state) {
  (void)state;
  static const char prefix[] = "#pragma dvm ";
  bool directives[DVM_DIR_COPY_WAIT + 1] = {false}, clauses[DVM_CL_SHADOW_COMPUTE + 1] = {false};
  char line[512];
  FILE *f = fopen(DOCUMENT, "r");
  assert_non_null(f);
  while (fgets(line, sizeof line, f)) {
    struct dvm_token *tokens;
    size_t ntokens, len = strlen(line) - strlen(prefix);
    struct dvm_parse_error error;
    struct dvm_directive *d;
    const char *text = line + strlen(prefix);
    if (strncmp(line, prefix, strlen(prefix)))
      continue;
    assert_int_equal(dvm_directive_lex(text, len, &tokens, &ntokens, &error), 0);
    if (dvm_directive_parse(tokens, ntokens, len, &d, &error))
      fail_msg("%s: %zu: %s", line, error.loc, error.text);
    directives[d->kind] = true;
    for (unsigned i = 0; i < d->nclauses; i++)
      clauses[d->clauses[i].kind] = true;
    dvm_directive_destroy(d);
    free(tokens);
  }
  fclose(f);
  for (int i = 0; i <= DVM_DIR_COPY_WAIT; i++)
    if (!directives[i])
      fail_msg("no example of directive '%s'", dvm_directive_name((enum dvm_directive_kind)i));
  for (int i = 0; i <= DVM_CL_SHADOW_COMPUTE; i++) /* those of region are told together */
    if (!clauses[i] && (i < DVM_CL_IN || i > DVM_CL_TARGETS) && i != DVM_CL_SHADOW_WAIT)
      fail_msg("no example of clause '%s'", dvm_clause_name((enum dvm_clause_kind)i));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(examples_are_accepted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
