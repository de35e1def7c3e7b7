/* Which memory is static. */
#ifndef DVMRT_STORAGE_H
#define DVMRT_STORAGE_H
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

/* Memory of a program or library itself: what is declared there is the same at each entry of a Fortran unit (SAVE), and in each unit
 * that has the COMMON block.  Stack and heap are others'. */
static inline bool dvmrt_storage_static(uintptr_t address) {
  struct dl_find_object found;
  return !_dl_find_object((void *)address, &found);
}
#endif
