/* Fast paths of inserted code.  Built to bitcode with the pass, linked into the user's module as always-inline functions.
 *
 * 'uint32_t write, first_read, first_write, mask, base' are fields of __dvmrt_now (or of a view) as the caller has them:
 * inside a construct they are values, not loads.  A check answers true if the slow path must be called.  All memory that
 * is touched here is page entries (uintptr_t) and words (uint32_t): the pass tells them from the user's by their types. */
#include "runtime/abi.h"
#include <stdbool.h>

#define UNLIKELY(c) __builtin_expect(!!(c), 0)

static inline __attribute__((always_inline)) bool word_read(uint32_t *wp, uint32_t write, uint32_t first_read, uint32_t mask) {
  uint32_t w = *wp;
  if (w < first_read) { /* first_read is never below FIRST: one test is enough while all is well */
    if (UNLIKELY(w < DVMRT_W_FIRST))
      return true;
    *wp = write & ~1u;
    return false;
  }
  return (w & mask) && UNLIKELY(w != write);
}

static inline __attribute__((always_inline)) bool word_write(uint32_t *wp, uint32_t write, uint32_t first_write) {
  uint32_t w = *wp;
  if (w == write)
    return false;
  if (UNLIKELY(w >= first_write))
    return true;
  *wp = write;
  return false;
}

/* ---- Memory of unknown class ---- */
static inline __attribute__((always_inline)) uintptr_t page_entry(uintptr_t a) { return __dvmrt_pages[(a >> 30) & 0x1ffff][(a >> 12) & 0x3ffff]; }

#define MEMORY(bytes, code, shift)                                                                                     \
  bool dvmi_read_##bytes(uintptr_t a, uint32_t write, uint32_t first_read, uint32_t mask) {                            \
    uintptr_t e = page_entry(a);                                                                                       \
    if ((e & 3) != code)                                                                                               \
      return e & 3 ? true : mask;                                                                                      \
    return word_read((uint32_t *)((e & ~(uintptr_t)3) + ((a >> shift) << 2)), write, first_read, mask);                \
  }                                                                                                                    \
  bool dvmi_write_##bytes(uintptr_t a, uint32_t write, uint32_t first_write, uint32_t mask) {                          \
    uintptr_t e = page_entry(a);                                                                                       \
    if ((e & 3) != code)                                                                                               \
      return e & 3 ? true : mask;                                                                                      \
    return word_write((uint32_t *)((e & ~(uintptr_t)3) + ((a >> shift) << 2)), write, first_write);                    \
  }
MEMORY(4, 1, 2)
MEMORY(8, 2, 3)

/* Any other size: only that nothing is known there. */
bool dvmi_known(uintptr_t a, uint32_t mask) { return (page_entry(a) & 3) | mask; }
