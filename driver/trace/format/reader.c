/* Blocks, and the records in them. */
#include "driver/trace/format/reader_inside.h"
#include <errno.h>
#include <string.h>

/* The header of the block at 'offset'.  1: there is one, whole; 0: none, then 'torn' says why. */
int dvmt_reader_block_at(struct dvmt_reader *r, uint64_t offset, struct dvmt_block *b, const char **torn) {
  unsigned char header[DVMT_BLOCK_HEADER_BYTES];
  *torn = "its end is missing";
  int rc = dvmt_reader_read_at(r, offset, header, sizeof(header));
  if (rc)
    return rc == -ENODATA ? 0 : rc;
  *torn = "a block header is damaged";
  if (dvmt_block_get(b, header) || b->raw_bytes > DVMT_BLOCK_BYTES_MAX || b->packed_bytes > DVMT_BLOCK_BYTES_MAX)
    return 0;
  *torn = "its last block is truncated";
  return b->packed_bytes <= r->size - offset - DVMT_BLOCK_HEADER_BYTES;
}

int dvmt_reader_unpack(struct dvmt_reader *r) {
  struct dvmt_block *b = &r->block;
  r->raw.n = r->packed.n = 0;
  if (!dvmt_bytes_reserve(&r->packed, b->packed_bytes + 1) || !dvmt_bytes_reserve(&r->raw, b->raw_bytes + 1))
    return -ENOMEM;
  int rc = dvmt_reader_read_at(r, r->offset + DVMT_BLOCK_HEADER_BYTES, r->packed.p, b->packed_bytes);
  if (!rc && dvmt_crc(0, r->packed.p, b->packed_bytes) != b->crc)
    rc = -EBADMSG;
  if (!rc)
    rc = dvmt_unpack(r->packer, b->codec, r->packed.p, b->packed_bytes, r->raw.p, b->raw_bytes);
  r->raw.n = b->raw_bytes;
  return rc;
}

int dvmt_reader_lose(struct dvmt_reader *r, uint64_t n, struct dvmt_record *record) {
  r->lost[0] = n;
  r->decoder.left = 0;
  *record = (struct dvmt_record){.kind = DVMT_LOST, .nwords = 1, .words = r->lost};
  return 1;
}

/* The context, then the records. */
int dvmt_reader_begin_records(struct dvmt_reader *r) {
  struct dvmt_cursor c = {r->raw.p, r->raw.p + r->raw.n, false};
  uint64_t n = dvmt_cursor_number(&c);
  if (c.bad || n > (size_t)(c.end - c.at))
    return -EBADMSG;
  r->context = (struct dvmt_cursor){c.at, c.at + n, false};
  return dvmt_decoder_begin(&r->decoder, c.at + n, (size_t)(c.end - c.at - (ptrdiff_t)n), r->block.nrecords, r->nsites, r->nobjects);
}

const unsigned char *dvmt_reader_start(const struct dvmt_reader *r, size_t *n) {
  *n = (size_t)(r->context.end - r->context.at);
  return r->context.at;
}

int dvmt_reader_context(const struct dvmt_reader *r, struct dvmt_context *context) {
  struct dvmt_cursor c = r->context;
  return dvmt_context_get(context, &c, r->nsites);
}

/* Whether the block of records, whose header has been read, has been decoded by the other thread. */
static bool take_ahead(struct dvmt_reader *r) {
  r->row = NULL;
  if (!r->goes_ahead || r->block.kind != DVMT_BLOCK_RECORDS_KIND || !r->block.first_record || r->nameless || r->unsure)
    return false;
  if (!r->ahead && !(r->ahead = dvmt_ahead_create(r))) {
    r->goes_ahead = false;
    return false;
  }
  const struct dvmt_decoded *d = dvmt_ahead_take(r->ahead, r->block.first_record, r->block.nrecords);
  if (!d || d->nsites > r->nsites || d->nobjects > r->nobjects)
    return false;
  r->row = d->rows.row;
  r->words = d->rows.words;
  r->decoder.left = r->block.nrecords;
  r->context = (struct dvmt_cursor){d->start.p, d->start.p + d->start.n, false};
  return true;
}

static int take_row(struct dvmt_reader *r, struct dvmt_record *record) {
  const struct dvmt_decoded_row *row = r->row++;
  r->decoder.left--;
  *record = dvmt_row_record(row, r->words);
  r->words += row->nwords;
  return 1;
}

uint32_t dvmt_reader_rows(const struct dvmt_reader *r, bool again, const struct dvmt_decoded_row **row, const uint64_t **words) {
  uint32_t left = r->decoder.left;
  if (!r->row || (again && left >= r->block.nrecords))
    return 0;
  *row = r->row - again;
  *words = r->words - (again ? r->row[-1].nwords : 0);
  return left + again;
}

void dvmt_reader_set_rows(struct dvmt_reader *r, const struct dvmt_decoded_row *row, const uint64_t *words) {
  r->decoder.left = (uint32_t)(r->decoder.left + (r->row - row));
  r->row = row;
  r->words = words;
}

int dvmt_reader_decode(struct dvmt_reader *r, struct dvmt_decoded_rows *rows) { return dvmt_decoder_rows(&r->decoder, rows); }

/* Blocks that are whole, but not those that were written one after another: some are missing, or stand here twice.  The number of records
 * that the reader is to be told of as lost; 0: all is in order. */
static uint64_t out_of_order(struct dvmt_reader *r) {
  const struct dvmt_block *b = &r->block;
  uint64_t missing = b->first_record > r->passed ? b->first_record - r->passed : 0;
  if (b->first_record == r->passed)
    return 0;
  if (!missing && b->kind != DVMT_BLOCK_INDEX) /* again: it is passed over */
    r->offset += DVMT_BLOCK_HEADER_BYTES + b->packed_bytes;
  else
    r->passed = b->first_record;
  return missing ? missing : 1;
}

/* Goes to the next block of records.  1: there is one; 2: 'record' tells of a lost one; 0: the end. */
static int next_block(struct dvmt_reader *r, struct dvmt_record *record, struct dvm_error *err) {
  for (;;) {
    int rc = dvmt_reader_block_at(r, r->offset, &r->block, &r->torn);
    if (rc < 0)
      return dvm_error_set(err, rc, "cannot read '%s': %s", r->name, strerror(-rc));
    if (!rc)
      return dvmt_reader_pass_damage(r, record) ? 2 : 0;
    r->torn = NULL;
    uint64_t start = r->offset, lost = out_of_order(r);
    if (lost)
      return dvmt_reader_lose(r, lost, record) + 1;
    if (r->block.kind == DVMT_BLOCK_INDEX)
      return 0;
    if (r->block.kind == DVMT_BLOCK_CONTENTS) {
      r->offset += DVMT_BLOCK_HEADER_BYTES + r->block.packed_bytes;
      continue;
    }
    const bool decoded = take_ahead(r);
    rc = decoded ? 0 : dvmt_reader_unpack(r);
    r->passed = r->block.first_record + r->block.nrecords;
    r->offset += DVMT_BLOCK_HEADER_BYTES + r->block.packed_bytes;
    if (r->block.kind == DVMT_BLOCK_DEFINITIONS) {
      r->passed = r->block.first_record;
      r->nameless |= rc == -EBADMSG;
      rc = rc && rc != -EBADMSG ? rc : rc ? 0 : dvmt_reader_read_names(r, start);
    } else if (!rc && !decoded && r->block.kind == DVMT_BLOCK_RECORDS_KIND) {
      rc = r->nameless ? -EBADMSG : dvmt_reader_begin_records(r);
    }
    if (rc == -ENOMEM)
      return dvm_error_set(err, rc, "out of memory");
    if (rc)
      return dvmt_reader_lose(r, r->block.nrecords, record) + 1;
    if (r->block.kind == DVMT_BLOCK_RECORDS_KIND)
      return 1;
  }
}

/* They come before the block that is there already. */
static int tell_lost(struct dvmt_reader *r, struct dvmt_record *record) {
  r->lost[0] = r->untold;
  r->untold = 0;
  *record = (struct dvmt_record){.kind = DVMT_LOST, .nwords = 1, .words = r->lost};
  return 1;
}

static int next_record(struct dvmt_reader *r, struct dvmt_record *record, struct dvm_error *err) {
  for (;;) {
    uint32_t left = r->decoder.left;
    if (r->untold)
      return tell_lost(r, record);
    if (left && r->row)
      return take_row(r, record);
    int rc = dvmt_decoder_next(&r->decoder, record);
    if (rc == -EBADMSG)
      return dvmt_reader_lose(r, left, record);
    if (rc < 0)
      return dvm_error_set(err, rc, "out of memory");
    if (rc)
      return 1;
    if (r->ended)
      return 0;
    rc = next_block(r, record, err);
    if (rc == 2)
      return 1;
    if (rc <= 0) {
      r->ended = true;
      return rc;
    }
  }
}

/* Sums of what an array held, not of values that were written: those are what they were. */
static bool has_old_sums(const struct dvmt_reader *r, const struct dvmt_record *record) {
  return r->version < DVMT_VERSION_SUMS && record->kind == DVMT_DIGEST && record->nwords > 2;
}

int dvmt_reader_next(struct dvmt_reader *r, struct dvmt_record *record, struct dvm_error *err) {
  int rc = next_record(r, record, err);
  if (rc == 1 && has_old_sums(r, record))
    return dvm_error_set(
        err, -EINVAL,
        "'%s' is a trace of format version %u, with sums of arrays, which version %d makes in another way: record it again, or "
        "use the older version of dvm",
        r->name, r->version, DVMT_VERSION);
  return rc;
}

int dvmt_reader_load(struct dvmt_reader *r, struct dvm_error *err) {
  struct dvmt_record lost;
  int rc = 0;
  while (!rc && !r->decoder.left && !r->ended) {
    rc = next_block(r, &lost, err);
    r->untold += rc == 2 ? lost.words[0] : 0;
    r->ended = rc <= 0;
    rc = rc < 0 ? rc : 0;
  }
  return rc;
}
