/* Reads a .dvmt file, from its beginning or from any block.  Memory: one block. */
#ifndef DVMT_READER_H
#define DVMT_READER_H
#include "base/error.h"
#include "driver/trace/format/format.h"
#include "driver/trace/format/stream.h"
#include <stdbool.h>

struct dvmt_reader;

/* NULL: no trace, another version, damaged at its head; 'err' names the file and says which. */
struct dvmt_reader *dvmt_reader_open(const char *path, struct dvm_error *err);
/* The same of a stream that is a part of a file; 'name' is for messages. */
struct dvmt_reader *dvmt_reader_open_part(const char *path, uint64_t offset, uint64_t size, const char *name, struct dvm_error *err);
/* The same from memory that stays the caller's. */
struct dvmt_reader *dvmt_reader_open_memory(const void *p, size_t n, struct dvm_error *err);
/* Another reader of the same file, at its beginning. */
struct dvmt_reader *dvmt_reader_again(const struct dvmt_reader *r, struct dvm_error *err);
/* From its second block on what it reads is decoded by a thread of its own, as far as that can be. */
void dvmt_reader_go_ahead(struct dvmt_reader *r);
void dvmt_reader_close(struct dvmt_reader *r);

/* 1: a record, valid until the next call; 0: the end; -E.. with a text.  Blocks that are damaged give a record DVMT_LOST. */
int dvmt_reader_next(struct dvmt_reader *r, struct dvmt_record *record, struct dvm_error *err);

/* Value of a line of the header ("program", "command", ..), or NULL. */
const char *dvmt_reader_meta(const struct dvmt_reader *r, const char *key);
/* All lines of the header, as a writer is given them; owned by the caller; NULL: no memory. */
char *dvmt_reader_lines(const struct dvmt_reader *r);
/* Build id of the program, NULL if it is not known (yet: it precedes the first record). */
const char *dvmt_reader_program(const struct dvmt_reader *r);
/* Definitions read so far.  Pointers stay until the reader is closed. */
size_t dvmt_reader_nsites(const struct dvmt_reader *r);
const struct dvmt_site_def *dvmt_reader_site(const struct dvmt_reader *r, size_t number);
size_t dvmt_reader_nobjects(const struct dvmt_reader *r);
size_t dvmt_reader_ndefinitions(const struct dvmt_reader *r); /* both */
const struct dvmt_object_def *dvmt_reader_object(const struct dvmt_reader *r, size_t number);

struct dvmt_summary {
  bool whole;              /* has its index; else it ends after some whole block */
  bool complete;           /* the program ended by itself */
  int status;              /* its exit status; -1: not known */
  uint64_t records, enters, blocks;
  uint64_t file_bytes, raw_bytes;
  uint64_t lost_bytes;     /* behind the last whole block */
  unsigned codec;
};
/* Of the whole file, from its block headers; -E.. with a text when it cannot be read. */
int dvmt_reader_summary(struct dvmt_reader *r, struct dvmt_summary *s, struct dvm_error *err);
struct dvmt_damage {
  uint64_t blocks;         /* damaged ones, or stretches of them */
  uint64_t records;        /* in them */
  uint64_t first;          /* record where the first of them begins */
  bool index;              /* the index: all is read, but nothing can be gone to at once */
  bool names;              /* definitions are among them: nothing behind can be read */
};
/* What of the file is damaged, from the checksums of all blocks; the reader stays where it is.  0, or -E.. with a text. */
int dvmt_reader_check(struct dvmt_reader *r, struct dvmt_damage *d, struct dvm_error *err);
/* Goes to the block that holds this record (counted from 0): the next record is the first of the block.  0; -ENODATA: there is none. */
int dvmt_reader_seek(struct dvmt_reader *r, uint64_t record, struct dvm_error *err);
/* Whether two readers, of which nothing has been read yet, have the same definitions and records in the same whole blocks, none of
 * them with a NaN or an infinite value.  Only then is it true: files that differ in how they were packed are not the same. */
bool dvmt_reader_same(struct dvmt_reader *a, struct dvmt_reader *b);
/* Why reading ended early, or NULL: the file is torn. */
const char *dvmt_reader_torn(const struct dvmt_reader *r);
/* Block that the next record comes from; the one of the last record when that was its last. */
const struct dvmt_block *dvmt_reader_block(const struct dvmt_reader *r);
/* Records of the present block that have not been read. */
uint32_t dvmt_reader_left(const struct dvmt_reader *r);
/* The same where the block has been decoded ahead (else 0), with their rows and words; 'again': with the one that was read last. */
struct dvmt_decoded_row;
uint32_t dvmt_reader_rows(const struct dvmt_reader *r, bool again, const struct dvmt_decoded_row **row, const uint64_t **words);
/* Goes on at that row of them. */
void dvmt_reader_set_rows(struct dvmt_reader *r, const struct dvmt_decoded_row *row, const uint64_t *words);
/* Decodes all records of the present block that have not been read: it is at its end then.  0; -EBADMSG, -ENOMEM. */
struct dvmt_decoded_rows;
int dvmt_reader_decode(struct dvmt_reader *r, struct dvmt_decoded_rows *rows);
/* Records before the next one. */
uint64_t dvmt_reader_position(const struct dvmt_reader *r);
/* Whether behind their present blocks both readers come to the same block of records: byte for byte, and without a NaN or an infinite value. */
bool dvmt_reader_next_same(struct dvmt_reader *a, struct dvmt_reader *b);
/* Passes over that block; its number of records. */
uint32_t dvmt_reader_pass_block(struct dvmt_reader *r);
/* Back before the block that was passed over last. */
void dvmt_reader_pass_back(struct dvmt_reader *r);
/* Whether the next block of records, or the end, is there and whole. */
bool dvmt_reader_next_whole(struct dvmt_reader *r);
/* Whether the next record begins a block of which the index knows that it has none of what is wanted: no site of 'alone', and no site of
 * 'with' beside an object of 'with'. */
bool dvmt_reader_next_lacks(struct dvmt_reader *r, const struct dvmt_contents *alone, const struct dvmt_contents *with);
/* Reads on to the next block of records, and the definitions before it, if the present one is at its end.  0; -E.. with a text. */
int dvmt_reader_load(struct dvmt_reader *r, struct dvm_error *err);
/* Where the program is at the beginning of the present block; as dvmt_context_get. */
struct dvmt_context;
int dvmt_reader_context(const struct dvmt_reader *r, struct dvmt_context *context);
/* That in its encoded form, 'n' bytes, until the next block. */
const unsigned char *dvmt_reader_start(const struct dvmt_reader *r, size_t *n);
/* Skips the rest of this block: the next record is the first of the following one. */
void dvmt_reader_skip_block(struct dvmt_reader *r);
#endif
