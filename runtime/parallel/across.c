#include "runtime/parallel/across.h"
#include "runtime/parallel/across_inside.h"
#include "runtime/parallel/across_order.h"
#include "runtime/parallel/across_pieces.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/way.h"

static int sign_of(int64_t x) { return (x > 0) - (x < 0); }

/* Which index variable goes along which dimension. */
static void read_directions(const struct dvmp_construct *c, struct dvmp_member *v) {
  for (int d = 0; d < v->a->ndims; d++)
    v->index[d] = -1;
  for (int r = 0; r < v->a->layout.ndims && v->a->layout.root == c->layout.root; r++) {
    struct dvmrt_coord at = v->a->layout.at[r], it = c->layout.at[r];
    if (at.kind != DVMRT_COORD_AFFINE || it.kind != DVMRT_COORD_AFFINE || !at.coef || !it.coef)
      continue;
    v->index[at.index] = it.index;
    v->sign[at.index] = sign_of(at.coef) * sign_of(it.coef) * dvmp_way(c, it.index);
    if (!v->sign[at.index])
      dvmp_fail_all(1, &c->d->pos, "'across' over a loop that goes now up, now down, is not supported in parallel execution yet");
  }
}

static void bring_old(struct dvmp_across *x, enum dvmp_wanted what) {
  struct dvmp_traffic *t = dvmp_traffic_create(dvmp_job_tag());
  struct dvmp_plan *plans = NULL;
  for (int i = 0; i < x->n; i++) {
    struct dvmp_plan *p = dvmp_across_plan(&x->members[i], what);
    p->next = plans;
    plans = p;
    dvmp_traffic_add(t, x->members[i].a, p);
  }
  dvmp_traffic_start(t);
  dvmp_traffic_end(t);
  while (plans) {
    struct dvmp_plan *p = plans;
    plans = p->next;
    dvmp_plan_destroy(p);
  }
}

/* ---- piece by piece, row by row -------------------------------------------------------------------------------------------------- */

/* The dimension of the array that lies along dimension 'r' of the nest's root, in order and without gaps; -1: none. */
static int dim_along(const struct dvmp_construct *c, const struct dvmp_member *v, int r) {
  struct dvmrt_coord at = v->a->layout.at[r];
  return v->a->layout.root == c->layout.root && at.kind == DVMRT_COORD_AFFINE && (at.coef == 1 || at.coef == -1) ? at.index : -1;
}

/* Some array has an edge where dimension 'r' of the root is cut. */
static bool crosses(const struct dvmp_construct *c, const struct dvmp_across *x, int r) {
  for (int i = 0; i < x->n && dvmp_across_axis(c, r)->nprocs > 1; i++) {
    const struct dvmp_member *v = &x->members[i];
    struct dvmrt_coord at = v->a->layout.at[r];
    if (v->a->layout.root == c->layout.root && at.kind == DVMRT_COORD_AFFINE && (v->box.low[at.index] || v->box.high[at.index]))
      return true;
  }
  return false;
}

/* The dimension of the root that is walked piece by piece, or, of dependences that lead both ways, row by row of the loops around; -1: none. */
static int walked_dim(const struct dvmp_construct *c, const struct dvmp_across *x) {
  int pieced = dvmp_pieces_dim(c);
  for (int r = 0; pieced < 0 && r < c->layout.ndims && dvmp_across_form(c) != 'a'; r++)
    if (c->layout.at[r].kind == DVMRT_COORD_AFFINE && c->layout.at[r].index > 0 && crosses(c, x, r))
      pieced = r;
  return pieced;
}

/* Pieces are passed through in the order of their loop; what crosses them in another dimension has no order.  Outer loops are walked value by value:
 * each lies along a dimension. */
static bool has_order(const struct dvmp_construct *c, const struct dvmp_across *x, int r, bool rows) {
  struct dvmrt_coord it = c->layout.at[r];
  bool right = it.coef == 1 || it.coef == -1;
  for (int other = 0; other < c->layout.ndims; other++) {
    right &= other == r || !crosses(c, x, other);
    for (int p = 0; other != r && p < dvmp_across_axis(c, other)->nprocs; p++)
      right &= dvmp_across_axis(c, other)->part[p].n <= 1;
  }
  for (int i = 0; i < x->n; i++)
    right &=
        !dvmp_across_has_cut_edge(&x->members[i]) || dim_along(c, &x->members[i], r) >= 0 || x->members[i].a->layout.root != c->layout.root;
  for (int k = 0; rows && k < it.index; k++)
    right &= dvmp_across_has_place(c, k);
  return right;
}

/* The innermost loop along which values cross, or parts have several pieces. */
static int innermost(const struct dvmp_construct *c, const struct dvmp_across *x) {
  int index = 0;
  for (int r = 0; r < c->layout.ndims; r++) {
    struct dvmrt_coord it = c->layout.at[r];
    bool pieced = false;
    for (int p = 0; it.kind == DVMRT_COORD_AFFINE && p < dvmp_across_axis(c, r)->nprocs; p++)
      pieced |= dvmp_across_axis(c, r)->part[p].n > 1;
    if (it.kind == DVMRT_COORD_AFFINE && it.index > index && (pieced || crosses(c, x, r)))
      index = it.index;
  }
  return index;
}

static void begin_order(struct dvmp_construct *c, struct dvmp_across *x) {
  int index = innermost(c, x);
  if (!dvmp_order_can(c, x, index))
    dvmp_fail_all(1, &c->d->pos,
                  "dependences of this 'across' lead both ways, or over several pieces of a part, along a dimension that is divided, of an "
                  "array without a dimension along the loop, or in a loop inside of one whose bounds cannot be told beforehand: not "
                  "supported in parallel execution yet; divide other dimensions (DVM_OPTIONS=grid=..)");
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  x->tile = -1;
  bring_old(x, DVMP_OLD_SIDES);
  x->order = dvmp_order_make(c, x, index);
  c->across = x;
  dvmp_profile_back(why);
}

static void begin_pieces(struct dvmp_construct *c, struct dvmp_across *x, int r) {
  bool rows = c->layout.at[r].index > 0 && dvmp_across_form(c) != 'a';
  if (!has_order(c, x, r, rows)) {
    begin_order(c, x);
    return;
  }
  struct dvmp_pieced *of = dvmp_arena_get(&c->memory, (size_t)x->n * sizeof(*of));
  int n = 0;
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  x->tile = -1;
  for (int i = 0; i < x->n; i++) {
    struct dvmp_member *v = &x->members[i];
    int d = dim_along(c, v, r);
    v->tiled = -1;
    if (d < 0)
      continue;
    bool up = v->sign[d] > 0;
    of[n++] =
        (struct dvmp_pieced){v->a, d, v->a->layout.at[r], up, up ? v->box.low[d] : v->box.high[d], up ? v->box.high[d] : v->box.low[d]};
  }
  bring_old(x, rows ? DVMP_OLD_SIDES : DVMP_OLD);
  x->pieces = dvmp_pieces_make(c, n, of, c->layout.at[r].index, rows);
  c->across = x;
  dvmp_profile_back(why);
}

/* ---- begin, turns, end ---------------------------------------------------------------------------------------------------------- */

static void add_member(struct dvmp_construct *c, struct dvmp_across *x, const struct dvmrt_item *i) {
  struct dvmp_member *v = &x->members[x->n];
  v->a = dvmp_array_of(c->d, &i->ref, c->args);
  if (!v->a || dvmp_array_everywhere(v->a))
    return;
  dvmrt_placing_widths(i, c->args, v->a->ndims, v->a->low, v->a->high, &v->box);
  if (i->out && dvmp_across_has_cut_edge(v))
    dvmp_fail_all(1, &c->d->pos,
                  "edges of '%s' that are written ('across(out:)') are not sent to their owners yet: not executed in parallel", v->a->name);
  dvmp_across_need_elements(c, v);
  read_directions(c, v);
  x->n++;
}

static void begin_stages(struct dvmp_construct *c, struct dvmp_across *x) {
  dvmp_across_choose_stages(c, x, dvmp_across_pipeline(c, x));
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  for (int i = 0; i < x->n; i++) {
    struct dvmp_member *v = &x->members[i];
    v->tiled = -1;
    for (int d = 0; d < v->a->ndims && x->tile >= 0; d++)
      if (v->index[d] == x->tile)
        v->tiled = d;
  }
  bring_old(x, DVMP_OLD);
  x->tag = dvmp_job_tag();
  for (int i = 0; i < x->n; i++) {
    x->members[i].together = dvmp_across_plan(&x->members[i], DVMP_NEW_TOGETHER);
    x->members[i].staged = dvmp_across_plan(&x->members[i], DVMP_NEW_STAGED);
  }
  c->across = x;
  dvmp_profile_back(why);
}

void dvmp_across_begin(struct dvmp_construct *c) {
  struct dvmp_across *x = dvmp_arena_get(&c->memory, sizeof(*x));
  int all = 0;
  for (const struct dvmrt_item *i = c->d->items; i; i = i->next)
    all += i->key == DVMRT_DIRECTIVE_ACROSS;
  if (!all || dvmp_job.size == 1)
    return;
  x->members = dvmp_arena_get(&c->memory, (size_t)all * sizeof(*x->members));
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_ACROSS)); i = i->next)
    add_member(c, x, i);
  if (!x->n)
    return;
  int walked = walked_dim(c, x);
  if (walked >= 0)
    begin_pieces(c, x, walked);
  else
    begin_stages(c, x);
}

/* New values of a turn (all those that are not staged: turn -1), in or out. */
static struct dvmp_traffic *pass_on(struct dvmp_construct *c, struct dvmp_arena *m, int64_t turn, bool out) {
  struct dvmp_across *x = c->across;
  struct dvmp_traffic *t = dvmp_traffic_create(x->tag);
  for (int i = 0; i < x->n; i++) {
    const struct dvmp_member *v = &x->members[i];
    const struct dvmp_plan *p = turn < 0 ? v->together : v->staged;
    for (int l = 0; l < p->n; l++)
      for (int k = 0; k < (out ? p->links[l].nsend : p->links[l].nreceive); k++) {
        struct dvmp_set *s = dvmp_arena_get(m, sizeof(*s));
        *s = out ? p->links[l].send[k] : p->links[l].receive[k];
        if (turn >= 0)
          s->dim[v->tiled] = dvmp_list_meet(m, s->dim[v->tiled], dvmp_across_stage_in(m, c, v, turn));
        if (dvmp_set_empty(s))
          continue;
        if (out)
          dvmp_traffic_send(t, v->a, p->links[l].peer, s);
        else
          dvmp_traffic_receive(t, v->a, p->links[l].peer, s);
      }
  }
  dvmp_traffic_start(t);
  return t;
}

static void receive(struct dvmp_construct *c, int64_t turn) {
  struct dvmp_arena m = {NULL};
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  dvmp_traffic_end(pass_on(c, &m, turn, false));
  dvmp_profile_back(why);
  dvmp_arena_free(&m);
}

static void send(struct dvmp_construct *c, int64_t turn) {
  struct dvmp_across *x = c->across;
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  if (x->sending)
    dvmp_traffic_end(x->sending);
  x->sending = pass_on(c, &c->memory, turn, true);
  dvmp_profile_back(why);
}

void dvmp_across_turn(struct dvmp_construct *c, int64_t *clamps) {
  struct dvmp_across *x = c->across;
  if (x && x->pieces)
    dvmp_pieces_turn(c, x->pieces, clamps);
  if (x && x->order)
    dvmp_order_turn(c, x->order, clamps);
  if (!x || x->pieces || x->order)
    return;
  if (c->turn == 0)
    receive(c, -1);
  if (x->tile < 0)
    return;
  receive(c, c->turn);
  struct dvmp_arena m = {NULL};
  struct dvmrt_coord it = c->layout.at[x->root_dim];
  struct dvmp_list part = dvmp_list_before(&m, dvmp_across_stage(&m, c, c->turn), it.coef, it.add);
  int64_t low = part.n ? part.at[0].low : 1, high = part.n ? part.at[0].high : 0;
  clamps[4 * x->tile] = part.n && clamps[4 * x->tile] > low ? clamps[4 * x->tile] : low;
  clamps[4 * x->tile + 1] = part.n && clamps[4 * x->tile + 1] < high ? clamps[4 * x->tile + 1] : high;
  dvmp_arena_free(&m);
}

void dvmp_across_turned(struct dvmp_construct *c) {
  if (c->across && c->across->pieces)
    dvmp_pieces_turned(c, c->across->pieces);
  else if (c->across && c->across->order)
    dvmp_order_turned(c, c->across->order);
  else if (c->across && c->across->tile >= 0)
    send(c, c->turn);
}

void dvmp_across_end(struct dvmp_construct *c) {
  struct dvmp_across *x = c->across;
  if (x && x->pieces)
    dvmp_pieces_end(x->pieces);
  if (x && x->order)
    dvmp_order_end(x->order);
  if (!x || x->pieces || x->order)
    return;
  send(c, -1);
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  dvmp_traffic_end(x->sending);
  dvmp_profile_back(why);
  for (int i = 0; i < x->n; i++) {
    dvmp_plan_destroy(x->members[i].together);
    dvmp_plan_destroy(x->members[i].staged);
  }
}
