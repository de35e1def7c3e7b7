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
  if (w >= first_write && ((w | 1) != write || UNLIKELY(!first_write)))
    return true;
  *wp = write;
  return false;
}

/* ---- Memory of unknown class ---- */
static inline __attribute__((always_inline)) uintptr_t page_entry(uintptr_t a) {
  return __dvmrt_pages[(a >> 30) & 0x1ffff][(a >> 12) & 0x3ffff];
}

#define MEMORY(bytes, code, shift)                                                                                                         \
  bool dvmi_read_##bytes(uintptr_t a, uint32_t write, uint32_t first_read, uint32_t mask) {                                                \
    uintptr_t e = page_entry(a);                                                                                                           \
    if ((e & 3) != code)                                                                                                                   \
      return e & 3 ? true : mask;                                                                                                          \
    return word_read((uint32_t *)((e & ~(uintptr_t)3) + ((a >> shift) << 2)), write, first_read, mask);                                    \
  }                                                                                                                                        \
  bool dvmi_write_##bytes(uintptr_t a, uint32_t write, uint32_t first_write, uint32_t mask) {                                              \
    uintptr_t e = page_entry(a);                                                                                                           \
    if ((e & 3) != code)                                                                                                                   \
      return e & 3 ? true : mask;                                                                                                          \
    return word_write((uint32_t *)((e & ~(uintptr_t)3) + ((a >> shift) << 2)), write, first_write);                                        \
  }
MEMORY(4, 1, 2)
MEMORY(8, 2, 3)

/* Any other size: only that nothing is known there. */
bool dvmi_known(uintptr_t a, uint64_t size, uint32_t mask) {
  if (mask || (page_entry(a) & 3))
    return true;
  uintptr_t last = a + size - 1;
  return (a ^ last) >> 12 ? size > 4096 || (page_entry(last) & 3) : false;
}

/* ---- Elements of a distributed array, through a view: 'wp' is the element's word ---- */
bool dvmi_view_init(const uint32_t *wp) { return UNLIKELY(*wp < DVMRT_W_FIRST); } /* an array that the nest only reads */
/* A reference that reads from the buffer of a remote_access: it marks nothing, but what an earlier iteration has written is not there. */
bool dvmi_view_buffer(const uint32_t *wp, uint32_t write, uint32_t first_read, uint32_t mask) {
  uint32_t w = *wp;
  return UNLIKELY(w < DVMRT_W_FIRST || (w >= first_read && (w & mask) && w != write));
}
bool dvmi_view_read(uint32_t *wp, uint32_t write, uint32_t first_read, uint32_t mask) { return word_read(wp, write, first_read, mask); }
bool dvmi_view_write(uint32_t *wp, uint32_t write, uint32_t first_write) { return word_write(wp, write, first_write); }

/* ---- Variables of the function: words are values; 'word' functions give the new one if there is no slow path ---- */
bool dvmi_first_read_slow(uint32_t w, uint32_t write, uint32_t base) { return w < DVMRT_W_FIRST || (w >= base && (w & 1) && w != write); }
uint32_t dvmi_first_read_word(uint32_t w, uint32_t write, uint32_t base) { return w < base ? write & ~1u : w; }
bool dvmi_first_write_slow(uint32_t w, uint32_t base) { return w < base || !(w & 1) || (w & DVMRT_W_FILLED); }

bool dvmi_shared_read_slow(uint32_t w, uint32_t write, uint32_t first_read, uint32_t mask) {
  return w < DVMRT_W_FIRST || (w >= first_read && (w & mask) && w != write);
}
uint32_t dvmi_shared_read_word(uint32_t w, uint32_t write, uint32_t first_read) { return w < first_read ? write & ~1u : w; }
bool dvmi_shared_write_slow(uint32_t w, uint32_t write, uint32_t first_write) { return w != write && w >= first_write; }

/* Behind a construct: 'written' for what its iterations wrote, assigned for what they only read. */
uint32_t dvmi_local_leave(uint32_t w, uint32_t base, uint32_t written) {
  return w < base ? w : (w & 1) && !(w & DVMRT_W_FILLED) ? written : DVMRT_W_ASSIGNED;
}
void dvmi_local_leave_all(uint32_t *words, uint64_t count, uint32_t base, uint32_t written) {
  for (uint64_t i = 0; i < count; i++)
    words[i] = dvmi_local_leave(words[i], base, written);
}
void dvmi_local_fill(uint32_t *words, uint64_t count, uint32_t word) {
  for (uint64_t i = 0; i < count; i++)
    words[i] = word;
}
/* Elements that bytes [offset, offset + bytes) touch, which memset fills: see DVMRT_W_FILLED. */
void dvmi_local_filled(uint32_t *words, uint64_t count, uint64_t element, uint64_t offset, uint64_t bytes, uint32_t write, uint32_t base) {
  for (uint64_t i = offset / element; i < count && i * element < offset + bytes; i++)
    words[i] = words[i] < base || (words[i] & DVMRT_W_FILLED) ? write | DVMRT_W_FILLED : write;
}
/* The same where the call is judged: the word that it is judged by, then what becomes of them (dvmrt_check_word). */
uint32_t dvmi_local_judged(const uint32_t *words, uint64_t count, uint64_t element, uint64_t offset, uint64_t bytes, uint32_t write,
                           uint32_t base) {
  uint32_t judged = write;
  for (uint64_t i = offset / element; i < count && i * element < offset + bytes; i++) {
    if (words[i] >= base && !(words[i] & 1))
      return words[i]; /* the nest has read it */
    judged = words[i] < base || (words[i] & DVMRT_W_FILLED) ? words[i] : judged;
  }
  return judged;
}
void dvmi_local_written(uint32_t *words, uint64_t count, uint64_t element, uint64_t offset, uint64_t bytes, uint32_t write, uint32_t base) {
  uint32_t judged = dvmi_local_judged(words, count, element, offset, bytes, write, base);
  bool read = judged >= base && !(judged & 1); /* one mistake: what the nest has not read is not private for it */
  for (uint64_t i = offset / element; i < count && i * element < offset + bytes; i++)
    if (words[i] < base || (words[i] & 1))
      words[i] = read ? write | DVMRT_W_FILLED : write;
}
/* Elements that bytes [offset, offset + bytes) touch. */
void dvmi_local_part(uint32_t *words, uint64_t count, uint64_t element, uint64_t offset, uint64_t bytes, uint32_t word) {
  for (uint64_t i = offset / element; i < count && i * element < offset + bytes; i++)
    words[i] = word;
}
/* Have all of them a value?  No if there are no such elements. */
bool dvmi_local_assigned(const uint32_t *words, uint64_t count, uint64_t element, uint64_t offset, uint64_t bytes) {
  if (offset >= count * element || bytes > count * element - offset)
    return false;
  uint32_t least = UINT32_MAX;
  for (uint64_t i = offset / element; i * element < offset + bytes; i++)
    least = words[i] < least ? words[i] : least;
  return least >= DVMRT_W_FIRST;
}
