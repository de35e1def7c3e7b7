/* The analysis of subscripts against a naive twin: random expressions, evaluated token by token for several indices.
 * The twin also knows which ones are affine: no product of two indices, no index under a division. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "pass/directive/directive.h"

#define EXPRESSIONS 20000
#define SEED 20261121u

/* ---- evaluation: sum, product, sign, operand ---- */

struct value {
  long long n;
  bool index;  /* depends on the index */
  bool affine; /* ... in an affine way */
  bool wrong;  /* a division by zero */
};

struct evaluation {
  const struct dvm_token *tokens;
  unsigned pos, end;
  long long i, N;
};

static bool at(const struct evaluation *e, char c) {
  return e->pos < e->end && e->tokens[e->pos].len == 1 && e->tokens[e->pos].text[0] == c;
}

static struct value evaluate_sum(struct evaluation *e);

static struct value evaluate_operand(struct evaluation *e) {
  if (at(e, '-') || at(e, '+')) {
    bool minus = at(e, '-');
    e->pos++;
    struct value v = evaluate_operand(e);
    v.n = minus ? -v.n : v.n;
    return v;
  }
  const struct dvm_token *t = &e->tokens[e->pos++];
  struct value v = {0, false, true, false};
  if (t->text[0] == '(') {
    v = evaluate_sum(e);
    assert_true(at(e, ')'));
    e->pos++;
  } else if (t->text[0] == 'i')
    v.n = e->i, v.index = true;
  else
    v.n = t->text[0] == 'N' ? e->N : strtoll(t->text, NULL, 10);
  return v;
}

static struct value evaluate_product(struct evaluation *e) {
  struct value v = evaluate_operand(e);
  while (at(e, '*') || at(e, '/') || at(e, '%')) {
    char op = e->tokens[e->pos++].text[0];
    struct value w = evaluate_operand(e);
    bool zero = op != '*' && w.n == 0;
    v.n = op == '*' ? v.n * w.n : zero ? 0 : op == '/' ? v.n / w.n : v.n % w.n;
    v.affine = v.affine && w.affine && (op == '*' ? !(v.index && w.index) : !(v.index || w.index));
    v.index |= w.index;
    v.wrong |= w.wrong || zero;
  }
  return v;
}

static struct value evaluate_sum(struct evaluation *e) {
  struct value v = evaluate_product(e);
  while (at(e, '+') || at(e, '-')) {
    bool minus = at(e, '-');
    e->pos++;
    struct value w = evaluate_product(e);
    v.n += minus ? -w.n : w.n;
    v.affine &= w.affine;
    v.index |= w.index;
    v.wrong |= w.wrong;
  }
  return v;
}

static struct value evaluate(const struct dvm_token *tokens, struct dvm_range r, long long i) {
  struct evaluation e = {tokens, r.first, r.first + r.count, i, 7};
  struct value v = evaluate_sum(&e);
  assert_int_equal(e.pos, e.end); /* every range is an expression of its own */
  return v;
}

/* ---- random expressions ---- */

static unsigned random_state;
static unsigned random_below(unsigned n) {
  random_state = random_state * 1103515245u + 12345u;
  return (random_state >> 16) % n;
}

/* 'with_index': the index stands in it, once. */
static void add_expression(struct dvm_text *t, int depth, bool with_index) {
  if (depth == 0 || random_below(6) == 0) {
    if (with_index)
      dvm_text_add(t, "i");
    else if (random_below(2))
      dvm_text_add(t, "N");
    else
      dvm_text_printf(t, "%u", 1 + random_below(5));
    return;
  }
  static const char *const operators[] = {"+", "-", "*", "+", "-", "*", "/", "%"};
  unsigned form = random_below(8);
  if (form < 2) {
    dvm_text_add(t, "(");
    add_expression(t, depth - 1, with_index);
    dvm_text_add(t, ")");
  } else if (form == 2) {
    dvm_text_add(t, random_below(2) ? "- " : "+ ");
    add_expression(t, depth - 1, with_index);
  } else {
    bool left = random_below(2);
    add_expression(t, depth - 1, with_index && left);
    dvm_text_printf(t, " %s ", operators[random_below(8)]);
    add_expression(t, depth - 1, with_index && !left);
  }
}

/* ---- the comparison ---- */

static void check_value(const struct dvm_token *tokens, const struct dvm_axis *a, long long i, const char *text) {
  struct value v = evaluate(tokens, a->expr, i);
  long long coef = a->coef.count ? evaluate(tokens, a->coef, 0).n : 1;
  long long add = a->add.count ? evaluate(tokens, a->add, 0).n : 0;
  long long n = (a->negative_coef ? -coef : coef) * i + (a->negative_add ? -add : add);
  if (v.n != n)
    fail_msg("'%s' is %lld at i=%lld, but coef and add give %lld", text, v.n, i, n);
}

static void check_axis(const struct dvm_token *tokens, const struct dvm_axis *a, const char *text) {
  struct value v = evaluate(tokens, a->expr, 1);
  assert_int_equal(a->index, 0);
  assert_true(tokens[a->index_token].text[0] == 'i');
  if (a->affine != v.affine)
    fail_msg("'%s' is taken to be %s", text, a->affine ? "affine" : "not affine");
  assert_true(a->kind == DVM_AXIS_AFFINE || a->kind == DVM_AXIS_OTHER);
  assert_true(a->affine || a->kind == DVM_AXIS_OTHER);
  for (long long i = -3; a->kind == DVM_AXIS_AFFINE && !v.wrong && i <= 3; i++)
    check_value(tokens, a, i, text);
}

static void random_subscripts_agree_with_the_twin(void **state) {
  (void)state;
  unsigned kinds[2] = {0, 0}, affine = 0;
  random_state = SEED;
  for (int n = 0; n < EXPRESSIONS; n++) {
    struct dvm_text t = DVM_TEXT_INIT;
    struct dvm_token *tokens;
    size_t ntokens;
    struct dvm_parse_error error;
    struct dvm_directive *d;
    dvm_text_add(&t, "parallel([i] on A[");
    add_expression(&t, 1 + (int)random_below(5), true);
    dvm_text_add(&t, "])");
    assert_int_equal(dvm_directive_lex(t.s, t.len, &tokens, &ntokens, &error), 0);
    assert_int_equal(dvm_directive_parse(tokens, ntokens, t.len, &d, &error), 0);
    const struct dvm_axis *a = &d->target.axes[0];
    check_axis(tokens, a, t.s);
    kinds[a->kind == DVM_AXIS_OTHER]++;
    affine += a->affine;
    dvm_directive_destroy(d);
    free(tokens);
    dvm_text_fini(&t);
  }
  print_message("seed %u: %u of one coef and add, %u others, %u affine\n", SEED, kinds[0], kinds[1], affine);
  assert_true(kinds[0] > EXPRESSIONS / 4 && kinds[1] > EXPRESSIONS / 4 && affine > kinds[0]);
}

/* What has an operator that the twin does not know is not affine, or leaves the index alone. */
static void other_operators_are_not_affine(void **state) {
  (void)state;
  static const char *const others[] = {"i << 1",    "1 << i",    "i & 3",  "i | 1",      "i ^ 1",      "i < 3",  "i == 3",     "i ? 1 : 2",
                                       "k ? i : 2", "i++",       "--i",    "f(i)",       "B[i]",       "(int)i", "(int)-i",    "(long)(i)",
                                       "sizeof i",  "sizeof(i)", "i = 2",  "i + 1 << 2", "N << 2 + i", "~i",     "!i",         "*i",
                                       "&i",        "i.x",       "i->x",   "i + i",      "i - i + i",  "i +",    "i *",        "- i -",
                                       "i i",       "i(2)",      "(i)(2)", "(2)(i)",     "i \"a\"",    "{i}",    "(i + 1, 2)", "i + 2 > 3"};
  for (size_t n = 0; n < sizeof others / sizeof *others; n++) {
    char text[80];
    struct dvm_token *tokens;
    size_t ntokens;
    struct dvm_parse_error error;
    struct dvm_directive *d;
    snprintf(text, sizeof text, "parallel([i] on A[%s])", others[n]);
    assert_int_equal(dvm_directive_lex(text, strlen(text), &tokens, &ntokens, &error), 0);
    assert_int_equal(dvm_directive_parse(tokens, ntokens, strlen(text), &d, &error), 0);
    if (d->target.axes[0].kind != DVM_AXIS_OTHER || d->target.axes[0].affine)
      fail_msg("'%s' is taken to be affine", others[n]);
    dvm_directive_destroy(d);
    free(tokens);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_subscripts_agree_with_the_twin),
      cmocka_unit_test(other_operators_are_not_affine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
