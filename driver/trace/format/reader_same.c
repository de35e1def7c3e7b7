/* Blocks that are passed over: two readers have the same, or it holds nothing that is asked for. */
#include "driver/trace/format/reader_inside.h"
#include <string.h>

/* Where blocks of records begin, in their order. */
bool dvmt_reader_note_place(struct dvmt_reader *r, uint64_t offset, uint64_t record) {
  if (r->nplaces && r->places[r->nplaces - 1].offset >= offset)
    return true;
  struct place *rows = r->nplaces % 1024 ? r->places : realloc(r->places, (r->nplaces + 1024) * sizeof(*rows));
  if (!rows)
    return false;
  r->places = rows;
  r->places[r->nplaces++] = (struct place){offset, record};
  return true;
}

/* The payload at 'offset' in r->packed. */
bool dvmt_reader_load_block(struct dvmt_reader *r, uint64_t offset, const struct dvmt_block *b) {
  r->packed.n = 0;
  return dvmt_bytes_reserve(&r->packed, b->packed_bytes + 1) &&
         !dvmt_reader_read_at(r, offset + DVMT_BLOCK_HEADER_BYTES, r->packed.p, b->packed_bytes) &&
         dvmt_crc(0, r->packed.p, b->packed_bytes) == b->crc;
}

bool dvmt_reader_same_block(const struct dvmt_block *x, const struct dvmt_block *y) {
  return x->kind == y->kind && x->codec == y->codec && x->flags == y->flags && x->raw_bytes == y->raw_bytes &&
         x->packed_bytes == y->packed_bytes && x->nrecords == y->nrecords && x->digest == y->digest && x->allocations == y->allocations &&
         x->crc == y->crc;
}

uint32_t dvmt_reader_left(const struct dvmt_reader *r) { return r->decoder.left; }

uint64_t dvmt_reader_position(const struct dvmt_reader *r) {
  return r->decoder.left ? r->block.first_record + r->block.nrecords - r->decoder.left : r->passed;
}

bool dvmt_reader_next_same(struct dvmt_reader *a, struct dvmt_reader *b) {
  struct dvmt_block x, y;
  const char *torn;
  return dvmt_reader_block_at(a, a->offset, &x, &torn) > 0 && dvmt_reader_block_at(b, b->offset, &y, &torn) > 0 &&
         x.first_record == a->passed && y.first_record == b->passed && x.kind == DVMT_BLOCK_RECORDS_KIND &&
         dvmt_reader_same_block(&x, &y) && !(x.flags & DVMT_SAW_NAN) && dvmt_reader_load_block(a, a->offset, &x) &&
         dvmt_reader_load_block(b, b->offset, &y) && !memcmp(a->packed.p, b->packed.p, x.packed_bytes);
}

uint32_t dvmt_reader_pass_block(struct dvmt_reader *r) {
  struct dvmt_block b;
  const char *torn;
  if (dvmt_reader_block_at(r, r->offset, &b, &torn) <= 0)
    return 0;
  r->before_passed = r->offset;
  r->offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  r->passed = b.first_record + b.nrecords;
  return b.nrecords;
}

void dvmt_reader_pass_back(struct dvmt_reader *r) {
  struct dvmt_block b;
  const char *torn;
  if (dvmt_reader_block_at(r, r->before_passed, &b, &torn) <= 0)
    return;
  r->offset = r->before_passed;
  r->passed = b.first_record;
}

bool dvmt_reader_next_whole(struct dvmt_reader *r) {
  struct dvmt_block b;
  const char *torn;
  for (uint64_t offset = r->offset; dvmt_reader_block_at(r, offset, &b, &torn) > 0; offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes) {
    if (b.kind == DVMT_BLOCK_INDEX)
      return true;
    if (b.kind != DVMT_BLOCK_CONTENTS && (b.first_record != r->passed || !dvmt_reader_load_block(r, offset, &b)))
      return false;
    if (b.kind == DVMT_BLOCK_RECORDS_KIND)
      return true;
  }
  return false;
}

/* ---- contents of blocks ------------------------------------------------------------------------------------------------------------ */

/* Appends the rows of the block at 'offset'. */
static bool add_contents(struct dvmt_reader *r, uint64_t offset) {
  struct dvmt_block b;
  const char *torn;
  struct dvmt_bytes *c = &r->contents;
  if (dvmt_reader_block_at(r, offset, &b, &torn) <= 0 || b.kind != DVMT_BLOCK_CONTENTS ||
      b.raw_bytes > (uint64_t)r->nindex * DVMT_CONTENTS_BYTES - c->n || !dvmt_reader_load_block(r, offset, &b) ||
      !dvmt_bytes_reserve(c, b.raw_bytes) || dvmt_unpack(r->packer, b.codec, r->packed.p, b.packed_bytes, c->p + c->n, b.raw_bytes))
    return false;
  c->n += b.raw_bytes;
  return true;
}

static void load_contents(struct dvmt_reader *r) {
  bool known = true;
  uint64_t before = 0;
  if (!r->index_tried)
    dvmt_reader_load_index(r);
  r->contents_tried = true;
  r->content_offsets = calloc(r->nindex + 1, sizeof(*r->content_offsets));
  for (size_t i = 0; r->content_offsets && known && i < r->nindex; i++) {
    const unsigned char *at = r->index + i * DVMT_INDEX_ENTRY_BYTES;
    uint64_t offset = dvmt_get(&at, 8), kind = dvmt_get(&at, 4);
    known = offset > before; /* a small file must not name one block as often as it likes */
    before = offset;
    if (known && kind == DVMT_BLOCK_RECORDS_KIND)
      r->content_offsets[r->ncontents++] = offset;
    else if (known && kind == DVMT_BLOCK_CONTENTS)
      known = add_contents(r, offset);
  }
  if (!r->content_offsets || !known || r->contents.n != (uint64_t)r->ncontents * DVMT_CONTENTS_BYTES)
    r->ncontents = 0;
}

static bool meet(const uint64_t *a, const uint64_t *b) {
  bool any = false;
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    any |= (a[i] & b[i]) != 0;
  return any;
}

bool dvmt_reader_next_lacks(struct dvmt_reader *r, const struct dvmt_contents *alone, const struct dvmt_contents *with) {
  struct dvmt_block b;
  const char *torn;
  if (!r->contents_tried)
    load_contents(r);
  if (!r->ncontents || r->decoder.left || r->ended || r->nameless || dvmt_reader_block_at(r, r->offset, &b, &torn) <= 0 ||
      b.kind != DVMT_BLOCK_RECORDS_KIND || b.first_record != r->passed)
    return false;
  size_t low = 0, high = r->ncontents;
  while (high - low > 1) {
    size_t mid = (low + high) / 2;
    if (r->content_offsets[mid] <= r->offset)
      low = mid;
    else
      high = mid;
  }
  if (r->content_offsets[low] != r->offset)
    return false;
  struct dvmt_contents c;
  const unsigned char *at = r->contents.p + low * DVMT_CONTENTS_BYTES;
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    c.sites[i] = dvmt_get(&at, 8);
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    c.objects[i] = dvmt_get(&at, 8);
  return !meet(c.sites, alone->sites) && !(meet(c.sites, with->sites) && meet(c.objects, with->objects));
}
