/* What the files of the reader share. */
#ifndef DVMT_READER_INSIDE_H
#define DVMT_READER_INSIDE_H
#include "driver/trace/format/ahead.h"
#include "driver/trace/format/codec.h"
#include "driver/trace/format/context.h"
#include "driver/trace/format/pack.h"
#include "driver/trace/format/reader.h"

/* The file is mapped; pages are the kernel's to drop.  A file that is cut while it is read would be a bus error, so it is read
 * by pread into a buffer instead. */
struct dvmt_reader {
  int fd;                      /* or -1: from memory */
  const unsigned char *memory;
  char *name;                  /* for messages; owned, as the rest */
  uint64_t base;               /* where the stream begins in the file */
  unsigned version;
  uint64_t size, offset;       /* offset: of the next block */
  char *meta, *program;
  struct dvmt_site_def *sites;
  size_t nsites, sites_cap;
  struct dvmt_object_def *objects;
  size_t nobjects, objects_cap;
  struct dvmt_block block;
  struct dvmt_bytes packed, raw;
  struct dvmt_packer *packer;
  struct dvmt_decoder decoder;
  struct dvmt_cursor context;  /* of the present block, in 'raw' */
  bool goes_ahead;
  struct dvmt_ahead *ahead;    /* owned, or NULL */
  const struct dvmt_decoded_row *row; /* of 'ahead': the next record; NULL: it is the decoder's */
  const uint64_t *words;       /* its words */
  uint64_t passed;             /* records before the next block */
  uint64_t before_passed;      /* offset of the block that was passed over last */
  uint64_t lost[1];
  uint64_t untold;             /* records lost before the present block, of which nobody has been told yet */
  const char *torn;
  bool ended;
  bool unsure;                 /* something without a known number of definitions has been passed over */
  bool nameless;               /* definitions are lost: numbers of sites and objects mean nothing any more */
  uint64_t defined_to;         /* definitions of blocks before this place in the file are known */
  struct place {
    uint64_t offset, record;
  } *places;                   /* owned; blocks of records that have been sought so far */
  size_t nplaces;
  unsigned char *index;        /* of the file, if it has one; loaded when a block is damaged */
  size_t nindex;
  bool index_tried;
  struct dvmt_bytes contents;  /* of the blocks of records in their order; empty: not known */
  uint64_t *content_offsets;   /* owned; where those blocks lie */
  size_t ncontents;
  bool contents_tried;
};

int dvmt_reader_read_at(struct dvmt_reader *r, uint64_t offset, void *to, size_t n);
int dvmt_reader_read_definitions(struct dvmt_reader *r);
/* The header of the block at 'offset'.  1: there is one, whole; 0: none, then 'torn' says why. */
int dvmt_reader_block_at(struct dvmt_reader *r, uint64_t offset, struct dvmt_block *b, const char **torn);
int dvmt_reader_unpack(struct dvmt_reader *r);
int dvmt_reader_lose(struct dvmt_reader *r, uint64_t n, struct dvmt_record *record);
/* The context, then the records. */
int dvmt_reader_begin_records(struct dvmt_reader *r);
/* The index block's payload, by way of the trailer. */
void dvmt_reader_load_index(struct dvmt_reader *r);
/* Whether definitions were between the two places; without an index nobody knows. */
bool dvmt_reader_lost_names(struct dvmt_reader *r, uint64_t from, uint64_t to);
/* The next place behind 'from' where a whole block begins: by the index, else by looking for one. */
bool dvmt_reader_find_block(struct dvmt_reader *r, uint64_t from, uint64_t *found);
/* A header at r->offset is damaged: goes to the next whole block.  1: there is one; then 'record' tells how many were lost. */
int dvmt_reader_pass_damage(struct dvmt_reader *r, struct dvmt_record *record);
int dvmt_reader_read_names(struct dvmt_reader *r, uint64_t at);
/* Where blocks of records begin, in their order. */
bool dvmt_reader_note_place(struct dvmt_reader *r, uint64_t offset, uint64_t record);
/* The payload at 'offset' in r->packed. */
bool dvmt_reader_load_block(struct dvmt_reader *r, uint64_t offset, const struct dvmt_block *b);
bool dvmt_reader_same_block(const struct dvmt_block *x, const struct dvmt_block *y);
#endif
