#include "runtime/parallel/across.h"
#include "runtime/parallel/across_pieces.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"
#include "runtime/parallel/profile.h"
#include <stdlib.h>
#include <string.h>

/* Sets beside the part of a rank are told apart by where they lie: towards lower or higher indices in each dimension, or in the part's
 * own range.  A set is new (flow) if the iterations that write it come before those of the part, going by the outermost index variable
 * in which they differ; else it is old (anti). */

/* An array under 'across'. */
struct member {
  struct dvmp_array *a;
  const struct dvmrt_item *item;
  struct dvmrt_box box;
  int index[DVMRT_NDIMS_MAX];   /* index variable that goes along the dimension, -1: none */
  int sign[DVMRT_NDIMS_MAX];    /* 1: towards higher indices as the loop runs, -1: towards lower */
  int tiled;                    /* dimension that the tiled index variable goes along, -1: none */
  struct dvmp_plan *together, *staged; /* new values: before the first turn, with each turn */
};

struct dvmp_across {
  int n;
  struct member *members;
  int tile;                     /* index variable, -1: none */
  int64_t low, high, size;      /* of its coordinate along the root: all, and of a stage */
  int root_dim;
  bool downwards;
  int tag;
  struct dvmp_traffic *sending;
  struct dvmp_pieces *pieces;   /* where parts have several; else NULL */
};

static int sign_of(int64_t x) { return (x > 0) - (x < 0); }

static int64_t step_of(const struct dvmp_construct *c, int k) { return dvmrt_num_value(c->d->step[k], c->args); }

/* Which index variable goes along which dimension. */
static void read_directions(const struct dvmp_construct *c, struct member *v) {
  for (int d = 0; d < v->a->ndims; d++)
    v->index[d] = -1;
  for (int r = 0; r < v->a->layout.ndims && v->a->layout.root == c->layout.root; r++) {
    struct dvmrt_coord at = v->a->layout.at[r], it = c->layout.at[r];
    if (at.kind != DVMRT_COORD_AFFINE || it.kind != DVMRT_COORD_AFFINE || !at.coef || !it.coef)
      continue;
    v->index[at.index] = it.index;
    v->sign[at.index] = sign_of(at.coef) * sign_of(it.coef) * sign_of(step_of(c, it.index));
    if (!v->sign[at.index])
      dvmp_fail_all(1, &c->d->pos, "'across' over a loop whose step is not constant is not supported in parallel execution yet");
  }
}

/* ---- what is needed ------------------------------------------------------------------------------------------------------------- */

enum wanted { OLD, NEW_TOGETHER, NEW_STAGED };
struct asked {
  const struct member *v;
  enum wanted what;
};

static bool is_cut(const struct dvmp_array *a, int d) {
  for (int r = 0; r < a->layout.ndims; r++)
    if (a->layout.block[r] && a->layout.at[r].kind == DVMRT_COORD_AFFINE && a->layout.at[r].index == d &&
        ((const struct dvmp_array *)a->layout.root)->grid->axis[r].nprocs > 1)
      return true;
  return false;
}

static bool has_cut_edge(const struct member *v) {
  for (int d = 0; d < v->a->ndims; d++)
    if ((v->box.low[d] || v->box.high[d]) && is_cut(v->a, d))
      return true;
  return false;
}

static bool has_iterations(struct dvmp_arena *m, const struct dvmp_construct *c, int rank) {
  struct dvmp_list part;
  for (int k = 0; k < c->d->rank; k++)
    if (dvmp_parts_of(m, c, rank, k, &part) && !part.n)
      return false;
  return true;
}

/* A rank whose part lies between two elements takes no part in passing values on: it must have no iterations either. */
static void need_elements(const struct dvmp_construct *c, const struct member *v) {
  static const int64_t one[DVMRT_NDIMS_MAX] = {1, 1, 1, 1, 1, 1, 1};
  struct dvmp_arena m = {NULL};
  for (int q = 0; has_cut_edge(v) && q < dvmp_job.size; q++) {
    struct dvmp_set own = dvmp_array_own(&m, v->a, q), near = dvmp_array_with_edges(&m, v->a, q, one, one);
    for (int d = 0; dvmp_set_empty(&own) && !dvmp_set_empty(&near) && d < v->a->ndims; d++)
      if (is_cut(v->a, d) && !own.dim[d].n && dvmp_list_count(near.dim[d]) > 1 && has_iterations(&m, c, q))
        dvmp_fail_all(
            1, &c->d->pos,
            "'across' over '%s', of which rank %d has no element but executes iterations between two of them, is not supported in "
            "parallel execution yet: use fewer ranks, or map the loop on '%s'",
            v->a->name, q, v->a->name);
  }
  dvmp_arena_free(&m);
}

/* -1 in each dimension: below the part, 0: in its range, 1: above. */
static enum wanted kind_of(const struct member *v, const int *where) {
  int outermost = -1, dim = -1;
  for (int d = 0; d < v->a->ndims; d++)
    if (where[d] && v->index[d] >= 0 && (outermost < 0 || v->index[d] < outermost)) {
      outermost = v->index[d];
      dim = d;
    }
  if (dim < 0 || where[dim] * v->sign[dim] > 0)
    return OLD;
  return v->tiled < 0 || where[v->tiled] ? NEW_TOGETHER : NEW_STAGED;
}

static bool make_set(struct dvmp_arena *m, const struct member *v, const struct dvmp_set *own, const int *where, struct dvmp_set *s) {
  *s = *own;
  for (int d = 0; d < own->ndims; d++)
    if (where[d]) {
      struct dvmp_list wide =
          dvmp_list_widen(m, own->dim[d], where[d] < 0 ? v->box.low[d] : 0, where[d] > 0 ? v->box.high[d] : 0, v->a->extent[d]);
      s->dim[d] = dvmp_list_minus(m, wide, own->dim[d]);
    }
  return !dvmp_set_empty(s);
}

static int need(void *arg, struct dvmp_arena *m, const struct dvmp_array *a, int rank, struct dvmp_set *needs) {
  const struct asked *q = arg;
  struct dvmp_set own = dvmp_array_own(m, a, rank);
  int where[DVMRT_NDIMS_MAX], n = 0;
  if (dvmp_set_empty(&own))
    return 0;
  for (int d = 0; d < a->ndims; d++)
    where[d] = is_cut(a, d) ? -1 : 0;
  for (;;) {
    bool any = false;
    for (int d = 0; d < a->ndims; d++)
      any |= where[d] != 0;
    if (any && kind_of(q->v, where) == q->what && make_set(m, q->v, &own, where, &needs[n]) && n < DVMP_NEEDS_MAX - 1)
      n++;
    int d = a->ndims - 1;
    for (; d >= 0; d--) {
      if (!is_cut(a, d))
        continue;
      if (++where[d] <= 1)
        break;
      where[d] = -1;
    }
    if (d < 0)
      return n;
  }
}

/* ---- stages --------------------------------------------------------------------------------------------------------------------- */

static char line_of(const char *text, char key, const char **rest) {
  for (const char *at = text; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (at[0] == key && at[1] == ' ') {
      *rest = at + 2;
      return at[2];
    }
  }
  return 0;
}

static const struct dvmp_axis *axis_of(const struct dvmp_construct *c, int r) { return &dvmp_layout_grid(&c->layout)->axis[r]; }

/* The dimension of the root along which ranks wait for each other: the outermost one that is cut and that new values cross. */
static int pipeline_dim(const struct dvmp_construct *c, const struct dvmp_across *x) {
  int best = -1;
  for (int i = 0; i < x->n; i++)
    for (int r = 0; r < c->layout.ndims; r++) {
      struct dvmrt_coord at = x->members[i].a->layout.at[r], it = c->layout.at[r];
      if (x->members[i].a->layout.root != c->layout.root || at.kind != DVMRT_COORD_AFFINE || it.kind != DVMRT_COORD_AFFINE ||
          axis_of(c, r)->nprocs == 1)
        continue;
      int d = at.index;
      int64_t width = x->members[i].sign[d] > 0 ? x->members[i].box.low[d] : x->members[i].box.high[d];
      if (width && (best < 0 || it.index < c->layout.at[best].index))
        best = r;
    }
  return best;
}

/* Another index variable that is tiled: one along a dimension that is not cut if there is one. */
static int tile_dim(const struct dvmp_construct *c, int pipeline) {
  int best = -1;
  for (int r = 0; r < c->layout.ndims; r++) {
    struct dvmrt_coord it = c->layout.at[r];
    if (r == pipeline || it.kind != DVMRT_COORD_AFFINE || !it.coef || it.index == c->layout.at[pipeline].index)
      continue;
    if (best < 0 || axis_of(c, r)->nprocs < axis_of(c, best)->nprocs)
      best = r;
  }
  return best;
}

static void choose_stages(struct dvmp_construct *c, struct dvmp_across *x) {
  const char *text;
  char form = line_of(c->site->text, DVMRT_DIRECTIVE_SIDES, &text);
  int pipeline = pipeline_dim(c, x), tile = -1;
  x->tile = -1;
  /* Iterations of the outermost loop are a legal order of parts whatever the dependences are; of others only if none leads both ways. */
  for (int r = 0; r < c->layout.ndims && form != 'a'; r++)
    if (c->layout.at[r].kind == DVMRT_COORD_AFFINE && c->layout.at[r].index > 0 && axis_of(c, r)->nprocs > 1 && pipeline >= 0)
      dvmp_fail_all(1, &c->d->pos,
                    "dependences of this 'across' along more than one dimension, of which dimension %d is divided: not supported in "
                    "parallel execution yet; "
                    "assign the processors to the dimension of the outermost loop (DVM_OPTIONS=grid=..)",
                    r + 1);
  dvmp_profile_pipeline(pipeline < 0 ? 0 : (uint64_t)axis_of(c, pipeline)->nprocs, 1);
  if (pipeline < 0 || form != 'a' || (tile = tile_dim(c, pipeline)) < 0)
    return;
  const struct dvmp_axis *axis = axis_of(c, tile);
  int place[DVMRT_NDIMS_MAX];
  if (!dvmp_grid_place(((const struct dvmp_array *)c->layout.root)->grid, dvmp_job.rank, place))
    return;
  struct dvmp_list part = axis->part[place[tile]];
  int64_t stages = axis_of(c, pipeline)->nprocs > 8 ? axis_of(c, pipeline)->nprocs : 8;
  if (line_of(c->site->text, DVMRT_DIRECTIVE_STAGES, &text) && strtoll(text, NULL, 10) > 0)
    stages = strtoll(text, NULL, 10);
  if (part.n != 1)
    return;
  x->low = part.at[0].low;
  x->high = part.at[0].high;
  int64_t n = x->high - x->low + 1;
  x->size = (n + stages - 1) / stages;
  x->tile = c->layout.at[tile].index;
  x->root_dim = tile;
  x->downwards = sign_of(c->layout.at[tile].coef) * sign_of(step_of(c, x->tile)) < 0;
  c->turns = (n + x->size - 1) / x->size;
  dvmp_profile_pipeline((uint64_t)axis_of(c, pipeline)->nprocs, (uint64_t)c->turns);
}

static void find_tiled(const struct dvmp_across *x, struct member *v) {
  v->tiled = -1;
  for (int d = 0; d < v->a->ndims && x->tile >= 0; d++)
    if (v->index[d] == x->tile)
      v->tiled = d;
}

/* ---- begin, turns, end ---------------------------------------------------------------------------------------------------------- */

static void bring_old(struct dvmp_across *x) {
  struct dvmp_traffic *t = dvmp_traffic_create(dvmp_job_tag());
  struct dvmp_plan *plans = NULL;
  for (int i = 0; i < x->n; i++) {
    struct asked q = {&x->members[i], OLD};
    struct dvmp_plan *p = dvmp_plan_make(x->members[i].a, need, &q);
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

/* The dimension of the array that lies along dimension 'r' of the nest's root, in order and without gaps; -1: none. */
static int dim_along(const struct dvmp_construct *c, const struct member *v, int r) {
  struct dvmrt_coord at = v->a->layout.at[r];
  return v->a->layout.root == c->layout.root && at.kind == DVMRT_COORD_AFFINE && (at.coef == 1 || at.coef == -1) ? at.index : -1;
}

/* Pieces are passed through in the order of the outermost loop; what crosses them in another dimension has no order. */
static void need_order(const struct dvmp_construct *c, const struct dvmp_across *x, int r) {
  bool right = c->layout.at[r].index == 0 && (c->layout.at[r].coef == 1 || c->layout.at[r].coef == -1);
  for (int i = 0; i < x->n; i++) {
    const struct member *v = &x->members[i];
    int along = dim_along(c, v, r);
    for (int d = 0; d < v->a->ndims; d++)
      right &= d == along || !is_cut(v->a, d) || !(v->box.low[d] || v->box.high[d]) || v->a->layout.root != c->layout.root;
  }
  for (int other = 0; other < c->layout.ndims; other++)
    for (int p = 0; other != r && p < axis_of(c, other)->nprocs; p++)
      right &= axis_of(c, other)->part[p].n <= 1;
  if (!right)
    dvmp_fail_all(1, &c->d->pos,
                  "'across' over an indirect distribution of another dimension than that of the outermost loop, or with a step between "
                  "its elements, is not supported in parallel execution yet");
}

static void begin_pieces(struct dvmp_construct *c, struct dvmp_across *x, int r) {
  struct dvmp_pieced *of = dvmp_arena_get(&c->memory, (size_t)x->n * sizeof(*of));
  int n = 0;
  need_order(c, x, r);
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  x->tile = -1;
  for (int i = 0; i < x->n; i++) {
    struct member *v = &x->members[i];
    int d = dim_along(c, v, r);
    v->tiled = -1;
    if (d >= 0)
      of[n++] = (struct dvmp_pieced){v->a, d, v->a->layout.at[r], v->sign[d] > 0, v->sign[d] > 0 ? v->box.low[d] : v->box.high[d]};
  }
  bring_old(x);
  x->pieces = dvmp_pieces_make(c, n, of);
  c->across = x;
  dvmp_profile_back(why);
}

void dvmp_across_begin(struct dvmp_construct *c) {
  struct dvmp_across *x = dvmp_arena_get(&c->memory, sizeof(*x));
  for (const struct dvmrt_item *i = c->d->items; i; i = i->next)
    x->n += i->key == DVMRT_DIRECTIVE_ACROSS;
  if (!x->n || dvmp_job.size == 1)
    return;
  x->members = dvmp_arena_get(&c->memory, (size_t)x->n * sizeof(*x->members));
  x->n = 0;
  for (struct dvmrt_item *i = c->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_ACROSS)); i = i->next) {
    struct member *v = &x->members[x->n];
    v->a = dvmp_array_of(c->d, &i->ref, c->args);
    if (!v->a || dvmp_array_everywhere(v->a))
      continue;
    v->item = i;
    dvmrt_placing_widths(i, c->args, v->a->ndims, v->a->low, v->a->high, &v->box);
    if (i->out && has_cut_edge(v))
      dvmp_fail_all(1, &c->d->pos,
                    "edges of '%s' that are written ('across(out:)') are not sent to their owners yet: not executed in parallel",
                    v->a->name);
    need_elements(c, v);
    read_directions(c, v);
    x->n++;
  }
  if (!x->n)
    return;
  if (dvmp_pieces_dim(c) >= 0) {
    begin_pieces(c, x, dvmp_pieces_dim(c));
    return;
  }
  choose_stages(c, x);
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  for (int i = 0; i < x->n; i++)
    find_tiled(x, &x->members[i]);
  bring_old(x);
  x->tag = dvmp_job_tag();
  for (int i = 0; i < x->n; i++) {
    struct asked together = {&x->members[i], NEW_TOGETHER}, staged = {&x->members[i], NEW_STAGED};
    x->members[i].together = dvmp_plan_make(x->members[i].a, need, &together);
    x->members[i].staged = dvmp_plan_make(x->members[i].a, need, &staged);
  }
  c->across = x;
  dvmp_profile_back(why);
}

/* Coordinates of the stage along the root. */
static struct dvmp_list stage_of(struct dvmp_arena *m, const struct dvmp_construct *c, int64_t turn) {
  const struct dvmp_across *x = c->across;
  int64_t n = x->downwards ? c->turns - 1 - turn : turn, low = x->low + n * x->size, high = low + x->size - 1;
  return dvmp_list_of(m, low, high < x->high ? high : x->high);
}

/* Along the array's dimension. */
static struct dvmp_list stage_in(struct dvmp_arena *m, const struct dvmp_construct *c, const struct member *v, int64_t turn) {
  struct dvmrt_coord at = v->a->layout.at[c->across->root_dim];
  return dvmp_list_before(m, stage_of(m, c, turn), at.coef, at.add);
}

/* New values of a turn (all those that are not staged: turn -1), in or out. */
static struct dvmp_traffic *pass_on(struct dvmp_construct *c, struct dvmp_arena *m, int64_t turn, bool out) {
  struct dvmp_across *x = c->across;
  struct dvmp_traffic *t = dvmp_traffic_create(x->tag);
  for (int i = 0; i < x->n; i++) {
    const struct member *v = &x->members[i];
    const struct dvmp_plan *p = turn < 0 ? v->together : v->staged;
    for (int l = 0; l < p->n; l++)
      for (int k = 0; k < (out ? p->links[l].nsend : p->links[l].nreceive); k++) {
        struct dvmp_set *s = dvmp_arena_get(m, sizeof(*s));
        *s = out ? p->links[l].send[k] : p->links[l].receive[k];
        if (turn >= 0)
          s->dim[v->tiled] = dvmp_list_meet(m, s->dim[v->tiled], stage_in(m, c, v, turn));
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
  if (!x || x->pieces)
    return;
  if (c->turn == 0)
    receive(c, -1);
  if (x->tile < 0)
    return;
  receive(c, c->turn);
  struct dvmp_arena m = {NULL};
  struct dvmrt_coord it = c->layout.at[x->root_dim];
  struct dvmp_list part = dvmp_list_before(&m, stage_of(&m, c, c->turn), it.coef, it.add);
  int64_t low = part.n ? part.at[0].low : 1, high = part.n ? part.at[0].high : 0;
  clamps[4 * x->tile] = part.n && clamps[4 * x->tile] > low ? clamps[4 * x->tile] : low;
  clamps[4 * x->tile + 1] = part.n && clamps[4 * x->tile + 1] < high ? clamps[4 * x->tile + 1] : high;
  dvmp_arena_free(&m);
}

void dvmp_across_turned(struct dvmp_construct *c) {
  if (c->across && c->across->pieces)
    dvmp_pieces_turned(c, c->across->pieces);
  else if (c->across && c->across->tile >= 0)
    send(c, c->turn);
}

void dvmp_across_end(struct dvmp_construct *c) {
  struct dvmp_across *x = c->across;
  if (x && x->pieces)
    dvmp_pieces_end(x->pieces);
  if (!x || x->pieces)
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
