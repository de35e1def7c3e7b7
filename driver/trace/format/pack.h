/* Packing of payloads.  Contexts are kept between calls. */
#ifndef DVMT_PACK_H
#define DVMT_PACK_H
#include "driver/trace/format/bytes.h"
#include "driver/trace/format/format.h"

struct dvmt_packer; /* not to be used by two threads at once */
struct dvmt_packer *dvmt_packer_create(void);
void dvmt_packer_destroy(struct dvmt_packer *p);
/* Replaces 'out'.  0, -ENOMEM, -EIO. */
int dvmt_pack(struct dvmt_packer *p, enum dvmt_codec codec, const void *raw, size_t n, struct dvmt_bytes *out);
/* Fills out[n], which must be the exact size.  0, -EBADMSG, -ENOMEM. */
int dvmt_unpack(struct dvmt_packer *p, unsigned codec, const void *packed, size_t packed_bytes, void *out, size_t n);
const char *dvmt_codec_name(unsigned codec);
#endif
