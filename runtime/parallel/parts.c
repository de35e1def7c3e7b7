#include "runtime/parallel/parts.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/profile.h"

/* What the places 'part' along dimension 'r' of the root are for index variable 'k'; false: it says nothing of it. */
static bool part_along(struct dvmp_arena *m, const struct dvmp_construct *c, int r, int k, struct dvmp_list part,
                       struct dvmp_list *of_index) {
  struct dvmrt_coord at = c->layout.at[r];
  if (at.kind != DVMRT_COORD_AFFINE || at.index != k || !at.coef)
    return false;
  *of_index = dvmp_list_before(m, part, at.coef, at.add);
  return true;
}

static bool index_along(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_list *along, int k,
                        struct dvmp_list *part) {
  bool any = false;
  struct dvmp_list one;
  for (int r = 0; r < c->layout.ndims; r++) {
    if (!part_along(m, c, r, k, along[r], &one))
      continue;
    *part = any ? dvmp_list_meet(m, *part, one) : one;
    any = true;
  }
  return any;
}

void dvmp_parts_of_root(const struct dvmp_construct *c, int rank, struct dvmp_list *along) {
  int at[DVMRT_NDIMS_MAX];
  bool there = dvmp_grid_place(dvmp_layout_grid(&c->layout), rank, at);
  for (int r = 0; r < c->layout.ndims; r++)
    along[r] = there ? dvmp_layout_grid(&c->layout)->axis[r].part[at[r]] : (struct dvmp_list){0, NULL};
}

struct dvmp_list dvmp_parts_also(struct dvmp_arena *m, const struct dvmp_construct *c, int rank, int r) {
  struct dvmp_list l = {0, NULL};
  for (const struct dvmp_also *x = c->also; x; x = x->next)
    if (x->r == r)
      l = dvmp_list_join(m, l, x->of[rank]);
  return l;
}

bool dvmp_parts_of(struct dvmp_arena *m, const struct dvmp_construct *c, int rank, int k, struct dvmp_list *part) {
  struct dvmp_list along[DVMRT_NDIMS_MAX];
  if (!c->layout.root)
    return false;
  dvmp_parts_of_root(c, rank, along);
  for (int r = 0; r < c->layout.ndims; r++) {
    along[r] = dvmp_list_widen(m, along[r], c->beyond_low[r], c->beyond_high[r], c->layout.extent[r]);
    along[r] = dvmp_list_join(m, along[r], dvmp_parts_also(m, c, rank, r));
  }
  return index_along(m, c, along, k, part);
}

/* A constant place: its owners alone execute the nest. */
static bool takes_part(const struct dvmp_construct *c, const struct dvmp_list *along) {
  for (int r = 0; r < c->layout.ndims; r++)
    if (c->layout.block[r] && c->layout.at[r].kind == DVMRT_COORD_CONST && !dvmp_list_has(along[r], c->layout.at[r].add))
      return false;
  return true;
}

int64_t dvmp_parts_along(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_list *along, struct dvmp_list *part,
                         bool *clamped) {
  int64_t turns = takes_part(c, along);
  for (int k = 0; k < c->d->rank; k++) {
    clamped[k] = index_along(m, c, along, k, &part[k]);
    if (clamped[k])
      turns *= part[k].n;
  }
  return turns;
}

/* Of ranks that execute the same iterations one counts. */
static bool is_counted(const struct dvmp_construct *c) {
  int at[DVMRT_NDIMS_MAX];
  if (!dvmp_grid_place(dvmp_layout_grid(&c->layout), dvmp_job.rank, at))
    return false;
  if (dvmrt_layout_everywhere(&c->layout))
    return !dvmp_group_place(dvmp_layout_grid(&c->layout)->group, dvmp_job.rank);
  for (int r = 0; r < c->layout.ndims; r++)
    if (c->layout.block[r] && c->layout.at[r].kind == DVMRT_COORD_ALL && at[r])
      return false;
  return true;
}

static void find_whole(struct dvmp_construct *c, int k) {
  c->whole[k] = dvmp_list_of(&c->memory, DVMP_NO_LOW, DVMP_NO_HIGH);
  for (int r = 0; c->layout.root && r < c->layout.ndims; r++) {
    struct dvmp_list of_index;
    if (part_along(&c->memory, c, r, k, dvmp_list_of(&c->memory, 0, c->layout.extent[r] - 1), &of_index))
      c->whole[k] = dvmp_list_meet(&c->memory, c->whole[k], of_index);
  }
}

/* Some of the ranks that are together execute other iterations than others. */
static bool is_cut(const struct dvmrt_layout *l) {
  if (l->root && !dvmp_group_holds(((const struct dvmp_array *)l->root)->grid->group, dvmp_job.group))
    return true;
  for (int r = 0; l->root && r < l->ndims; r++)
    if (l->block[r] && l->at[r].kind != DVMRT_COORD_ALL)
      return true;
  return false;
}

static void note_iterations(const struct dvmp_construct *c) {
  uint64_t n = c->turns > 0;
  if (!dvmp_profiling)
    return;
  for (int k = 0; k < c->d->rank; k++)
    n *= c->clamped[k] ? (uint64_t)dvmp_list_count(c->part[k]) : 1;
  dvmp_profile_iterations(n);
}

void dvmp_parts_find(struct dvmp_construct *c) {
  const struct dvmrt_item *on = dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_ON);
  struct dvmp_array *target = on ? dvmp_array_of(c->d, &on->ref, c->args) : NULL;
  struct dvmrt_coord map[DVMRT_NDIMS_MAX];
  struct dvmp_list along[DVMRT_NDIMS_MAX];
  c->counts = true;
  c->turns = 1;
  for (int k = 0; target && k < on->naxes; k++)
    map[k] = dvmrt_placing_coord(&on->axis[k], c->args);
  if (target)
    dvmrt_layout_of_aligned(&c->layout, &target->layout, map, on->naxes);
  for (int k = 0; k < c->d->rank; k++)
    find_whole(c, k);
  if (dvmp_job.size == 1 || !is_cut(&c->layout))
    return;
  c->inside = true;
  c->counts = is_counted(c);
  dvmp_parts_of_root(c, dvmp_job.rank, along);
  c->turns = dvmp_parts_along(&c->memory, c, along, c->part, c->clamped);
  if (dvmp_group_place(dvmp_layout_grid(&c->layout)->group, dvmp_job.rank) < 0)
    c->turns = 0;
  c->idle = !c->turns;
  note_iterations(c);
}

void dvmp_parts_split(struct dvmp_construct *c, int64_t most) {
  const struct dvmp_list all = c->clamped[0] ? c->part[0] : c->whole[0];
  if (c->d->rank != 1 || c->turns != 1 || !is_cut(&c->layout) || all.n != 1 || all.at[0].low == DVMP_NO_LOW ||
      all.at[0].high == DVMP_NO_HIGH || dvmp_list_count(all) < 2 * most)
    return;
  const int64_t n = (dvmp_list_count(all) + most - 1) / most;
  struct dvmp_span *turn = dvmp_arena_get(&c->memory, (size_t)n * sizeof(*turn));
  for (int64_t i = 0; i < n; i++)
    turn[i] = (struct dvmp_span){all.at[0].low + i * most, i + 1 < n ? all.at[0].low + (i + 1) * most - 1 : all.at[0].high};
  c->part[0] = (struct dvmp_list){(int)n, turn};
  c->clamped[0] = true;
  c->turns = n;
}
