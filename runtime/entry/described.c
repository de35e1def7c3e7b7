/* What the run-time library of Fortran assigns through a descriptor: the elements that it describes, and none beside them. */
#include "runtime/entry/inside.h"
#include "runtime/library_abi.h"

/* ISO_Fortran_binding.h has the same fields; a dimension's lower bound, its extent, and the distance of its elements in bytes. */
struct descriptor {
  char *base;
  uint64_t bytes;
  int32_t version;
  uint8_t rank;
  int8_t type;
  uint8_t attribute, extra;
  struct {
    int64_t lower, extent, stride;
  } dims[DVMRT_NDIMS_MAX];
};

enum { ALLOCATABLE = 2, LAST_INTRINSIC = 41 /* behind it are structs, and types without a name */ };

/* Are the elements all that an assignment writes?  An allocatable array may have got other memory, and parts of a struct theirs. */
static bool is_plain(const struct descriptor *d) {
  return d->attribute != ALLOCATABLE && d->type > 0 && d->type <= LAST_INTRINSIC && d->rank <= DVMRT_NDIMS_MAX;
}

/* Takes the dimensions whose elements lie together as one run. */
static uint32_t run_of(const struct descriptor *d, uint64_t *bytes) {
  uint32_t n = 0;
  *bytes = d->bytes;
  while (n < d->rank && (d->dims[n].stride == (int64_t)*bytes || d->dims[n].extent == 1))
    *bytes *= (uint64_t)d->dims[n++].extent;
  return n;
}

static void fill(const struct descriptor *d) {
  uint64_t bytes;
  int64_t at[DVMRT_NDIMS_MAX] = {0};
  const uint32_t first = run_of(d, &bytes);
  char *p = d->base;
  for (uint32_t i = first; i <= d->rank;) {
    if (i == first)
      __dvmrt_fill(p, bytes);
    if (i == d->rank)
      return;
    p += d->dims[i].stride;
    if (++at[i] < d->dims[i].extent) {
      i = first;
      continue;
    }
    p -= d->dims[i].stride * at[i];
    at[i++] = 0;
  }
}

DVMRT_EXPORT void __dvmrt_described(const void *descriptor) {
  const struct descriptor *d = descriptor;
  if (!d || !d->base)
    return;
  if (!is_plain(d)) {
    __dvmrt_foreign(d);
    return;
  }
  for (uint32_t i = 0; i < d->rank; i++)
    if (d->dims[i].extent <= 0)
      return;
  if (d->bytes)
    fill(d);
}
