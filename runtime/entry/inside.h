/* What entry points of several files share: how to be inside, and what nobody but the map of doubts has to know. */
#ifndef DVMRT_INSIDE_H
#define DVMRT_INSIDE_H
#include "runtime/data/doubt.h"
#include "runtime/data/due.h"
#include "runtime/data/finding.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include "runtime/entry/process.h"
#include "runtime/rules/group.h"
#include "runtime/rules/task.h"

/* False too where the rest of the run is not judged: then nobody reads any more what is kept of it. */
static inline bool enter(void) { return !DVMRT_UNLIKELY(dvmrt_finding_stopped) && dvmrt_mem_enter(); }

static inline void leave(void) {
  bool due = dvmrt_due;
  dvmrt_mem_leave();
  if (DVMRT_UNLIKELY(due))
    dvmrt_process_do_due();
}

/* May a reduction be under way in it?  The list of them changes under the lock. */
static inline bool may_pend(uintptr_t a, uint64_t size) {
  return DVMRT_UNLIKELY(dvmrt_group_nvars) && (!dvmrt_mem_alone() || dvmrt_group_var(a, size));
}

/* Memory that gets its first value outside of loops, up to eight bytes of a page that the bits alone tell of. */
static inline bool is_first_value(uintptr_t a, uint64_t size) {
  return !__dvmrt_now.mask && size <= 8 && (a & 4095) + size <= 4096 && dvmrt_shadow_entry(a) == dvmrt_shadow_entry_by_bits() &&
         !may_pend(a, size);
}

/* Outside of loops, and nobody but the map of doubts has to know. */
static inline bool only_doubts(uintptr_t a, uint64_t size) {
  return !__dvmrt_now.mask && !may_pend(a, size) && !dvmrt_task_remembers() && dvmrt_shadow_told_by_bits(a, size);
}

/* Inside: arrays in the range cease; the words then say 'word'. */
void dvmrt_memory_renew(uintptr_t a, uint64_t size, uint32_t word);
#endif
