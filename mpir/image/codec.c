#include "mpir/image/codec.h"
#include <zlib.h>
#include <zstd.h>

const void *mpir_codec_expand(const struct mpir_image_extent *extent, const void *stored, void *space) {
  uLongf size = extent->length;

  switch (extent->codec) {
  case MPIR_CODEC_NONE: return stored;
  case MPIR_CODEC_ZLIB: return uncompress(space, &size, stored, extent->stored) == Z_OK && size == extent->length ? space : NULL;
  case MPIR_CODEC_ZSTD: return ZSTD_decompress(space, extent->length, stored, extent->stored) == extent->length ? space : NULL;
  default: return NULL;
  }
}

size_t mpir_codec_compress(enum mpir_codec codec, const void *from, size_t size, void *to, size_t space) {
  uLongf zlib_size = space;
  size_t zstd_size;

  switch (codec) {
  case MPIR_CODEC_ZLIB: return compress2(to, &zlib_size, from, size, 1) == Z_OK ? zlib_size : 0;
  case MPIR_CODEC_ZSTD: zstd_size = ZSTD_compress(to, space, from, size, 1); return ZSTD_isError(zstd_size) ? 0 : zstd_size;
  default: return 0;
  }
}
