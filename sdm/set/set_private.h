/* The inside of a process set, shared by set.c and set_codec.c. */
#ifndef SDM_SET_PRIVATE_H
#define SDM_SET_PRIVATE_H
#include "sdm/set.h"

#define CHUNK_BITS 65536u
#define CHUNK_WORDS (CHUNK_BITS / 64)
#define RUNS_MAX 2047u /* more runs than that take more room than the bitmap */
#define RUNS_INLINE 2u

struct run {
  uint16_t first, last;
};

/* Never empty.  'bits' exactly when there are more than RUNS_MAX runs. */
struct chunk {
  uint32_t key;   /* id / CHUNK_BITS */
  uint32_t count; /* elements, 1..65536 */
  uint32_t nruns;
  uint64_t *bits;   /* owned, or NULL */
  struct run *heap; /* owned, when nruns > RUNS_INLINE and there is no bitmap */
  struct run in[RUNS_INLINE];
};

struct sdm_set {
  sdm_id max;
  size_t nchunks, cap;
  struct chunk *chunks; /* by rising key */
  struct sdm_set_iter walk;
  bool walk_done;
};

static inline const struct run *chunk_runs(const struct chunk *c) { return c->heap ? c->heap : c->in; }
/* Appends a chunk from a bitmap; an empty bitmap adds nothing.  'key' above all others. */
void sdm_set_append_bits(struct sdm_set *set, uint32_t key, const uint64_t *bits);
/* The same from rising runs that do not touch, 0 < n <= RUNS_MAX. */
void sdm_set_append_runs(struct sdm_set *set, uint32_t key, const struct run *runs, uint32_t n);
#endif
