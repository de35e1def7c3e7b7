/* Every accepted form gives the expected tree, with or without blanks and comments between its tokens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/unit/directive/forms.h"
#include "test/unit/directive/print.h"

static void check_form(const char *text, const char *tree) {
  struct dvm_token *tokens;
  size_t ntokens;
  struct dvm_parse_error error;
  struct dvm_directive *d = NULL;
  assert_int_equal(dvm_directive_lex(text, strlen(text), &tokens, &ntokens, &error), 0);
  if (dvm_directive_parse(tokens, ntokens, strlen(text), &d, &error))
    fail_msg("'%s' is refused at %zu: %s", text, error.loc, error.text);
  struct dvm_text printed = DVM_TEXT_INIT;
  print_directive(&printed, d, tokens, ntokens);
  assert_string_equal(dvm_text_str(&printed), tree);
  dvm_text_fini(&printed);
  dvm_directive_destroy(d);
  free(tokens);
}

static void forms_give_their_trees(void **state) {
  (void)state;
  for (const struct directive_form *f = directive_forms; f->text; f++)
    check_form(f->text, f->tree);
}

/* The same tokens with 'between' around each. */
static void check_spread(const struct directive_form *f, const char *between) {
  struct dvm_token *tokens;
  size_t ntokens;
  struct dvm_parse_error error;
  struct dvm_text spread = DVM_TEXT_INIT;
  assert_int_equal(dvm_directive_lex(f->text, strlen(f->text), &tokens, &ntokens, &error), 0);
  for (size_t i = 0; i < ntokens; i++) {
    dvm_text_add(&spread, between);
    dvm_text_add_n(&spread, tokens[i].text, tokens[i].len);
  }
  dvm_text_add(&spread, between);
  check_form(dvm_text_str(&spread), f->tree);
  dvm_text_fini(&spread);
  free(tokens);
}

static void blanks_and_comments_do_not_matter(void **state) {
  (void)state;
  for (const struct directive_form *f = directive_forms; f->text; f++) {
    check_spread(f, " ");
    check_spread(f, "\t/* a ) comment */ \\\n");
    check_spread(f, " // private(x)\n");
  }
}

static void every_directive_and_clause_has_a_form(void **state) {
  (void)state;
  bool directives[DVM_DIR_REDUCTION_WAIT + 1] = {false}, clauses[DVM_CL_INCLUDE_TO + 1] = {false};
  bool operations[DVM_RED_MINLOC + 1] = {false}, dists[DVM_DIST_DERIVED + 1] = {false};
  for (const struct directive_form *f = directive_forms; f->text; f++) {
    struct dvm_token *tokens;
    size_t ntokens;
    struct dvm_parse_error error;
    struct dvm_directive *d;
    assert_int_equal(dvm_directive_lex(f->text, strlen(f->text), &tokens, &ntokens, &error), 0);
    assert_int_equal(dvm_directive_parse(tokens, ntokens, strlen(f->text), &d, &error), 0);
    directives[d->kind] = true;
    for (unsigned i = 0; i < d->ndists; i++)
      dists[d->dists[i].kind] = true;
    for (unsigned i = 0; i < d->nclauses; i++) {
      clauses[d->clauses[i].kind] = true;
      for (unsigned k = 0; k < d->clauses[i].nreductions; k++)
        operations[d->clauses[i].reductions[k].op] = true;
    }
    dvm_directive_destroy(d);
    free(tokens);
  }
  for (int i = 0; i <= DVM_DIR_REDUCTION_WAIT; i++)
    if (!directives[i])
      fail_msg("no form of directive '%s'", dvm_directive_name((enum dvm_directive_kind)i));
  for (int i = 0; i <= DVM_CL_INCLUDE_TO; i++)
    if (!clauses[i])
      fail_msg("no form of clause '%s'", dvm_clause_name((enum dvm_clause_kind)i));
  for (int i = 0; i <= DVM_RED_MINLOC; i++)
    if (!operations[i])
      fail_msg("no form of operation '%s'", dvm_reduction_name((enum dvm_reduction_op)i));
  for (int i = 0; i <= DVM_DIST_DERIVED; i++)
    if (!dists[i])
      fail_msg("no form of distribution '%s'", dvm_dist_name((enum dvm_dist_kind)i));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms_give_their_trees),
      cmocka_unit_test(blanks_and_comments_do_not_matter),
      cmocka_unit_test(every_directive_and_clause_has_a_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
