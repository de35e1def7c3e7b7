#include "runtime/parallel/array.h"
#include "runtime/parallel/emit.h"
#include "runtime/parallel/digest.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/guard.h"
#include "runtime/parallel/huge.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/plan.h"
#include "runtime/parallel/poison.h"
#include "runtime/data/storage.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/task.h"
#include <stdlib.h>
#include <string.h>

/* A directive of a constructor: the ranks are not known yet. */
struct early {
  struct early *next;
  struct dvmrt_directive *d;
  int64_t args[];
};

static struct dvmp_array *arrays;
static struct early *early, **early_end = &early;

/* ---- shape ---------------------------------------------------------------------------------------------------------------------- */

static void *get(size_t n) {
  void *p = calloc(1, n);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

static void set_shape(struct dvmp_array *a, const struct dvmrt_directive *d, const struct dvmrt_ref *ref, const int64_t *args) {
  a->ndims = ref->ndims;
  for (int i = 0; i < a->ndims; i++)
    a->extent[i] = dvmrt_num_value(ref->extent[i], args);
  for (int i = 0; i < a->ndims && i < d->items->nlower; i++)
    a->lower[i] = dvmrt_num_value(d->items->lower[i], args);
  if (a->is_template)
    return;
  uint64_t inner = a->element_bytes;
  for (int i = 1; i < a->ndims; i++)
    inner *= (uint64_t)a->extent[i];
  if (a->ndims && a->extent[0] < 0 && inner)
    a->extent[0] = (int64_t)(dvmp_plan_heap_size(a->address) / inner);
  for (int i = 0; i < a->ndims; i++)
    if (a->extent[i] <= 0)
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                    "the extent of dimension %d of '%s' is not known here: allocate it with malloc or calloc [dvm-usage]",
                    d->fortran ? a->ndims - i : i + 1, a->name);
  for (int i = a->ndims - 1; i >= 0; i--)
    a->stride[i] = i == a->ndims - 1 ? 1 : a->stride[i + 1] * a->extent[i + 1];
  a->end = a->address + a->element_bytes * (uint64_t)(a->stride[0] * a->extent[0]);
}

void dvmp_array_indices(const struct dvmp_array *a, uintptr_t at, int64_t *ix) {
  int64_t k = (int64_t)((at - a->address) / a->element_bytes);
  for (int d = 0; d < a->ndims; d++) {
    ix[d] = k / a->stride[d];
    k %= a->stride[d];
  }
}

/* ---- parts ---------------------------------------------------------------------------------------------------------------------- */

static const struct dvmp_group *group_of(const struct dvmp_array *a) { return a->layout.root ? dvmp_layout_grid(&a->layout)->group : NULL; }

bool dvmp_array_everywhere(const struct dvmp_array *a) {
  return dvmp_job.size == 1 || (dvmrt_layout_everywhere(&a->layout) && dvmp_group_holds(group_of(a), dvmp_job.group));
}

bool dvmp_array_reached(const struct dvmp_array *a) { return dvmp_array_everywhere(a) || dvmp_group_holds(dvmp_job.group, group_of(a)); }

static struct dvmp_set nothing(struct dvmp_set s) {
  for (int d = 0; d < s.ndims; d++)
    s.dim[d] = (struct dvmp_list){0, NULL};
  return s;
}

struct dvmp_set dvmp_layout_own(struct dvmp_arena *m, const struct dvmrt_layout *l, int ndims, const int64_t *extent, int rank) {
  struct dvmp_set s = {.ndims = ndims};
  int place[DVMRT_NDIMS_MAX];
  for (int d = 0; d < ndims; d++)
    s.dim[d] = dvmp_list_of(m, 0, extent[d] - 1);
  if (!l->root || dvmp_job.size == 1)
    return s;
  const struct dvmp_grid *g = dvmp_layout_grid(l);
  if (!dvmp_grid_place(g, rank, place))
    return nothing(s);
  for (int r = 0; r < l->ndims; r++) {
    struct dvmrt_coord c = l->at[r];
    struct dvmp_list part = g->axis[r].part[place[r]];
    if (!l->block[r] || c.kind == DVMRT_COORD_ALL)
      continue;
    if (c.kind == DVMRT_COORD_AFFINE && c.coef) {
      s.dim[c.index] = dvmp_list_meet(m, s.dim[c.index], dvmp_list_before(m, part, c.coef, c.add));
    } else if (!dvmp_list_has(part, c.add)) {
      return nothing(s);
    }
  }
  return s;
}

struct dvmp_set dvmp_array_own(struct dvmp_arena *m, const struct dvmp_array *a, int rank) {
  return dvmp_layout_own(m, &a->layout, a->ndims, a->extent, rank);
}

struct dvmp_set dvmp_array_with_edges(struct dvmp_arena *m, const struct dvmp_array *a, int rank, const int64_t *low, const int64_t *high) {
  const struct dvmrt_layout *l = &a->layout;
  struct dvmp_set s = {.ndims = a->ndims};
  int at[DVMRT_NDIMS_MAX];
  for (int d = 0; d < a->ndims; d++)
    s.dim[d] = dvmp_list_of(m, 0, a->extent[d] - 1);
  if (!l->root || dvmp_job.size == 1)
    return s;
  if (!dvmp_grid_place(dvmp_layout_grid(l), rank, at))
    return nothing(s);
  for (int r = 0; r < l->ndims; r++) {
    struct dvmrt_coord c = l->at[r];
    struct dvmp_list part = dvmp_layout_grid(l)->axis[r].part[at[r]];
    if (!l->block[r] || c.kind == DVMRT_COORD_ALL)
      continue;
    if (c.kind == DVMRT_COORD_AFFINE && c.coef)
      s.dim[c.index] = dvmp_list_meet(
          m, s.dim[c.index],
          dvmp_list_around(m, part, c.coef, c.add, low[c.index], high[c.index], a->extent[c.index], l->given[r] ? 0 : l->extent[r]));
    else if (!dvmp_list_has(part, c.add))
      s.dim[0] = (struct dvmp_list){0, NULL};
  }
  return s;
}

/* Of ranks with the same part the first one gives it to those that the array does not lie on. */
static bool gives_outside(const struct dvmrt_layout *l, int from) {
  int a[DVMRT_NDIMS_MAX], b[DVMRT_NDIMS_MAX];
  dvmp_grid_place(dvmp_layout_grid(l), from, a);
  for (int q = 0; q < from; q++) {
    bool same = dvmp_grid_place(dvmp_layout_grid(l), q, b);
    for (int r = 0; r < l->ndims && same; r++)
      same = !l->block[r] || l->at[r].kind == DVMRT_COORD_ALL || a[r] == b[r];
    if (same)
      return false;
  }
  return true;
}

/* Along axes that do not divide it each rank has its own copy: one with the same place along them. */
bool dvmp_array_gives(const struct dvmrt_layout *l, int from, int to) {
  int a[DVMRT_NDIMS_MAX], b[DVMRT_NDIMS_MAX];
  if (!l->root)
    return from == to;
  if (!dvmp_grid_place(dvmp_layout_grid(l), from, a))
    return false;
  if (!dvmp_grid_place(dvmp_layout_grid(l), to, b))
    return gives_outside(l, from);
  if (dvmrt_layout_everywhere(l))
    return from == to;
  for (int r = 0; r < l->ndims; r++)
    if (l->block[r] && l->at[r].kind == DVMRT_COORD_ALL && a[r] != b[r])
      return false;
  return true;
}

static bool has(const struct dvmp_set *s, const int64_t *ix) {
  for (int d = 0; d < s->ndims; d++)
    if (!dvmp_list_has(s->dim[d], ix[d]))
      return false;
  return true;
}

bool dvmp_array_mine(const struct dvmp_array *a, uintptr_t at) {
  int64_t ix[DVMRT_NDIMS_MAX];
  dvmp_array_indices(a, at, ix);
  return has(&a->own, ix);
}

int dvmp_array_owner(const struct dvmp_array *a, uintptr_t at) {
  int64_t ix[DVMRT_NDIMS_MAX];
  struct dvmp_arena m = {NULL};
  int rank = 0;
  dvmp_array_indices(a, at, ix);
  for (; rank + 1 < dvmp_job.size; rank++) {
    struct dvmp_set s = dvmp_array_own(&m, a, rank);
    if (has(&s, ix))
      break;
  }
  dvmp_arena_free(&m);
  return rank;
}

static void lay_out(struct dvmp_array *a) {
  a->layout = (struct dvmrt_layout){.root = NULL};
  if (a->aligned)
    dvmrt_layout_of_aligned(&a->layout, &a->target->layout, a->map, a->nmap);
  else if (a->distributed)
    dvmrt_layout_of_root(&a->layout, a, a->ndims, a->extent, a->dist);
  struct dvmp_arena before = a->memory;
  a->memory = (struct dvmp_arena){NULL};
  a->edges = NULL;
  a->own = dvmp_array_own(&a->memory, a, dvmp_job.rank);
  dvmp_arena_free(&before);
  dvmp_plan_drop(a);
  dvmp_profile_array(a);
}

/* Is 'x' the array, or aligned with it, perhaps through others? */
static bool goes_with(const struct dvmp_array *x, const struct dvmp_array *a) {
  for (int links = 0; x && links < 64; links++) {
    if (x == a)
      return true;
    x = x->aligned ? x->target : NULL;
  }
  return false;
}

/* ---- registry ------------------------------------------------------------------------------------------------------------------- */

struct dvmp_array *dvmp_array_first(void) { return arrays; }
struct dvmp_array *const *dvmp_array_list(void) { return &arrays; }

struct dvmp_array *dvmp_array_common(struct dvmp_array *a) {
  while (a && !dvmp_group_holds(a->born, dvmp_job.group))
    a = a->next;
  return a;
}

static void destroy(struct dvmp_array *a) {
  dvmp_digest_say(a);
  dvmp_guard_drop(a);
  dvmp_huge_drop(a);
  dvmp_poison_drop(a);
  for (struct dvmp_array **l = &arrays; *l; l = &(*l)->next)
    if (*l == a) {
      *l = a->next;
      break;
    }
  /* What is aligned with it stays where it is. */
  for (struct dvmp_array *x = arrays; x; x = x->next)
    if (x->layout.root == a || x->target == a)
      return;
  dvmp_plan_drop(a);
  if (a->grid)
    dvmp_grid_fini(a->grid);
  free(a->grid);
  dvmp_arena_free(&a->memory);
  free(a);
}

void dvmp_array_forget(uintptr_t address, uint64_t bytes) {
  for (struct dvmp_array *a = arrays, *next; a; a = next) {
    next = a->next;
    if (!a->is_template && a->address < address + (bytes ? bytes : 1) && a->end > address)
      destroy(a);
  }
}

struct dvmp_array *dvmp_array_at(uintptr_t address) {
  for (struct dvmp_array *a = arrays; a; a = a->next)
    if (!a->is_template && address >= a->address && address < a->end)
      return a;
  return NULL;
}

struct dvmp_array *dvmp_array_named(const struct dvmrt_directive *d, const struct dvmrt_ref *ref, const int64_t *args) {
  uintptr_t address = (uintptr_t)dvmrt_num_value(ref->address, args);
  for (struct dvmp_array *a = arrays; a; a = a->next)
    if (a->is_template && a->address == address)
      return a;
  struct dvmp_array *a = dvmp_array_at(address);
  if (!a || dvmp_array_everywhere(a))
    return a;
  if (a->address != address || a->ndims != ref->ndims)
    dvmp_fail_all(1, &d->pos,
                  "'%s' is a part of '%s', or has a different shape: not supported in parallel execution yet; pass the whole array, or run "
                  "on one rank",
                  ref->name, a->name);
  return a;
}

struct dvmp_array *dvmp_array_of(const struct dvmrt_directive *d, const struct dvmrt_ref *ref, const int64_t *args) {
  struct dvmp_array *a = dvmp_array_named(d, ref, args);
  if (a && !a->is_template && !dvmp_array_reached(a))
    dvmp_task_refuse(a, &d->pos);
  return a;
}

/* ---- directives ----------------------------------------------------------------------------------------------------------------- */

static void place(struct dvmp_array *a, const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *own = d->items, *target = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ALIGN);
  struct dvmp_grid *before = a->grid;
  a->placed = d;
  a->aligned = false;
  a->distributed = own->ndist > 0;
  a->grid = NULL;
  for (int i = 0; i < a->ndims; i++)
    a->dist[i] = i < own->ndist ? own->dist[i] : DVMRT_DIST_WHOLE;
  if (a->distributed) {
    a->grid = get(sizeof(*a->grid));
    a->grid->group = dvmp_task_onto(d, args);
    dvmp_grid_make(a->grid, d, own, args, a->ndims, a->extent, a->is_template ? 8 : a->element_bytes);
  }
  if (target) {
    a->target = dvmp_array_of(d, &target->ref, args);
    a->aligned = a->target != NULL;
    a->target_name = target->ref.name;
    a->nmap = target->naxes;
    for (int i = 0; i < target->naxes; i++)
      a->map[i] = dvmrt_placing_coord(&target->axis[i], args);
    if (a->target && goes_with(a->target, a))
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "'%s' is aligned with '%s', which is aligned with it [dvm-usage]", a->name,
                    a->target->name);
  }
  if (before) {
    dvmp_grid_fini(before);
    free(before);
  }
}

struct dvmp_array *dvmp_template_at(uintptr_t address) {
  struct dvmp_array *a = arrays;
  while (a && !(a->is_template && a->address == address))
    a = a->next;
  return a;
}

/* What stands in the first line of a text with that key, or NULL. */
static const char *line_of(const char *text, char key) {
  for (const char *at = text; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (at[0] == key && at[1] == ' ')
      return at + 2;
  }
  return NULL;
}

/* Kept: the object with the text may go before the array. */
static const char *holes_of(const struct dvmrt_directive *d) {
  static struct kept {
    struct kept *next;
    char text[];
  } *kept;
  const char *line = line_of(d->site->text, DVMRT_DIRECTIVE_HOLES);
  size_t n = line ? strcspn(line, "\n") : 0;
  for (const struct kept *k = kept; k && line; k = k->next)
    if (strlen(k->text) == n && !memcmp(k->text, line, n))
      return k->text;
  if (!line)
    return NULL;
  struct kept *k = get(sizeof(*k) + n + 1);
  memcpy(k->text, line, n);
  k->next = kept;
  kept = k;
  return k->text;
}

static void clear_run(void *arg, int64_t offset, int64_t count) {
  const struct dvmp_array *a = arg;
  memset((char *)a->address + (uint64_t)offset * a->element_bytes, 0, (uint64_t)count * a->element_bytes);
}

static void clear_own(struct dvmp_array *a) {
  if (!a->poison)
    dvmp_set_runs(&a->own, a->stride, a->extent, clear_run, a);
}

/* Was what 'old' is to be aligned with not there when it was declared, but is now: allocated in between? */
static bool finds_target(const struct dvmp_array *old, const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *target = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ALIGN);
  return target && !old->aligned && !old->distributed && dvmp_array_at((uintptr_t)dvmrt_num_value(target->ref.address, args));
}

/* Is what is declared there already, 'old', the same, so that its directive stays?  Another variable's, to which a pointer leads, or static
 * data of Fortran: with its values it has kept its place. */
static bool stays(const struct dvmp_array *old, const struct dvmp_array *a, const struct dvmrt_directive *d) {
  if (old->address != a->address || old->end != a->end)
    return false;
  return (d->items->ref.flags & DVMRT_REF_POINTER) ||
         (d->fortran && dvmrt_storage_static(a->address) && old->ndims == a->ndims && !memcmp(old->extent, a->extent, sizeof(a->extent)));
}

/* Ranks that are elsewhere do not come to the directive: they would know the array by another name. */
static void call(struct dvmp_array *old, const struct dvmp_array *a, const struct dvmrt_directive *d) {
  if (dvmp_job.group || a->element_bytes != old->element_bytes)
    return;
  old->called = (struct dvmp_called){.name = a->name, .declared = a->declared, .fortran = d->fortran, .ndims = a->ndims};
  memcpy(old->called.extent, a->extent, sizeof(a->extent));
  memcpy(old->called.lower, a->lower, sizeof(a->lower));
}

static void declare(struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *own = d->items;
  uintptr_t address = (uintptr_t)dvmrt_num_value(own->ref.address, args);
  bool is_template = own->key == DVMRT_DIRECTIVE_TEMPLATE;
  struct dvmp_array *a = is_template ? dvmp_template_at(address) : NULL;
  if (!address)
    return; /* a pointer that leads nowhere yet */
  if (a && d->visible)
    return; /* of several program units: it stays where it has been moved */
  if (!a) {
    a = get(sizeof(*a));
    a->is_template = is_template;
    a->address = address;
    a->element_bytes = is_template ? 0 : (uint64_t)dvmrt_num_value(own->ref.element_bytes, args);
    a->name = own->ref.name;
    a->declared = d->pos;
  }
  a->type = own->ref.type;
  a->holes = holes_of(d);
  set_shape(a, d, &own->ref, args);
  if (!is_template) {
    struct dvmp_array *old = dvmp_array_at(address);
    if (old && stays(old, a, d) && !finds_target(old, d, args)) {
      call(old, a, d);
      free(a);
      return;
    }
    dvmp_array_forget(address, a->end - address);
  }
  static uint64_t numbers;
  a->born = dvmp_job.group;
  a->number = a->born ? 0 : ++numbers;
  a->fixed = d->dynamic || d->fortran || (own->ref.flags & DVMRT_REF_POINTER) ? NULL : d;
  place(a, d, args);
  dvmrt_placing_shadow(own, args, a->ndims, a->low, a->high);
  if (!dvmp_template_at(address) || !is_template) {
    a->next = arrays;
    arrays = a;
  }
  lay_out(a);
  a->on_stack = address > (uintptr_t)__builtin_frame_address(0);
  dvmp_guard_place(a);
  dvmp_huge_place(a);
  dvmp_poison_place(a, !(own->ref.flags & DVMRT_REF_POINTER));
  if (a->on_stack && dvmp_emit_wanted() && !is_template && !(own->ref.flags & DVMRT_REF_POINTER))
    clear_own(a); /* what nobody assigns is the same in every run that is recorded */
}

void dvmp_array_declare(struct dvmrt_directive *d, const int64_t *args) {
  if (!d->items)
    return;
  if (dvmp_job.begun) {
    declare(d, args);
    return;
  }
  struct early *e = get(sizeof(*e) + (size_t)d->nslots * sizeof(*args));
  e->d = d;
  for (int i = 0; i < d->nslots; i++)
    e->args[i] = args[i];
  *early_end = e;
  early_end = &e->next;
}

void dvmp_array_gone(uintptr_t address, uint64_t bytes) {
  for (struct early **l = &early; *l;) {
    struct early *e = *l;
    if ((uintptr_t)e->d->site - address >= bytes) {
      l = &e->next;
      continue;
    }
    *l = e->next;
    free(e);
  }
  for (early_end = &early; *early_end;)
    early_end = &(*early_end)->next;
  dvmp_array_forget(address, bytes);
}

/* Another file may hold what an array is aligned with: targets go first. */
static bool is_ready(const struct early *e) {
  const struct dvmrt_item *target = dvmrt_directive_find(e->d->items, DVMRT_DIRECTIVE_ALIGN);
  uintptr_t address = target ? (uintptr_t)dvmrt_num_value(target->ref.address, e->args) : 0;
  if (!target || dvmp_template_at(address) || dvmp_array_at(address))
    return true;
  for (const struct early *o = early; o; o = o->next)
    if (o != e && (uintptr_t)dvmrt_num_value(o->d->items->ref.address, o->args) == address)
      return false;
  return true;
}

void dvmp_array_declare_early(void) {
  for (bool again = true; again && early;) {
    again = false;
    for (struct early **l = &early; *l;) {
      struct early *e = *l;
      if (!is_ready(e)) {
        l = &e->next;
        continue;
      }
      *l = e->next;
      declare(e->d, e->args);
      free(e);
      again = true;
    }
  }
  for (; early; early = early->next)
    declare(early->d, early->args);
  early_end = &early;
}

/* ---- other places --------------------------------------------------------------------------------------------------------------- */

struct move {
  struct dvmp_array *a;
  struct dvmp_set *before; /* [size]: of each rank */
};

/* Of the old places all is kept that the move needs: the old grid goes. */
static void note_places(struct move *v, struct dvmp_arena *m) {
  v->before = dvmp_arena_get(m, (size_t)dvmp_job.size * sizeof(*v->before));
  for (int rank = 0; rank < dvmp_job.size; rank++)
    v->before[rank] = dvmp_array_own(m, v->a, rank);
}

/* Loops along dimensions that nothing divides are compiled as they are written, if no 'dynamic' says that this may change. */
static void need_dynamic(const struct dvmp_array *a, const struct dvmrt_directive *d) {
  const struct dvmrt_item *was = a->fixed ? a->fixed->items : NULL, *is = d->items;
  bool divides = was && !is->ndist;
  for (int i = 0; was && i < is->ndist; i++)
    divides |= is->dist[i] != DVMRT_DIST_WHOLE && (i >= was->ndist || was->dist[i] == DVMRT_DIST_WHOLE);
  if (divides)
    dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                  "'%s' is given another place, but its directive does not say 'dynamic' [dvm-usage]\n"
                  "help: add 'dynamic' to the directive at %s:%u",
                  a->name, a->fixed->pos.file, a->fixed->pos.line);
}

void dvmp_array_redistribute(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmp_array *a = d->items ? dvmp_array_of(d, &d->items->ref, args) : NULL;
  struct dvmp_arena m = {NULL};
  struct move *moves = NULL;
  int n = 0;
  if (!a)
    return;
  if (dvmp_job.size > 1)
    need_dynamic(a, d);
  for (struct dvmp_array *x = arrays; x; x = x->next)
    n += goes_with(x, a);
  moves = dvmp_arena_get(&m, (size_t)n * sizeof(*moves));
  n = 0;
  for (struct dvmp_array *x = arrays; x; x = x->next)
    if (goes_with(x, a)) {
      dvmp_guard_drop(x);
      x->moves++;
      moves[n].a = x;
      note_places(&moves[n++], &m);
    }
  place(a, d, args);
  /* Those nearest to it first: what they are aligned with lies where it will. */
  for (int links = 0; links < 64; links++)
    for (int i = 0; i < n; i++) {
      int k = 0;
      for (struct dvmp_array *x = moves[i].a; x != a; x = x->target)
        k++;
      if (k == links)
        lay_out(moves[i].a);
    }
  for (int i = 0; i < n; i++)
    if (!moves[i].a->is_template && !(d->new_value && moves[i].a == a))
      dvmp_plan_move(moves[i].a, moves[i].before);
  for (int i = 0; i < n; i++) {
    dvmp_guard_place(moves[i].a);
    dvmp_huge_place(moves[i].a);
    dvmp_poison_place(moves[i].a, d->new_value && moves[i].a == a);
  }
  dvmp_arena_free(&m);
}
