/* Byte buffers for encoders and a bounded cursor for decoders.  One byte order everywhere: little endian; variable
 * length integers are LEB128, shortest form only. */
#ifndef SDM_BYTES_H
#define SDM_BYTES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory for small objects of our own making; sizes that come from outside are limited before they get here.  All of the library
 * allocates so: its functions have no failure for lack of memory.  When there is none, the function below is called: it may free
 * something and return, then the allocation is tried again, or leave by longjmp, then no object of the library may be used any
 * more.  By default it writes a message and aborts; a program that must not end so sets its own.  Not from several threads. */
typedef void (*sdm_no_memory_f)(size_t bytes, void *arg);
void sdm_set_no_memory(sdm_no_memory_f f, void *arg); /* NULL: the default */
void *sdm_alloc(size_t bytes); /* zeroed */
void *sdm_realloc(void *p, size_t bytes);
void *sdm_memdup(const void *p, size_t bytes);
char *sdm_strdup(const char *s);

struct sdm_bytes {
  uint8_t *p; /* owned */
  size_t len, cap;
};

void sdm_bytes_fini(struct sdm_bytes *b);
void sdm_bytes_add(struct sdm_bytes *b, const void *p, size_t len);
uint8_t *sdm_bytes_grow(struct sdm_bytes *b, size_t len); /* appends 'len' unset bytes and returns their place */
void sdm_bytes_u8(struct sdm_bytes *b, uint8_t v);
void sdm_bytes_u32(struct sdm_bytes *b, uint32_t v);
void sdm_bytes_u64(struct sdm_bytes *b, uint64_t v);
void sdm_bytes_f64(struct sdm_bytes *b, double v);
void sdm_bytes_real(struct sdm_bytes *b, long double v); /* two f64 that add up to it: every integer of 64 bits is exact */
void sdm_bytes_varint(struct sdm_bytes *b, uint64_t v);
void sdm_bytes_block(struct sdm_bytes *b, const void *p, size_t len); /* varint length, then the bytes */
/* Drops the first 'n' bytes. */
void sdm_bytes_consume(struct sdm_bytes *b, size_t n);
unsigned sdm_varint_size(uint64_t v);

/* Reads never pass 'end'.  The first failure sets 'bad'; from then on everything reads as zero. */
struct sdm_cursor {
  const uint8_t *p, *end;
  bool bad;
};

struct sdm_cursor sdm_cursor_of(const void *p, size_t len);
size_t sdm_cursor_left(const struct sdm_cursor *c);
uint8_t sdm_cursor_u8(struct sdm_cursor *c);
uint32_t sdm_cursor_u32(struct sdm_cursor *c);
uint64_t sdm_cursor_u64(struct sdm_cursor *c);
double sdm_cursor_f64(struct sdm_cursor *c);
long double sdm_cursor_real(struct sdm_cursor *c);
uint64_t sdm_cursor_varint(struct sdm_cursor *c);
const uint8_t *sdm_cursor_take(struct sdm_cursor *c, size_t len); /* NULL if fewer are left */
const uint8_t *sdm_cursor_block(struct sdm_cursor *c, size_t *len);

uint32_t sdm_crc32c(const void *p, size_t len);
uint64_t sdm_digest(const void *p, size_t len); /* 64 bits, for a first look only: equal digests prove nothing */
#ifdef __cplusplus
}
#endif
#endif
