/* Bodies of two reducers that say how a value is spread over ranks: a histogram with the ranks of each bin, and the most
 * extreme values with theirs.  Encoded forms are canonical: equal contents are equal bytes, whatever the order of arrival. */
#ifndef SDM_REDUCE_H
#define SDM_REDUCE_H
#include "sdm/bytes.h"
#include "sdm/set.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SDM_BINS_MAX 64u
#define SDM_TOP_MAX 64u

/* Bin 'i' holds values from low + i * width on, the last one 'high' too; width = (high - low) / n.  What lies outside is in
 * the nearest bin. */
struct sdm_histogram {
  long double low, high;
  uint32_t n;                       /* 1 .. SDM_BINS_MAX */
  struct sdm_set *bins[SDM_BINS_MAX]; /* [n], owned */
};

/* 0, or -EINVAL: the limits do not form an interval, or there are too many bins. */
int sdm_histogram_init(struct sdm_histogram *h, long double low, long double high, uint32_t n);
void sdm_histogram_fini(struct sdm_histogram *h);
void sdm_histogram_add(struct sdm_histogram *h, long double value, sdm_id id);
void sdm_histogram_encode(const struct sdm_histogram *h, struct sdm_bytes *out);
/* 0 or -EBADMSG; then there is nothing to be freed. */
int sdm_histogram_decode(struct sdm_histogram *h, const void *p, size_t len);
/* Reducers, see answer.h. */
int sdm_histogram_merge(struct sdm_bytes *into, const void *body, size_t len);

/* The 'limit' largest values (smallest first order if 'smallest'), of equal ones those of lower ranks. */
struct sdm_top {
  bool smallest;
  uint32_t limit, n; /* n <= limit <= SDM_TOP_MAX */
  struct {
    long double value;
    sdm_id id;
  } entries[SDM_TOP_MAX]; /* [n], the most extreme first */
};

void sdm_top_add(struct sdm_top *t, long double value, sdm_id id); /* a NaN is left out */
void sdm_top_encode(const struct sdm_top *t, struct sdm_bytes *out);
int sdm_top_decode(struct sdm_top *t, const void *p, size_t len); /* 0 or -EBADMSG */
int sdm_top_merge(struct sdm_bytes *into, const void *body, size_t len);
#ifdef __cplusplus
}
#endif
#endif
