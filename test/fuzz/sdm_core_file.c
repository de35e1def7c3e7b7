/* Notes of a core file: any bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "sdm/gdb/core_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct sdm_core_file core = { NULL, 0 };
  sdm_core_file_notes(data, size, &core);
  free(core.program);
  return 0;
}
