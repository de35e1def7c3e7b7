/* The directives: a row each, and the door of the library. */
#include "pass/directive/directive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pass/directive/parse.h"

/* What the caller holds: the directive and the memory of its arrays. */
struct owned_directive {
  struct dvm_directive d; /* first: the caller's pointer is ours */
  struct dvm_arena arena;
};

/* ---- after the directive's word ---- */

/* Without sizes it is one that is made later (redistribute). */
static bool parse_template(struct dvm_parser *p) {
  if (!dvm_parse_at_end(p) && !dvm_parse_at(p, "["))
    return dvm_parse_expected(p, "'[' and a size in 'template'");
  return dvm_parse_sizes(p) && dvm_parse_attributes(p);
}

static bool parse_task(struct dvm_parser *p) {
  if (!dvm_parse_take_name(p, "the name of a task array", &p->d->subject) || !dvm_parse_sizes(p))
    return false;
  return p->d->nsizes ? p->d->nsizes == 1 || dvm_parse_fail(p, p->d->sizes[1].first - 1, "a task array has one dimension")
                      : dvm_parse_expected(p, "'[' and the number of tasks in 'task'");
}

static bool parse_processors(struct dvm_parser *p) {
  if (!dvm_parse_take_name(p, "the name of an array of processors", &p->d->subject) || !dvm_parse_sizes(p))
    return false;
  return p->d->nsizes || dvm_parse_expected(p, "'[' and the number of processors in 'processors'");
}

static bool parse_ref_list(struct dvm_parser *p, enum dvm_ref_place place, bool may_be_empty) {
  struct dvm_ref_list list = {place, &p->d->nrefs, &p->d->refs};
  return dvm_parse_take(p, "(", "after") && dvm_parse_items(p, may_be_empty, dvm_parse_ref_item, &list);
}

static bool parse_names(struct dvm_parser *p) { return parse_ref_list(p, DVM_REF_NAME, false); }

/* ( [group:] A[..] ,.. ) */
static bool parse_remote(struct dvm_parser *p) {
  struct dvm_ref_list list = {DVM_REF_SECTION, &p->d->nrefs, &p->d->refs};
  return dvm_parse_take(p, "(", "after") && dvm_parse_group_before(p, &p->d->group) && dvm_parse_items(p, false, dvm_parse_ref_item, &list);
}

/* ( T[e] onto P[l:h] ) */
static bool parse_map(struct dvm_parser *p) {
  struct dvm_ref ref;
  if (!dvm_parse_take(p, "(", "after") || !dvm_parse_ref(p, DVM_REF_SECTION, &ref) || !DVM_PARSE_PUSH(p, p->d->refs, p->d->nrefs, ref))
    return false;
  p->d->subject = ref.name;
  if (!dvm_parse_at_this_word(p, "onto"))
    return dvm_parse_expected(p, "'onto' in 'map'");
  return dvm_parse_onto(p) && dvm_parse_take(p, ")", "after the processors in");
}

static bool parse_trace(struct dvm_parser *p) {
  static const char *const words[] = {"on", "off", NULL};
  p->d->on = dvm_parse_at_this_word(p, "on");
  if (p->d->on || dvm_parse_at_this_word(p, "off")) {
    p->pos++;
    return true;
  }
  dvm_parse_expected(p, "'on' or 'off' in 'trace'");
  dvm_parse_suggest(p, p->pos, words);
  return false;
}

/* The list may be left out: then all that can be meant is meant. */
static bool parse_actual(struct dvm_parser *p) { return dvm_parse_at_end(p) || parse_ref_list(p, DVM_REF_SUBARRAY, true); }

/* name = tokens */
static bool parse_instantiation(struct dvm_parser *p, void *unused) {
  (void)unused;
  struct dvm_ref ref = {0};
  struct dvm_range value;
  if (!dvm_parse_take_name(p, "the name of a parameter", &ref.name) || !dvm_parse_take(p, "=", "after the name of a parameter in") ||
      !dvm_parse_expr(p, "a value", &value))
    return false;
  ref.whole = (struct dvm_range){ref.name, p->pos - ref.name};
  return DVM_PARSE_PUSH(p, p->d->refs, p->d->nrefs, ref);
}

static bool parse_instantiations(struct dvm_parser *p) {
  for (;;) {
    if (!dvm_parse_take_word(p, "set") || !dvm_parse_take(p, "(", "after 'set' in") ||
        !dvm_parse_items(p, false, parse_instantiation, NULL))
      return false;
    if (dvm_parse_at_end(p))
      return true;
    if (dvm_parse_at(p, ","))
      p->pos++;
  }
}

static bool parse_parallel_indices(struct dvm_parser *p) {
  static const char *const words[] = {"on", NULL};
  if (!dvm_parse_index_names(p, false))
    return false;
  if (dvm_parse_at_this_word(p, "on")) {
    p->pos++;
    p->d->has_target = true;
    return dvm_parse_target(p, &p->d->target) && dvm_parse_take(p, ")", "after the array in");
  }
  if (!dvm_parse_at(p, ")")) {
    dvm_parse_expected(p, "'on' or ')' after the indices of 'parallel'");
    dvm_parse_suggest(p, p->pos, words);
    return false;
  }
  p->pos++;
  return true;
}

static bool parse_parallel(struct dvm_parser *p) {
  if (!dvm_parse_take(p, "(", "after"))
    return false;
  if (dvm_parse_at(p, "["))
    return parse_parallel_indices(p);
  bool name_next = p->ntokens - p->pos > 1 && dvm_token_is_word(&p->tokens[p->pos + 1], "on", false);
  if (dvm_parse_at_word(p) && (name_next || dvm_parse_at_ahead(p, 1, ",")))
    return dvm_parse_expected(p, "'[' before an index in 'parallel'");
  return dvm_parse_expr(p, "'[' and an index, or the number of loops,", &p->d->count) &&
         dvm_parse_take(p, ")", "after the number of loops in");
}

static bool parse_nothing(struct dvm_parser *p) {
  (void)p;
  return true;
}

static bool parse_on(struct dvm_parser *p) {
  p->d->has_target = true;
  return dvm_parse_take(p, "(", "after") && dvm_parse_target(p, &p->d->target) && dvm_parse_take(p, ")", "after the task in");
}

static bool parse_new_value(struct dvm_parser *p) {
  if (dvm_parse_at_end(p))
    return true;
  if (dvm_parse_at(p, ","))
    p->pos++;
  p->d->new_value = true;
  return dvm_parse_take_word(p, "new_value");
}

static bool parse_redistribute(struct dvm_parser *p) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_take_name(p, "the name of an array", &p->d->subject) && dvm_parse_distribution(p) &&
         (!dvm_parse_at_this_word(p, "onto") || dvm_parse_onto(p)) && dvm_parse_take(p, ")", "after the distribution in") &&
         parse_new_value(p);
}

static bool parse_realign(struct dvm_parser *p) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_take_name(p, "the name of an array", &p->d->subject) && dvm_parse_alignment(p) &&
         dvm_parse_take(p, ")", "after the array in") && parse_new_value(p);
}

static bool parse_interval_number(struct dvm_parser *p) {
  struct dvm_range expr;
  return dvm_parse_expr(p, "a number", &expr) && DVM_PARSE_PUSH(p, p->d->exprs, p->d->nexprs, expr);
}

static bool parse_interval(struct dvm_parser *p) { return dvm_parse_at_end(p) || parse_interval_number(p); }

static bool parse_exitinterval(struct dvm_parser *p) {
  if (!parse_interval_number(p))
    return false;
  while (dvm_parse_at(p, ",")) {
    p->pos++;
    if (!parse_interval_number(p))
      return false;
  }
  return true;
}

/* ( [group:] left = right ) or ( left => right ): two references. */
static bool parse_pair(struct dvm_parser *p, enum dvm_ref_place left, const char *arrow) {
  struct dvm_ref ref;
  if (!dvm_parse_take(p, "(", "after") || (!arrow[1] && !dvm_parse_group_before(p, &p->d->group)) || !dvm_parse_ref(p, left, &ref) ||
      !DVM_PARSE_PUSH(p, p->d->refs, p->d->nrefs, ref))
    return false;
  bool found = dvm_parse_at(p, "=") && (!arrow[1] || dvm_parse_at_ahead(p, 1, ">")); /* '=>' is two tokens of C */
  if (!found)
    return dvm_parse_expected(p, "'%s' in '%s'", arrow, p->where);
  p->pos += (unsigned)strlen(arrow);
  return dvm_parse_ref(p, DVM_REF_SUBARRAY, &ref) && DVM_PARSE_PUSH(p, p->d->refs, p->d->nrefs, ref) &&
         dvm_parse_take(p, ")", "after the array in");
}

static bool parse_array_copy(struct dvm_parser *p) { return parse_pair(p, DVM_REF_SUBARRAY, "="); }
static bool parse_localize(struct dvm_parser *p) { return parse_pair(p, DVM_REF_NAME, "=>"); }

/* A[][rule].. : one dimension has the rule of the edge, which is left unread. */
static bool parse_shadow_add_axis(struct dvm_parser *p, struct dvm_ref *ref) {
  struct dvm_axis axis = {.kind = DVM_AXIS_EMPTY, .bracket = p->pos};
  if (ref->naxes == DVM_NDIMS_MAX)
    return dvm_parse_too_many_dimensions(p);
  p->pos++;
  if (!dvm_parse_at(p, "]")) {
    axis.kind = DVM_AXIS_EXPR;
    if (!dvm_parse_unread(p, &axis.expr))
      return false;
  }
  return dvm_parse_take(p, "]", "after the rule in") && DVM_PARSE_PUSH(p, ref->axes, ref->naxes, axis);
}

static bool parse_shadow_add(struct dvm_parser *p) {
  struct dvm_ref ref = {0};
  if (!dvm_parse_take(p, "(", "after") || !dvm_parse_take_name(p, "the name of an array", &ref.name))
    return false;
  if (!dvm_parse_at(p, "["))
    return dvm_parse_expected(p, "'[' after the name of the array in 'shadow_add'");
  while (dvm_parse_at(p, "["))
    if (!parse_shadow_add_axis(p, &ref))
      return false;
  ref.whole = (struct dvm_range){ref.name, p->pos - ref.name};
  if (!dvm_parse_take(p, "=", "and the name of the edge in"))
    return false;
  if (dvm_parse_at_end(p) || p->tokens[p->pos].kind != DVM_TOK_STRING)
    return dvm_parse_expected(p, "the name of the edge, in quotes, in 'shadow_add'");
  ref.edge_name = (struct dvm_range){p->pos++, 1};
  return DVM_PARSE_PUSH(p, p->d->refs, p->d->nrefs, ref) && dvm_parse_take(p, ")", "after the name of the edge in");
}

static bool parse_shadow_group(struct dvm_parser *p) {
  struct dvm_ref_list list = {DVM_REF_EDGES, &p->d->nrefs, &p->d->refs};
  return dvm_parse_take(p, "(", "after") && dvm_parse_take_name(p, "the name of a group", &p->d->subject) &&
         dvm_parse_take(p, ":", "after the name of the group in") && dvm_parse_items(p, false, dvm_parse_ref_item, &list);
}

static bool parse_group(struct dvm_parser *p) { return dvm_parse_group(p, &p->d->subject); }

static bool parse_task_region(struct dvm_parser *p) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_take_name(p, "the name of a task array", &p->d->subject) &&
         dvm_parse_take(p, ")", "after the name of the task array in");
}

/* ---- the table ---- */

static const struct directive_row {
  const char *word;
  enum dvm_directive_kind kind;
  bool (*parse)(struct dvm_parser *p);
} directive_rows[] = {
    {"array", DVM_DIR_ARRAY, dvm_parse_attributes},
    {"template", DVM_DIR_TEMPLATE, parse_template},
    {"task", DVM_DIR_TASK, parse_task},
    {"processors", DVM_DIR_PROCESSORS, parse_processors},
    {"inherit", DVM_DIR_INHERIT, parse_names},
    {"instantiations", DVM_DIR_INSTANTIATIONS, parse_instantiations},
    {"parallel", DVM_DIR_PARALLEL, parse_parallel},
    {"region", DVM_DIR_REGION, parse_nothing},
    {"remote_access", DVM_DIR_REMOTE_ACCESS, parse_remote},
    {"host_section", DVM_DIR_HOST_SECTION, parse_nothing},
    {"task_region", DVM_DIR_TASK_REGION, parse_task_region},
    {"on", DVM_DIR_ON, parse_on},
    {"redistribute", DVM_DIR_REDISTRIBUTE, parse_redistribute},
    {"realign", DVM_DIR_REALIGN, parse_realign},
    {"actual", DVM_DIR_ACTUAL, parse_actual},
    {"get_actual", DVM_DIR_GET_ACTUAL, parse_actual},
    {"interval", DVM_DIR_INTERVAL, parse_interval},
    {"endinterval", DVM_DIR_ENDINTERVAL, parse_nothing},
    {"exitinterval", DVM_DIR_EXITINTERVAL, parse_exitinterval},
    {"array_copy", DVM_DIR_ARRAY_COPY, parse_array_copy},
    {"shadow_add", DVM_DIR_SHADOW_ADD, parse_shadow_add},
    {"localize", DVM_DIR_LOCALIZE, parse_localize},
    {"unlocalize", DVM_DIR_UNLOCALIZE, parse_names},
    {"map", DVM_DIR_MAP, parse_map},
    {"trace", DVM_DIR_TRACE, parse_trace},
    {"shadow_group", DVM_DIR_SHADOW_GROUP, parse_shadow_group},
    {"shadow_start", DVM_DIR_SHADOW_START, parse_group},
    {"shadow_wait", DVM_DIR_SHADOW_WAIT, parse_group},
    {"reduction_start", DVM_DIR_REDUCTION_START, parse_group},
    {"reduction_wait", DVM_DIR_REDUCTION_WAIT, parse_group},
    {"remote_start", DVM_DIR_REMOTE_START, parse_group},
    {"remote_wait", DVM_DIR_REMOTE_WAIT, parse_group},
    {"remote_reset", DVM_DIR_REMOTE_RESET, parse_group},
    {"copy_wait", DVM_DIR_COPY_WAIT, parse_group},
};
#define NDIRECTIVES (sizeof directive_rows / sizeof *directive_rows)

const char *dvm_directive_name(enum dvm_directive_kind kind) {
  for (size_t i = 0; i < NDIRECTIVES; i++)
    if (directive_rows[i].kind == kind)
      return directive_rows[i].word;
  return "?";
}

static const struct directive_row *find_directive(const struct dvm_token *t) {
  for (size_t i = 0; i < NDIRECTIVES; i++)
    if (dvm_token_is_word(t, directive_rows[i].word, false))
      return &directive_rows[i];
  return NULL;
}

static bool unknown_directive(struct dvm_parser *p) {
  if (!dvm_parse_at_word(p))
    return dvm_parse_expected(p, "the name of a directive");
  const struct dvm_token *t = &p->tokens[0];
  const char *attribute = dvm_attribute_find(t), *owner = attribute ? "array" : dvm_clause_owner(t);
  if (owner)
    return dvm_parse_fail(p, 0, "'%.*s' is %s of '%s', not a directive", (int)t->len, t->text, attribute ? "a part" : "a clause", owner);
  const char *words[NDIRECTIVES + 1] = {0};
  for (size_t i = 0; i < NDIRECTIVES; i++)
    words[i] = directive_rows[i].word;
  dvm_parse_expected(p, "the name of a directive");
  dvm_parse_suggest(p, 0, words);
  return false;
}

static bool parse_directive(struct dvm_parser *p) {
  const struct directive_row *row = dvm_parse_at_word(p) ? find_directive(&p->tokens[0]) : NULL;
  if (!row)
    return unknown_directive(p);
  p->d->kind = row->kind;
  p->where = row->word;
  p->pos = 1;
  if (!row->parse(p) || (dvm_directive_has_clauses(row->kind) && !dvm_parse_clauses(p)))
    return false;
  p->d->last = p->ntokens - 1;
  return dvm_parse_at_end(p) || dvm_parse_expected(p, "the end of the directive '%s'", row->word);
}

/* ---- the door ---- */

int dvm_directive_parse(const struct dvm_token *tokens, size_t ntokens, size_t end_loc, struct dvm_directive **out,
                        struct dvm_parse_error *error) {
  *out = NULL;
  memset(error, 0, sizeof *error);
  struct owned_directive *owned = calloc(1, sizeof *owned);
  if (!owned)
    return -ENOMEM;
  struct dvm_parser p = {.tokens = tokens,
                         .ntokens = (unsigned)ntokens,
                         .end_loc = end_loc,
                         .where = "",
                         .d = &owned->d,
                         .arena = &owned->arena,
                         .error = error};
  if (ntokens > DVM_TOKENS_MAX) {
    p.ntokens = DVM_TOKENS_MAX + 1;
    dvm_parse_fail(&p, DVM_TOKENS_MAX, "the directive is too long");
  } else if (parse_directive(&p)) {
    *out = &owned->d;
    return 0;
  }
  dvm_directive_destroy(&owned->d);
  return p.rc;
}

void dvm_directive_destroy(struct dvm_directive *d) {
  struct owned_directive *owned = (struct owned_directive *)d;
  if (!owned)
    return;
  dvm_arena_fini(&owned->arena);
  free(owned);
}
