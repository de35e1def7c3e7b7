#include "driver/trace/format/pack.h"
#include <errno.h>
#include <zlib.h>
#include <zstd.h>

struct dvmt_packer {
  ZSTD_CCtx *c;
  ZSTD_DCtx *d;
};

struct dvmt_packer *dvmt_packer_create(void) {
  struct dvmt_packer *p = calloc(1, sizeof(*p));
  if (!p)
    return NULL;
  p->c = ZSTD_createCCtx();
  p->d = ZSTD_createDCtx();
  if (p->c && p->d)
    return p;
  dvmt_packer_destroy(p);
  return NULL;
}

void dvmt_packer_destroy(struct dvmt_packer *p) {
  if (!p)
    return;
  ZSTD_freeCCtx(p->c);
  ZSTD_freeDCtx(p->d);
  free(p);
}

int dvmt_pack(struct dvmt_packer *p, enum dvmt_codec codec, const void *raw, size_t n, struct dvmt_bytes *out) {
  out->n = 0;
  size_t most = codec == DVMT_CODEC_ZSTD ? ZSTD_compressBound(n) : codec == DVMT_CODEC_ZLIB ? compressBound(n) : n;
  if (!dvmt_bytes_reserve(out, most + 1))
    return -ENOMEM;
  if (codec == DVMT_CODEC_ZSTD) {
    size_t got = ZSTD_compressCCtx(p->c, out->p, out->cap, raw, n, 1);
    out->n = got;
    return ZSTD_isError(got) ? -EIO : 0;
  }
  if (codec == DVMT_CODEC_ZLIB) {
    uLongf got = out->cap;
    int rc = compress2(out->p, &got, raw, n, 1);
    out->n = got;
    return rc == Z_OK ? 0 : -EIO;
  }
  memcpy(out->p, raw, n);
  out->n = n;
  return 0;
}

int dvmt_unpack(struct dvmt_packer *p, unsigned codec, const void *packed, size_t packed_bytes, void *out, size_t n) {
  if (codec == DVMT_CODEC_ZSTD)
    return ZSTD_decompressDCtx(p->d, out, n, packed, packed_bytes) == n ? 0 : -EBADMSG;
  if (codec == DVMT_CODEC_ZLIB) {
    uLongf got = n;
    return uncompress(out, &got, packed, packed_bytes) == Z_OK && got == n ? 0 : -EBADMSG;
  }
  if (codec != DVMT_CODEC_NONE || packed_bytes != n)
    return -EBADMSG;
  memcpy(out, packed, n);
  return 0;
}

const char *dvmt_codec_name(unsigned codec) {
  static const char *const names[] = {"none", "zlib", "zstd"};
  return codec < DVMT_NCODECS ? names[codec] : "?";
}
