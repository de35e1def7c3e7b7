/* The clauses: a row each, with the directives that take it. */
#include <stdio.h>
#include <string.h>

#include "pass/directive/parse.h"

#define OF_PARALLEL 1u
#define OF_REGION 2u
#define OF_SHADOW_ADD 4u
#define OF_TASK_REGION 8u

typedef bool parse_clause_f(struct dvm_parser *p, struct dvm_clause *clause);

static bool parse_clause_refs(struct dvm_parser *p, struct dvm_clause *c, enum dvm_ref_place place, bool may_be_empty) {
  struct dvm_ref_list list = {place, &c->nrefs, &c->refs};
  return dvm_parse_take(p, "(", "after") && dvm_parse_items(p, may_be_empty, dvm_parse_ref_item, &list);
}

/* Programs made by other tools have empty lists here. */
static bool parse_names(struct dvm_parser *p, struct dvm_clause *c) { return parse_clause_refs(p, c, DVM_REF_NAME, true); }
static bool parse_subarrays(struct dvm_parser *p, struct dvm_clause *c) { return parse_clause_refs(p, c, DVM_REF_SUBARRAY, true); }
static bool parse_edges(struct dvm_parser *p, struct dvm_clause *c) { return parse_clause_refs(p, c, DVM_REF_EDGES, false); }

/* ( [group:] A[..] ,.. ) */
static bool parse_remote(struct dvm_parser *p, struct dvm_clause *c) {
  struct dvm_ref_list list = {DVM_REF_SECTION, &c->nrefs, &c->refs};
  return dvm_parse_take(p, "(", "after") && dvm_parse_group_before(p, &c->group) && dvm_parse_items(p, false, dvm_parse_ref_item, &list);
}

/* Without a list all that the loop writes is meant. */
static bool parse_compute(struct dvm_parser *p, struct dvm_clause *c) {
  return !dvm_parse_at(p, "(") || parse_clause_refs(p, c, DVM_REF_EDGES, false);
}
static bool parse_axes(struct dvm_parser *p, struct dvm_clause *c) { return parse_clause_refs(p, c, DVM_REF_AXES, false); }

/* [out:] A[l:h].. */
static bool parse_across_item(struct dvm_parser *p, void *clause) {
  struct dvm_clause *c = clause;
  struct dvm_ref ref;
  bool out = dvm_parse_at_this_word(p, "out") && dvm_parse_at_ahead(p, 1, ":");
  if (out)
    p->pos += 2;
  if (!dvm_parse_ref(p, DVM_REF_WIDTHS, &ref))
    return false;
  ref.out = out;
  return DVM_PARSE_PUSH(p, c->refs, c->nrefs, ref);
}

static bool parse_across(struct dvm_parser *p, struct dvm_clause *c) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_items(p, false, parse_across_item, c);
}

/* [] or an index of the nest, perhaps with '-': the direction of the loop along the dimension. */
static bool is_direction(const struct dvm_axis *axis) {
  return axis->kind == DVM_AXIS_EMPTY || (axis->kind == DVM_AXIS_AFFINE && !axis->coef.count && !axis->add.count);
}

static bool parse_tie(struct dvm_parser *p, struct dvm_clause *c) {
  if (!p->d->nnames)
    return dvm_parse_fail(p, c->word, "'tie' needs a 'parallel' that names its indices");
  if (!parse_axes(p, c))
    return false;
  for (unsigned i = 0; i < c->nrefs; i++)
    for (unsigned k = 0; k < c->refs[i].naxes; k++)
      if (!is_direction(&c->refs[i].axes[k])) {
        p->pos = c->refs[i].axes[k].expr.first;
        return dvm_parse_expected(p, "an index of 'parallel', '-' and an index, or nothing in 'tie'");
      }
  return true;
}

static bool parse_expr_item(struct dvm_parser *p, void *clause) {
  struct dvm_clause *c = clause;
  struct dvm_range expr;
  return dvm_parse_expr(p, "an expression", &expr) && DVM_PARSE_PUSH(p, c->exprs, c->nexprs, expr);
}

static bool parse_cuda_block(struct dvm_parser *p, struct dvm_clause *c) {
  if (!dvm_parse_take(p, "(", "after") || !dvm_parse_items(p, false, parse_expr_item, c))
    return false;
  return c->nexprs <= 3 || dvm_parse_fail(p, c->exprs[3].first, "'cuda_block' takes at most 3 sizes");
}

static bool parse_stage(struct dvm_parser *p, struct dvm_clause *c) {
  return dvm_parse_take(p, "(", "after") && parse_expr_item(p, c) && dvm_parse_take(p, ")", "after the expression in");
}

static bool unknown_target(struct dvm_parser *p) {
  static const char *const words[] = {"host", "cuda", NULL};
  dvm_parse_expected(p, "'HOST' or 'CUDA' in 'targets'");
  dvm_parse_suggest(p, p->pos, words);
  for (char *c = p->error->suggestion; *c; c++)
    *c -= 'a' - 'A'; /* as the documents write it */
  return false;
}

static bool parse_target_item(struct dvm_parser *p, void *clause) {
  struct dvm_clause *c = clause;
  struct dvm_range word = {p->pos, 1};
  if (dvm_parse_at_end(p) || !(dvm_token_is_word(&p->tokens[p->pos], "host", true) || dvm_token_is_word(&p->tokens[p->pos], "cuda", true)))
    return unknown_target(p);
  p->pos++;
  return DVM_PARSE_PUSH(p, c->exprs, c->nexprs, word);
}

static bool parse_targets(struct dvm_parser *p, struct dvm_clause *c) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_items(p, false, parse_target_item, c);
}

/* ---- reduction ---- */

static const struct reduction_row {
  const char *word;
  enum dvm_reduction_op op;
  bool has_loc;
  const char *sign; /* what people used to OpenMP write; "" = none */
} reduction_rows[] = {
    {"sum", DVM_RED_SUM, false, "+"}, {"product", DVM_RED_PRODUCT, false, "*"}, {"max", DVM_RED_MAX, false, ""},
    {"min", DVM_RED_MIN, false, ""},  {"and", DVM_RED_AND, false, "&"},         {"or", DVM_RED_OR, false, "|"},
    {"xor", DVM_RED_XOR, false, "^"}, {"maxloc", DVM_RED_MAXLOC, true, ""},     {"minloc", DVM_RED_MINLOC, true, ""},
};
#define NREDUCTIONS (sizeof reduction_rows / sizeof *reduction_rows)

const char *dvm_reduction_name(enum dvm_reduction_op op) {
  for (size_t i = 0; i < NREDUCTIONS; i++)
    if (reduction_rows[i].op == op)
      return reduction_rows[i].word;
  return "?";
}

static const struct reduction_row *find_reduction(const struct dvm_token *t) {
  for (size_t i = 0; i < NREDUCTIONS; i++)
    if (dvm_token_is_word(t, reduction_rows[i].word, false))
      return &reduction_rows[i];
  return NULL;
}

static bool unknown_reduction(struct dvm_parser *p) {
  const char *words[NREDUCTIONS + 1] = {0};
  for (size_t i = 0; i < NREDUCTIONS; i++)
    words[i] = reduction_rows[i].word;
  dvm_parse_expected(p, "an operation (sum, product, max, min, and, or, xor, maxloc, minloc) in 'reduction'");
  dvm_parse_suggest(p, p->pos, words);
  for (size_t i = 0; i < NREDUCTIONS; i++)
    if (reduction_rows[i].sign[0] && dvm_parse_at(p, reduction_rows[i].sign))
      strcpy(p->error->suggestion, reduction_rows[i].word);
  return false;
}

static bool is_one_of(const struct dvm_token *t, const char *const *marks) {
  for (; *marks; marks++)
    if (dvm_token_is(t, *marks))
      return true;
  return false;
}

/* Something that can be assigned: the compiler would speak of the address that we take of it. */
static bool parse_variable(struct dvm_parser *p, const char *what, struct dvm_range *var) {
  static const char *const operators[] = {"+", "-", "/",  "%",  "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&",
                                          "^", "|", "&&", "||", "?",  "=",  "*", "!", "~",  "++", "--", NULL};
  static const char *const open[] = {"(", "[", NULL}, *const close[] = {")", "]", NULL};
  unsigned start = p->pos;
  int depth = 0;
  if (!dvm_parse_expr(p, what, var))
    return false;
  for (unsigned i = start; i < start + var->count; i++) {
    const struct dvm_token *t = &p->tokens[i];
    depth += is_one_of(t, open) - is_one_of(t, close);
    bool wrong = i == start ? t->kind == DVM_TOK_NUMBER || t->kind == DVM_TOK_STRING || t->kind == DVM_TOK_CHAR
                            : depth == 0 && is_one_of(t, operators) && !(dvm_token_is(t, "*") && dvm_token_is(&p->tokens[i - 1], "*"));
    if (!wrong)
      continue;
    p->pos = i;
    return dvm_parse_expected(p, "%s in '%s'", what, p->where);
  }
  return true;
}

/* , loc [, len] */
static bool parse_location(struct dvm_parser *p, struct dvm_reduction *red) {
  if (!dvm_parse_take(p, ",", "and the variable of the location in") || !parse_variable(p, "the variable of the location", &red->loc))
    return false;
  if (!dvm_parse_at(p, ","))
    return true;
  p->pos++;
  return dvm_parse_expr(p, "the number of elements of the location", &red->len);
}

static bool parse_reduction_item(struct dvm_parser *p, void *clause) {
  struct dvm_clause *c = clause;
  const struct reduction_row *row = dvm_parse_at_word(p) ? find_reduction(&p->tokens[p->pos]) : NULL;
  if (!row)
    return unknown_reduction(p);
  struct dvm_reduction red = {.op = row->op, .op_token = p->pos++};
  const char *where = p->where;
  p->where = row->word;
  if (!dvm_parse_take(p, "(", "after") || !parse_variable(p, "a variable", &red.var) || (row->has_loc && !parse_location(p, &red)) ||
      !dvm_parse_take(p, ")", "after the variable of"))
    return false;
  p->where = where;
  return DVM_PARSE_PUSH(p, c->reductions, c->nreductions, red);
}

static bool parse_reduction(struct dvm_parser *p, struct dvm_clause *c) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_group_before(p, &c->group) && dvm_parse_items(p, false, parse_reduction_item, c);
}

/* ---- groups ---- */

bool dvm_parse_group_before(struct dvm_parser *p, unsigned *group) {
  if (!dvm_parse_at_word(p) || !dvm_parse_at_ahead(p, 1, ":"))
    return true;
  *group = p->pos;
  p->pos += 2;
  return true;
}

bool dvm_parse_group(struct dvm_parser *p, unsigned *group) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_take_name(p, "the name of a group", group) &&
         dvm_parse_take(p, ")", "after the name of the group in");
}

static bool parse_clause_group(struct dvm_parser *p, struct dvm_clause *c) { return dvm_parse_group(p, &c->group); }

/* ---- the table ---- */

static bool parse_nothing(struct dvm_parser *p, struct dvm_clause *c) {
  (void)p;
  (void)c;
  return true;
}

static const struct clause_row {
  const char *word;
  enum dvm_clause_kind kind;
  unsigned of;
  bool once;
  parse_clause_f *parse;
} clause_rows[] = {
    {"private", DVM_CL_PRIVATE, OF_PARALLEL, false, parse_names},
    {"reduction", DVM_CL_REDUCTION, OF_PARALLEL | OF_TASK_REGION, false, parse_reduction},
    {"shadow_renew", DVM_CL_SHADOW_RENEW, OF_PARALLEL, false, parse_edges},
    {"across", DVM_CL_ACROSS, OF_PARALLEL, false, parse_across},
    {"remote_access", DVM_CL_REMOTE_ACCESS, OF_PARALLEL, false, parse_remote},
    {"cuda_block", DVM_CL_CUDA_BLOCK, OF_PARALLEL, true, parse_cuda_block},
    {"stage", DVM_CL_STAGE, OF_PARALLEL, true, parse_stage},
    {"tie", DVM_CL_TIE, OF_PARALLEL, false, parse_tie},
    {"shadow_start", DVM_CL_SHADOW_START, OF_PARALLEL, false, parse_clause_group},
    {"shadow_wait", DVM_CL_SHADOW_WAIT, OF_PARALLEL, false, parse_clause_group},
    {"in", DVM_CL_IN, OF_REGION, false, parse_subarrays},
    {"out", DVM_CL_OUT, OF_REGION, false, parse_subarrays},
    {"local", DVM_CL_LOCAL, OF_REGION, false, parse_subarrays},
    {"inout", DVM_CL_INOUT, OF_REGION, false, parse_subarrays},
    {"inlocal", DVM_CL_INLOCAL, OF_REGION, false, parse_subarrays},
    {"async", DVM_CL_ASYNC, OF_REGION, false, parse_nothing},
    {"targets", DVM_CL_TARGETS, OF_REGION, false, parse_targets},
    {"include_to", DVM_CL_INCLUDE_TO, OF_SHADOW_ADD, false, parse_names},
    {"consistent", DVM_CL_CONSISTENT, OF_PARALLEL, false, parse_axes},
    {"shadow_compute", DVM_CL_SHADOW_COMPUTE, OF_PARALLEL, false, parse_compute},
};
#define NCLAUSES (sizeof clause_rows / sizeof *clause_rows)

static const struct owner_row {
  enum dvm_directive_kind kind;
  unsigned bit;
} owner_rows[] = {{DVM_DIR_PARALLEL, OF_PARALLEL},
                  {DVM_DIR_REGION, OF_REGION},
                  {DVM_DIR_SHADOW_ADD, OF_SHADOW_ADD},
                  {DVM_DIR_TASK_REGION, OF_TASK_REGION}};
#define NOWNERS (sizeof owner_rows / sizeof *owner_rows)

static unsigned owner_bit(enum dvm_directive_kind kind) {
  for (size_t i = 0; i < NOWNERS; i++)
    if (owner_rows[i].kind == kind)
      return owner_rows[i].bit;
  return 0;
}

bool dvm_directive_has_clauses(enum dvm_directive_kind kind) { return owner_bit(kind) != 0; }

const char *dvm_clause_name(enum dvm_clause_kind kind) {
  for (size_t i = 0; i < NCLAUSES; i++)
    if (clause_rows[i].kind == kind)
      return clause_rows[i].word;
  return "?";
}

static const struct clause_row *find_clause(const struct dvm_token *t) {
  for (size_t i = 0; i < NCLAUSES; i++)
    if (dvm_token_is_word(t, clause_rows[i].word, false))
      return &clause_rows[i];
  return NULL;
}

const char *dvm_clause_owner(const struct dvm_token *word) {
  const struct clause_row *row = find_clause(word);
  for (size_t i = 0; row && i < NOWNERS; i++)
    if (owner_rows[i].bit == row->of)
      return dvm_directive_name(owner_rows[i].kind);
  return NULL;
}

/* "private, reduction, .." */
static void list_clauses(const char *const *words, char *out, size_t size) {
  size_t used = 0;
  for (size_t i = 0; words[i] && used < size; i++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", words[i]);
}

static bool unknown_clause(struct dvm_parser *p, unsigned of, bool may_end) {
  const char *words[NCLAUSES + 1] = {0};
  size_t n = 0;
  for (size_t i = 0; i < NCLAUSES; i++)
    if (clause_rows[i].of & of)
      words[n++] = clause_rows[i].word;
  const struct dvm_token *t = dvm_parse_at_word(p) ? &p->tokens[p->pos] : NULL;
  const char *owner = t ? dvm_clause_owner(t) : NULL;
  if (owner)
    return dvm_parse_fail(p, p->pos, "'%.*s' is a clause of '%s', not of '%s'", (int)t->len, t->text, owner, p->where);
  dvm_parse_expected(p, "%sa clause of '%s'", may_end ? "the end or " : "", p->where);
  dvm_parse_suggest(p, p->pos, words);
  if (!t || p->error->suggestion[0])
    return false;
  char list[192];
  list_clauses(words, list, sizeof list);
  return dvm_parse_expected(p, "a clause of '%s' (%s)", p->where, list);
}

static bool is_given(const struct dvm_directive *d, enum dvm_clause_kind kind) {
  for (unsigned i = 0; i < d->nclauses; i++)
    if (d->clauses[i].kind == kind)
      return true;
  return false;
}

static bool parse_clause(struct dvm_parser *p, unsigned of, bool may_end) {
  const struct clause_row *row = dvm_parse_at_word(p) ? find_clause(&p->tokens[p->pos]) : NULL;
  if (!row || !(row->of & of))
    return unknown_clause(p, of, may_end);
  if (row->once && is_given(p->d, row->kind))
    return dvm_parse_fail(p, p->pos, "'%s' is given twice", row->word);
  struct dvm_clause clause = {.kind = row->kind, .word = p->pos++};
  const char *directive = p->where;
  p->where = row->word;
  if (!row->parse(p, &clause))
    return false;
  p->where = directive;
  return DVM_PARSE_PUSH(p, p->d->clauses, p->d->nclauses, clause);
}

bool dvm_parse_clauses(struct dvm_parser *p) {
  unsigned of = owner_bit(p->d->kind);
  while (!dvm_parse_at_end(p)) {
    bool comma = dvm_parse_at(p, ",");
    p->pos += comma;
    if (!parse_clause(p, of, !comma && !dvm_parse_at_word(p)))
      return false;
  }
  return true;
}
