/* Small text files beside images: lines, the last of which is a checksum of those before. */
#ifndef DVM_MPIR_LIST_FILE_H
#define DVM_MPIR_LIST_FILE_H
#include <stddef.h>
#include "base/error.h"

#define MPIR_LIST_SUM "checksum "

/* 0, or -EBADMSG: the last line is not the sum of those before, or the text holds a zero byte. */
int mpir_list_check(const char *text, size_t size, struct dvm_error *err);
/* The whole file, '*size' bytes, terminated; the caller frees.  NULL where it cannot be read or is too long. */
char *mpir_list_read(const char *path, size_t *size, struct dvm_error *err);
/* Makes the file of the text and its sum, and brings it to the medium.  There must be none. */
int mpir_list_write(const char *path, const char *text, size_t size, struct dvm_error *err);
#endif
