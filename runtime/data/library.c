#include "runtime/data/library.h"
#include <gnu/libc-version.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* Their addresses as pointers of the program hold them: the loader resolves both alike.  Weak: another C library may lack some. */
#define DVM_LIBRARY(name, least, letters) extern const char library_##name[] __asm__(#name) __attribute__((weak));
#define DVM_LIBRARY_CHECKED DVM_LIBRARY
#include "runtime/library.inc"
#undef DVM_LIBRARY

static const struct row {
  const char *function, *letters;
} rows[] = {
#define DVM_LIBRARY(name, least, letters) {library_##name, letters},
#include "runtime/library.inc"
};
#undef DVM_LIBRARY
#undef DVM_LIBRARY_CHECKED

enum { ROWS = sizeof(rows) / sizeof(rows[0]), SLOTS = 512 };
_Static_assert(ROWS <= SLOTS / 2, "few rows meet in a slot");
static uint16_t slots[SLOTS]; /* by a hash of the address: number of the row, plus 1 */

static unsigned hash(uintptr_t a) { return (unsigned)((uint64_t)a * 0x9e3779b97f4a7c15u >> 55); }

static uint16_t *slot_of(const char *function) {
  unsigned at = hash((uintptr_t)function);
  while (slots[at] && rows[slots[at] - 1].function != function)
    at = (at + 1) % SLOTS;
  return &slots[at];
}

/* The object that holds an address: the C library, which no function lies in that others have put in the place of its own. */
static int add_rows(struct dl_phdr_info *info, size_t size, void *arg) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type != PT_LOAD || (uintptr_t)arg - start >= p->p_memsz)
      continue;
    for (unsigned r = 0; r < ROWS; r++)
      if ((uintptr_t)rows[r].function - start < p->p_memsz && !strchr(rows[r].letters, 'f'))
        *slot_of(rows[r].function) = (uint16_t)(r + 1);
    return 1;
  }
  return 0;
}

void dvmrt_library_init(void) { dl_iterate_phdr(add_rows, (void *)(uintptr_t)gnu_get_libc_version); }

const char *dvmrt_library_letters(const void *function) {
  uint16_t row = *slot_of(function);
  return row ? rows[row - 1].letters : NULL;
}

char dvmrt_library_letter(const char *letters, unsigned argument) {
  size_t n = strlen(letters);
  return letters[argument < n ? argument : n - 1];
}
