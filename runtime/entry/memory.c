/* Entry points of abi.h: objects that begin to live, and what gives memory a value. */
#include "runtime/entry/inside.h"
#include "runtime/rules/check.h"
#include "runtime/data/few.h"
#include "runtime/rules/lent.h"
#include "runtime/rules/object.h"
#include "runtime/rules/outdated.h"
#include "runtime/rules/range.h"
#include "runtime/rules/section.h"
#include "runtime/rules/region.h"
#include "runtime/rules/repeat.h"

/* The same, of a small object on one page or two that have bits of their own: most objects of the stack. */
static inline bool small_and_own(uintptr_t a, uint64_t size) {
  uintptr_t own = dvmrt_shadow_entry_by_bits();
  return size <= 512 && dvmrt_shadow_entry(a) == own && dvmrt_shadow_entry(a + size - 1) == own && !__dvmrt_now.mask &&
         !may_pend(a, size) && !dvmrt_task_remembers();
}

void dvmrt_memory_renew(uintptr_t a, uint64_t size, uint32_t word) {
  if (DVMRT_UNLIKELY(dvmrt_group_nvars))
    dvmrt_group_ends(a, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_held_forget(a, size);
  dvmrt_task_forget(a, size);
  dvmrt_array_forget(a, size);
  dvmrt_shadow_fill(a, size, word);
}

/* The same in a nest, where the object has words that inserted code reads itself. */
static bool born_in_nest(uintptr_t a, uint64_t size) {
  uintptr_t e = dvmrt_shadow_entry(a), granule = (uintptr_t)2 << (e & 3);
  if (!__dvmrt_now.mask || ((e & 3) != 1 && (e & 3) != 2) || (a & 4095) + size > 4096 || ((a | size) & (granule - 1)) ||
      dvmrt_group_nvars || dvmrt_task_remembers() || !dvmrt_doubt_set_if_own(a, size))
    return false;
  uint32_t word = dvmrt_construct_born_word(), *w = dvmrt_shadow_at(e, a), *end = w + size / granule;
  if (end - w >= DVMRT_FEW_LEAST)
    dvmrt_few_set(w, (uint64_t)(end - w), word);
  else
    while (w < end)
      *w++ = word;
  return true;
}

void __dvmrt_born(const void *p, uint64_t size) {
  if (!size || !enter())
    return;
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_held_forget((uintptr_t)p, size);
  if (born_in_nest((uintptr_t)p, size)) {
    dvmrt_object_born((uintptr_t)p, size, (uintptr_t)__builtin_frame_address(0));
    leave();
    return;
  }
  if (small_and_own((uintptr_t)p, size))
    dvmrt_doubt_set_own((uintptr_t)p, size);
  else if (only_doubts((uintptr_t)p, size))
    dvmrt_shadow_fill((uintptr_t)p, size, DVMRT_W_NEVER);
  else
    dvmrt_memory_renew((uintptr_t)p, size, dvmrt_construct_born_word());
  dvmrt_object_born((uintptr_t)p, size, (uintptr_t)__builtin_frame_address(0));
  leave();
}

void __dvmrt_live(const void *p, uint64_t size) {
  if (__dvmrt_now.mask) {
    __dvmrt_born(p, size);
    return;
  }
  if (!size || dvmrt_object_is_last((uintptr_t)p, size) || !enter())
    return;
  dvmrt_object_born((uintptr_t)p, size, (uintptr_t)__builtin_frame_address(0));
  leave();
}

void __dvmrt_over(const void *p, uint64_t size) {
  if (!enter())
    return;
  if (dvmrt_construct_judges())
    dvmrt_shadow_fill((uintptr_t)p, size, DVMRT_W_PRIVATE);
  leave();
}

void __dvmrt_unwound(const void *frame) {
  if (!enter())
    return;
  dvmrt_object_unwound((uintptr_t)frame);
  leave();
}

void __dvmrt_landed(const void *frame) {
  if (!enter())
    return;
  dvmrt_construct_landed(frame);
  leave();
}

static void mark_written(uintptr_t a, uint64_t size) {
  const uintptr_t end = a + size;
  for (struct dvmrt_region *r = dvmrt_shadow_region_in(a, size); r; r = r->end < end ? dvmrt_shadow_region_in(r->end, end - r->end) : NULL)
    dvmrt_construct_written((struct dvmrt_array *)r, NULL);
}

static void assign(const void *p, uint64_t size) {
  uintptr_t a = (uintptr_t)p;
  if (is_first_value(a, size)) {
    dvmrt_doubt_clear_few(a, size);
    return;
  }
  if (size && small_and_own(a, size)) {
    dvmrt_doubt_clear_own(a, size);
    return;
  }
  if (!size || only_doubts(a, size)) {
    dvmrt_doubt_clear(a, size);
    return;
  }
  if (!enter())
    return;
  mark_written(a, size);
  dvmrt_task_assigned(a, size);
  dvmrt_shadow_fill(a, size, __dvmrt_now.mask ? __dvmrt_now.write : DVMRT_W_ASSIGNED);
  leave();
}

/* Written by something that is no access of the source, or whose place in it nobody tells. */
static void write_held(uintptr_t a, uint64_t size, struct dvmrt_site *site) {
  if (!enter())
    return;
  dvmrt_region_writes(a, size, site);
  dvmrt_region_keep(a, size);
  leave();
}

static bool lacks(uintptr_t a, uint64_t size) {
  uint32_t count, *words = dvmrt_shadow_peek(a, size, &count);
  for (uint32_t i = 0; words && i < count; i++)
    if (words[i] < DVMRT_W_FIRST)
      return true;
  return !words && !count && dvmrt_shadow_word(a) < DVMRT_W_FIRST;
}

int __dvmrt_lacks(const void *p, uint64_t size) {
  if (!dvmrt_doubt_any((uintptr_t)p, size) || !enter())
    return 0;
  const bool lacking = lacks((uintptr_t)p, size);
  dvmrt_mem_leave();
  return lacking;
}

void __dvmrt_lack(const void *p, uint64_t size) {
  if (!enter())
    return;
  dvmrt_shadow_fill((uintptr_t)p, size, __dvmrt_now.mask ? dvmrt_construct_born_word() : DVMRT_W_NEVER);
  dvmrt_mem_leave();
}

void __dvmrt_assign(const void *p, uint64_t size) {
  assign(p, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count) && size)
    write_held((uintptr_t)p, size, NULL);
}

int __dvmrt_run(const void *first, int64_t step, uint64_t more, uint64_t size, uint32_t flags) {
  uint64_t way, distance = (uint64_t)(step < 0 ? -step : step);
  if (__dvmrt_now.mask || __builtin_mul_overflow(distance, more, &way) || way >> 40)
    return 0;
  uintptr_t low = step < 0 ? (uintptr_t)first - way : (uintptr_t)first;
  uint64_t n = way + size;
  if (!dvmrt_doubt_any(low, n))
    return 1;
  if (!(flags & DVMRT_STORED) && (!(flags & DVMRT_WRITE) || !only_doubts(low, n)))
    return 0;
  __dvmrt_assign((const void *)low, n);
  return 1;
}

/* What functions assign in a block of remote_access. */
static void outdate(uintptr_t a, uint64_t size) {
  if (!enter())
    return;
  dvmrt_outdated_memory(a, a + size);
  leave();
}

void __dvmrt_fill(const void *p, uint64_t size) {
  uintptr_t a = (uintptr_t)p;
  if (DVMRT_UNLIKELY(dvmrt_outdated_open) && size)
    outdate(a, size);
  if (!__dvmrt_now.mask) {
    __dvmrt_assign(p, size);
    return;
  }
  if (!size || !enter())
    return;
  mark_written(a, size);
  dvmrt_task_assigned(a, size);
  dvmrt_check_filled(a, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_writes(a, size, NULL);
  leave();
}

/* What the source does not have the target does not have either. */
static void copy_words(uintptr_t dst, uintptr_t src, uint64_t size) {
  mark_written(dst, size);
  dvmrt_task_assigned(dst, size);
  if (__dvmrt_now.mask)
    dvmrt_shadow_copy(dst, src, size, __dvmrt_now.write, __dvmrt_now.base, dvmrt_construct_born_word());
  else
    dvmrt_shadow_copy(dst, src, size, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
  if (DVMRT_UNLIKELY(dvmrt_held_count)) {
    dvmrt_region_writes(dst, size, NULL);
    dvmrt_region_keep(dst, size);
  }
}

/* To where nobody but the map of doubts has to know: is nothing of the source in doubt?  True: done. */
static bool copy_certain(const void *dst, uintptr_t src, uint64_t size) {
  if (dvmrt_doubt_any(src, size))
    return false;
  if (!dvmrt_doubt_any((uintptr_t)dst, size))
    return true;
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    return false;
  assign(dst, size);
  return true;
}

void __dvmrt_copy(const void *dst, const void *src, uint64_t size) {
  if (!size || (only_doubts((uintptr_t)dst, size) && copy_certain(dst, (uintptr_t)src, size)))
    return;
  if (!enter())
    return;
  if (dvmrt_check_copied_nowhere((uintptr_t)dst)) {
    dvmrt_mem_leave();
    return;
  }
  copy_words((uintptr_t)dst, (uintptr_t)src, size);
  leave();
}

static void copy_at(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from) {
  uintptr_t d = (uintptr_t)dst, s = (uintptr_t)src;
  const bool doubts = only_doubts(d, size) && only_doubts(s, size);
  if (!size || (doubts && copy_certain(dst, s, size)) || !enter())
    return;
  const bool judged = !doubts || DVMRT_UNLIKELY(dvmrt_held_count); /* else there is nothing to say: the doubts go with the data */
  if (from && DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_reads(s, size, from, false);
  if (from && judged)
    dvmrt_range_source(s, size, from, d);
  if (!to || !judged || dvmrt_range_target(d, size, to))
    copy_words(d, s, size);
  leave();
}

void __dvmrt_copy_at(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from) {
  copy_at(dst, src, size, to, from);
  if (DVMRT_UNLIKELY(dvmrt_outdated_open) && size)
    outdate((uintptr_t)dst, size);
}

void __dvmrt_look_copy(const void *dst, const void *src, uint64_t size, struct dvmrt_site *to, struct dvmrt_site *from, uint32_t born) {
  if (!__dvmrt_now.mask && !dvmrt_doubt_any((uintptr_t)dst, size) && !dvmrt_doubt_any((uintptr_t)src, size))
    return;
  if (born)
    __dvmrt_born(dst, size);
  if (to || from)
    __dvmrt_copy_at(dst, src, size, to, from);
  else
    __dvmrt_copy(dst, src, size);
}

void __dvmrt_read_at(const void *p, uint64_t size, struct dvmrt_site *site, uint32_t flags) {
  uintptr_t a = (uintptr_t)p;
  if (!p || !size || !site || (only_doubts(a, size) && ((flags & DVMRT_COPIED) || !dvmrt_doubt_any(a, size))))
    return;
  if (!enter())
    return;
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_reads(a, size, site, dvmrt_site_access(site)->role == 'i');
  dvmrt_range_access(a, size, site, flags);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_keep(a, size);
  leave();
}

void __dvmrt_write_at(const void *p, uint64_t size, struct dvmrt_site *site) {
  if (!p || !size)
    return;
  if (!site || only_doubts((uintptr_t)p, size)) {
    __dvmrt_fill(p, size);
    return;
  }
  if (!enter())
    return;
  dvmrt_range_access((uintptr_t)p, size, site, DVMRT_WRITE);
  if (DVMRT_UNLIKELY(dvmrt_held_count)) {
    dvmrt_region_writes((uintptr_t)p, size, site);
    dvmrt_region_keep((uintptr_t)p, size);
  }
  leave();
}

void __dvmrt_section(const void *p, uint64_t bytes, struct dvmrt_site *site, uint32_t flags, uint32_t n, const int64_t *dims) {
  struct dvmrt_elements s = {.site = site, .first = (uintptr_t)p, .bytes = bytes, .flags = flags, .n = n ? n : 1, .extent = {1}};
  uintptr_t low;
  uint64_t size;
  for (uint32_t d = 0; d < n; d++) {
    s.extent[d] = dims[2 * d];
    s.stride[d] = dims[2 * d + 1];
  }
  if (!p || !bytes || !dvmrt_section_bounds(&s, &low, &size))
    return;
  if (flags && !dvmrt_section_nwaiting && only_doubts(low, size) && ((flags & (DVMRT_COPIED | DVMRT_WRITE)) || !dvmrt_doubt_any(low, size)))
    return;
  if (!enter())
    return;
  if (flags & DVMRT_LENT)
    dvmrt_lent_begin(s.first, bytes, site);
  else if (flags & DVMRT_RETURNED)
    dvmrt_lent_end(s.first);
  else if (flags)
    dvmrt_section_access(&s);
  else
    dvmrt_check_target(s.first, site);
  leave();
}
