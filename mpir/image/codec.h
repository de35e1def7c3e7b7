/* Compression of a checkpoint image's data, piece by piece. */
#ifndef DVM_MPIR_CODEC_H
#define DVM_MPIR_CODEC_H
#include <stddef.h>
#include "mpir/image/image_format.h"

/* The content of an extent whose stored bytes are at 'stored': those bytes themselves when not compressed, else 'space'
 * (MPIR_EXTENT_MAX bytes) filled.  NULL: damaged. */
const void *mpir_codec_expand(const struct mpir_image_extent *extent, const void *stored, void *space);
/* Compresses; returns the number of bytes in 'to', or 0 when they would not fit in 'space' bytes. */
size_t mpir_codec_compress(enum mpir_codec codec, const void *from, size_t size, void *to, size_t space);
#endif
