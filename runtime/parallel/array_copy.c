#include "runtime/parallel/ask.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/exchange.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/profile.h"

/* ---- sections -------------------------------------------------------------------------------------------------------------------- */

/* One side: its array (of ordinary data: all ranks have all of it) and where its section begins. */
struct copied {
  struct dvmp_array *a, ordinary;
  struct dvmp_set section;
  int n;                        /* dimensions that are more than one place */
  int dim[DVMRT_NDIMS_MAX];
};

static void read_ordinary(struct copied *s, const struct dvmrt_directive *d, const struct dvmrt_item *i, const int64_t *args) {
  struct dvmp_array *a = &s->ordinary;
  a->name = i->ref.name;
  a->address = (uintptr_t)dvmrt_num_value(i->ref.address, args);
  a->element_bytes = (uint64_t)dvmrt_num_value(i->ref.element_bytes, args);
  a->ndims = i->ref.ndims;
  for (int k = a->ndims - 1; k >= 0; k--) {
    a->extent[k] = dvmrt_num_value(i->ref.extent[k], args);
    a->stride[k] = k == a->ndims - 1 ? 1 : a->stride[k + 1] * a->extent[k + 1];
    bool open = k < i->naxes && i->axis[k].kind == 'r' && dvmrt_num_value(i->axis[k].add, args) >= 0;
    if (a->extent[k] < 0 && open)
      a->extent[k] = dvmrt_num_value(i->axis[k].add, args) + 1;
    if (a->extent[k] <= 0)
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "the extent of dimension %d of '%s' is not known in 'array_copy' [dvm-usage]", k + 1,
                    a->name);
  }
  s->a = a;
}

static void read_side(struct copied *s, struct dvmp_arena *m, const struct dvmrt_directive *d, const struct dvmrt_item *i,
                      const int64_t *args) {
  s->a = dvmp_array_named(d, &i->ref, args);
  if (!s->a)
    read_ordinary(s, d, i, args);
  s->section.ndims = s->a->ndims;
  for (int k = 0; k < s->a->ndims; k++) {
    int64_t low = 0, high = s->a->extent[k] - 1;
    const struct dvmrt_axis *x = k < i->naxes ? &i->axis[k] : NULL;
    bool one = x && x->kind == 'c';
    if (one)
      low = high = dvmrt_num_value(x->add, args);
    if (x && x->kind == 'r') {
      const bool open = x->add.slot < 0 && x->add.v == -1;
      low = dvmrt_num_value(x->coef, args);
      high = open ? high : dvmrt_num_value(x->add, args);
    }
    if (low <= high && (low < 0 || high >= s->a->extent[k]))
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos,
                    "the section %lld:%lld of dimension %d of '%s' in 'array_copy' lies outside the array [dvm-usage]", (long long)low,
                    (long long)high, k + 1, s->a->name);
    s->section.dim[k] = dvmp_list_of(m, low, high);
    if (!one)
      s->dim[s->n++] = k;
  }
}

/* What of 'from' in its own indices is in 'to' in its own. */
static struct dvmp_set carry(struct dvmp_arena *m, const struct copied *from, const struct copied *to, const struct dvmp_set *what) {
  struct dvmp_set s = to->section;
  for (int i = 0; i < from->n; i++) {
    int f = from->dim[i], t = to->dim[i];
    int64_t by = (to->section.dim[t].n ? to->section.dim[t].at[0].low : 0) - (from->section.dim[f].n ? from->section.dim[f].at[0].low : 0);
    s.dim[t] = dvmp_list_shift(m, what->dim[f], by);
  }
  for (int d = 0; d < what->ndims; d++)
    if (!what->dim[d].n) /* nothing of it */
      s.dim[0].n = 0;
  return s;
}

static struct dvmp_set part_of(struct dvmp_arena *m, const struct copied *s, int rank) {
  struct dvmp_set own = dvmp_layout_own(m, &s->a->layout, s->a->ndims, s->a->extent, rank);
  return dvmp_set_meet(m, &own, &s->section);
}

/* What of it 'from' has and 'to' is to get, in indices of the source and of the destination. */
static bool part_between(struct dvmp_arena *m, const struct copied *dst, const struct copied *src, int from, int to, struct dvmp_set *out,
                         struct dvmp_set *in) {
  struct dvmp_set wanted = part_of(m, dst, to), there = part_of(m, src, from);
  struct dvmp_set of_source = carry(m, dst, src, &wanted);
  *out = dvmp_set_meet(m, &of_source, &there);
  *in = carry(m, src, dst, out);
  return !dvmp_set_empty(out);
}

static bool copied_part(struct dvmp_arena *m, const struct copied *dst, const struct copied *src, int from, int to, struct dvmp_set *out,
                        struct dvmp_set *in) {
  return dvmp_array_gives(&src->a->layout, from, to) && part_between(m, dst, src, from, to, out, in);
}

/* ---- within a task --------------------------------------------------------------------------------------------------------------- */

static bool is_reached(const struct copied *s) { return dvmp_array_reached(s->a); }

/* From ranks that do not execute the task, to what this rank has of the destination. */
static void get(struct dvmp_arena *m, const struct copied *dst, const struct copied *src) {
  for (int q = 0; q < dvmp_job.size; q++) {
    struct dvmp_set *s = dvmp_arena_get(m, 2 * sizeof(*s));
    if (copied_part(m, dst, src, q, dvmp_job.rank, &s[0], &s[1]))
      dvmp_ask_get(src->a, q, &s[0], dst->a, &s[1]);
  }
}

/* Of ordinary data each rank has all: the first one gives them. */
static bool gives(const struct copied *src, int to) {
  return dvmp_array_everywhere(src->a) ? dvmp_job_first() : dvmp_array_gives(&src->a->layout, dvmp_job.rank, to);
}

/* What this rank has of the source, to ranks that do not execute the task. */
static void put(struct dvmp_arena *m, const struct copied *dst, const struct copied *src) {
  for (int q = 0; q < dvmp_job.size; q++) {
    struct dvmp_set *s = dvmp_arena_get(m, 2 * sizeof(*s));
    if (gives(src, q) && part_between(m, dst, src, dvmp_job.rank, q, &s[0], &s[1]))
      dvmp_ask_put(src->a, &s[0], dst->a, q, &s[1]);
  }
}

/* Both on other ranks: through the first one, with the shape of the destination's section. */
static void pass(struct dvmp_arena *m, const struct copied *dst, const struct copied *src) {
  struct copied between = *dst;
  struct dvmp_array *a = &between.ordinary;
  if (!dvmp_job_first())
    return;
  *a = (struct dvmp_array){.name = dst->a->name, .element_bytes = dst->a->element_bytes, .ndims = dst->a->ndims};
  for (int d = a->ndims - 1; d >= 0; d--) {
    a->extent[d] = dvmp_list_count(dst->section.dim[d]);
    a->stride[d] = d == a->ndims - 1 ? 1 : a->stride[d + 1] * a->extent[d + 1];
    between.section.dim[d] = dvmp_list_of(m, 0, a->extent[d] - 1);
  }
  a->address = (uintptr_t)dvmp_arena_get(m, (size_t)(a->stride[0] * a->extent[0]) * a->element_bytes);
  between.a = a;
  get(m, &between, src);
  put(m, dst, &between);
}

static void copy_in_task(struct dvmp_arena *m, const struct copied *dst, const struct copied *src) {
  if (is_reached(dst))
    get(m, dst, src);
  else if (is_reached(src))
    put(m, dst, src);
  else
    pass(m, dst, src);
  dvmp_job_barrier(); /* whoever of this task looks next, finds it there */
}

/* ---- the directive --------------------------------------------------------------------------------------------------------------- */

static void exchange(struct dvmp_arena *m, const struct copied *dst, const struct copied *src) {
  struct dvmp_traffic *t = dvmp_traffic_create(dvmp_job_tag());
  for (int q = 0; q < dvmp_job.size; q++) {
    struct dvmp_set *s = dvmp_arena_get(m, 4 * sizeof(*s));
    if (copied_part(m, dst, src, dvmp_job.rank, q, &s[0], &s[1]))
      dvmp_traffic_send(t, src->a, q, &s[0]);
    if (copied_part(m, dst, src, q, dvmp_job.rank, &s[2], &s[3]))
      dvmp_traffic_receive(t, dst->a, q, &s[3]);
  }
  dvmp_traffic_start(t);
  dvmp_traffic_end(t);
}

static void need_equal(const struct dvmrt_directive *d, const struct copied *dst, const struct copied *src) {
  for (int i = 0; i < dst->n && dst->n == src->n; i++)
    if (dvmp_list_count(dst->section.dim[dst->dim[i]]) != dvmp_list_count(src->section.dim[src->dim[i]]))
      dvmp_fail_all(DVMP_STATUS_WRONG, &d->pos, "'array_copy' copies %lld places of dimension %d of '%s' to %lld of '%s' [dvm-usage]",
                    (long long)dvmp_list_count(src->section.dim[src->dim[i]]), src->dim[i] + 1, src->a->name,
                    (long long)dvmp_list_count(dst->section.dim[dst->dim[i]]), dst->a->name);
}

static void note_run(void *arg, int64_t offset, int64_t n) {
  const struct dvmp_array *a = arg;
  dvmp_construct_assigned(a, a->address + (uintptr_t)offset * a->element_bytes, (uint64_t)n * a->element_bytes);
}

/* For a block around that has fetched the array. */
static void note_assigned(const struct copied *dst) {
  if (dvmp_construct_top() && dst->a != &dst->ordinary && !dvmp_array_everywhere(dst->a))
    dvmp_set_runs(&dst->section, dst->a->stride, dst->a->extent, note_run, dst->a);
}

void dvmp_exchange_copy(struct dvmrt_directive *d, const int64_t *args) {
  struct copied dst = {.n = 0}, src = {.n = 0};
  struct dvmp_arena m = {NULL};
  const struct dvmrt_item *first = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY),
                          *second = first ? dvmrt_directive_find(first->next, DVMRT_DIRECTIVE_ARRAY) : NULL;
  if (!second)
    return;
  read_side(&dst, &m, d, first, args);
  read_side(&src, &m, d, second, args);
  need_equal(d, &dst, &src);
  int why = dvmp_profile_why(DVMP_WHY_COPY);
  if (is_reached(&dst) && is_reached(&src))
    exchange(&m, &dst, &src);
  else
    copy_in_task(&m, &dst, &src);
  dvmp_profile_back(why);
  note_assigned(&dst);
  dvmp_arena_free(&m);
}
