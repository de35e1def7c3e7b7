/* Incremental images, read together with those they are based on. */
#ifndef DVM_MPIR_CHAIN_H
#define DVM_MPIR_CHAIN_H
#include "mpir/image/image.h"

/* The image at 'path' as a whole one, uncompressed, in a file without a name.  NULL when an image before it is missing, damaged, of
 * others, or not the one that it was taken on; the error names it. */
struct mpir_image *mpir_chain_whole(const struct mpir_image *image, const char *path, struct dvm_error *err);
/* Writes the whole image to 'out', which may be 'path' itself. */
int mpir_chain_compact(const struct mpir_image *image, const char *path, const char *out, struct dvm_error *err);
#endif
