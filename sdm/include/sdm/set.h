/* Process sets: the source and destination of every message.
 *
 * A set holds ids 0 <= id <= max.  It is kept as chunks of 65,536 ids, each a list of runs or a bitmap, whichever is
 * smaller, so that "all of 2^20" costs a few dozen bytes and the worst case 128 KiB; every operation is linear in
 * that size and none in the universe.  Sets are not thread safe; a const set may be read by several threads.
 *
 * Functions that return a set return their first argument, so that calls nest. */
#ifndef SDM_SET_H
#define SDM_SET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t sdm_id;

#define SDM_ID_MAX 0x7fffffffu    /* largest id that a server can have */
#define SDM_MASTER 0xfffffffeu    /* the root of the tree of servers */
#define SDM_FRONTEND 0xffffffffu  /* the user's end, the master's parent */
#define SDM_ID_NONE 0xfffffffdu   /* what the iterator returns past the end */

struct sdm_set;

struct sdm_set *sdm_set_new(void);               /* empty, max = SDM_ID_MAX */
struct sdm_set *sdm_set_new_limited(sdm_id max); /* empty; ids above 'max' are refused */
struct sdm_set *sdm_set_copy(const struct sdm_set *set);
void sdm_set_free(struct sdm_set *set);

struct sdm_set *sdm_set_clear(struct sdm_set *set);
struct sdm_set *sdm_set_assign(struct sdm_set *set, const struct sdm_set *from); /* keeps the limit of 'set' */
uint32_t sdm_set_size(const struct sdm_set *set); /* number of elements */
/* Adding what is above the set's limit leaves the set as it was and returns NULL. */
struct sdm_set *sdm_set_add_element(struct sdm_set *set, sdm_id id);
struct sdm_set *sdm_set_remove_element(struct sdm_set *set, sdm_id id); /* an absent id is no error */
struct sdm_set *sdm_set_add_all(struct sdm_set *set, sdm_id id);        /* [0, id], both ends included */
struct sdm_set *sdm_set_add_range(struct sdm_set *set, sdm_id lo, sdm_id hi); /* [lo, hi]; lo > hi adds nothing */
struct sdm_set *sdm_set_remove_range(struct sdm_set *set, sdm_id lo, sdm_id hi);

bool sdm_set_is_subset(const struct sdm_set *set1, const struct sdm_set *set2); /* every id of set1 is in set2 */
bool sdm_set_is_empty(const struct sdm_set *set);
bool sdm_set_compare(const struct sdm_set *set1, const struct sdm_set *set2); /* true if they differ (!) */
bool sdm_set_equal(const struct sdm_set *set1, const struct sdm_set *set2);
bool sdm_set_overlaps(const struct sdm_set *set1, const struct sdm_set *set2);
bool sdm_set_contains(const struct sdm_set *set, sdm_id id);
/* The result goes to set1.  A union above the limit of set1 leaves it as it was and returns NULL. */
struct sdm_set *sdm_set_union(struct sdm_set *set1, const struct sdm_set *set2);
struct sdm_set *sdm_set_intersect(struct sdm_set *set1, const struct sdm_set *set2);
struct sdm_set *sdm_set_diff(struct sdm_set *set1, const struct sdm_set *set2);
struct sdm_set *sdm_set_xor(struct sdm_set *set1, const struct sdm_set *set2);

sdm_id sdm_set_max(const struct sdm_set *set); /* largest id that the set could hold: its limit, not its content */
sdm_id sdm_set_last(const struct sdm_set *set); /* largest id in it, SDM_ID_NONE if empty */

/* The set's own iterator: one walk at a time; changing the set ends it.
 *   for (id = sdm_set_first(s); !sdm_set_done(s); id = sdm_set_next(s)) */
sdm_id sdm_set_first(struct sdm_set *set);
sdm_id sdm_set_next(struct sdm_set *set);
bool sdm_set_done(const struct sdm_set *set);

/* Re-entrant walks, in rising order.  Changing the set makes the iterator invalid. */
struct sdm_set_iter {
  const struct sdm_set *set;
  size_t chunk, run;
  uint32_t bit;
  bool open;       /* a range is being dealt out id by id */
  sdm_id at, last; /* the rest of that range */
};
struct sdm_set_iter sdm_set_iter(const struct sdm_set *set);
bool sdm_set_iter_id(struct sdm_set_iter *it, sdm_id *id);
/* Ranges end at multiples of 65,536 too: two neighbours may touch. */
bool sdm_set_iter_range(struct sdm_set_iter *it, sdm_id *lo, sdm_id *hi);

/* Canonical binary form (docs/sdm-protocol.md): equal sets give equal bytes.  'buf' needs the upper bound that
 * sdm_set_serialized_length gives.  'end', if not NULL, gets the first byte after it.  Returns the bytes written. */
size_t sdm_set_serialize(const struct sdm_set *set, char *buf, char **end);
size_t sdm_set_serialized_length(const struct sdm_set *set);
/* Reads at most 'len' bytes; the set's limit holds.  Returns the bytes read, or -EBADMSG for anything that
 * sdm_set_serialize would not have written; then 'set' is empty. */
long sdm_set_deserialize(struct sdm_set *set, const char *buf, size_t len, const char **end);

/* Text form "0-3,7,10-30/2" (last number: stride); "" is the empty set, "none" too when read. */
void sdm_set_print(const struct sdm_set *set, struct dvm_text *out);
/* Replaces the content.  Returns 0, or -EINVAL / -ERANGE with a reason; then 'set' is empty. */
int sdm_set_parse(struct sdm_set *set, const char *text, struct dvm_error *err);
#ifdef __cplusplus
}
#endif
#endif
