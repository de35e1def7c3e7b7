/* The sequential part: elements are assigned by their owners and read where remote_access has brought them. */
#include "runtime/parallel/abi.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/sequential.h"
#include "runtime/parallel/task.h"
#include "runtime/data/mem.h"
#include "runtime/export.h"
#include <string.h>

static struct dvmp_array *divided(const void *p, bool is_read) {
  struct dvmp_array *a = dvmp_job_together() ? dvmp_array_at((uintptr_t)p) : NULL;
  if (a && !dvmp_array_reached(a) && !(is_read && dvmp_construct_fetched(a, (uintptr_t)p)))
    dvmp_task_refuse(a, dvmp_construct_place());
  return a && !dvmp_array_everywhere(a) ? a : NULL;
}

struct dvmp_array *dvmp_sequential_divided(const void *p) { return divided(p, false); }
struct dvmp_array *dvmp_sequential_read(const void *p) { return divided(p, true); }

static void note_assigned(const void *p, uint64_t size) {
  struct dvmp_array *a = (dvmp_job.poison || dvmp_construct_top()) && !dvmp_job.inside ? dvmp_array_at((uintptr_t)p) : NULL;
  if (a && dvmp_job.poison)
    dvmp_poison_assigned(a, (uintptr_t)p, size);
  if (a && !dvmp_array_everywhere(a))
    dvmp_construct_assigned(a, (uintptr_t)p, size > 1 ? size : a->element_bytes);
}

void dvmp_sequential_assigned(struct dvmp_array *a, uintptr_t at, uint64_t n) {
  dvmp_poison_assigned(a, at, n);
  if (n && dvmp_construct_top() && !dvmp_job.inside)
    dvmp_construct_assigned(a, at, n);
}

DVMRT_EXPORT int __dvmp_own(const void *p) {
  struct dvmp_array *a = dvmp_sequential_divided(p);
  note_assigned(p, 1);
  return !a || dvmp_array_mine(a, (uintptr_t)p);
}

void *dvmp_sequential_target(struct dvmp_array *a, void *p, uint64_t size) {
  static char nowhere[4096] __attribute__((aligned(64)));
  if (dvmp_array_mine(a, (uintptr_t)p))
    return p;
  if (size > sizeof(nowhere))
    dvmp_fail_here(1, dvmp_construct_place(),
                   "an element of %llu bytes is assigned the result of a call: not supported in parallel execution yet; assign it to a "
                   "variable first",
                   (unsigned long long)size);
  return nowhere;
}

DVMRT_EXPORT void *__dvmp_store(void *p, uint64_t size) {
  struct dvmp_array *a = dvmp_sequential_divided(p);
  note_assigned(p, size);
  if (!a)
    return p;
  return dvmp_sequential_target(a, p, size);
}

struct cut {
  const struct dvmp_array *a;
  uintptr_t from, to;
  dvmp_own_f *f;
  void *arg;
};

static void cut_run(void *arg, int64_t offset, int64_t n) {
  const struct cut *c = arg;
  uintptr_t low = c->a->address + (uintptr_t)offset * c->a->element_bytes, high = low + (uintptr_t)n * c->a->element_bytes;
  low = low > c->from ? low : c->from;
  high = high < c->to ? high : c->to;
  if (low < high)
    c->f(c->arg, low, high);
}

void dvmp_sequential_own(const struct dvmp_array *a, uintptr_t from, size_t n, dvmp_own_f *f, void *arg) {
  struct cut c = {a, from, from + n, f, arg};
  struct dvmp_set own = a->own;
  struct dvmp_arena m = {NULL};
  /* Rows that it does not touch are not walked. */
  uintptr_t row = (uintptr_t)a->stride[0] * a->element_bytes;
  if (!n)
    return;
  own.dim[0] =
      dvmp_list_meet(&m, own.dim[0], dvmp_list_of(&m, (int64_t)((from - a->address) / row), (int64_t)((from + n - 1 - a->address) / row)));
  dvmp_set_runs(&own, a->stride, a->extent, cut_run, &c);
  dvmp_arena_free(&m);
}

void dvmp_sequential_outdated(const struct dvmp_array *a, uintptr_t at, const struct dvmrt_directive *old, const char *what,
                              const struct dvmrt_pos *pos) {
  dvmp_fail_here(
      DVMP_STATUS_WRONG, pos,
      "'%s' is read by rank %d as %s has fetched it, but its owner, rank %d, has been given another value since: end the block behind "
      "the assignment, and begin another one [dvm-sequential-access]",
      what, dvmp_job.rank, old->fortran ? "ASYNCHRONOUS" : "'remote_access'", dvmp_array_owner(a, at));
}

DVMRT_EXPORT const void *__dvmp_read(const void *p, uint64_t size, struct dvmrt_site *site) {
  const struct dvmp_array *a = dvmp_sequential_read(p);
  bool fetched = a && dvmp_construct_fetched(a, (uintptr_t)p);
  const struct dvmrt_directive *old = fetched ? dvmp_construct_outdated(a, (uintptr_t)p) : NULL;
  (void)size;
  if (!a || (fetched && !old) || dvmp_array_mine(a, (uintptr_t)p))
    return p;
  bool entered = dvmrt_mem_enter();
  const struct dvmrt_access *x = dvmrt_site_access(site);
  if (entered)
    dvmrt_mem_leave();
  if (old)
    dvmp_sequential_outdated(a, (uintptr_t)p, old, x->text, &x->pos);
  dvmp_fail_here(DVMP_STATUS_WRONG, &x->pos,
                 "'%s' is read in the sequential part by rank %d, but rank %d has it: put '#pragma dvm remote_access' before the statement "
                 "[dvm-sequential-access]",
                 x->text, dvmp_job.rank, dvmp_array_owner(a, (uintptr_t)p));
}

DVMRT_EXPORT void *__dvmp_change(void *p, uint64_t size, struct dvmrt_site *site) {
  struct dvmp_array *a = dvmp_sequential_divided(p);
  void *to = a ? dvmp_sequential_target(a, p, size) : p;
  if (to != p)
    memcpy(to, __dvmp_read(p, size, site), size); /* which remote_access has brought, or the run ends there */
  note_assigned(p, size);
  return to;
}

/* Arguments of one call are alive together: each gets a place of its own. */
DVMRT_EXPORT const void *__dvmp_fetch(const void *p, uint64_t size) {
  static char values[64][64] __attribute__((aligned(16)));
  static unsigned next;
  const struct dvmp_array *a = dvmp_sequential_read(p);
  if (!a || size > sizeof(values[0]) || !dvmp_array_reached(a)) /* of those that the task does not reach: remote_access has brought it */
    return p;
  char *value = values[next++ % 64];
  int owner = dvmp_array_owner(a, (uintptr_t)p);
  if (dvmp_job.rank == owner)
    memcpy(value, p, size);
  dvmp_job_tell(value, size, owner);
  return value;
}
