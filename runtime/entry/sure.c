/* Nests outside of parallel loops: is anything that they may touch in doubt? */
#include "runtime/entry/inside.h"
#include "runtime/data/doubt.h"
#include "runtime/nest_abi.h"

enum { FEW_BYTES = 2048, BYTES_PER_ACCESS = 128, BYTES_PER_SPAN = 1 << 16 };

DVMRT_EXPORT int __dvmrt_sure(struct dvmrt_sure *known, const void *p, uint64_t n, uint64_t accesses) {
  const uintptr_t low = (uintptr_t)p;
  const bool often = n <= FEW_BYTES || n / BYTES_PER_ACCESS <= accesses;
  if (__dvmrt_now.mask || n >> 40 || low + n < low || n / BYTES_PER_SPAN > accesses)
    return 0;
  if (n <= FEW_BYTES || !__libc_single_threaded)
    return often && !dvmrt_doubt_any(low, n);
  const uint64_t count = dvmrt_doubt_count();
  if (low >= known->low && low + n <= known->high && dvmrt_doubt_last(low, n) <= known->count)
    return 1;
  if (!often || dvmrt_doubt_any(low, n))
    return 0;
  *known = (struct dvmrt_sure){low, low + n, count};
  return 1;
}
