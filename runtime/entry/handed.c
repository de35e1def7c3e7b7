/* Entry points of abi.h: what functions that nobody sees are given. */
#include "runtime/entry/inside.h"
#include "runtime/abi_pieces.h"
#include "runtime/data/library.h"
#include "runtime/library_abi.h"
#include "runtime/rules/handed.h"
#include "runtime/rules/region.h"
#include "runtime/rules/repeat.h"
#include <stdarg.h>
#include <string.h>

uint64_t __dvmrt_length(const void *p, uint64_t limit) {
  if (!p || !limit)
    return 0;
  uint64_t n = strnlen(p, limit);
  return n < limit ? n + 1 : n;
}

static void given(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  dvmrt_handed_given((uintptr_t)p, (uintptr_t)p, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_given((uintptr_t)p);
  leave();
}

void __dvmrt_foreign(const void *p) { given(p, 0); }
void __dvmrt_given(const void *p, uint64_t size) { given(p, size); }

static void written(const void *p, uint64_t size) {
  if (!p || !enter())
    return;
  dvmrt_handed_written((uintptr_t)p, size);
  if (DVMRT_UNLIKELY(dvmrt_held_count))
    dvmrt_region_given((uintptr_t)p);
  leave();
}

void __dvmrt_written(const void *p) { written(p, 0); }

static void unseen_part(const void *p, const struct dvmrt_part *part) {
  if (part->what & DVMRT_PART_ASSIGN)
    __dvmrt_assign(p, part->size);
  if (part->what & DVMRT_PART_GIVEN)
    given(p, part->size);
}

/* As the pass does where it sees the name. */
static void library_part(const void *p, const struct dvmrt_part *part, const char *letters) {
  unsigned argument = (unsigned)(part->what >> DVMRT_PART_ARGUMENT);
  char letter = argument == DVMRT_PART_RESULT ? 'r' : dvmrt_library_letter(letters, argument);
  if (letter == 'r')
    return;
  if (letter == 'l' && dvmrt_handed_others())
    unseen_part(p, part);
  else if (part->what & DVMRT_PART_ASSIGN)
    __dvmrt_fill(p, part->size);
  else
    written(p, part->size);
}

static void handed(const char *letters, const struct dvmrt_part *parts, uint32_t n, va_list pointers) {
  for (uint32_t i = 0; i < n; i++) {
    const void *p = va_arg(pointers, const void *);
    letters ? library_part(p, &parts[i], letters) : unseen_part(p, &parts[i]);
  }
}

void __dvmrt_handed(const struct dvmrt_part *parts, uint32_t n, ...) {
  va_list pointers;
  va_start(pointers, n);
  handed(NULL, parts, n, pointers);
  va_end(pointers);
}

DVMRT_EXPORT void __dvmrt_handed_to(const void *callee, const struct dvmrt_part *parts, uint32_t n, ...) {
  va_list pointers;
  va_start(pointers, n);
  handed(dvmrt_library_letters(callee), parts, n, pointers);
  va_end(pointers);
}
