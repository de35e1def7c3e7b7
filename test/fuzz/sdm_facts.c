/* The reader of a program's facts, over a good image of its memory that the input spoils: 5 bytes each, where and what. */
#include <stdlib.h>

#include "sdm/gdb/facts.h"
#include "test/unit/sdm/facts_image.h"

static struct image good, parallel, image;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const what[] = { "construct", "arrays", "shadow", "diagnostics", "stats", "last", "element" };
  struct sdm_facts_source source = { image_read, &image };
  struct dvm_error err = DVM_ERROR_INIT;
  if (!good.used)
    image_make(&good);
  if (!parallel.used)
    image_parallel(&parallel);
  const struct image *from = size && data[0] & 64 ? &parallel : &good;
  memcpy(&image, from, sizeof(image));
  for (size_t i = 1; i + 5 <= size; i += 5) {
    size_t at = (size_t)(data[i] | data[i + 1] << 8) % (from->used - 8);
    uint64_t v = data[i + 2] | (unsigned)data[i + 3] << 8;
    v = data[i + 4] & 1 ? v + IMAGE_BASE : v; /* an address, as often as not */
    memcpy(image.bytes + at, &v, data[i + 4] & 2 ? 8 : data[i + 4] & 4 ? 4 : 1);
  }
  json_t *j = sdm_facts_read(&source, IMAGE_BASE, what[size ? data[0] % 64 % 7 : 0], 0x500000 + 8 * (size ? data[0] : 0), &err);
  if (j)
    free(json_dumps(j, JSON_COMPACT));
  else if (!err.code)
    abort();
  json_decref(j);
  return 0;
}
