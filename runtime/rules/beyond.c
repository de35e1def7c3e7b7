#include "runtime/rules/beyond.h"
#include "runtime/data/edges.h"
#include <string.h>

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Where an element of the edge lies along the root, seen from the part. */
static void reach(struct dvmrt_frame *f, struct dvmrt_array *a, const struct dvmrt_box *box) {
  const struct dvmrt_layout *l = dvmrt_array_layout(a);
  struct dvmrt_beyond *b = &f->beyond;
  for (int r = 0; r < f->layout.ndims && l->root == f->layout.root; r++) {
    struct dvmrt_coord at = l->at[r];
    if (!l->block[r] || at.kind != DVMRT_COORD_AFFINE || f->layout.at[r].kind == DVMRT_COORD_ALL)
      continue;
    int64_t low = box->low[at.index] * at.coef, high = box->high[at.index] * at.coef;
    b->low[r] = larger(b->low[r], at.coef < 0 ? -high : low);
    b->high[r] = larger(b->high[r], at.coef < 0 ? -low : high);
    b->any |= b->low[r] > 0 || b->high[r] > 0;
  }
}

void dvmrt_beyond_begin(struct dvmrt_frame *f) {
  memset(&f->beyond, 0, sizeof(f->beyond));
  for (struct dvmrt_item *i = f->d->items; f->on && (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_RECOMPUTE)); i = i->next) {
    struct dvmrt_array *a = dvmrt_array_of(&i->ref, f->args);
    struct dvmrt_box box;
    if (a && i->edge)
      f->beyond.named = f->beyond.any = true;
    if (!a || i->named)
      continue;
    dvmrt_array_widths(a, i, f->args, &box);
    f->beyond.corner |= i->corner;
    reach(f, a, &box);
  }
}

bool dvmrt_beyond_concerns(const struct dvmrt_event *ev) {
  return ev->nest && DVMRT_UNLIKELY(ev->nest->beyond.any) && !(ev->flags & DVMRT_WRITE) && !ev->fresh &&
         !dvmrt_construct_clause(ev->nest, DVMRT_DIRECTIVE_ACROSS, ev->array);
}

/* The neighbour that has the iteration in its lower (1) or upper (2) edge along dimension 'r': how far from the iteration it is. */
static int64_t neighbour(const struct dvmrt_frame *f, int r, int side, bool all) {
  struct dvmrt_coord at = f->layout.at[r];
  int64_t here = at.kind == DVMRT_COORD_CONST ? at.add : at.coef * __dvmrt_now.iv[at.index] + at.add;
  int64_t there = side == 1 ? here + f->beyond.low[r] : here - f->beyond.high[r];
  if (!all)
    there = there < 0 ? 0 : there >= f->layout.extent[r] ? f->layout.extent[r] - 1 : there;
  return there - here;
}

/* 'sides': a digit of three a dimension.  In how many dimensions that is another place than the iteration's; 0: nobody is there. */
static int move(const struct dvmrt_frame *f, int sides, bool all, struct dvmrt_layout *to) {
  int moved = 0;
  *to = f->layout;
  for (int r = 0; r < f->layout.ndims; r++, sides /= 3) {
    if (!(sides % 3))
      continue;
    if (!f->beyond.low[r] && !f->beyond.high[r])
      return 0;
    int64_t away = neighbour(f, r, sides % 3, all);
    if (!away)
      return 0;
    moved++;
    to->at[r].add += away;
  }
  return moved;
}

/* Corners that nobody has asked for: where an iteration cannot be executed for them, they are left without a value. */
static void lose_corners(struct dvmrt_frame *f) {
  f->beyond.lost = true;
  f->recall = 0;
}

/* ---- who executes the iteration, too ---------------------------------------------------------------------------------------------- */

static bool judge_at(struct dvmrt_event *ev, const struct dvmrt_layout *l, const struct dvmrt_layout *nest, dvmrt_beyond_f *right) {
  struct dvmrt_place p;
  dvmrt_layout_place(l, nest, __dvmrt_now.iv, ev->ix, ev->array->ndims, &p);
  ev->moved = nest;
  const bool is_right = right(ev, &p);
  ev->moved = NULL;
  return is_right;
}

struct named {
  struct dvmrt_event *ev;
  const struct dvmrt_layout *l;
  dvmrt_beyond_f *right;
};

static bool judge_named(void *arg, int r, int64_t away) {
  const struct named *n = arg;
  struct dvmrt_layout nest = n->ev->nest->layout;
  nest.at[r].add += away;
  return judge_at(n->ev, n->l, &nest, n->right);
}

static bool each_named(struct dvmrt_event *ev, const struct dvmrt_layout *l, dvmrt_beyond_f *right) {
  struct dvmrt_frame *f = ev->nest;
  struct named n = {ev, l, right};
  for (struct dvmrt_item *i = f->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_RECOMPUTE)); i = i->next) {
    struct dvmrt_array *a = i->edge ? dvmrt_array_of(&i->ref, f->args) : NULL;
    if (a && !dvmrt_edges_holders(a, i->edge, &f->layout, __dvmrt_now.iv, judge_named, &n))
      return false;
  }
  return true;
}

bool dvmrt_beyond_each(struct dvmrt_event *ev, const struct dvmrt_layout *l, bool all, dvmrt_beyond_f *right, dvmrt_beyond_f *quiet) {
  struct dvmrt_frame *f = ev->nest;
  int combinations = 1;
  if (all && f->beyond.named)
    return false; /* it is not the same for all iterations */
  for (int r = 0; r < f->layout.ndims; r++)
    combinations *= 3;
  for (int sides = 1; sides < combinations; sides++) {
    struct dvmrt_layout nest;
    const int moved = move(f, sides, all, &nest);
    const bool asked = moved == 1 || f->beyond.corner;
    if (!moved || (!asked && f->beyond.lost))
      continue;
    if (asked && !judge_at(ev, l, &nest, right))
      return false;
    if (!asked && !judge_at(ev, l, &nest, quiet)) {
      if (all)
        return false;
      lose_corners(f);
    }
  }
  return !f->beyond.named || each_named(ev, l, right);
}
