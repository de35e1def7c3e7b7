/* Is a subscript 'coef * index + add'?  No tree of the expression is built: the tokens are split at '+' and '-', the
 * term with the index at '*', and a bracket around the index is entered.  What has no index is left to the compiler. */
#include "pass/directive/parse.h"

struct subscript {
  const struct dvm_parser *p;
  struct dvm_axis *axis;
  bool one_form; /* so far: one 'coef' and one 'add' say it all */
};

static bool is(const struct subscript *s, unsigned at, const char *punct) { return dvm_token_is(&s->p->tokens[at], punct); }
static bool is_sign(const struct subscript *s, unsigned at) { return is(s, at, "+") || is(s, at, "-"); }
static unsigned end_of(struct dvm_range r) { return r.first + r.count; }
static struct dvm_range range_of(unsigned first, unsigned end) { return (struct dvm_range){first, end - first}; }

/* Number of the index named by the token, or -1. */
static int index_of(const struct dvm_parser *p, unsigned at) {
  const struct dvm_token *t = &p->tokens[at];
  if (t->kind != DVM_TOK_WORD)
    return -1;
  if (at && (dvm_token_is(t - 1, ".") || dvm_token_is(t - 1, "->")))
    return -1; /* a member of that name */
  for (unsigned i = 0; i < p->d->nnames; i++)
    if (p->d->names[i] != (unsigned)-1 && dvm_token_equal(t, &p->tokens[p->d->names[i]]))
      return (int)i;
  return -1;
}

/* Counts the index names in the expression and notes the first. */
static unsigned count_indices(const struct dvm_parser *p, struct dvm_axis *axis) {
  unsigned found = 0;
  for (unsigned at = axis->expr.first; at < end_of(axis->expr); at++) {
    int index = index_of(p, at);
    if (index >= 0 && !found++) {
      axis->index = (unsigned)index;
      axis->index_token = at;
    }
  }
  return found;
}

static bool opens(const struct subscript *s, unsigned at) { return dvm_token_opens(&s->p->tokens[at]); }

/* The token after the bracket that opens at 'at'; brackets are balanced here. */
static unsigned past_bracket(const struct subscript *s, unsigned at) {
  unsigned depth = 0;
  do
    depth += opens(s, at) ? 1 : dvm_token_bracket(&s->p->tokens[at]) ? -1u : 0;
  while (at++, depth);
  return at;
}

/* '(unsigned long)': what follows it is an operand, not an operator.  A type that only the compiler knows is not seen.
 */
static bool is_cast(const struct subscript *s, struct dvm_range bracket) {
  static const char *const types[] = {"int",    "long",  "short",  "unsigned", "signed",   "char",
                                      "double", "float", "size_t", "ssize_t",  "ptrdiff_t"};
  const struct dvm_token *t = &s->p->tokens[bracket.first + 1];
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (bracket.count > 2 && dvm_token_is_word(t, types[i], false))
      return true;
  return false;
}

/* The last binary operator before the index and the first one after it, outside of brackets, of those that are looked
 * for
 * ('+' and '-', or '*', '/' and '%').  'none' where there is no such. */
struct split {
  unsigned before, after;
  bool strange; /* an operator that cannot stand in a subscript of the forms sought */
};
#define NONE ((unsigned)-1)

static struct split split_at(const struct subscript *s, struct dvm_range r, bool (*sought)(const struct subscript *, unsigned)) {
  struct split found = {NONE, NONE, false};
  bool operand = false; /* does an operand end just before 'at'? */
  for (unsigned at = r.first; at < end_of(r);) {
    if (opens(s, at)) {
      struct dvm_range bracket = range_of(at, past_bracket(s, at));
      operand = !is_cast(s, bracket);
      at = end_of(bracket);
      continue;
    }
    bool member = is(s, at, ".") || is(s, at, "->");
    if (operand && sought(s, at)) {
      if (at < s->axis->index_token)
        found.before = at;
      else if (found.after == NONE)
        found.after = at;
    }
    bool punct = s->p->tokens[at].kind == DVM_TOK_PUNCT;
    bool known = is_sign(s, at) || is(s, at, "*") || is(s, at, "/") || is(s, at, "%") || is(s, at, "~") || is(s, at, "!");
    found.strange |= punct && !member && !known; /* '<<', '?', '++': binds otherwise, or has an effect */
    operand = !punct;
    at++;
  }
  return found;
}

static bool is_product(const struct subscript *s, unsigned at) { return is(s, at, "*") || is(s, at, "/") || is(s, at, "%"); }
static bool is_division(const struct subscript *s, unsigned at) { return is(s, at, "/") || is(s, at, "%"); }

/* Takes the signs before 'r' off and returns whether they negate it. */
static bool take_signs(const struct subscript *s, struct dvm_range *r) {
  bool negative = false;
  for (; r->count && is_sign(s, r->first); r->first++, r->count--)
    negative ^= is(s, r->first, "-");
  return negative;
}

/* A part of the sum without the index; false if it is empty, as in 'i +'.  Its leading sign is taken off where that
 * leaves the rest its meaning. */
static bool add_part(struct subscript *s, struct dvm_range part, bool negative) {
  struct dvm_axis *axis = s->axis;
  struct dvm_range bare = part;
  bool minus = take_signs(s, &bare);
  if (!bare.count)
    return false;
  struct split inside = split_at(s, bare, is_sign);
  if (!minus || (inside.before == NONE && inside.after == NONE))
    part = bare, negative ^= minus;
  if (axis->add.count || axis->coef.count) /* a second part, or one that is multiplied */
    s->one_form = false;
  axis->add = part;
  axis->negative_add = negative;
  return true;
}

static bool multiply(struct subscript *s, struct dvm_range factor) {
  if (s->axis->coef.count)
    s->one_form = false;
  s->axis->coef = factor;
  return factor.count != 0;
}

/* Takes from the sum 'r' all but the term with the index. */
static bool take_term(struct subscript *s, struct dvm_range *r, bool negative) {
  struct split sum = split_at(s, *r, is_sign);
  unsigned first = sum.before == NONE ? r->first : sum.before, end = sum.after == NONE ? end_of(*r) : sum.after;
  if (sum.strange || (sum.before != NONE && !add_part(s, range_of(r->first, first), negative)) ||
      (sum.after != NONE && !add_part(s, range_of(end, end_of(*r)), negative)))
    return false;
  *r = range_of(first, end);
  return true;
}

/* Takes from the product 'r' all but the factor with the index; a division may only stand before it, 'N / 2 * i'. */
static bool take_factor(struct subscript *s, struct dvm_range *r) {
  struct split product = split_at(s, *r, is_product);
  unsigned first = r->first, end = end_of(*r);
  if (product.before != NONE) {
    if (!is(s, product.before, "*") || !multiply(s, range_of(first, product.before)))
      return false;
    first = product.before + 1;
  }
  if (product.after != NONE) {
    for (unsigned at = product.after; at < end; at = opens(s, at) ? past_bracket(s, at) : at + 1)
      if (is_division(s, at))
        return false;
    if (!multiply(s, range_of(product.after + 1, end)))
      return false;
    end = product.after;
  }
  *r = range_of(first, end);
  return true;
}

/* Returns false if the expression is not affine.  Each round enters one pair of brackets. */
static bool analyse(struct subscript *s) {
  struct dvm_range r = s->axis->expr;
  for (bool negative = false;;) {
    if (!take_term(s, &r, negative))
      return false;
    negative ^= take_signs(s, &r);
    if (!take_factor(s, &r))
      return false;
    negative ^= take_signs(s, &r);
    if (r.count == 1) { /* it holds the index, so it is the index */
      s->axis->negative_coef = negative;
      return true;
    }
    if (!is(s, r.first, "(") || past_bracket(s, r.first) != end_of(r))
      return false;
    r = range_of(r.first + 1, end_of(r) - 1);
  }
}

void dvm_parse_affine(const struct dvm_parser *p, struct dvm_axis *axis) {
  unsigned indices = count_indices(p, axis);
  if (!indices) {
    axis->kind = DVM_AXIS_EXPR;
    return;
  }
  struct subscript s = {p, axis, true};
  axis->affine = indices == 1 && analyse(&s);
  axis->kind = axis->affine && s.one_form ? DVM_AXIS_AFFINE : DVM_AXIS_OTHER;
  if (axis->kind == DVM_AXIS_OTHER) {
    axis->coef = axis->add = (struct dvm_range){0, 0};
    axis->negative_coef = axis->negative_add = false;
  }
}
