/* Where data lie: distribution, alignment, sizes and shadow widths. */
#include <string.h>

#include "pass/directive/parse.h"

/* ---- distribution ---- */

struct dist_row {
  const char *word;
  enum dvm_dist_kind kind;
  enum { ARG_NONE, ARG_ONE, ARG_TWO, ARG_UNREAD } arg;
  const char *what; /* the argument, for errors */
};

static const struct dist_row dist_rows[] = {
    {"block", DVM_DIST_BLOCK, ARG_NONE, ""},
    {"*", DVM_DIST_NONE, ARG_NONE, ""},
    {"wgtblock", DVM_DIST_WGT_BLOCK, ARG_TWO, "an array of weights"},
    {"genblock", DVM_DIST_GEN_BLOCK, ARG_ONE, "an array of block sizes"},
    {"multblock", DVM_DIST_MULT_BLOCK, ARG_ONE, "a number of elements"},
    {"indirect", DVM_DIST_INDIRECT, ARG_ONE, "an array of processors"},
    {"derived", DVM_DIST_DERIVED, ARG_UNREAD, "a rule"},
};
#define NDIST_ROWS (sizeof dist_rows / sizeof *dist_rows)

const char *dvm_dist_name(enum dvm_dist_kind kind) {
  for (size_t i = 0; i < NDIST_ROWS; i++)
    if (dist_rows[i].kind == kind)
      return dist_rows[i].word;
  return "?";
}

static const struct dist_row *find_dist(const struct dvm_token *t) {
  for (size_t i = 0; i < NDIST_ROWS; i++)
    if (dvm_token_is_word(t, dist_rows[i].word, false))
      return &dist_rows[i];
  return NULL;
}

static bool unknown_dist(struct dvm_parser *p) {
  const char *words[NDIST_ROWS + 1] = {0};
  for (size_t i = 0; i < NDIST_ROWS; i++)
    words[i] = dist_rows[i].word;
  dvm_parse_expected(p, "a distribution (block, wgtblock, genblock, multblock, indirect, derived or *) in '%s'", p->where);
  dvm_parse_suggest(p, p->pos, words);
  return false;
}

static bool parse_dist_args(struct dvm_parser *p, const struct dist_row *row, struct dvm_dist *dist) {
  if (!dvm_parse_take(p, "(", "after the word"))
    return false;
  if (!(row->arg == ARG_UNREAD ? dvm_parse_unread(p, &dist->arg) : dvm_parse_expr(p, row->what, &dist->arg)))
    return false;
  if (row->arg == ARG_TWO &&
      (!dvm_parse_take(p, ",", "and the number of weights in") || !dvm_parse_expr(p, "the number of weights", &dist->arg2)))
    return false;
  return dvm_parse_take(p, ")", "after the argument of");
}

static bool parse_dist(struct dvm_parser *p, struct dvm_dist *dist) {
  *dist = (struct dvm_dist){.kind = DVM_DIST_NONE, .bracket = p->pos++};
  if (dvm_parse_at(p, "*"))
    p->pos++;
  else if (!dvm_parse_at(p, "]")) {
    const struct dist_row *row = dvm_parse_at_word(p) ? find_dist(&p->tokens[p->pos]) : NULL;
    if (!row)
      return unknown_dist(p);
    p->pos++;
    dist->kind = row->kind;
    const char *where = p->where;
    p->where = row->word;
    if (row->arg != ARG_NONE && !parse_dist_args(p, row, dist))
      return false;
    p->where = where;
  }
  return dvm_parse_take(p, "]", "after the distribution in");
}

bool dvm_parse_distribution(struct dvm_parser *p) {
  struct dvm_directive *d = p->d;
  if (!dvm_parse_at(p, "["))
    return dvm_parse_expected(p, "'[' and a distribution in '%s'", p->where);
  d->has_distribute = true;
  while (dvm_parse_at(p, "[")) {
    struct dvm_dist dist;
    if (d->ndists == DVM_NDIMS_MAX)
      return dvm_parse_too_many_dimensions(p);
    if (!parse_dist(p, &dist) || !DVM_PARSE_PUSH(p, d->dists, d->ndists, dist))
      return false;
  }
  return true;
}

/* ---- alignment and sizes ---- */

bool dvm_parse_alignment(struct dvm_parser *p) {
  p->d->has_align = p->d->has_target = true;
  return dvm_parse_index_names(p, true) && dvm_parse_take_word(p, "with") && dvm_parse_target(p, &p->d->target);
}

bool dvm_parse_sizes(struct dvm_parser *p) {
  struct dvm_directive *d = p->d;
  while (dvm_parse_at(p, "[")) {
    struct dvm_range size;
    if (d->nsizes == DVM_NDIMS_MAX)
      return dvm_parse_too_many_dimensions(p);
    p->pos++;
    if (!dvm_parse_expr(p, "a size", &size) || !dvm_parse_take(p, "]", "after the size in") ||
        !DVM_PARSE_PUSH(p, d->sizes, d->nsizes, size))
      return false;
  }
  return true;
}

/* ---- attributes of 'array' and 'template' ---- */

static bool parse_align_attribute(struct dvm_parser *p) {
  return dvm_parse_take(p, "(", "after") && dvm_parse_alignment(p) && dvm_parse_take(p, ")", "after the array in");
}

static bool parse_shadow_attribute(struct dvm_parser *p) {
  struct dvm_directive *d = p->d;
  if (!dvm_parse_at(p, "["))
    return dvm_parse_expected(p, "'[' and a width in 'shadow'");
  d->has_shadow = true;
  while (dvm_parse_at(p, "[")) {
    struct dvm_width width;
    if (d->nwidths == DVM_NDIMS_MAX)
      return dvm_parse_too_many_dimensions(p);
    if (!dvm_parse_width(p, &width) || !DVM_PARSE_PUSH(p, d->widths, d->nwidths, width))
      return false;
  }
  return true;
}

/* onto P[l:h].. */
bool dvm_parse_onto(struct dvm_parser *p) {
  if (dvm_parse_at_this_word(p, "onto"))
    p->pos++;
  p->d->has_onto = true;
  return dvm_parse_ref(p, DVM_REF_SUBARRAY, &p->d->onto);
}

static bool parse_dynamic_attribute(struct dvm_parser *p) {
  p->d->dynamic = true;
  return true;
}

static const struct attribute_row {
  const char *word;
  bool of_template; /* of 'array' they are all */
  bool (*parse)(struct dvm_parser *p);
} attribute_rows[] = {
    {"distribute", true, dvm_parse_distribution}, {"align", false, parse_align_attribute}, {"shadow", false, parse_shadow_attribute},
    {"dynamic", true, parse_dynamic_attribute},   {"onto", true, dvm_parse_onto},
};
#define NATTRIBUTES (sizeof attribute_rows / sizeof *attribute_rows)

static const struct attribute_row *find_attribute(const struct dvm_token *t) {
  for (size_t i = 0; i < NATTRIBUTES; i++)
    if (dvm_token_is_word(t, attribute_rows[i].word, false))
      return &attribute_rows[i];
  return NULL;
}

const char *dvm_attribute_find(const struct dvm_token *word) {
  const struct attribute_row *row = find_attribute(word);
  return row ? row->word : NULL;
}

static bool unknown_attribute(struct dvm_parser *p, bool of_template) {
  const char *words[NATTRIBUTES + 1] = {0};
  size_t n = 0;
  for (size_t i = 0; i < NATTRIBUTES; i++)
    if (attribute_rows[i].of_template || !of_template)
      words[n++] = attribute_rows[i].word;
  dvm_parse_expected(p, "%s in '%s'",
                     of_template ? "'distribute', 'onto' or 'dynamic'" : "'distribute', 'onto', 'align', 'shadow' or 'dynamic'", p->where);
  dvm_parse_suggest(p, p->pos, words);
  return false;
}

/* The ranks that the parts of one directive give must agree; 'rank' holds the first one, and 'by' the part that gave
 * it. */
static bool check_rank(struct dvm_parser *p, unsigned at, const char *part, unsigned given, unsigned *rank, const char **by) {
  if (!given || !*rank || given == *rank) {
    if (given && !*rank)
      *rank = given, *by = part;
    return true;
  }
  return dvm_parse_fail(p, at, "'%s' has %u dimension%s, but '%s' has %u", part, given, given == 1 ? "" : "s", *by, *rank);
}

static unsigned attribute_rank(const struct dvm_directive *d, const struct attribute_row *row) {
  if (row->parse == dvm_parse_distribution)
    return d->ndists;
  if (row->parse == parse_align_attribute)
    return d->nnames;
  return row->parse == parse_shadow_attribute ? d->nwidths : 0;
}

static bool is_repeated(struct dvm_parser *p, const struct attribute_row *row, unsigned seen) {
  unsigned bit = 1u << (row - attribute_rows);
  const unsigned place = 1u << 0 | 1u << 1; /* distribute and align */
  if (seen & bit)
    return dvm_parse_fail(p, p->pos, "'%s' is given twice", row->word), true;
  if ((bit & place) && (seen & place))
    return dvm_parse_fail(p, p->pos, "'distribute' and 'align' are mutually exclusive"), true;
  return false;
}

bool dvm_parse_attributes(struct dvm_parser *p) {
  const char *directive = p->where;
  bool of_template = p->d->kind == DVM_DIR_TEMPLATE;
  unsigned seen = 0, rank = p->d->nsizes;
  const char *by = directive;
  while (!dvm_parse_at_end(p)) {
    if ((seen || rank) && dvm_parse_at(p, ","))
      p->pos++;
    const struct attribute_row *row = dvm_parse_at_word(p) ? find_attribute(&p->tokens[p->pos]) : NULL;
    if (!row || (of_template && !row->of_template))
      return unknown_attribute(p, of_template);
    if (is_repeated(p, row, seen))
      return false;
    seen |= 1u << (row - attribute_rows);
    p->where = row->word;
    unsigned word = p->pos++;
    if (!row->parse(p) || !check_rank(p, word, row->word, attribute_rank(p->d, row), &rank, &by))
      return false;
    p->where = directive;
  }
  return true;
}
