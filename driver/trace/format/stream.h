/* What a trace says, whatever it is kept in: sites, objects, records in the order in which the program made them. */
#ifndef DVMT_STREAM_H
#define DVMT_STREAM_H
#include "runtime/trace/abi.h"
#include <stddef.h>

enum dvmt_kind {
  DVMT_READ = 1,
  DVMT_WRITE,   /* object, offset, words: the value (of a pointer: lead.h), and for some where the pointer before it leads */
  DVMT_ITER,                   /* words: index variables, outermost first */
  DVMT_ENTER,                  /* words: level and number (below), arguments */
  DVMT_LEAVE,
  DVMT_RESULT,                 /* words: number of the R line, bytes, value in 4 words */
  DVMT_DIRECT,                 /* words: arguments */
  DVMT_DIGEST,                 /* object, words: elements, digest, and of an array its part (0: all of it); else values, sum of them */
  DVMT_UNRECORDED,             /* the site was executed where nothing is recorded; words: why (enum dvmt_why) */
  DVMT_LOST,                   /* words: number of records that a damaged block held; only from a reader */
  DVMT_CALL,
  DVMT_RETURN       /* a function that calls others begins and ends */
};
static inline int dvmt_is_call(unsigned kind) { return kind == DVMT_CALL || kind == DVMT_RETURN; }
/* The number of an execution, from 1, where it is told: of the first one in a trace that begins in the middle of the run.  Else 0: it follows
 * the one before. */
static inline uint32_t dvmt_enter_number(const uint64_t *words) { return (uint32_t)(words[0] >> 8); }
static inline unsigned dvmt_enter_level(const uint64_t *words) { return words[0] & 255; }
static inline uint32_t dvmt_next_number(uint32_t before, const uint64_t *words) {
  return dvmt_enter_number(words) ? dvmt_enter_number(words) : before + 1;
}
/* Third word of a digest of the iterations, where a trace is reduced to what any number of ranks has (driver/trace/job). */
enum { DVMT_DIGEST_EXECUTED = 1 };
enum { DVMT_VALUE_WORDS_MAX = 5, DVMT_WORDS_MAX = 256 };

struct dvmt_record {
  uint8_t kind;
  uint32_t nwords;
  uint32_t site; /* number in the order of definition, from 0 */
  uint32_t object;
  int64_t offset; /* bytes from the start of the object */
  const uint64_t *words; /* borrowed until the next record */
};

/* Texts are owned by whoever keeps the table. */
struct dvmt_site_def {
  const char *text;
  uint8_t kind, words, bytes, where, nargs; /* as in struct dvmt_site */
};

enum {
  DVMT_OBJECT_ARRAY = 1 /* declared by a directive */,
  DVMT_OBJECT_POINTED = 2 /* known by a pointer's name only */,
  DVMT_OBJECT_FORTRAN = 4 /* named as there; extents are in the order of C all the same */
};
struct dvmt_object_def {
  const char *name;
  uint32_t element_bytes; /* 0: not known */
  uint8_t flags, ndims;
  int64_t extent[DVMT_NDIMS_MAX]; /* 0: not known */
  int64_t lower[DVMT_NDIMS_MAX]; /* of Fortran: what each dimension is counted from */
};

/* Whoever takes a stream: a writer of files, a comparison.  Each returns 0 or -E..., after which nothing more is sent. */
struct dvmt_sink {
  int (*site)(struct dvmt_sink *sink, const struct dvmt_site_def *def); /* the next number */
  int (*object)(struct dvmt_sink *sink, const struct dvmt_object_def *def);
  int (*record)(struct dvmt_sink *sink, const struct dvmt_record *r);
  int (*program)(struct dvmt_sink *sink, const char *build_id); /* or NULL: not wanted */
  uint64_t allocations; /* that have begun so far; the collector's */
};
#endif
