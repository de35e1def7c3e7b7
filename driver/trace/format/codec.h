/* Records to the payload of a block and back (docs/trace-format.md, 'Records').  Each block stands alone but for the sites and
 * objects that it names. */
#ifndef DVMT_CODEC_H
#define DVMT_CODEC_H
#include "base/error.h"
#include "driver/trace/format/bytes.h"
#include "driver/trace/format/format.h"
#include "driver/trace/format/stream.h"

/* What is remembered of a symbol (site and kind) to predict its next record.  Belongs to one block: 'block' tells. */
struct dvmt_symbol {
  uint64_t block;
  uint32_t next;         /* symbol that followed it */
  uint32_t object, nwords;
  bool missed;
  int64_t offset, stride;
  uint64_t words[8];     /* the first ones of the record before */
};

struct dvmt_predictor {
  struct dvmt_symbol *symbols; /* owned; [16 * sites] */
  size_t nsymbols;
  uint64_t block;        /* number of this block, from 1 */
  uint32_t last;         /* symbol of the record before */
  struct dvmt_contents contents; /* of this block; objects: the encoder's alone */
};

struct dvmt_encoder {
  struct dvmt_predictor predict;
  struct dvmt_bytes control, extra;
  uint64_t *values;      /* owned */
  size_t nvalues, values_cap;
  uint32_t nrecords;
  uint64_t digest;
  bool saw_nan, failed;
};
void dvmt_encoder_init(struct dvmt_encoder *e);
void dvmt_encoder_fini(struct dvmt_encoder *e);
/* 'float_bytes': of a floating value or of the parts of a complex one, 4, 8 or 16 (extended); else 0.  Sets e->failed without memory. */
void dvmt_encoder_add(struct dvmt_encoder *e, const struct dvmt_record *r, unsigned float_bytes);
/* Appends the payload to 'out' and begins the next block. */
void dvmt_encoder_finish(struct dvmt_encoder *e, struct dvmt_bytes *out);

struct dvmt_decoder {
  struct dvmt_predictor predict;
  struct dvmt_cursor control, extra;
  uint64_t *values;      /* owned */
  size_t nvalues, values_cap, next_value;
  uint32_t left;         /* records not yet read */
  size_t nsites, nobjects;
  uint64_t words[DVMT_WORDS_MAX + 8];
};
void dvmt_decoder_init(struct dvmt_decoder *d);
void dvmt_decoder_fini(struct dvmt_decoder *d);
/* Begins a payload of 'n' bytes, which stays the caller's and must live until its last record; it may name sites below 'nsites'
 * and objects below 'nobjects'.  0 or -EBADMSG, -ENOMEM. */
int dvmt_decoder_begin(struct dvmt_decoder *d, const void *payload, size_t n, uint32_t nrecords, size_t nsites, size_t nobjects);
/* 1: a record; 0: no more; -EBADMSG, -ENOMEM. */
int dvmt_decoder_next(struct dvmt_decoder *d, struct dvmt_record *r);

/* A record; the words of one follow those of the one before.  What is unused is zero: equal rows are equal bytes. */
struct dvmt_decoded_row {
  uint8_t kind, unused;
  uint16_t nwords;
  uint32_t site, object, unused_too;
  int64_t offset;
};
static inline struct dvmt_record dvmt_row_record(const struct dvmt_decoded_row *row, const uint64_t *words) {
  return (struct dvmt_record){row->kind, row->nwords, row->site, row->object, row->offset, words};
}
/* Records and their words; owned, and kept from block to block. */
struct dvmt_decoded_rows {
  struct dvmt_decoded_row *row;
  uint64_t *words;
  size_t n, nwords, cap, words_cap;
};
void dvmt_decoded_rows_fini(struct dvmt_decoded_rows *rows);
/* All that are left, in place of what 'rows' had.  0; -EBADMSG, -ENOMEM. */
int dvmt_decoder_rows(struct dvmt_decoder *d, struct dvmt_decoded_rows *rows);
#endif
