/* Every mistake is reported at its token, with what was found and expected, and the word that was meant. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "pass/directive/directive.h"

/* A backquote stands before the token that is wrong. */
static const struct mistake {
  const char *text, *error, *suggestion;
} mistakes[] = {
    {"`", "expected the name of a directive, found the end of the directive", ""},
    {"`paralel(2)", "expected the name of a directive, found 'paralel'", "parallel"},
    {"`PARALLEL(2)", "expected the name of a directive, found 'PARALLEL'", "parallel"},
    {"`42", "expected the name of a directive, found '42'", ""},
    {"`private(x)", "'private' is a clause of 'parallel', not a directive", ""},
    {"`distribute[block]", "'distribute' is a part of 'array', not a directive", ""},
    {"`in(A)", "'in' is a clause of 'region', not a directive", ""},
    {"parallel`", "expected '(' after 'parallel', found the end of the directive", ""},
    {"parallel `2", "expected '(' after 'parallel', found '2'", ""},
    {"parallel(`)", "expected '[' and an index, or the number of loops, in 'parallel', found ')'", ""},
    {"parallel(`i on A[i])", "expected '[' before an index in 'parallel', found 'i'", ""},
    {"parallel(`i, j on A[i][j])", "expected '[' before an index in 'parallel', found 'i'", ""},
    {"parallel([i][j] `an A[i][j])", "expected 'on' or ')' after the indices of 'parallel', found 'an'", "on"},
    {"parallel([i][`i] on A[i][i])", "index 'i' is named twice in 'parallel'", ""},
    {"parallel([`] on A[1])", "expected the name of an index in 'parallel', found ']'", ""},
    {"parallel([i `on A[i])", "expected ']' after the name of an index in 'parallel', found 'on'", ""},
    {"parallel([i] on A`)", "expected '[' after 'A' in 'parallel', found ')'", ""},
    {"parallel([i] on `[i])", "expected the name of an array in 'parallel', found '['", ""},
    {"parallel([i] on A[i`)", "expected ']' after the subscript in 'parallel', found ')'", ""},
    {"parallel([i] on A[])`) private(x)", "expected the end or a clause of 'parallel', found ')'", ""},
    {"parallel([i] on A[i]) `privat(x)", "expected a clause of 'parallel', found 'privat'", "private"},
    {"parallel([i] on A[i]) `in(A)", "'in' is a clause of 'region', not of 'parallel'", ""},
    {"parallel([i] on A[i]) `xyzzy",
     "expected a clause of 'parallel' (private, reduction, shadow_renew, across, remote_access, cuda_block, stage, "
     "tie, shadow_start, shadow_wait, consistent, shadow_compute), found 'xyzzy'",
     ""},
    {"parallel([i] on A[i]) private(x) `; private(y)", "expected the end or a clause of 'parallel', found ';'", ""},
    {"parallel([i] on A[i]), `, private(x)", "expected a clause of 'parallel', found ','", ""},
    {"parallel([i] on A[i]),`", "expected a clause of 'parallel', found the end of the directive", ""},
    {"parallel([i] on A[i]) private(x `y)", "expected ',' or ')' in the list of 'private', found 'y'", ""},
    {"parallel([i] on A[i]) private(x,`)", "expected a name in 'private', found ')'", ""},
    {"parallel([i] on A[i]) private(x`", "expected ',' or ')' in the list of 'private', found the end of the directive", ""},
    {"parallel([i] on A[i]) private `x", "expected '(' after 'private', found 'x'", ""},
    {"parallel([i] on A[i]) private(`3)", "expected a name in 'private', found '3'", ""},
    {"parallel([i] on A[i]) private(A`[3])", "expected ',' or ')' in the list of 'private', found '['", ""},
    {"parallel([i] on A[i]) reduction(`sun(s))",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found 'sun'", "sum"},
    {"parallel([i] on A[i]) reduction(`SUM(s))",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found 'SUM'", "sum"},
    {"parallel([i] on A[i]) reduction(`+: s)",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found '+'", "sum"},
    {"parallel([i] on A[i]) reduction(`s)",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found 's'", ""},
    {"parallel([i] on A[i]) reduction(sum `s)", "expected '(' after 'sum', found 's'", ""},
    {"parallel([i] on A[i]) reduction(sum(s`, t))", "expected ')' after the variable of 'sum', found ','", ""},
    {"parallel([i] on A[i]) reduction(sum(`))", "expected a variable in 'sum', found ')'", ""},
    {"parallel([i] on A[i]) reduction(maxloc(m`))", "expected ',' and the variable of the location in 'maxloc', found ')'", ""},
    {"parallel([i] on A[i]) reduction(maxloc(m, l, 2`, 3))", "expected ')' after the variable of 'maxloc', found ','", ""},
    {"parallel([i] on A[i]) shadow_renew(A[1:1`:1])", "expected ']' after the width in 'shadow_renew', found ':'", ""},
    {"parallel([i] on A[i]) shadow_renew(A[1:`])", "expected a width for higher indices in 'shadow_renew', found ']'", ""},
    {"parallel([i] on A[i]) shadow_renew(A (`cornr))", "expected 'corner' in 'shadow_renew', found 'cornr'", "corner"},
    {"parallel([i] on A[i]) shadow_renew(A[\"e\"] (`corner))", "a named edge has no corner, in 'shadow_renew'", ""},
    {"parallel([i] on A[i]) shadow_renew(A[\"e\"][`\"f\"])", "edges are named in two dimensions of one array in 'shadow_renew'", ""},
    {"parallel([i] on A[i]) shadow_renew(`)", "expected the name of an array in 'shadow_renew', found ')'", ""},
    {"parallel([i] on A[i]) across(A `(corner))", "expected ',' or ')' in the list of 'across', found '('", ""},
    {"parallel([i] on A[i]) remote_access(A[1`:2])", "a range cannot appear in 'remote_access'; '[]' takes the whole dimension", ""},
    {"parallel([i] on A[i]) cuda_block(1,2,3,`4)", "'cuda_block' takes at most 3 sizes", ""},
    {"parallel([i] on A[i]) cuda_block(1) `cuda_block(2)", "'cuda_block' is given twice", ""},
    {"parallel([i] on A[i]) stage(`)", "expected an expression in 'stage', found ')'", ""},
    {"parallel([i] on A[i]) stage(2`", "expected ')' after the expression in 'stage', found the end of the directive", ""},
    {"parallel([i] on A[i]) tie(A[`i+1])", "expected an index of 'parallel', '-' and an index, or nothing in 'tie', found 'i'", ""},
    {"parallel([i] on A[i]) tie(A[`k])", "expected an index of 'parallel', '-' and an index, or nothing in 'tie', found 'k'", ""},
    {"parallel(2) `tie(A[i])", "'tie' needs a 'parallel' that names its indices", ""},
    {"parallel([i] on A[1][2][3][4][5][6][7]`[8])", "more than 7 dimensions in 'parallel'", ""},
    {"parallel([a][b][c][d][e][f][g]`[h])", "more than 7 dimensions in 'parallel'", ""},
    {"region targets(`GPU)", "expected 'HOST' or 'CUDA' in 'targets', found 'GPU'", ""},
    {"region targets(`CUAD)", "expected 'HOST' or 'CUDA' in 'targets', found 'CUAD'", "CUDA"},
    {"region `inn(A)", "expected a clause of 'region', found 'inn'", "in"},
    {"region in `A", "expected '(' after 'in', found 'A'", ""},
    {"region `private(x)", "'private' is a clause of 'parallel', not of 'region'", ""},
    {"region in(A[1:2`)", "expected ']' after the bounds in 'in', found ')'", ""},
    {"array distribute`", "expected '[' and a distribution in 'distribute', found the end of the directive", ""},
    {"array distribute[`blok]",
     "expected a distribution (block, wgtblock, genblock, multblock, indirect, derived or *) in 'distribute', found "
     "'blok'",
     "block"},
    {"array distribute[`BLOCK]",
     "expected a distribution (block, wgtblock, genblock, multblock, indirect, derived or *) in 'distribute', found "
     "'BLOCK'",
     "block"},
    {"array distribute[block`", "expected ']' after the distribution in 'distribute', found the end of the directive", ""},
    {"array distribute[block`(2)]", "expected ']' after the distribution in 'distribute', found '('", ""},
    {"array distribute[genblock`]", "expected '(' after the word 'genblock', found ']'", ""},
    {"array distribute[wgtblock(w`)]", "expected ',' and the number of weights in 'wgtblock', found ')'", ""},
    {"array distribute[derived(`)]", "expected a rule in 'derived', found ')'", ""},
    {"array distribute[block] `align([i] with A[i])", "'distribute' and 'align' are mutually exclusive", ""},
    {"array distribute[block] `distribute[block]", "'distribute' is given twice", ""},
    {"array distribute[block][block] `shadow[1:1]", "'shadow' has 1 dimension, but 'distribute' has 2", ""},
    {"array align([i][j][k] with u0[i][j][k]), `shadow[1:1]", "'shadow' has 1 dimension, but 'align' has 3", ""},
    {"array align([i] `whit A[i])", "expected 'with' in 'align', found 'whit'", "with"},
    {"array align`[i] with A[i]", "expected '(' after 'align', found '['", ""},
    {"array `distrubute [block]", "expected 'distribute', 'onto', 'align', 'shadow' or 'dynamic' in 'array', found 'distrubute'",
     "distribute"},
    {"array shadow`", "expected '[' and a width in 'shadow', found the end of the directive", ""},
    {"array dynamic,`", "expected 'distribute', 'onto', 'align', 'shadow' or 'dynamic' in 'array', found the end of the directive", ""},
    {"template[N][N] `distribute[block]", "'distribute' has 1 dimension, but 'template' has 2", ""},
    {"template[N] `shadow[1]", "expected 'distribute', 'onto' or 'dynamic' in 'template', found 'shadow'", ""},
    {"template `distribute[block]", "expected '[' and a size in 'template', found 'distribute'", ""},
    {"template[`]", "expected a size in 'template', found ']'", ""},
    {"processors P`", "expected '[' and the number of processors in 'processors', found the end of the directive", ""},
    {"map(T[0] `to P[0:1])", "expected 'onto' in 'map', found 'to'", ""},
    {"map(T `onto P[0:1])", "expected '[' after 'T' in 'map' ('[]' takes a whole dimension), found 'onto'", ""},
    {"trace `of", "expected 'on' or 'off' in 'trace', found 'of'", "on"},
    {"array_copy(c: A `B)", "expected '=' in 'array_copy', found 'B'", ""},
    {"copy_wait(`)", "expected the name of a group in 'copy_wait', found ')'", ""},
    {"task T`", "expected '[' and the number of tasks in 'task', found the end of the directive", ""},
    {"task T[2]`[3]", "a task array has one dimension", ""},
    {"inherit `A", "expected '(' after 'inherit', found 'A'", ""},
    {"inherit(`)", "expected a name in 'inherit', found ')'", ""},
    {"actual `A", "expected '(' after 'actual', found 'A'", ""},
    {"get_actual(A `B)", "expected ',' or ')' in the list of 'get_actual', found 'B'", ""},
    {"interval `)", "expected a number in 'interval', found ')'", ""},
    {"endinterval `3", "expected the end of the directive 'endinterval', found '3'", ""},
    {"exitinterval`", "expected a number in 'exitinterval', found the end of the directive", ""},
    {"exitinterval 1,`", "expected a number in 'exitinterval', found the end of the directive", ""},
    {"redistribute(A`)", "expected '[' and a distribution in 'redistribute', found ')'", ""},
    {"redistribute(A[block]) `old_value", "expected 'new_value' in 'redistribute', found 'old_value'", "new_value"},
    {"realign(A[i] with B[i]) `newvalue", "expected 'new_value' in 'realign', found 'newvalue'", "new_value"},
    {"array_copy(A`, B)", "expected '=' in 'array_copy', found ','", ""},
    {"shadow_add(A[] = `e)", "expected the name of the edge, in quotes, in 'shadow_add', found 'e'", ""},
    {"localize(a `= b)", "expected '=>' in 'localize', found '='", ""},
    {"shadow_group(A`[1:1])", "expected ':' after the name of the group in 'shadow_group', found '['", ""},
    {"shadow_start`", "expected '(' after 'shadow_start', found the end of the directive", ""},
    {"on(T`)", "expected '[' after 'T' in 'on', found ')'", ""},
    {"host_section `x", "expected the end of the directive 'host_section', found 'x'", ""},
    {"instantiations `foo", "expected 'set' in 'instantiations', found 'foo'", ""},
    {"parallel([i] on A[f(i`]])", "expected ')' to close '(', found ']'", ""},
    {"region in(A[1:2`:3])", "expected ']' after the bounds in 'in', found ':'", ""},
    {"array shadow[1:`]", "expected a width for higher indices in 'shadow', found ']'", ""},
    {"array shadow[1][1][1][1][1][1][1]`[1]", "more than 7 dimensions in 'shadow'", ""},
    {"array distribute[*][*][*][*][*][*][*]`[*]", "more than 7 dimensions in 'distribute'", ""},
    {"template[1][1][1][1][1][1][1]`[1]", "more than 7 dimensions in 'template'", ""},
    {"array align([i] with A`)", "expected '[' after 'A' in 'align', found ')'", ""},
    {"array align([`1] with A[i])", "expected the name of an index in 'align', found '1'", ""},
    {"array align(`with A[1])", "expected '[' and an index in 'align', found 'with'", ""},
    {"array align([i][`i] with A[1])", "index 'i' is named twice in 'align'", ""},
    {"realign(A `with B[i])", "expected '[' and an index in 'realign', found 'with'", ""},
    {"redistribute(`[block])", "expected the name of an array in 'redistribute', found '['", ""},
    {"task `[3]", "expected the name of a task array in 'task', found '['", ""},
    {"task_region `T", "expected '(' after 'task_region', found 'T'", ""},
    {"on(T[1`:2])", "a range cannot appear in 'on'; '[]' takes the whole dimension", ""},
    {"parallel([i] on A[i`;])", "expected ']' after the subscript in 'parallel', found ';'", ""},
    {"parallel([i] on A[i]) cuda_block(`)", "expected an expression in 'cuda_block', found ')'", ""},
    {"parallel([i] on A[i]) cuda_block(1 private(x)`", "expected ',' or ')' in the list of 'cuda_block', found the end of the directive",
     ""},
    {"parallel([i] on A[i]) shadow_start(g`, h)", "expected ')' after the name of the group in 'shadow_start', found ','", ""},
    {"parallel([i] on A[i]) reduction(g: `)",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found ')'", ""},
    {"parallel([i] on A[i]) reduction(`&&: x)",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found '&&'", ""},
    {"parallel([i] on A[i]) reduction(`*: x)",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found '*'", "product"},
    {"parallel([i] on A[i]) reduction(max(x), `mim(y))",
     "expected an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction', found 'mim'", "min"},
    {"parallel([i] on A[i]) across(inn`: A)", "expected ',' or ')' in the list of 'across', found ':'", ""},
    {"parallel([i] on A[i]) remote_access(A`)", "expected '[' after 'A' in 'remote_access' ('[]' takes a whole dimension), found ')'", ""},
    {"remote_access(A[0], B`, C[])", "expected '[' after 'B' in 'remote_access' ('[]' takes a whole dimension), found ','", ""},
    {"parallel([i] on A[i]) remote_access(A[`)", "expected a subscript in 'remote_access', found ')'", ""},
    {"parallel([i] on A[i]) remote_access(A[`,])", "expected a subscript in 'remote_access', found ','", ""},
    {"parallel([i] on A[i]) `remoteaccess(A[])", "expected a clause of 'parallel', found 'remoteaccess'", "remote_access"},
    {"parallel([i] on A[i]) shadow_renew(A[\"x\"`",
     "expected ']' after the name of the edge in 'shadow_renew', found the end of the directive", ""},
    {"parallel([i] on A[i]) shadow_renew(A[\"x\", `y])", "expected the name of an edge, in quotes, in 'shadow_renew', found 'y'", ""},
    {"shadow_add(A `= \"e\")", "expected '[' after the name of the array in 'shadow_add', found '='", ""},
    {"shadow_add(A[r] `\"e\")", "expected '=' and the name of the edge in 'shadow_add', found '\"e\"'", ""},
    {"shadow_add(A[] = \"e\") `include(B)", "expected a clause of 'shadow_add', found 'include'", "include_to"},
    {"localize(A`[1] => B)", "expected '=>' in 'localize', found '['", ""},
    {"array_copy(A = `3)", "expected the name of an array in 'array_copy', found '3'", ""},
    {"`get_actaul(A)", "expected the name of a directive, found 'get_actaul'", "get_actual"},
    {"`shadow_strat(g)", "expected the name of a directive, found 'shadow_strat'", "shadow_start"},
    {"get_actual `A", "expected '(' after 'get_actual', found 'A'", ""},
    {"actual(A)`) ", "expected the end of the directive 'actual', found ')'", ""},
    {"`averyveryveryverylongwordthatcannotbeadirectiveatallbecauseitistoolong",
     "expected the name of a directive, found 'averyveryveryverylongwordthatcannotbeadirectivea..'", ""},
    {"parallel([averyveryveryverylongwordthatcannotbeadirectiveatallbecauseitistoolong][`"
     "averyveryveryverylongwordthatcannotbeadirectiveatallbecauseitistoolong])",
     "index 'averyveryveryverylongwordthatcannotbeadirectivea..' is named twice in 'parallel'", ""},
    {"interval 1`, 2", "expected the end of the directive 'interval', found ','", ""},
    {"endinterval`(1)", "expected the end of the directive 'endinterval', found '('", ""},
    {"instantiations set(T`)", "expected '=' after the name of a parameter in 'instantiations', found ')'", ""},
    {"instantiations set(T=int),`", "expected 'set' in 'instantiations', found the end of the directive", ""},
    {"parallel([i] on A[i]) `}", "expected the end or a clause of 'parallel', found '}'", ""},
    {"parallel([i] on A[i]) private(x) `on A[i]",
     "expected a clause of 'parallel' (private, reduction, shadow_renew, across, remote_access, cuda_block, stage, "
     "tie, shadow_start, shadow_wait, consistent, shadow_compute), found 'on'",
     ""},
    {"actual(A[f(1`", "expected ')' to close '(', found the end of the directive", ""},
    {"actual(A[f{1`]", "expected '}' to close '{', found ']'", ""},
    {"parallel([i] on A[i]) stage(f(1)`", "expected ')' after the expression in 'stage', found the end of the directive", ""},
    {"parallel(f(2)`", "expected ')' after the number of loops in 'parallel', found the end of the directive", ""},
    {"shadow_add(A[][][][][][][]`[r] = \"e\")", "more than 7 dimensions in 'shadow_add'", ""},
    {"shadow_add(A[`)", "expected a rule in 'shadow_add', found ')'", ""},
    {"shadow_add(A[f(`])", "expected ')' to close '(', found ']'", ""},
    {"shadow_add(`3)", "expected the name of an array in 'shadow_add', found '3'", ""},
    {"array distribute[derived((`]", "expected ')' to close '(', found ']'", ""},
    {"parallel([i] on A[i]) private(x),`, shadow_renew(A)", "expected a clause of 'parallel', found ','", ""},
    {"redistribute(A[block]), `newvalue", "expected 'new_value' in 'redistribute', found 'newvalue'", "new_value"},
};

/* Parses and refuses; *error tells how. */
static void refuse(const char *text, size_t len, struct dvm_parse_error *error) {
  struct dvm_token *tokens;
  size_t ntokens;
  struct dvm_directive *d = (struct dvm_directive *)1;
  assert_int_equal(dvm_directive_lex(text, len, &tokens, &ntokens, error), 0);
  int rc = dvm_directive_parse(tokens, ntokens, len, &d, error);
  if (rc != -EINVAL)
    fail_msg("'%s' gives %d", text, rc);
  assert_null(d);
  assert_true(error->token <= ntokens);
  assert_int_equal(error->loc, error->token < ntokens ? tokens[error->token].loc : len);
  free(tokens);
}

static void mistakes_are_reported_at_their_token(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    const struct mistake *m = &mistakes[i];
    struct dvm_parse_error error;
    char text[512];
    const char *mark = strchr(m->text, '`');
    snprintf(text, sizeof text, "%.*s%s", (int)(mark - m->text), m->text, mark + 1);
    refuse(text, strlen(text), &error);
    assert_string_equal(error.text, m->error);
    assert_string_equal(error.suggestion, m->suggestion);
    if (error.loc != (size_t)(mark - m->text))
      fail_msg("'%s' is reported at %zu: %s", m->text, error.loc, error.text);
  }
}

/* 'open' n times, x, 'close' n times, in a subscript. */
static void nest(struct dvm_text *t, const char *open, const char *close, int n) {
  dvm_text_clear(t);
  dvm_text_add(t, "actual(A[");
  for (int i = 0; i < n; i++)
    dvm_text_add(t, open);
  dvm_text_add(t, "x");
  for (int i = 0; i < n; i++)
    dvm_text_add(t, close);
  dvm_text_add(t, "])");
}

static int parse(const char *text, size_t len, struct dvm_parse_error *error) {
  struct dvm_token *tokens;
  size_t ntokens;
  struct dvm_directive *d;
  assert_int_equal(dvm_directive_lex(text, len, &tokens, &ntokens, error), 0);
  int rc = dvm_directive_parse(tokens, ntokens, len, &d, error);
  dvm_directive_destroy(d);
  free(tokens);
  return rc;
}

static void nesting_has_a_limit(void **state) {
  (void)state;
  static const char *const brackets[][2] = {{"(", ")"}, {"[", "]"}, {"{", "}"}};
  struct dvm_text t = DVM_TEXT_INIT;
  struct dvm_parse_error error;
  for (size_t i = 0; i < 3; i++) {
    nest(&t, brackets[i][0], brackets[i][1], DVM_NESTING_MAX);
    assert_int_equal(parse(t.s, t.len, &error), 0);
    nest(&t, brackets[i][0], brackets[i][1], DVM_NESTING_MAX + 1);
    refuse(t.s, t.len, &error);
    assert_string_equal(error.text, "brackets are nested deeper than 200");
    assert_int_equal(error.loc, strlen("actual(A[") + DVM_NESTING_MAX);
  }
  dvm_text_fini(&t);
}

static void length_has_a_limit(void **state) {
  (void)state;
  struct dvm_token *tokens = calloc(DVM_TOKENS_MAX + 1, sizeof *tokens);
  struct dvm_parse_error error;
  struct dvm_directive *d;
  assert_non_null(tokens);
  for (size_t i = 0; i <= DVM_TOKENS_MAX; i++)
    tokens[i] = (struct dvm_token){i % 2 ? DVM_TOK_PUNCT : DVM_TOK_NUMBER, i % 2 ? "," : "1", 1, i};
  tokens[0] = (struct dvm_token){DVM_TOK_WORD, "exitinterval", 12, 0};
  for (size_t i = 1; i <= DVM_TOKENS_MAX; i++) /* a number first: exitinterval 1 , 1 */
    tokens[i].kind = i % 2 ? DVM_TOK_NUMBER : DVM_TOK_PUNCT, tokens[i].text = i % 2 ? "1" : ",";
  assert_int_equal(dvm_directive_parse(tokens, DVM_TOKENS_MAX, 0, &d, &error), 0);
  assert_int_equal(d->nexprs, DVM_TOKENS_MAX / 2);
  assert_int_equal(d->exprs[d->nexprs - 1].first, DVM_TOKENS_MAX - 1);
  dvm_directive_destroy(d);
  assert_int_equal(dvm_directive_parse(tokens, DVM_TOKENS_MAX + 1, 0, &d, &error), -EINVAL);
  assert_string_equal(error.text, "the directive is too long");
  assert_int_equal(error.loc, DVM_TOKENS_MAX);
  assert_null(d);
  free(tokens);
}

/* Text of tokens is shown without control bytes and without half a character. */
static void found_text_is_clean(void **state) {
  (void)state;
  struct dvm_token tokens[] = {{DVM_TOK_WORD, "actual", 6, 0}, {DVM_TOK_WORD, "a\033[1m\0b", 7, 9}};
  struct dvm_parse_error error;
  struct dvm_directive *d;
  assert_int_equal(dvm_directive_parse(tokens, 2, 20, &d, &error), -EINVAL);
  assert_string_equal(error.text, "expected '(' after 'actual', found 'a?[1m?b'");
  assert_int_equal(error.loc, 9);
  char word[80];
  memset(word, 'x', sizeof word);
  memcpy(word + 47, "\xd1\x8f", 2);
  tokens[1] = (struct dvm_token){DVM_TOK_WORD, word, sizeof word, 9};
  assert_int_equal(dvm_directive_parse(tokens, 2, 20, &d, &error), -EINVAL);
  assert_string_equal(error.text, "expected '(' after 'actual', found 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..'");
}

/* A misspelling of every word by one letter is understood, wherever the word stands. */
static void every_word_has_its_suggestion(void **state) {
  (void)state;
  for (int kind = 0; kind <= DVM_DIR_REDUCTION_WAIT; kind++) {
    const char *word = dvm_directive_name((enum dvm_directive_kind)kind);
    char text[64];
    struct dvm_parse_error error;
    snprintf(text, sizeof text, "%s%c", word, 'q');
    refuse(text, strlen(text), &error);
    assert_string_equal(error.suggestion, word);
  }
  for (int kind = 0; kind <= DVM_CL_INCLUDE_TO; kind++) {
    const char *word = dvm_clause_name((enum dvm_clause_kind)kind);
    const char *head = kind < DVM_CL_IN ? "parallel(1)" : kind < DVM_CL_INCLUDE_TO ? "region" : "shadow_add(A[]=\"e\")";
    char text[64];
    struct dvm_parse_error error;
    snprintf(text, sizeof text, "%s %s%c", head, word, 'q');
    refuse(text, strlen(text), &error);
    assert_string_equal(error.suggestion, word);
    assert_int_equal(error.loc, strlen(head) + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_reported_at_their_token),
      cmocka_unit_test(nesting_has_a_limit),
      cmocka_unit_test(length_has_a_limit),
      cmocka_unit_test(found_text_is_clean),
      cmocka_unit_test(every_word_has_its_suggestion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
