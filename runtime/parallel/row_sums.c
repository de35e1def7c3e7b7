#include "runtime/parallel/row_sums.h"
#include "runtime/parallel/abi.h"
#include "runtime/parallel/options.h"
#include "runtime/parallel/parts.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/rows.h"
#include <string.h>
#include <unistd.h>

enum { ARRAYS_MAX = 8 }; /* of a construct; further ones are read again when it ends */
enum { CACHE = 1 << 20 /* where the system does not know */ };
enum { TURN = 1 << 14 /* iterations of a single loop: a row is told when its turn ends, and is to be in the cache then */ };
static const struct dvmp_construct *now;
static bool found;
static int nrows;
static struct dvmt_rows rows[ARRAYS_MAX];

DVMRT_EXPORT uint32_t __dvmp_rows_wanted;

struct summing {
  const struct dvmp_array *a;
  uint64_t sum;
};

static void add_run(void *arg, int64_t offset, int64_t count) {
  struct summing *s = arg;
  s->sum += dvmt_digest_part((const void *)s->a->address, s->a->element_bytes, (uint64_t)offset, (uint64_t)count);
}

/* The elements that this rank has, where they lie together; none: they do not. */
static struct dvmt_rows_span own_run(const struct dvmp_array *a) {
  for (int d = 1; d < a->ndims; d++)
    if (dvmp_list_count(a->own.dim[d]) != a->extent[d])
      return (struct dvmt_rows_span){0, 0};
  if (a->own.dim[0].n != 1)
    return (struct dvmt_rows_span){0, 0};
  const struct dvmp_span *part = &a->own.dim[0].at[0];
  return (struct dvmt_rows_span){(uint64_t)(part->low * a->stride[0]), (uint64_t)((part->high + 1) * a->stride[0])};
}

static uint64_t sum_part(const void *array, uint64_t from, uint64_t to) {
  struct summing s = {array, 0};
  const struct dvmt_rows_span own = own_run(s.a);
  if (from >= own.from && to <= own.to) {
    add_run(&s, (int64_t)from, (int64_t)(to - from));
    return s.sum;
  }
  dvmp_set_runs_within(&s.a->own, s.a->stride, s.a->extent, (int64_t)from, (int64_t)to, add_run, &s);
  return s.sum;
}

/* Between the rows of this rank's part, when dimensions behind the first are cut, lie others' elements. */
static uint64_t others(const struct dvmp_array *a) {
  int last = a->ndims - 1;
  while (last > 0 && dvmp_list_count(a->own.dim[last]) == a->extent[last])
    last--;
  return (uint64_t)((a->extent[last] - dvmp_list_count(a->own.dim[last])) * a->stride[last]);
}

static bool is_found(const struct dvmp_array *a) {
  for (int i = 0; i < nrows; i++)
    if (rows[i].array == a)
      return true;
  return false;
}

/* So little of the second cache is this rank's part that its rows are short: reading it again when the construct ends takes less than calls for them. */
static bool is_small(const struct dvmp_array *a) {
  static uint64_t least;
  if (!least) {
    long cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
    least = (uint64_t)(cache > 0 ? cache : CACHE) / 8;
  }
  return !dvmp_options_recording.small && (uint64_t)dvmp_set_count(&a->own) * a->element_bytes < least;
}

/* Where no array is to be summed up by rows, no further ones are told. */
static void find_arrays(void) {
  found = true;
  __dvmp_rows_wanted = 0;
  for (struct dvmrt_item *i = now->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_USE)); i = i->next) {
    const struct dvmp_array *a = i->use == 'r' ? NULL : dvmp_array_at((uintptr_t)dvmrt_num_value(i->ref.address, now->args));
    if (!a || a->is_template || a->holes || a->poison || is_found(a) || nrows == ARRAYS_MAX || is_small(a))
      continue;
    uint64_t elements = 1;
    for (int d = 0; d < a->ndims; d++)
      elements *= (uint64_t)a->extent[d];
    const struct dvmt_rows_span own = own_run(a);
    struct dvmt_rows *r = &rows[nrows++];
    *r = (struct dvmt_rows){.array = a,
                            .f = sum_part,
                            .copy = dvmt_digest_copier(a->element_bytes),
                            .copies_from = own.from,
                            .copies_to = own.to,
                            .elements = elements,
                            .address = a->address,
                            .element_bytes = a->element_bytes,
                            .near = DVMT_ROWS_NEAR + others(a),
                            .key = (uint64_t)(uintptr_t)now->site ^ a->address};
    dvmt_rows_begin(r);
    __dvmp_rows_wanted |= !r->off;
  }
}

/* Constructs that have told no rows when they were executed: of a few, by a hash. */
static const void **silent_place(const struct dvmp_construct *c) {
  static const void *silent[256];
  return &silent[((uintptr_t)c->site * 0x9e3779b97f4a7c15ull) >> 56];
}

/* Reductions are made in the order of the loop. */
static bool is_free(const struct dvmp_construct *c) {
  return !c->tasks && !c->recompute && !dvmrt_directive_find(c->d->items, DVMRT_DIRECTIVE_REDUCTION);
}

/* Where other ranks' values come into own elements before the end, rows are not all that is written. */
void dvmp_row_sums_begin(struct dvmp_construct *c) {
  if (dvmp_options_recording.whole || c->across || c->consistent)
    return;
  now = c;
  found = false;
  nrows = 0;
  __dvmp_rows_wanted = 1;
  if (is_free(c) && *silent_place(c) != c->site)
    dvmp_parts_split(c, TURN);
}

void dvmp_row_sums_end(void) {
  if (now && !found)
    *silent_place(now) = now->site;
  now = NULL;
  nrows = 0;
  __dvmp_rows_wanted = 0;
}

DVMRT_EXPORT void __dvmp_row(const void *first, const void *behind, uint64_t bytes) {
  uint64_t low, high;
  if (nrows && dvmt_rows_copied(&rows[0], (uintptr_t)first, (uintptr_t)behind)) /* most have one array */
    return;
  if (first == behind || !now)
    return;
  if (!found)
    find_arrays();
  dvmt_rows_bounds((uintptr_t)first, (uintptr_t)behind, bytes, &low, &high);
  if (nrows && dvmt_rows_follow(&rows[0], low, high))
    return;
  for (int i = 0; i < nrows; i++)
    if (dvmt_rows_stored(&rows[i], low, high))
      break;
}

DVMRT_EXPORT void __dvmp_row_copy(void *to, const void *from, uint64_t bytes) {
  bool copied = nrows && dvmt_rows_copy_next(&rows[0], to, from, bytes);
  for (int i = 0; now && found && i < nrows && !copied; i++)
    copied = dvmt_rows_copy(&rows[i], to, from, bytes);
  if (!copied)
    memmove(to, from, bytes);
}

bool dvmp_row_sums_of(const struct dvmp_array *a, uint64_t *sum) {
  for (int i = 0; i < nrows; i++)
    if (rows[i].array == a) {
      *sum = dvmt_rows_end(&rows[i]);
      return true;
    }
  return false;
}
