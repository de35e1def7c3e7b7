/* Programs in Fortran: input and output of the sequential part (pass/llvm/FortranCalls.cpp), whole arrays, arguments. */
#include "runtime/parallel/abi.h"
#include "runtime/parallel/array.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/sequential.h"
#include "runtime/parallel/stream.h"
#include "runtime/data/mem.h"
#include "runtime/export.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS_MAX = 15 };
/* Each rank for itself; this one for all; another one; none: it is another rank's iteration, executed for an edge (shadow_compute). */
enum who { EACH, FOR_ALL, OF_RANK_0, NOBODY };

/* A descriptor of flang 19. */
struct descriptor {
  char *base;
  size_t element;
  int version;
  unsigned char rank;
  signed char type;
  unsigned char attribute, extra;
  struct {
    ptrdiff_t lower, extent, stride;
  } dim[DIMS_MAX];
};

DVMRT_EXPORT int __dvmp_io_begin(void);
int __dvmp_io_begin(void) {
  dvmp_job_begin();
  return dvmp_job.edges ? NOBODY : !dvmp_stream_one() ? EACH : dvmp_job.rank ? OF_RANK_0 : FOR_ALL;
}

/* ---- elements of descriptors ----------------------------------------------------------------------------------------------------- */

static size_t count(const struct descriptor *d) {
  size_t n = 1;
  for (int i = 0; i < d->rank; i++)
    n *= d->dim[i].extent > 0 ? (size_t)d->dim[i].extent : 0;
  return d->base ? n : 0;
}

typedef void element_f(void *arg, char *element, size_t number);

static void each(const struct descriptor *d, element_f *f, void *arg) {
  ptrdiff_t at[DIMS_MAX] = {0};
  size_t n = count(d);
  for (size_t k = 0; k < n; k++) {
    char *p = d->base;
    for (int i = 0; i < d->rank; i++)
      p += at[i] * d->dim[i].stride;
    f(arg, p, k);
    for (int i = 0; i < d->rank && ++at[i] == d->dim[i].extent; i++)
      at[i] = 0;
  }
}

static bool is_divided(const struct descriptor *d) {
  struct dvmp_array *a = count(d) ? dvmp_array_at((uintptr_t)d->base) : NULL;
  return a && !dvmp_array_everywhere(a);
}

/* Bytes from the first to the last element. */
static char *low_end(const struct descriptor *d, size_t *bytes) {
  char *low = d->base, *high = d->base;
  for (int i = 0; i < d->rank; i++) {
    ptrdiff_t last = (d->dim[i].extent - 1) * d->dim[i].stride;
    *(last < 0 ? &low : &high) += last;
  }
  *bytes = (size_t)(high - low) + d->element;
  return low;
}

static void *get(size_t n) {
  void *p = calloc(1, n ? n : 1);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

static size_t size_of(const struct descriptor *d) {
  return offsetof(struct descriptor, dim) + d->rank * sizeof(d->dim[0]) + (d->extra & 1 ? 64 : 0); /* an addendum behind the dimensions */
}

static struct descriptor *copy_of(const struct descriptor *d) {
  struct descriptor *c = get(size_of(d) + sizeof(*c));
  memcpy(c, d, size_of(d));
  return c;
}

/* ---- output ----------------------------------------------------------------------------------------------------------------------- */

/* What is written: elements of other ranks come to rank 0. */
DVMRT_EXPORT void *__dvmp_io_collect(int who, struct descriptor *d);
void *__dvmp_io_collect(int who, struct descriptor *d) {
  size_t n;
  if (who == EACH || who == NOBODY || !is_divided(d))
    return d;
  char *low = low_end(d, &n), *values = dvmp_stream_collect(low, n);
  struct descriptor *c = copy_of(d);
  if (!values)
    values = memcpy(get(n), low, n);
  c->base = values + (d->base - low);
  return c;
}

DVMRT_EXPORT void __dvmp_io_done(struct descriptor *d, struct descriptor *c);
void __dvmp_io_done(struct descriptor *d, struct descriptor *c) {
  size_t n;
  if (c == d)
    return;
  free(low_end(c, &n));
  free(c);
}

/* ---- input ------------------------------------------------------------------------------------------------------------------------ */

/* There is nothing to read it from. */
static void refuse_edge(int who) {
  if (who == NOBODY)
    dvmp_fail_here(1, dvmp_construct_place(),
                   "a statement that reads is not supported in a loop with 'shadow_compute' in parallel execution");
}

/* Where rank 0 reads to: the elements of others may not be accessible. */
DVMRT_EXPORT void *__dvmp_io_target(int who, void *p, uint64_t n);
void *__dvmp_io_target(int who, void *p, uint64_t n) {
  refuse_edge(who);
  struct dvmp_array *a = who == FOR_ALL ? dvmp_array_at((uintptr_t)p) : NULL;
  return a && !dvmp_array_everywhere(a) ? get(n) : p;
}

DVMRT_EXPORT int __dvmp_io_got(int who, void *p, void *target, uint64_t n, int result);
int __dvmp_io_got(int who, void *p, void *target, uint64_t n, int result) {
  struct dvmp_array *a = who == EACH || who == NOBODY ? NULL : dvmp_array_at((uintptr_t)p);
  if (who == EACH || who == NOBODY)
    return result;
  dvmp_stream_share(&result, sizeof(result));
  if (!result)
    return 0;
  if (!a || dvmp_array_everywhere(a)) {
    dvmp_job_tell(p, n, 0);
    return result;
  }
  char *value = who == FOR_ALL ? target : get(n);
  dvmp_job_tell(value, n, 0);
  if (dvmp_array_mine(a, (uintptr_t)p))
    memcpy(p, value, n);
  free(value);
  dvmp_sequential_assigned(a, (uintptr_t)p, n);
  return result;
}

DVMRT_EXPORT void *__dvmp_io_target_array(int who, struct descriptor *d);
void *__dvmp_io_target_array(int who, struct descriptor *d) {
  refuse_edge(who);
  if (who != FOR_ALL || !count(d))
    return d;
  struct descriptor *c = copy_of(d);
  ptrdiff_t stride = (ptrdiff_t)d->element;
  c->base = get(count(d) * d->element);
  for (int i = 0; i < c->rank; i++) {
    c->dim[i].stride = stride;
    stride *= c->dim[i].extent;
  }
  return c;
}

struct scatter {
  const char *from;
  size_t bytes;
  struct dvmp_array *a;
};

static void scatter(void *arg, char *element, size_t number) {
  const struct scatter *s = arg;
  if (s->a && !dvmp_array_mine(s->a, (uintptr_t)element))
    return;
  memcpy(element, s->from + number * s->bytes, s->bytes);
}

DVMRT_EXPORT int __dvmp_io_got_array(int who, struct descriptor *d, struct descriptor *target, int result);
int __dvmp_io_got_array(int who, struct descriptor *d, struct descriptor *target, int result) {
  size_t n = count(d) * d->element;
  if (who == EACH || who == NOBODY)
    return result;
  dvmp_stream_share(&result, sizeof(result));
  struct scatter s = {NULL, d->element, is_divided(d) ? dvmp_array_at((uintptr_t)d->base) : NULL};
  char *values = who == FOR_ALL && target != d ? target->base : get(n);
  if (result && n) {
    for (size_t at = 0; at < n; at += 1 << 20)
      dvmp_job_tell(values + at, n - at < 1 << 20 ? n - at : 1 << 20, 0);
    s.from = values;
    each(d, scatter, &s);
    if (s.a)
      dvmp_poison_assigned(s.a, (uintptr_t)d->base, d->element);
  }
  free(values);
  if (target != d)
    free(target);
  return result;
}

DVMRT_EXPORT int __dvmp_io_end(int who, int result);
int __dvmp_io_end(int who, int result) {
  if (who != EACH && who != NOBODY)
    dvmp_stream_share(&result, sizeof(result));
  return result;
}

DVMRT_EXPORT void __dvmp_io_refuse(int who, const char *what);
void __dvmp_io_refuse(int who, const char *what) {
  if (who != EACH)
    dvmp_fail_all(1, dvmp_construct_place(),
                  "input through '%s' (NAMELIST, a derived type) is not supported in parallel execution yet: read its parts, or run the "
                  "program on one rank",
                  what);
}

/* ---- other calls ------------------------------------------------------------------------------------------------------------------- */

DVMRT_EXPORT void __dvmp_share(void *p, uint64_t n);
void __dvmp_share(void *p, uint64_t n) {
  if (dvmp_job_together())
    dvmp_job_tell(p, n, 0);
}

static void gather(void *arg, char *element, size_t number) {
  struct scatter *s = arg;
  memcpy((char *)s->from + number * s->bytes, element, s->bytes);
}

DVMRT_EXPORT void __dvmp_share_array(struct descriptor *d);
void __dvmp_share_array(struct descriptor *d) {
  size_t n = count(d) * d->element;
  if (!dvmp_job_together() || !n)
    return;
  if (is_divided(d))
    dvmp_fail_all(1, dvmp_construct_place(),
                  "RANDOM_NUMBER of a distributed array is not supported in parallel execution yet: fill an array that is not, and assign "
                  "its elements");
  struct scatter s = {get(n), d->element, NULL};
  each(d, gather, &s);
  dvmp_job_tell((char *)s.from, n, 0);
  each(d, scatter, &s);
  free((char *)s.from);
}

DVMRT_EXPORT void __dvmp_deallocated(struct descriptor *d);
void __dvmp_deallocated(struct descriptor *d) {
  if (d->base)
    dvmp_array_forget((uintptr_t)d->base, count(d) * d->element);
}

DVMRT_EXPORT void __dvmp_conform(int64_t to, int64_t from);
void __dvmp_conform(int64_t to, int64_t from) {
  if (to != from)
    dvmp_fail_all(DVMP_STATUS_WRONG, dvmp_construct_place(),
                  "a distributed array with an extent of %lld is assigned one with %lld [dvm-usage]", (long long)to, (long long)from);
}

/* ---- what must be here ------------------------------------------------------------------------------------------------------------ */

static const struct dvmrt_access *access_of(struct dvmrt_site *site) {
  bool entered = dvmrt_mem_enter();
  const struct dvmrt_access *x = dvmrt_site_access(site);
  if (entered)
    dvmrt_mem_leave();
  return x;
}

struct needed {
  struct dvmp_array *a;
  struct dvmrt_site *site;
  bool checked; /* with poison */
};

static void need(void *arg, char *element, size_t number) {
  const struct needed *n = arg;
  (void)number;
  if (n->checked)
    __dvmp_check(element, n->a->element_bytes, n->site);
  else
    __dvmp_read(element, n->a->element_bytes, n->site);
}

DVMRT_EXPORT void __dvmp_section(char *p, struct dvmrt_site *site, uint64_t bytes, int64_t flags, uint64_t ndims, const int64_t *dims);
void __dvmp_section(char *p, struct dvmrt_site *site, uint64_t bytes, int64_t flags, uint64_t ndims, const int64_t *dims) {
  struct descriptor d = {.base = p, .element = bytes, .rank = (unsigned char)ndims};
  struct dvmp_array *a = dvmp_job.poison ? dvmp_array_at((uintptr_t)p) : dvmp_sequential_divided(p);
  for (uint64_t i = 0; i < ndims && i < DIMS_MAX; i++) {
    d.dim[i].extent = dims[2 * i];
    d.dim[i].stride = dims[2 * i + 1];
  }
  if (!a || !count(&d))
    return;
  if ((flags & DVMRT_WRITE) && dvmp_sequential_divided(p)) {
    const struct dvmrt_access *x = access_of(site);
    dvmp_fail_all(1, &x->pos,
                  "a procedure assigns '%s' as a whole, or gets a copy of it: not supported in parallel execution yet for distributed "
                  "arrays; give it an array that is not distributed",
                  x->text);
  }
  each(&d, need, &(struct needed){a, site, dvmp_job.poison});
}

DVMRT_EXPORT void __dvmp_entered(const void *p, const char *text);
void __dvmp_entered(const void *p, const char *text) {
  struct dvmp_array *a = p ? dvmp_sequential_divided(p) : NULL;
  if (!a)
    return;
  struct dvmrt_site site = {text, NULL};
  const struct dvmrt_access *x = access_of(&site);
  dvmp_fail_all(DVMP_STATUS_WRONG, &x->pos,
                "the argument '%s' is the distributed array '%s', and no directive says so here: add '!DVM$ INHERIT %s' [dvm-usage]",
                x->text, a->name, x->text);
}
