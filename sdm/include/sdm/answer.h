/* Answers of many servers, merged.  An answer is a short list of classes: one body and the set of all who gave it.
 * Bodies are compared byte by byte (a digest only spares comparisons).  Missing answers are listed too, by cause.
 *
 * A reducer says how two different bodies become one: by default they do not and stay two classes.  Error bodies are
 * never reduced. */
#ifndef SDM_ANSWER_H
#define SDM_ANSWER_H
#include "sdm/bytes.h"
#include "sdm/set.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SDM_CLASSES_MAX 64u /* beyond that, sources are folded into 'other' */

enum sdm_class_kind { SDM_CLASS_OK, SDM_CLASS_ERROR };

enum sdm_reducer {
  SDM_REDUCE_SAME,   /* equal bodies merge, others stay apart */
  SDM_REDUCE_COUNT,  /* body: varint; adds up */
  SDM_REDUCE_STATS,  /* body: sdm_stats; count, sum, minimum and maximum with the ranks that hold them */
  SDM_REDUCE_TREE,   /* body: prefix tree of call paths with sets, see prefix.h */
  SDM_REDUCE_CONCAT, /* bodies one after the other, in order of arrival */
  SDM_REDUCE_HISTOGRAM, /* body: sdm_histogram; see reduce.h */
  SDM_REDUCE_TOP,    /* body: sdm_top; the most extreme values and who has them */
  SDM_REDUCERS,      /* from here on: the user's own */
  SDM_REDUCERS_MAX = 32
};

/* 'into' holds one body and gets that of both; the order in which bodies come must not matter.  0, or -EBADMSG: one of them is of
 * another form; then both stay apart. */
typedef int (*sdm_reduce_f)(struct sdm_bytes *into, const void *body, size_t len);
/* A reducer of the user, SDM_REDUCERS <= 'number' < SDM_REDUCERS_MAX: the same in the front end and in all servers, before any request
 * names it.  A server that does not know the number keeps different bodies apart.  0, -EINVAL, or -EEXIST: it is taken. */
int sdm_reducer_set(uint8_t number, sdm_reduce_f reduce);

struct sdm_class {
  uint8_t kind;
  uint64_t digest;
  struct sdm_bytes body;
  struct sdm_bytes detail; /* not compared: what one of the sources ('detail_id') adds, such as its addresses */
  sdm_id detail_id;
  struct sdm_set *set; /* owned */
};

struct sdm_answer {
  uint8_t reducer;
  size_t n;
  struct sdm_class *classes; /* [n], owned; in order of arrival */
  struct sdm_set *other;       /* sources beyond SDM_CLASSES_MAX classes, or too large together; their bodies are lost */
  struct sdm_set *dead, *timed_out, *unreachable;
};

struct sdm_answer *sdm_answer_new(uint8_t reducer);
void sdm_answer_free(struct sdm_answer *a);
/* Adds one source's body.  'set' is copied. */
void sdm_answer_add(struct sdm_answer *a, uint8_t kind, const struct sdm_set *set, const void *body, size_t len, const void *detail,
                    size_t detail_len, sdm_id detail_id);
void sdm_answer_merge(struct sdm_answer *into, const struct sdm_answer *from);
/* Everybody named: answered, folded or missing.  The caller frees it. */
struct sdm_set *sdm_answer_sources(const struct sdm_answer *a); /* without the missing */
struct sdm_set *sdm_answer_missing(const struct sdm_answer *a);
/* Removes all ranks in 'gone' (they have already been counted). */
void sdm_answer_remove(struct sdm_answer *a, const struct sdm_set *gone);
/* Folds the largest bodies into 'other' until the encoded form has at most 'limit' bytes; sets alone may take more. */
void sdm_answer_fold(struct sdm_answer *a, size_t limit);
bool sdm_answer_is_empty(const struct sdm_answer *a);

void sdm_answer_encode(const struct sdm_answer *a, struct sdm_bytes *out);
/* NULL for bytes that are not an answer; ids above 'max' are refused. */
struct sdm_answer *sdm_answer_decode(const void *p, size_t len, sdm_id max);

struct sdm_stats {
  uint64_t count;
  long double mean, squares, min, max; /* squares: of the distances from the mean, added up */
  sdm_id min_id, max_id;
};
void sdm_stats_encode(const struct sdm_stats *s, struct sdm_bytes *out);
int sdm_stats_decode(struct sdm_stats *s, const void *p, size_t len); /* 0 or -EBADMSG */
#ifdef __cplusplus
}
#endif
#endif
