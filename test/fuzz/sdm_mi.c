/* The MI parser: any bytes, in pieces whose size the first byte gives. */
#include <stdlib.h>
#include <string.h>

#include "sdm/gdb/mi.h"

static void on_record(void *arg, const struct sdm_mi_record *r) {
  (void)arg;
  if (r->results)
    free(json_dumps(r->results, JSON_COMPACT));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct sdm_mi mi = { 0 };
  size_t piece = size ? data[0] % 64 + 1 : 1;
  for (size_t at = 1; at < size; at += piece)
    sdm_mi_feed(&mi, (const char *)data + at, size - at < piece ? size - at : piece, on_record, NULL);
  sdm_mi_fini(&mi);
  return 0;
}
