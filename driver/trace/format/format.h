/* Numbers of the .dvmt format; docs/trace-format.md says what they mean. */
#ifndef DVMT_FORMAT_H
#define DVMT_FORMAT_H
#include <stdint.h>
#include <string.h>

#define DVMT_MAGIC "DVMTRACE"
#define DVMT_END_MAGIC "DVMTREND"
enum {
  DVMT_VERSION = 6,
  DVMT_VERSION_BEFORE = 2, /* which is read too */
  DVMT_VERSION_SUMS = 6,   /* since which sums of arrays are made as they are now */
  DVMT_HEADER_BYTES = 32,
  DVMT_BLOCK_HEADER_BYTES = 56,
  DVMT_TRAILER_BYTES = 40,
  DVMT_INDEX_ENTRY_BYTES = 40,
  DVMT_BLOCK_MAGIC = 0x4b4c4244, /* "DBLK" */
  DVMT_BLOCK_RECORDS = 65536,
  DVMT_BLOCK_BYTES_MAX = 64 << 20, /* of a payload, packed or not; a reader refuses more */
  DVMT_META_BYTES_MAX = 1 << 20
};
enum dvmt_codec { DVMT_CODEC_NONE, DVMT_CODEC_ZLIB, DVMT_CODEC_ZSTD, DVMT_NCODECS };
enum dvmt_block_kind { DVMT_BLOCK_RECORDS_KIND = 1, DVMT_BLOCK_DEFINITIONS = 2, DVMT_BLOCK_INDEX = 3, DVMT_BLOCK_CONTENTS = 4 };
enum { DVMT_END_STATUS = 2 /* of the trailer's word that says how the program ended: bits 8 to 15 are its exit status */ };
enum { DVMT_SAW_NAN = 1 /* flag of a block: a value in it is NaN or infinite */ };

/* Bits of a record's control byte: what the prediction did not tell. */
enum { DVMT_C_SYMBOL = 1, DVMT_C_PLACE = 2, DVMT_C_OBJECT = 4, DVMT_C_WORDS = 8 };

struct dvmt_block {
  uint8_t kind, codec;
  uint16_t flags;
  uint32_t raw_bytes, packed_bytes;
  uint32_t nrecords;
  uint64_t first_record;   /* records before it */
  uint64_t enters;         /* executions of constructs before it */
  uint64_t digest;         /* sum over its values */
  uint32_t allocations;    /* of the program before it; the greatest number stands for all above it too */
  uint32_t crc;            /* of the packed payload */
};

/* What is in a block of records: bit N % 256 of each site and object that it names is set, perhaps others too. */
enum { DVMT_CONTENTS_WORDS = 4, DVMT_CONTENTS_BYTES = 16 * DVMT_CONTENTS_WORDS, DVMT_CONTENTS_ROWS = 4096 /* in a block of them */ };
struct dvmt_contents {
  uint64_t sites[DVMT_CONTENTS_WORDS], objects[DVMT_CONTENTS_WORDS];
};
static inline void dvmt_contents_set(uint64_t *words, uint64_t number) { words[number / 64 % DVMT_CONTENTS_WORDS] |= 1ull << number % 64; }

static inline void dvmt_put(unsigned char **to, uint64_t v, int bytes) {
  for (int i = 0; i < bytes; i++)
    *(*to)++ = (unsigned char)(v >> (8 * i));
}
static inline uint64_t dvmt_get(const unsigned char **from, int bytes) {
  uint64_t v = 0;
  for (int i = 0; i < bytes; i++)
    v |= (uint64_t)*(*from)++ << (8 * i);
  return v;
}
void dvmt_block_put(unsigned char header[DVMT_BLOCK_HEADER_BYTES], const struct dvmt_block *b);
/* 0, or -EBADMSG when it is none or its own CRC is wrong. */
int dvmt_block_get(struct dvmt_block *b, const unsigned char header[DVMT_BLOCK_HEADER_BYTES]);
uint32_t dvmt_crc(uint32_t crc, const void *p, size_t n);
#endif
