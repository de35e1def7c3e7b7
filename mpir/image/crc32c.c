#include "mpir/image/crc32c.h"
#include <string.h>

uint32_t mpir_crc32c_portable(uint32_t crc, const void *data, size_t size) {
  const unsigned char *p = data;

  crc = ~crc;
  for (; size; size--) {
    crc ^= *p++;
    for (int bit = 0; bit < 8; bit++)
      crc = (crc >> 1) ^ (0x82f63b78u & (0u - (crc & 1)));
  }
  return ~crc;
}

__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t crc, const void *data, size_t size) {
  const unsigned char *p = data;
  uint64_t c = ~crc & 0xffffffffu;

  for (; size >= 8; size -= 8, p += 8) {
    uint64_t word;

    memcpy(&word, p, 8);
    c = __builtin_ia32_crc32di(c, word);
  }
  for (; size; size--)
    c = __builtin_ia32_crc32qi((uint32_t)c, *p++);
  return ~(uint32_t)c;
}

uint32_t mpir_crc32c(uint32_t crc, const void *data, size_t size) {
  return __builtin_cpu_supports("sse4.2") ? crc32c_sse42(crc, data, size) : mpir_crc32c_portable(crc, data, size);
}
