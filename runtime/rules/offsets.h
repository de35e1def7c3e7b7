/* Elements that lie from the iteration's own one as others do that the nest has accessed at the same place of the text.
 *
 * Where the subscripts are not affine in the index variables as the text shows them (functions that nests call, pointers, local variables), each access is
 * judged.  In one execution of a nest the answer depends on the way from the iteration's own element alone: it is remembered, with what was
 * reported, and an access that goes the same way is right, or counted, without the lock, an event or a lookup. */
#ifndef DVMRT_OFFSETS_H
#define DVMRT_OFFSETS_H
#include "runtime/rules/check.h"
#include "runtime/rules/group.h"
#include "runtime/data/finding.h"
#include "runtime/data/mem.h"

/* Inside dvmrt_mem_enter.  The place of the access has just been judged, 'found': reported there; NULL: it is right. */
void dvmrt_offsets_note(const struct dvmrt_event *ev, struct dvmrt_finding *found);
extern struct dvmrt_offsets *dvmrt_offsets_first; /* of those that hold anything; or NULL */
/* What the answers rest on may change: counts go to their findings ('counts'), and nothing is known. */
void dvmrt_offsets_end_all(bool counts);
static inline void dvmrt_offsets_end(void) {
  if (DVMRT_UNLIKELY(dvmrt_offsets_first))
    dvmrt_offsets_end_all(true);
}

/* As inserted code does it for an array of the nest; false: the word is to be judged. */
static inline __attribute__((always_inline)) bool dvmrt_offsets_word(uint32_t *word, uint32_t flags) {
  const struct dvmrt_now *now = &__dvmrt_now;
  const uint32_t w = *word;
  if (flags & DVMRT_READ && (w < DVMRT_W_FIRST || (w >= now->base && w & 1 && w != now->write)))
    return false;
  if (flags & DVMRT_WRITE) {
    if (w >= now->base && (w | 1) != now->write)
      return false;
    *word = now->write;
  } else if (w < now->base) {
    *word = now->write & ~1u;
  }
  return true;
}

/* dvmrt_offsets_touch for what an access of the site has found out before.  NULL: it is not among that. */
static inline struct dvmrt_near *dvmrt_offsets_near(const struct dvmrt_site *site, uintptr_t a, uint64_t size, uint32_t flags) {
  struct dvmrt_access *x = __atomic_load_n(&site->cache, __ATOMIC_ACQUIRE);
  const struct dvmrt_now *now = &__dvmrt_now;
  if (!x || a - x->near.low >= x->near.length)
    return NULL;
  struct dvmrt_near *n = &x->near;
  const bool same = n->base == now->base && n->is[0] == now->iv[n->iv[0]] && n->is[1] == now->iv[n->iv[1]] && n->flags == flags &&
                    n->size == size && !((a - n->low) & (size - 1));
  return same && !dvmrt_group_nvars && !dvmrt_mem_inside() ? n : NULL;
}
static inline bool dvmrt_offsets_again(const struct dvmrt_near *n, struct dvmrt_site *site, uintptr_t a, uint32_t flags) {
  if (!dvmrt_offsets_word(&n->words[(a - n->low) >> n->shift], flags))
    return false;
  ++*n->hits;
  if (flags & DVMRT_WRITE)
    *n->writer = site;
  return true;
}

/* The place of an access whose word inserted code looks at. */
static inline bool dvmrt_offsets_place_again(struct dvmrt_site *site, uintptr_t a, const int64_t *ix, uint32_t flags) {
  const struct dvmrt_access *x = __atomic_load_n(&site->cache, __ATOMIC_ACQUIRE);
  const struct dvmrt_near *n = x ? dvmrt_offsets_near(site, a, x->near.size, flags) : NULL;
  if (!n || (ix && n->array && !dvmrt_array_is_at(n->array, a, ix)))
    return false;
  ++*n->hits;
  if (flags & DVMRT_WRITE)
    *n->writer = site;
  return true;
}

/* Without the lock, by any thread.  The access of 'size' bytes at 'a' changes its word, and is counted if its place is wrong.  False: it is to be
 * judged, and nothing has changed.  'ix': its subscripts, or NULL. */
bool dvmrt_offsets_touch(struct dvmrt_site *site, uintptr_t a, uint64_t size, const int64_t *ix, uint32_t flags);
/* The same of its place alone. */
bool dvmrt_offsets_place(struct dvmrt_site *site, uintptr_t a, const int64_t *ix, uint32_t flags);
#endif
