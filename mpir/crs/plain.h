/* Text without libc's locks or heap, for the time in which other threads are stopped.  Async-signal-safe. */
#ifndef DVM_MPIR_PLAIN_H
#define DVM_MPIR_PLAIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text in a caller's array; always terminated, cut when full. */
struct plain_text {
  char *s;
  size_t size, len;
};

#define PLAIN_TEXT(array) {(array), sizeof(array), 0}

void mpir_plain_add(struct plain_text *t, const char *s);
void mpir_plain_add_dec(struct plain_text *t, int64_t value);
void mpir_plain_add_hex(struct plain_text *t, uint64_t value);

/* Reads a number; *s moves behind it.  Returns 0 where there is none. */
uint64_t mpir_plain_hex(const char **s);
uint64_t mpir_plain_dec(const char **s);
/* The text behind the line start 'label' of a "label value" file, blanks skipped; NULL if there is no such line. */
const char *mpir_plain_line(const char *text, const char *label);
bool mpir_plain_starts(const char *s, const char *prefix);

/* Reads a whole small file (or its first size-1 bytes) and terminates it.  Returns its length or -E.... */
long mpir_plain_read_file(const char *path, char *buf, size_t size);
#endif
