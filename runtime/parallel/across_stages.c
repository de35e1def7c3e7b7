#include "runtime/parallel/across_inside.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/way.h"
#include <stdlib.h>
#include <string.h>

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

char dvmp_across_form(const struct dvmp_construct *c) {
  const char *rest;
  return line_of(c->site->text, DVMRT_DIRECTIVE_SIDES, &rest);
}

int dvmp_across_pipeline(const struct dvmp_construct *c, const struct dvmp_across *x) {
  int best = -1;
  for (int i = 0; i < x->n; i++)
    for (int r = 0; r < c->layout.ndims; r++) {
      struct dvmrt_coord at = x->members[i].a->layout.at[r], it = c->layout.at[r];
      if (x->members[i].a->layout.root != c->layout.root || at.kind != DVMRT_COORD_AFFINE || it.kind != DVMRT_COORD_AFFINE ||
          dvmp_across_axis(c, r)->nprocs == 1)
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
    if (best < 0 || dvmp_across_axis(c, r)->nprocs < dvmp_across_axis(c, best)->nprocs)
      best = r;
  }
  return best;
}

static int64_t stages_wanted(const struct dvmp_construct *c, int pipeline) {
  const char *text;
  if (line_of(c->site->text, DVMRT_DIRECTIVE_STAGES, &text) && strtoll(text, NULL, 10) > 0)
    return strtoll(text, NULL, 10);
  return dvmp_across_axis(c, pipeline)->nprocs > 8 ? dvmp_across_axis(c, pipeline)->nprocs : 8;
}

static bool falls(const struct dvmp_construct *c, int k, int64_t coef) {
  int way = dvmp_way(c, k);
  return coef && way && (coef < 0) != (way < 0);
}

/* Iterations of the outermost loop are a legal order of parts whatever the dependences are; of others only if none leads both ways. */
void dvmp_across_choose_stages(struct dvmp_construct *c, struct dvmp_across *x, int pipeline) {
  int tile = -1, place[DVMRT_NDIMS_MAX];
  x->tile = -1;
  dvmp_profile_pipeline(pipeline < 0 ? 0 : (uint64_t)dvmp_across_axis(c, pipeline)->nprocs, 1);
  if (pipeline < 0 || dvmp_across_form(c) != 'a' || (tile = tile_dim(c, pipeline)) < 0 ||
      !dvmp_grid_place(dvmp_layout_grid(&c->layout), dvmp_job.rank, place))
    return;
  struct dvmp_list part = dvmp_across_axis(c, tile)->part[place[tile]];
  if (part.n != 1)
    return;
  x->low = part.at[0].low;
  x->high = part.at[0].high;
  int64_t n = x->high - x->low + 1, stages = stages_wanted(c, pipeline);
  x->size = (n + stages - 1) / stages;
  x->tile = c->layout.at[tile].index;
  x->root_dim = tile;
  x->downwards = falls(c, x->tile, c->layout.at[tile].coef);
  c->turns = (n + x->size - 1) / x->size;
  dvmp_profile_pipeline((uint64_t)dvmp_across_axis(c, pipeline)->nprocs, (uint64_t)c->turns);
}

struct dvmp_list dvmp_across_stage(struct dvmp_arena *m, const struct dvmp_construct *c, int64_t turn) {
  const struct dvmp_across *x = c->across;
  int64_t n = x->downwards ? c->turns - 1 - turn : turn, low = x->low + n * x->size, high = low + x->size - 1;
  return dvmp_list_of(m, low, high < x->high ? high : x->high);
}

struct dvmp_list dvmp_across_stage_in(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_member *v, int64_t turn) {
  struct dvmrt_coord at = v->a->layout.at[c->across->root_dim];
  return dvmp_list_before(m, dvmp_across_stage(m, c, turn), at.coef, at.add);
}
