/* Entry points of abi.h: the heap. */
#include "runtime/entry/inside.h"
#include "runtime/data/heap.h"
#include "runtime/rules/handed.h"
#include <stdlib.h>

static void heap_new(uintptr_t a, uint64_t size, uint32_t word) {
  dvmrt_heap_add(a, size);
  if (size)
    dvmrt_memory_renew(a, size, word);
}

void __dvmrt_heap_new(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  heap_new((uintptr_t)p, size, dvmrt_construct_born_word());
  leave();
}

void __dvmrt_heap_zero(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  uint32_t zero = dvmrt_site_has_directives() ? DVMRT_W_ZERO : DVMRT_W_ASSIGNED;
  heap_new((uintptr_t)p, size, __dvmrt_now.mask ? __dvmrt_now.write : zero);
  leave();
}

static void heap_forget(uintptr_t a) {
  struct dvmrt_extent x;
  dvmrt_handed_freed(a);
  if (dvmrt_heap_remove(a, &x) && x.size)
    dvmrt_memory_renew(x.start, x.size, DVMRT_W_ASSIGNED);
}

void __dvmrt_heap_free(const void *p) {
  if (!p || !enter())
    return;
  heap_forget((uintptr_t)p);
  leave();
}

/* Under the lock: another thread that is given the old block waits with its words until ours have moved. */
static void *realloc_known(void *p, uint64_t size, struct dvmrt_extent x) {
  dvmrt_handed_freed(x.start);
  void *q = realloc(p, size);
  if (!q)
    return NULL;
  uintptr_t a = (uintptr_t)p, b = (uintptr_t)q;
  uint64_t keep = x.size < size ? x.size : size;
  uint32_t born = dvmrt_construct_born_word();
  if (a != b) {
    dvmrt_array_forget(b, size);
    dvmrt_shadow_copy(b, a, keep, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
    dvmrt_memory_renew(a, x.size, DVMRT_W_ASSIGNED);
    dvmrt_heap_remove(a, &x);
  } else {
    dvmrt_array_forget(a, x.size); /* it begins where it began, but has another shape */
  }
  if (size > keep)
    dvmrt_memory_renew(b + keep, size - keep, born);
  else if (a == b && x.size > keep)
    dvmrt_memory_renew(a + keep, x.size - keep, DVMRT_W_ASSIGNED);
  dvmrt_heap_add(b, size);
  dvmrt_heap_is_old(b, x.born);
  return q;
}

void *__dvmrt_realloc(void *p, uint64_t size) {
  if (!p) {
    void *q = malloc(size);
    __dvmrt_heap_new(q, size);
    return q;
  }
  struct dvmrt_extent x;
  if (!enter())
    return realloc(p, size);
  void *q;
  if (size && dvmrt_heap_find((uintptr_t)p, &x) && x.start == (uintptr_t)p) {
    q = realloc_known(p, size, x);
  } else {
    heap_forget((uintptr_t)p);
    q = realloc(p, size);
  }
  leave();
  return q;
}
