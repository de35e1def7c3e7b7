/* Ranks that take turns in the order of the loops must agree on the values that these take.  Of a loop that goes along a dimension the
 * parts say it; of another one only the program's text, whose bounds may depend on the loops around it.  So each rank executes the heads of
 * the loops once, all values of each, and no iteration.  So it is found, too, which way a loop of Fortran goes. */
#include "runtime/parallel/abi.h"
#include "runtime/parallel/across.h"
#include "runtime/parallel/across_inside.h"
#include "runtime/parallel/across_pieces.h"
#include "runtime/parallel/job.h"
#include "runtime/export.h"
#include <string.h>

bool dvmp_across_has_place(const struct dvmp_construct *c, int k) {
  for (int r = 0; r < c->layout.ndims; r++)
    if (c->layout.at[r].kind == DVMRT_COORD_AFFINE && c->layout.at[r].index == k && c->layout.at[r].coef)
      return true;
  return false;
}

/* In Fortran the step alone says which way a loop goes: the innermost one whose step only the run knows; -1: none. */
static int last_of_open_step(const struct dvmp_construct *c) {
  int k = c->d->fortran ? c->d->rank - 1 : -1;
  while (k >= 0 && dvmrt_num_value(c->d->step[k], c->args))
    k--;
  return k;
}

static bool has_location(const struct dvmp_construct *c) {
  for (const struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find((struct dvmrt_item *)i, DVMRT_DIRECTIVE_REDUCTION)); i = i->next)
    if (!strcmp(i->word, "maxloc") || !strcmp(i->word, "minloc"))
      return true;
  return false;
}

/* The innermost loop along no dimension with one inside of it that goes along a dimension; -1: none. */
static int last_without_place(const struct dvmp_construct *c) {
  int k = c->d->rank - 1;
  while (k >= 0 && !dvmp_across_has_place(c, k))
    k--;
  while (k >= 0 && dvmp_across_has_place(c, k))
    k--;
  return k;
}

bool dvmp_across_asks(struct dvmp_construct *c) {
  c->last_asked = -1;
  if (!c->d->parallel || !c->inside)
    return false;
  bool across = dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_ACROSS);
  int open = across || has_location(c) ? last_of_open_step(c) : -1;
  if (across && (dvmp_across_form(c) != 'a' || dvmp_pieces_dim(c) >= 0))
    c->last_asked = last_without_place(c);
  c->last_asked = open > c->last_asked ? open : c->last_asked;
  return c->asks = c->last_asked >= 0;
}

void dvmp_across_ask(struct dvmp_construct *c, int64_t *clamps) {
  for (int k = 0; k < c->d->rank; k++) {
    clamps[4 * k] = DVMP_ASKS;
    clamps[4 * k + 1] = DVMP_NO_HIGH;
    clamps[4 * k + 2] = c->whole[k].n ? c->whole[k].at[0].low : 1;
    clamps[4 * k + 3] = c->whole[k].n ? c->whole[k].at[0].high : 0;
  }
}

static void add_values(struct dvmp_told *v, int64_t low, int64_t high) {
  if (low > high)
    return;
  v->low = v->any && v->low < low ? v->low : low;
  v->high = v->any && v->high > high ? v->high : high;
  v->any = true;
}

DVMRT_EXPORT int __dvmp_loop(struct dvmrt_site *site, const void *frame, uint32_t index, int64_t start, int64_t end, int64_t way) {
  struct dvmp_construct *c = dvmp_construct_top();
  if (!c || !c->asks || c->site != site || c->frame != frame)
    return 0;
  struct dvmp_told *v = &c->values[index];
  v->unknown |= !way;
  v->up |= way > 0;
  v->down |= way < 0;
  if (way)
    add_values(v, way > 0 ? start : end, way > 0 ? end : start);
  return (int)index >= c->last_asked;
}

struct dvmp_list dvmp_across_values(struct dvmp_construct *c, int k) {
  const struct dvmp_told *v = &c->values[k];
  return v->any ? dvmp_list_of(&c->memory, v->low, v->high) : (struct dvmp_list){0, NULL};
}
