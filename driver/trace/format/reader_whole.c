/* The whole file: what is damaged, where a record is, a summary. */
#include "driver/trace/format/reader_inside.h"
#include <errno.h>
#include <string.h>

int dvmt_reader_check(struct dvmt_reader *r, struct dvmt_damage *d, struct dvm_error *err) {
  struct dvmt_block b;
  const char *torn;
  uint64_t offset = DVMT_HEADER_BYTES + strlen(r->meta), passed = 0, found;
  *d = (struct dvmt_damage){.blocks = 0};
  for (;;) {
    int rc = dvmt_reader_block_at(r, offset, &b, &torn);
    if (rc < 0)
      return dvm_error_set(err, rc, "cannot read '%s': %s", r->name, strerror(-rc));
    uint64_t lost = 0;
    if (rc && b.first_record != passed) { /* as out_of_order */
      lost = b.first_record > passed ? b.first_record - passed : 0;
      d->records += lost;
      if (!d->blocks++)
        d->first = passed;
      passed = lost || b.kind == DVMT_BLOCK_INDEX ? b.first_record : passed;
      if (!lost && b.kind != DVMT_BLOCK_INDEX) {
        offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
        continue;
      }
      lost = 0;
    }
    if (rc && b.kind == DVMT_BLOCK_INDEX) {
      d->index |= !dvmt_reader_load_block(r, offset, &b);
      return 0;
    }
    if (rc && b.kind == DVMT_BLOCK_CONTENTS)
      d->index |= !dvmt_reader_load_block(r, offset, &b);
    else if (rc && !dvmt_reader_load_block(r, offset, &b))
      lost = b.nrecords;
    else if (!rc && dvmt_reader_find_block(r, offset + 1, &found) && dvmt_reader_block_at(r, found, &b, &torn) > 0)
      lost = b.first_record > passed ? b.first_record - passed : 1;
    else if (!rc)
      return 0;
    if (lost && !d->blocks++)
      d->first = passed;
    d->records += b.kind == DVMT_BLOCK_RECORDS_KIND || !rc ? lost : 0;
    d->names |= rc && lost && b.kind == DVMT_BLOCK_DEFINITIONS;
    d->names |= !rc && dvmt_reader_lost_names(r, offset, found);
    if (!rc) {
      passed = b.first_record;
      offset = found;
      continue;
    }
    passed = b.kind == DVMT_BLOCK_RECORDS_KIND ? b.first_record + b.nrecords : passed;
    offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  }
}

int dvmt_reader_seek(struct dvmt_reader *r, uint64_t record, struct dvm_error *err) {
  struct dvmt_block b;
  const char *torn;
  uint64_t offset = DVMT_HEADER_BYTES + strlen(r->meta);
  size_t low = 0, high = r->nplaces;
  while (low < high) { /* the last known block of records that begins at or before it */
    size_t mid = (low + high) / 2;
    if (r->places[mid].record <= record)
      low = mid + 1;
    else
      high = mid;
  }
  if (low)
    offset = r->places[low - 1].offset;
  r->decoder.left = 0;
  r->ended = false;
  for (;;) {
    int rc = dvmt_reader_block_at(r, offset, &b, &torn);
    if (rc <= 0 || b.kind == DVMT_BLOCK_INDEX)
      return dvm_error_set(err, -ENODATA, "'%s' has no record %llu", r->name, (unsigned long long)record);
    if (b.kind == DVMT_BLOCK_DEFINITIONS && offset >= r->defined_to) {
      r->offset = offset;
      r->block = b;
      if ((rc = dvmt_reader_unpack(r)) || (rc = dvmt_reader_read_names(r, offset)))
        return dvm_error_set(err, rc, "the definitions of '%s' are damaged", r->name);
    }
    if (b.kind == DVMT_BLOCK_RECORDS_KIND && !dvmt_reader_note_place(r, offset, b.first_record))
      return dvm_error_set(err, -ENOMEM, "out of memory");
    if (b.kind == DVMT_BLOCK_RECORDS_KIND && record < b.first_record + b.nrecords)
      break;
    offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  }
  r->offset = offset;
  r->passed = b.first_record;
  r->untold = 0;
  return 0;
}

bool dvmt_reader_same(struct dvmt_reader *a, struct dvmt_reader *b) {
  struct dvmt_block x, y;
  const char *torn;
  uint64_t i = a->offset, j = b->offset;
  for (;;) {
    if (dvmt_reader_block_at(a, i, &x, &torn) <= 0 || dvmt_reader_block_at(b, j, &y, &torn) <= 0)
      return false;
    if (x.kind == DVMT_BLOCK_INDEX || y.kind == DVMT_BLOCK_INDEX)
      return x.kind == y.kind;
    if (!dvmt_reader_same_block(&x, &y) || x.flags & DVMT_SAW_NAN || !dvmt_reader_load_block(a, i, &x) ||
        !dvmt_reader_load_block(b, j, &y) || memcmp(a->packed.p, b->packed.p, x.packed_bytes) != 0)
      return false;
    i += DVMT_BLOCK_HEADER_BYTES + x.packed_bytes;
    j += DVMT_BLOCK_HEADER_BYTES + y.packed_bytes;
  }
}

int dvmt_reader_summary(struct dvmt_reader *r, struct dvmt_summary *s, struct dvm_error *err) {
  unsigned char trailer[DVMT_TRAILER_BYTES];
  struct dvmt_block b;
  const char *torn;
  uint64_t offset = DVMT_HEADER_BYTES + strlen(r->meta);
  int rc;
  *s = (struct dvmt_summary){.file_bytes = r->size, .status = -1};
  while ((rc = dvmt_reader_block_at(r, offset, &b, &torn)) >= 0 && (!rc || b.kind != DVMT_BLOCK_INDEX)) {
    if (!rc && dvmt_reader_find_block(r, offset + 1, &offset))
      continue;
    if (!rc)
      break;
    offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
    s->blocks += b.kind != DVMT_BLOCK_CONTENTS;
    s->codec = b.codec;
    s->raw_bytes += b.raw_bytes;
    if (b.kind == DVMT_BLOCK_RECORDS_KIND)
      s->records += b.nrecords;
  }
  if (rc < 0)
    return dvm_error_set(err, rc, "cannot read '%s': %s", r->name, strerror(-rc));
  s->lost_bytes = r->size - offset;
  if (!rc)
    return 0;
  s->enters = b.enters;
  offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  if (dvmt_reader_read_at(r, offset, trailer, sizeof(trailer)) || memcmp(trailer, DVMT_END_MAGIC, 8))
    return 0;
  const unsigned char *at = trailer + DVMT_TRAILER_BYTES - 8;
  const uint32_t end = (uint32_t)dvmt_get(&at, 4);
  s->whole = (uint32_t)dvmt_get(&at, 4) == dvmt_crc(0, trailer, DVMT_TRAILER_BYTES - 4);
  s->complete = end & s->whole;
  s->status = s->complete && end & DVMT_END_STATUS ? (int)(end >> 8 & 255) : -1;
  s->lost_bytes = s->whole ? 0 : s->lost_bytes;
  return 0;
}
