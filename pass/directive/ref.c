/* Variables named in a directive, with the subscripts or widths that their place takes. */
#include <string.h>

#include "pass/directive/parse.h"

bool dvm_parse_too_many_dimensions(struct dvm_parser *p) {
  return dvm_parse_fail(p, p->pos, "more than %d dimensions in '%s'", DVM_NDIMS_MAX, p->where);
}

/* [l:h], with either bound left out. */
static bool parse_range_rest(struct dvm_parser *p, bool ranges, struct dvm_axis *axis) {
  if (!ranges)
    return dvm_parse_fail(p, p->pos, "a range cannot appear in '%s'; '[]' takes the whole dimension", p->where);
  p->pos++;
  axis->kind = DVM_AXIS_RANGE;
  return dvm_parse_expr_or_nothing(p, &axis->high) && dvm_parse_take(p, "]", "after the bounds in");
}

static bool parse_axis(struct dvm_parser *p, bool ranges, struct dvm_axis *axis) {
  memset(axis, 0, sizeof *axis);
  axis->kind = DVM_AXIS_EMPTY;
  axis->bracket = p->pos++;
  if (dvm_parse_at(p, "*") && dvm_parse_at_ahead(p, 1, "]"))
    p->pos++;
  if (dvm_parse_at(p, "]")) {
    p->pos++;
    return true;
  }
  if (!dvm_parse_expr_or_nothing(p, &axis->expr))
    return false;
  if (dvm_parse_at(p, ":"))
    return parse_range_rest(p, ranges, axis);
  if (!axis->expr.count)
    return dvm_parse_expected(p, "a subscript in '%s'", p->where);
  dvm_parse_affine(p, axis);
  return dvm_parse_take(p, "]", "after the subscript in");
}

bool dvm_parse_width(struct dvm_parser *p, struct dvm_width *width) {
  memset(width, 0, sizeof *width);
  width->bracket = p->pos++;
  if (dvm_parse_at(p, "]")) {
    p->pos++;
    return true;
  }
  width->given = true;
  if (!dvm_parse_expr(p, "a width", &width->low))
    return false;
  width->high = width->low;
  if (dvm_parse_at(p, ":")) {
    p->pos++;
    if (!dvm_parse_expr(p, "a width for higher indices", &width->high))
      return false;
  }
  return dvm_parse_take(p, "]", "after the width in");
}

/* ["name", "name"..] */
static bool parse_edge_names(struct dvm_parser *p, struct dvm_ref *ref, struct dvm_width *width) {
  memset(width, 0, sizeof *width);
  width->bracket = p->pos++;
  if (ref->edge_name.count)
    return dvm_parse_fail(p, p->pos, "edges are named in two dimensions of one array in '%s'", p->where);
  ref->edge_name.first = p->pos;
  for (;;) {
    if (dvm_parse_at_end(p) || p->tokens[p->pos].kind != DVM_TOK_STRING)
      return dvm_parse_expected(p, "the name of an edge, in quotes, in '%s'", p->where);
    ref->edge_name.count = ++p->pos - ref->edge_name.first;
    if (!dvm_parse_at(p, ","))
      break;
    p->pos++;
  }
  return dvm_parse_take(p, "]", "after the name of the edge in");
}

static bool parse_bracket(struct dvm_parser *p, enum dvm_ref_place place, struct dvm_ref *ref) {
  if (ref->naxes == DVM_NDIMS_MAX)
    return dvm_parse_too_many_dimensions(p);
  if (place == DVM_REF_AXES || place == DVM_REF_SECTION || place == DVM_REF_SUBARRAY) {
    struct dvm_axis axis;
    return parse_axis(p, place == DVM_REF_SUBARRAY, &axis) && DVM_PARSE_PUSH(p, ref->axes, ref->naxes, axis);
  }
  struct dvm_width width;
  bool named = place == DVM_REF_EDGES && p->ntokens - p->pos > 1 && p->tokens[p->pos + 1].kind == DVM_TOK_STRING;
  if (!(named ? parse_edge_names(p, ref, &width) : dvm_parse_width(p, &width)))
    return false;
  return DVM_PARSE_PUSH(p, ref->widths, ref->naxes, width);
}

/* (corner) */
static bool parse_corner(struct dvm_parser *p, struct dvm_ref *ref) {
  unsigned word = ++p->pos;
  if (dvm_parse_at_end(p) || !dvm_token_is_word(&p->tokens[word], "corner", true)) {
    static const char *const words[] = {"corner", NULL};
    dvm_parse_expected(p, "'corner' in '%s'", p->where);
    dvm_parse_suggest(p, word, words);
    return false;
  }
  if (ref->edge_name.count)
    return dvm_parse_fail(p, word, "a named edge has no corner, in '%s'", p->where);
  p->pos++;
  ref->corner = true;
  return dvm_parse_take(p, ")", "after 'corner' in");
}

bool dvm_parse_ref(struct dvm_parser *p, enum dvm_ref_place place, struct dvm_ref *ref) {
  memset(ref, 0, sizeof *ref);
  if (!dvm_parse_take_name(p, place == DVM_REF_NAME ? "a name" : "the name of an array", &ref->name))
    return false;
  while (place != DVM_REF_NAME && dvm_parse_at(p, "["))
    if (!parse_bracket(p, place, ref))
      return false;
  ref->whole = (struct dvm_range){ref->name, p->pos - ref->name};
  struct dvm_quote name;
  if (place == DVM_REF_SECTION && !ref->naxes)
    return dvm_parse_expected(p, "'[' after %s in '%s' ('[]' takes a whole dimension)", dvm_token_quote(&p->tokens[ref->name], &name),
                              p->where);
  return place != DVM_REF_EDGES || !dvm_parse_at(p, "(") || parse_corner(p, ref);
}

bool dvm_parse_ref_item(struct dvm_parser *p, void *ref_list) {
  struct dvm_ref_list *list = ref_list;
  struct dvm_ref ref;
  return dvm_parse_ref(p, list->place, &ref) && DVM_PARSE_PUSH(p, *list->refs, *list->count, ref);
}

bool dvm_parse_target(struct dvm_parser *p, struct dvm_ref *ref) {
  if (!dvm_parse_ref(p, DVM_REF_AXES, ref))
    return false;
  struct dvm_quote name;
  return ref->naxes || dvm_parse_expected(p, "'[' after %s in '%s'", dvm_token_quote(&p->tokens[ref->name], &name), p->where);
}

static bool parse_index_name(struct dvm_parser *p, bool may_be_empty) {
  struct dvm_directive *d = p->d;
  struct dvm_quote name;
  p->pos++;
  d->names[d->nnames] = (unsigned)-1;
  if (dvm_parse_at_word(p)) {
    const struct dvm_token *t = &p->tokens[p->pos];
    for (unsigned i = 0; i < d->nnames; i++)
      if (d->names[i] != (unsigned)-1 && dvm_token_equal(t, &p->tokens[d->names[i]]))
        return dvm_parse_fail(p, p->pos, "index %s is named twice in '%s'", dvm_token_quote(t, &name), p->where);
    d->names[d->nnames] = p->pos++;
  } else if (!may_be_empty || !dvm_parse_at(p, "]"))
    return dvm_parse_expected(p, "the name of an index in '%s'", p->where);
  d->nnames++;
  return dvm_parse_take(p, "]", "after the name of an index in");
}

bool dvm_parse_index_names(struct dvm_parser *p, bool may_be_empty) {
  if (!dvm_parse_at(p, "["))
    return dvm_parse_expected(p, "'[' and an index in '%s'", p->where);
  while (dvm_parse_at(p, "[")) {
    if (p->d->nnames == DVM_NDIMS_MAX)
      return dvm_parse_too_many_dimensions(p);
    if (!parse_index_name(p, may_be_empty))
      return false;
  }
  return true;
}
