/* Doubt: a bit for each byte of memory, set where an access outside of parallel loops may be of interest: a word says that there
 * is no value, or a distributed array lies there.  Inserted code asks it first (abi.h); what is not in doubt it leaves alone.
 * The words decide: a bit that is set without need costs a call, one that is missing a diagnostic.
 *
 * The map is a window: addresses that are a multiple of its length apart share their bits.  A piece of the window belongs to the
 * addresses that first were in doubt there; should others be too, all of it stays in doubt. */
#ifndef DVMRT_DOUBT_H
#define DVMRT_DOUBT_H
#include "runtime/export.h"
#include <stdbool.h>
#include <sys/single_threaded.h>

/* Once, before the first set.  Without memory nothing is ever in doubt, and a warning says so. */
void dvmrt_doubt_init(void);
void dvmrt_doubt_set(uintptr_t a, uint64_t n);
void dvmrt_doubt_clear(uintptr_t a, uint64_t n);
/* The same of ranges that stay so as a whole, as distributed arrays do: their part of the map takes no memory until it is read. */
void dvmrt_doubt_set_lasting(uintptr_t a, uint64_t n);
void dvmrt_doubt_clear_lasting(uintptr_t a, uint64_t n);
/* Is any byte of the range in doubt? */
bool dvmrt_doubt_any(uintptr_t a, uint64_t n);
/* For small ranges, on pages whose bits are their own. */
void dvmrt_doubt_set_own(uintptr_t a, uint64_t n);
void dvmrt_doubt_clear_own(uintptr_t a, uint64_t n);
/* Counts on.  When some of the range, or of the 64 KiB around its ends, or 1 GiB away, was last set: no later than that count. */
uint64_t dvmrt_doubt_count(void);
uint64_t dvmrt_doubt_last(uintptr_t a, uint64_t n);
/* Do the bits of a's piece of the window mean its own page and no other, so that they tell the truth of it? */
bool dvmrt_doubt_owned(uintptr_t a);
/* Sets those of a range on one page, if they are owned. */
bool dvmrt_doubt_set_if_own(uintptr_t a, uint64_t n);

/* The bits of the eight bytes around 'a', the lowest address in the lowest. */
static inline uint8_t dvmrt_doubt_byte(uintptr_t a) { return __dvmrt_doubt.bits[(a >> 3) & __dvmrt_doubt.mask]; }
static inline bool dvmrt_doubt_at(uintptr_t a) { return dvmrt_doubt_byte(a) >> (a & 7) & 1; }

/* Changes one byte of the map, of a page whose bits are its own. */
static inline void dvmrt_doubt_change(uintptr_t a, uint8_t bits, bool set) {
  uint8_t *at = (uint8_t *)&__dvmrt_doubt.bits[(a >> 3) & __dvmrt_doubt.mask];
  if ((*at & bits) == (set ? bits : 0))
    return;
  if (DVMRT_LIKELY(__libc_single_threaded))
    *at = (uint8_t)(set ? *at | bits : *at & ~bits);
  else if (set)
    __atomic_fetch_or(at, bits, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and(at, (uint8_t)~bits, __ATOMIC_RELAXED);
}
/* What [a, a + n), n > 0, has of the eight bytes around 'at', which it meets. */
static inline uint8_t dvmrt_doubt_part(uintptr_t a, uint64_t n, uintptr_t at) {
  uintptr_t low = at & ~(uintptr_t)7, end = a + n;
  uint8_t bits = 0xff;
  if (a > low)
    bits = (uint8_t)(bits << (a - low));
  if (end < low + 8)
    bits &= (uint8_t)(0xff >> (low + 8 - end));
  return bits;
}
/* Eight bytes at most: is any of them in doubt? */
static inline bool dvmrt_doubt_few(uintptr_t a, uint64_t n) {
  unsigned around = dvmrt_doubt_byte(a) | (unsigned)dvmrt_doubt_byte(a + 7) << 8;
  return around >> (a & 7) & ((1u << n) - 1);
}
/* Eight bytes at most. */
static inline void dvmrt_doubt_clear_few(uintptr_t a, uint64_t n) {
  unsigned own = ((1u << n) - 1) << (a & 7);
  dvmrt_doubt_change(a, (uint8_t)own, false);
  if (own >> 8)
    dvmrt_doubt_change(a + 8, (uint8_t)(own >> 8), false);
}
/* [dst, dst + n) becomes as [src, src + n), both on pages whose bits are their own; may overlap, as memmove. */
void dvmrt_doubt_copy(uintptr_t dst, uintptr_t src, uint64_t n);
#endif
