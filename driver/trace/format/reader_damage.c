/* Blocks that are damaged: what is lost, and where the next one begins. */
#include "driver/trace/format/reader_inside.h"
#include <string.h>

/* The index block's payload, by way of the trailer. */
void dvmt_reader_load_index(struct dvmt_reader *r) {
  unsigned char trailer[DVMT_TRAILER_BYTES];
  struct dvmt_block b;
  const char *torn;
  r->index_tried = true;
  if (r->size < DVMT_TRAILER_BYTES || dvmt_reader_read_at(r, r->size - DVMT_TRAILER_BYTES, trailer, sizeof(trailer)) ||
      memcmp(trailer, DVMT_END_MAGIC, 8))
    return;
  const unsigned char *at = trailer + 8;
  uint64_t offset = dvmt_get(&at, 8);
  at = trailer + DVMT_TRAILER_BYTES - 4;
  if ((uint32_t)dvmt_get(&at, 4) != dvmt_crc(0, trailer, DVMT_TRAILER_BYTES - 4) || dvmt_reader_block_at(r, offset, &b, &torn) <= 0 ||
      b.kind != DVMT_BLOCK_INDEX || b.raw_bytes != (uint64_t)b.nrecords * DVMT_INDEX_ENTRY_BYTES)
    return;
  unsigned char *packed = malloc(b.packed_bytes + 1u);
  r->index = malloc(b.raw_bytes + 1u);
  if (packed && r->index && !dvmt_reader_read_at(r, offset + DVMT_BLOCK_HEADER_BYTES, packed, b.packed_bytes) &&
      dvmt_crc(0, packed, b.packed_bytes) == b.crc && !dvmt_unpack(r->packer, b.codec, packed, b.packed_bytes, r->index, b.raw_bytes))
    r->nindex = b.nrecords;
  free(packed);
}

/* Whether definitions were between the two places; without an index nobody knows. */
bool dvmt_reader_lost_names(struct dvmt_reader *r, uint64_t from, uint64_t to) {
  for (size_t i = 0; i < r->nindex; i++) {
    const unsigned char *at = r->index + i * DVMT_INDEX_ENTRY_BYTES;
    uint64_t offset = dvmt_get(&at, 8), kind = dvmt_get(&at, 4);
    if (offset >= from && offset < to && kind == DVMT_BLOCK_DEFINITIONS)
      return true;
  }
  return false;
}

/* The next place behind 'from' where a whole block begins: by the index, else by looking for one. */
bool dvmt_reader_find_block(struct dvmt_reader *r, uint64_t from, uint64_t *found) {
  unsigned char part[4096 + 3];
  struct dvmt_block b;
  const char *torn;
  if (!r->index_tried)
    dvmt_reader_load_index(r);
  for (size_t i = 0; i < r->nindex; i++) {
    const unsigned char *at = r->index + i * DVMT_INDEX_ENTRY_BYTES;
    *found = dvmt_get(&at, 8);
    if (*found >= from && dvmt_reader_block_at(r, *found, &b, &torn) > 0)
      return true;
  }
  for (; from + DVMT_BLOCK_HEADER_BYTES <= r->size; from += 4096) {
    size_t n = r->size - from < sizeof(part) ? (size_t)(r->size - from) : sizeof(part);
    if (dvmt_reader_read_at(r, from, part, n))
      return false;
    for (size_t i = 0; i + 4 <= n && i < 4096; i++)
      if (!memcmp(part + i, "DBLK", 4) && dvmt_reader_block_at(r, from + i, &b, &torn) > 0) {
        *found = from + i;
        return true;
      }
  }
  return false;
}

/* A header at r->offset is damaged: goes to the next whole block.  1: there is one; then 'record' tells how many were lost. */
int dvmt_reader_pass_damage(struct dvmt_reader *r, struct dvmt_record *record) {
  struct dvmt_block b;
  const char *torn;
  uint64_t found;
  if (!dvmt_reader_find_block(r, r->offset + 1, &found) || dvmt_reader_block_at(r, found, &b, &torn) <= 0)
    return 0;
  uint64_t lost = b.first_record > r->passed ? b.first_record - r->passed : 0;
  r->nameless |= dvmt_reader_lost_names(r, r->offset, found) || !lost;
  r->offset = found;
  r->passed = b.first_record;
  r->unsure |= !r->nindex;
  return dvmt_reader_lose(r, lost ? lost : 1, record);
}

int dvmt_reader_read_names(struct dvmt_reader *r, uint64_t at) {
  if (at < r->defined_to)
    return 0; /* read before */
  if (r->unsure || r->nameless || dvmt_reader_read_definitions(r))
    r->nameless = true;
  r->defined_to = at + 1;
  return 0;
}

void dvmt_reader_go_ahead(struct dvmt_reader *r) { r->goes_ahead = true; }
