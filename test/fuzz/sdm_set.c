/* Whatever the set decoder takes, it must write back byte for byte. */
#include <stdlib.h>
#include <string.h>

#include "sdm/set.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct sdm_set *s = sdm_set_new_limited((1u << 20) - 1);
  long used = sdm_set_deserialize(s, (const char *)data, size, NULL);
  if (used >= 0) {
    char *buf = malloc(sdm_set_serialized_length(s));
    size_t n = sdm_set_serialize(s, buf, NULL);
    if (n != (size_t)used || memcmp(buf, data, n))
      abort();
    free(buf);
  }
  sdm_set_free(s);
  return 0;
}
