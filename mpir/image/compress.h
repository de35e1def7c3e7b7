/* Compressed images: smaller, but they must be expanded before a restart or a debugger can use them. */
#ifndef DVM_MPIR_COMPRESS_H
#define DVM_MPIR_COMPRESS_H
#include "mpir/image/image.h"

/* Writes 'image' to 'path' with its data compressed; under a temporary name until whole.  Returns 0 or -E.... */
int mpir_image_compress(const struct mpir_image *image, const char *path, enum mpir_codec codec, struct dvm_error *err);
/* Writes the uncompressed form to 'path', likewise. */
int mpir_image_expand_to(const struct mpir_image *image, const char *path, struct dvm_error *err);
/* The uncompressed form in a file without a name, opened.  The caller closes it; 'image' stays open. */
struct mpir_image *mpir_image_expand(const struct mpir_image *image, const char *name, struct dvm_error *err);
#endif
