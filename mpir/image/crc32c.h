/* CRC-32C (Castagnoli), by the processor's instruction where it has one.  Async-signal-safe. */
#ifndef DVM_MPIR_CRC32C_H
#define DVM_MPIR_CRC32C_H
#include <stddef.h>
#include <stdint.h>

/* Continues 'crc' (0 to begin) over 'size' bytes. */
uint32_t mpir_crc32c(uint32_t crc, const void *data, size_t size);
/* The same without the instruction; for tests and old processors. */
uint32_t mpir_crc32c_portable(uint32_t crc, const void *data, size_t size);
#endif
