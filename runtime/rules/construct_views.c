/* What inserted code may know of an array in a nest. */
#include "runtime/rules/construct_private.h"
#include "runtime/rules/region.h"
#include "runtime/rules/task.h"
#include <string.h>

/* Of no array: every access is looked at. */
const struct dvmrt_view dvmrt_construct_no_view = {.first_read = DVMRT_W_FIRST, .first_write = UINT32_MAX};

bool dvmrt_construct_only_reads(const struct dvmrt_frame *f, const struct dvmrt_array *a) {
  for (uint32_t i = 0; i < f->nuses; i++)
    if ((uintptr_t)dvmrt_num_value(f->uses[i].item->ref.address, f->args) == a->address && f->uses[i].item->use != 'r')
      return false;
  return true;
}

static void view_limits(const struct dvmrt_frame *f, const struct dvmrt_use *u, struct dvmrt_view *v) {
  enum dvmrt_class class = dvmrt_construct_array_class(f, u->array);
  *v = dvmrt_construct_no_view;
  v->ndims = (uint32_t)u->array->ndims;
  memcpy(v->extent, u->array->extent, sizeof(v->extent));
  if (class == DVMRT_CLASS_ACROSS || (u->item->use == 'r' && class != DVMRT_CLASS_FIRST))
    return;
  v->first_read = __dvmrt_now.base;
  v->first_write = class == DVMRT_CLASS_FIRST ? 0 : __dvmrt_now.base;
  v->mask = 1;
}

const struct dvmrt_use *dvmrt_construct_use(const struct dvmrt_frame *f, const struct dvmrt_view *view) {
  uintptr_t at = (uintptr_t)view - (uintptr_t)f->uses;
  return at < f->nuses * sizeof(*f->uses) ? &f->uses[at / sizeof(*f->uses)] : NULL;
}

const struct dvmrt_view *dvmrt_construct_view(struct dvmrt_directive *d, uint32_t use, uint32_t shift) {
  struct dvmrt_frame *f = dvmrt_construct_nest();
  if (!f || f->d != d || use >= f->nuses)
    return &dvmrt_construct_no_view;
  struct dvmrt_use *u = &f->uses[use];
  struct dvmrt_item *item = (struct dvmrt_item *)u->item;
  u->array = dvmrt_array_of(&item->ref, f->args);
  if (!u->array)
    return &dvmrt_construct_no_view;
  const struct dvmrt_region *r = &u->array->region;
  bool parts = shift & DVMRT_PARTS, fits;
  shift %= DVMRT_PARTS;
  fits = r->shift == shift && (parts || u->array->element_bytes == (uint64_t)1 << shift);
  struct dvmrt_view *v = !parts ? &u->view : fits ? &u->part : &u->extents;
  view_limits(f, u, v);
  u->held = fits && DVMRT_UNLIKELY(dvmrt_held_count) && dvmrt_region_watches(u->array, item->use);
  const bool copied =
      item->use != 'r' && f->mapped && f->on && dvmrt_layout_copied(dvmrt_array_layout(u->array), &f->layout); /* replicas.h */
  if (u->held || copied || dvmrt_task_active() || (item->use == 'r' && !dvmrt_construct_only_reads(f, u->array)))
    return v; /* each access must be looked at: the nest may write the array under another name, which inserted code does not
                 know */
  if (fits)
    v->words = r->words - (r->base >> shift);
  return v;
}
