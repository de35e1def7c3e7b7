/* memset, memcpy and their like on distributed arrays: outside of loops each rank does its part, and what is read must be there. */
#include "runtime/parallel/abi.h"
#include "runtime/parallel/check.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/sequential.h"
#include "runtime/parallel/where.h"
#include "runtime/data/mem.h"
#include "runtime/export.h"
#include <stdlib.h>
#include <string.h>

static void look_inside(const void *p, size_t n, bool write, struct dvmrt_site *site) {
  struct dvmp_array *a = dvmp_job.poison && n ? dvmp_array_at((uintptr_t)p) : NULL;
  if (a)
    dvmp_check_range(a, (uintptr_t)p, n, write, site);
}

static size_t within(const struct dvmp_array *a, const void *p, size_t n) {
  size_t room = a->end - (uintptr_t)p;
  return n < room ? n : room;
}

/* ---- what is read --------------------------------------------------------------------------------------------------------------- */

static void count(void *arg, uintptr_t low, uintptr_t high) { *(size_t *)arg += high - low; }

static void refuse(const struct dvmp_array *a, uintptr_t at, struct dvmrt_site *site) {
  char element[256];
  bool entered = dvmrt_mem_enter();
  const struct dvmrt_access *x = site ? dvmrt_site_access(site) : NULL;
  if (entered)
    dvmrt_mem_leave();
  dvmp_where_element(element, sizeof(element), a, at);
  const struct dvmrt_directive *old = dvmp_construct_outdated(a, at);
  if (old)
    dvmp_sequential_outdated(a, at, old, element, x ? &x->pos : dvmp_construct_place());
  dvmp_fail_here(DVMP_STATUS_WRONG, x ? &x->pos : dvmp_construct_place(),
                 "'%s' is read in the sequential part by rank %d, but rank %d has it: put '#pragma dvm remote_access' before the statement "
                 "[dvm-sequential-access]",
                 element, dvmp_job.rank, dvmp_array_owner(a, at));
}

static void need(const struct dvmp_array *a, uintptr_t from, size_t n, struct dvmrt_site *site) {
  size_t own = 0;
  dvmp_sequential_own(a, from, n, count, &own);
  for (uintptr_t at = from; own < n && at < from + n; at += a->element_bytes - (at - a->address) % a->element_bytes)
    if (!dvmp_array_mine(a, at) && (!dvmp_construct_fetched(a, at) || dvmp_construct_outdated(a, at)))
      refuse(a, at, site);
}

DVMRT_EXPORT void __dvmp_range(const void *p, uint64_t n, struct dvmrt_site *site) {
  struct dvmp_array *a = dvmp_array_at((uintptr_t)p);
  if (!a || !n)
    return;
  n = n == UINT64_MAX ? 1 : within(a, p, n);
  if (dvmp_sequential_read(p))
    need(a, (uintptr_t)p, n, site);
  else
    look_inside(p, n, false, site);
}

/* ---- what is written ------------------------------------------------------------------------------------------------------------ */

struct filling {
  int byte;
};

static void fill(void *arg, uintptr_t low, uintptr_t high) { memset((void *)low, ((struct filling *)arg)->byte, high - low); }

DVMRT_EXPORT void *__dvmp_memset(void *p, int byte, uint64_t n, struct dvmrt_site *site) {
  struct dvmp_array *a = n ? dvmp_sequential_divided(p) : NULL;
  if (!a) {
    look_inside(p, n, true, site);
    return memset(p, byte, n);
  }
  struct filling f = {byte};
  size_t here = within(a, p, n);
  dvmp_sequential_own(a, (uintptr_t)p, here, fill, &f);
  dvmp_sequential_assigned(a, (uintptr_t)p, here);
  memset((char *)p + here, byte, n - here);
  return p;
}

struct copying {
  const char *from;             /* what goes to 'to' */
  uintptr_t to;
  struct dvmp_array *source;    /* or NULL: all ranks have it */
  struct dvmrt_site *site;
};

static void copy_own(void *arg, uintptr_t low, uintptr_t high) {
  const struct copying *c = arg;
  const char *from = c->from + (low - c->to);
  if (c->source)
    need(c->source, (uintptr_t)from, high - low, c->site);
  memmove((void *)low, from, high - low);
}

DVMRT_EXPORT void *__dvmp_memcpy(void *to, const void *from, uint64_t n, struct dvmrt_site *written, struct dvmrt_site *read) {
  struct dvmp_array *a = n ? dvmp_sequential_divided(to) : NULL, *source = n ? dvmp_sequential_read(from) : NULL;
  if (!a && !source) {
    look_inside(from, n, false, read);
    look_inside(to, n, true, written);
    return memmove(to, from, n);
  }
  if (!a) {
    need(source, (uintptr_t)from, within(source, from, n), read);
    return memmove(to, from, n);
  }
  /* Within one array runs may go over each other. */
  char *kept = NULL;
  if (source == a && (uintptr_t)from < (uintptr_t)to + n && (uintptr_t)to < (uintptr_t)from + n && from != to) {
    kept = malloc(n);
    if (!kept)
      dvmp_out_of_memory();
  }
  size_t here = within(a, to, n);
  struct copying c = {from, (uintptr_t)to, source, read};
  if (kept) {
    need(source, (uintptr_t)from, within(source, from, n), read);
    memcpy(kept, from, n);
    c.from = kept;
    c.source = NULL;
  }
  dvmp_sequential_own(a, (uintptr_t)to, here, copy_own, &c);
  dvmp_sequential_assigned(a, (uintptr_t)to, here);
  if (n > here)
    memmove((char *)to + here, c.from + here, n - here);
  free(kept);
  return to;
}
