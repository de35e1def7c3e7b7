/* The clauses of a construct that begins. */
#include "runtime/rules/construct_private.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/heap.h"
#include "runtime/rules/group.h"
#include "runtime/rules/named.h"
#include "runtime/data/mem.h"
#include "runtime/rules/rule.h"
#include <string.h>

static void add_var(struct dvmrt_frame *f, const struct dvmrt_item *i, int64_t address, uint64_t bytes, enum dvmrt_class class) {
  if (!address || !bytes)
    return;
  f->vars = dvmrt_mem_grow(f->vars, &f->vars_cap, f->nvars + 1, sizeof(*f->vars));
  f->vars[f->nvars++] = (struct dvmrt_var){(uintptr_t)address, (uintptr_t)address + bytes, class, i};
}

static void add_result(struct dvmrt_frame *f, const struct dvmrt_item *i, int64_t address, uint64_t bytes) {
  if (address && dvmrt_group_nvars)
    dvmrt_group_named(f->d, (uintptr_t)address, (uintptr_t)address + bytes);
  add_var(f, i, address, bytes, DVMRT_CLASS_REDUCTION);
}

static void add_reduction(struct dvmrt_frame *f, const struct dvmrt_item *i) {
  add_result(f, i, dvmrt_num_value(i->ref.address, f->args), dvmrt_directive_reduction_bytes(i, f->args));
  if (!i->loc_name)
    return;
  uint64_t n = (uint64_t)dvmrt_num_value(i->bytes, f->args);
  add_result(f, i, dvmrt_num_value(i->loc_address, f->args), (uint64_t)dvmrt_num_value(i->loc_bytes, f->args) * (n ? n : 1));
}

/* Of a pointer the bytes are those of a row: the allocation says how many there are. */
static void add_consistent(struct dvmrt_frame *f, const struct dvmrt_item *i) {
  int64_t address = dvmrt_num_value(i->ref.address, f->args);
  uint64_t bytes = (uint64_t)dvmrt_num_value(i->bytes, f->args);
  struct dvmrt_extent x;
  if (i->ref.flags & DVMRT_REF_POINTER && dvmrt_heap_find((uintptr_t)address, &x))
    bytes = x.start + x.size - (uintptr_t)address;
  add_var(f, i, address, bytes, DVMRT_CLASS_SHARED);
}

void dvmrt_construct_check_ranges(struct dvmrt_frame *f) {
  if (!f->proved)
    dvmrt_rows_next(&f->rows, (__dvmrt_now.write >> 1) + 1, __dvmrt_now.iv);
  if (!f->rows.any)
    return;
  if (f->on)
    dvmrt_rule_moving(f, dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON), f->on);
  for (uint32_t i = 0; i < f->nclauses; i++)
    if (f->clauses[i].key == DVMRT_DIRECTIVE_REMOTE)
      dvmrt_rule_moving(f, f->clauses[i].item, f->clauses[i].array);
}

static void add_clause(struct dvmrt_frame *f, struct dvmrt_item *i) {
  struct dvmrt_array *a = dvmrt_array_of(&i->ref, f->args);
  bool ordinary = i->key == DVMRT_DIRECTIVE_ACROSS && !dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON);
  if (!a && ordinary)
    a = dvmrt_array_watch(i, f->args);
  if (!a && !ordinary)
    return;
  f->clauses = dvmrt_mem_grow(f->clauses, &f->clauses_cap, f->nclauses + 1, sizeof(*f->clauses));
  struct dvmrt_clause_array *c = &f->clauses[f->nclauses++];
  *c = (struct dvmrt_clause_array){.key = i->key, .array = a, .item = i};
  if (i->key == DVMRT_DIRECTIVE_REMOTE)
    dvmrt_rule_fixed(f, i, a);
  if (a && i->key == DVMRT_DIRECTIVE_ACROSS) {
    dvmrt_array_widths(a, i, f->args, &c->box);
    c->box.corner = true;
    if (!ordinary)
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_WIDTHS, .directive = f->d, .widths = {a, &c->box, "width of 'across'"}});
  }
}

void dvmrt_construct_renew(struct dvmrt_frame *f, struct dvmrt_item *i, bool corners) {
  struct dvmrt_array *a = dvmrt_array_of(&i->ref, f->args);
  struct dvmrt_box box;
  if (!a)
    return;
  if (i->named || i->key == DVMRT_DIRECTIVE_RENEW) /* shadow_compute computes those of widths */
    dvmrt_named_renew(f->d, i, a);
  if (i->named)
    return;
  dvmrt_array_widths(a, i, f->args, &box);
  box.corner |= corners;
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_WIDTHS, .directive = f->d, .widths = {a, &box, "renewed width"}});
  dvmrt_array_renew(a, &box);
}

void dvmrt_construct_read_clauses(struct dvmrt_frame *f) {
  for (struct dvmrt_item *i = f->d->items; i; i = i->next) {
    switch (i->key) {
    case DVMRT_DIRECTIVE_PRIVATE:
      add_var(f, i, dvmrt_num_value(i->ref.address, f->args), (uint64_t)dvmrt_num_value(i->bytes, f->args), DVMRT_CLASS_PRIVATE);
      break;
    case DVMRT_DIRECTIVE_CONSISTENT: add_consistent(f, i); break;
    case DVMRT_DIRECTIVE_REDUCTION: add_reduction(f, i); break;
    case DVMRT_DIRECTIVE_RENEW: dvmrt_construct_renew(f, i, false); break;
    case DVMRT_DIRECTIVE_ACROSS:
    case DVMRT_DIRECTIVE_REMOTE: add_clause(f, i); break;
    case DVMRT_DIRECTIVE_SHADOW:
      if (!strcmp(i->word, "wait"))
        dvmrt_group_shadow_wait(f->d, i->ref.name);
      break;
    case DVMRT_DIRECTIVE_USE:
      f->uses = dvmrt_mem_grow(f->uses, &f->uses_cap, f->nuses + 1, sizeof(*f->uses));
      f->uses[f->nuses++] = (struct dvmrt_use){.item = i};
      break;
    default: break;
    }
  }
}

static struct dvmrt_coord axis_coord(const struct dvmrt_axis *x, const int64_t *args) {
  if (x->kind == 'c')
    return (struct dvmrt_coord){DVMRT_COORD_CONST, 0, 0, dvmrt_num_value(x->add, args)};
  if (x->kind == 'a')
    return (struct dvmrt_coord){DVMRT_COORD_AFFINE, x->index, dvmrt_num_value(x->coef, args), dvmrt_num_value(x->add, args)};
  return (struct dvmrt_coord){DVMRT_COORD_ALL, 0, 0, 0};
}

void dvmrt_construct_place_nest(struct dvmrt_frame *f) {
  struct dvmrt_item *on = dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_ON);
  f->mapped = on != NULL;
  if (!on)
    return;
  f->on = dvmrt_array_target((uintptr_t)dvmrt_num_value(on->ref.address, f->args));
  if (!f->on) {
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_TARGET, .directive = f->d, .target = on->ref.name});
    return;
  }
  dvmrt_rule_fixed(f, on, f->on);
  dvmrt_rule_alignment(f->on);
  const struct dvmrt_layout *l = dvmrt_array_layout(f->on);
  if (!l->root && !f->on->distributed && !f->on->aligned)
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_UNPLACED, .directive = f->d, .unplaced = f->on});
  struct dvmrt_coord axes[DVMRT_NDIMS_MAX];
  for (int i = 0; i < on->naxes; i++)
    axes[i] = axis_coord(&on->axis[i], f->args);
  f->layout = *l;
  for (int r = 0; r < l->ndims; r++)
    f->layout.at[r] = dvmrt_coord_compose(l->at[r], axes, on->naxes);
}
