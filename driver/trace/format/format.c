#include "driver/trace/format/format.h"
#include <errno.h>
#include <zlib.h>

uint32_t dvmt_crc(uint32_t crc, const void *p, size_t n) { return (uint32_t)crc32_z(crc, p, n); }

void dvmt_block_put(unsigned char header[DVMT_BLOCK_HEADER_BYTES], const struct dvmt_block *b) {
  unsigned char *to = header;
  dvmt_put(&to, DVMT_BLOCK_MAGIC, 4);
  dvmt_put(&to, b->kind, 1);
  dvmt_put(&to, b->codec, 1);
  dvmt_put(&to, b->flags, 2);
  dvmt_put(&to, b->raw_bytes, 4);
  dvmt_put(&to, b->packed_bytes, 4);
  dvmt_put(&to, b->nrecords, 4);
  dvmt_put(&to, b->allocations, 4);
  dvmt_put(&to, b->first_record, 8);
  dvmt_put(&to, b->enters, 8);
  dvmt_put(&to, b->digest, 8);
  dvmt_put(&to, b->crc, 4);
  dvmt_put(&to, dvmt_crc(0, header, DVMT_BLOCK_HEADER_BYTES - 4), 4);
}

int dvmt_block_get(struct dvmt_block *b, const unsigned char header[DVMT_BLOCK_HEADER_BYTES]) {
  const unsigned char *from = header;
  if (dvmt_get(&from, 4) != DVMT_BLOCK_MAGIC)
    return -EBADMSG;
  b->kind = (uint8_t)dvmt_get(&from, 1);
  b->codec = (uint8_t)dvmt_get(&from, 1);
  b->flags = (uint16_t)dvmt_get(&from, 2);
  b->raw_bytes = (uint32_t)dvmt_get(&from, 4);
  b->packed_bytes = (uint32_t)dvmt_get(&from, 4);
  b->nrecords = (uint32_t)dvmt_get(&from, 4);
  b->allocations = (uint32_t)dvmt_get(&from, 4);
  b->first_record = dvmt_get(&from, 8);
  b->enters = dvmt_get(&from, 8);
  b->digest = dvmt_get(&from, 8);
  b->crc = (uint32_t)dvmt_get(&from, 4);
  return (uint32_t)dvmt_get(&from, 4) == dvmt_crc(0, header, DVMT_BLOCK_HEADER_BYTES - 4) ? 0 : -EBADMSG;
}
