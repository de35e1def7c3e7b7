/* The sequential part: elements are assigned by their owners and read where remote_access has brought them. */
#include "runtime/parallel/abi.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/data/mem.h"
#include "runtime/export.h"
#include <string.h>

/* An element that only some ranks have; NULL where all may do as they like. */
static struct dvmp_array *divided(const void *p) {
  struct dvmp_array *a = dvmp_job_together() ? dvmp_array_at((uintptr_t)p) : NULL;
  return a && !dvmp_array_everywhere(a) ? a : NULL;
}

DVMRT_EXPORT int __dvmp_own(const void *p) {
  const struct dvmp_array *a = divided(p);
  return !a || dvmp_array_mine(a, (uintptr_t)p);
}

DVMRT_EXPORT void *__dvmp_store(void *p, uint64_t size) {
  static char nowhere[4096] __attribute__((aligned(64)));
  if (__dvmp_own(p))
    return p;
  if (size > sizeof(nowhere))
    dvmp_fail_here(1, dvmp_construct_place(),
                   "an element of %llu bytes is assigned what a call gives: not executed in parallel yet; assign it to a "
                   "variable first",
                   (unsigned long long)size);
  memcpy(nowhere, p, size); /* of a part of an element that is updated */
  return nowhere;
}

DVMRT_EXPORT const void *__dvmp_read(const void *p, uint64_t size, struct dvmrt_site *site) {
  const struct dvmp_array *a = divided(p);
  (void)size;
  if (!a || dvmp_construct_fetched(a, (uintptr_t)p))
    return p;
  if (dvmp_array_mine(a, (uintptr_t)p))
    return p;
  bool entered = dvmrt_mem_enter();
  const struct dvmrt_access *x = dvmrt_site_access(site);
  if (entered)
    dvmrt_mem_leave();
  dvmp_fail_here(DVMP_STATUS_WRONG, &x->pos,
                 "'%s' is read in the sequential part by rank %d, and rank %d has it: put '#pragma dvm remote_access' before the statement "
                 "[dvm-sequential-access]",
                 x->text, dvmp_job.rank, dvmp_array_owner(a, (uintptr_t)p));
}

/* Arguments of one call are alive together: each gets a place of its own. */
DVMRT_EXPORT const void *__dvmp_fetch(const void *p, uint64_t size) {
  static char values[64][64] __attribute__((aligned(16)));
  static unsigned next;
  const struct dvmp_array *a = divided(p);
  if (!a || size > sizeof(values[0]))
    return p;
  char *value = values[next++ % 64];
  memcpy(value, p, size);
  dvmp_job_tell(value, size, dvmp_array_owner(a, (uintptr_t)p));
  return value;
}
