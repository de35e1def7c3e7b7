/* Merged call-prefix tree: call paths of many ranks (and threads), outermost frame first, merged where they begin
 * alike.  Encoded form, so that it can be an answer's body: node = block name, set, varint children, children sorted
 * by name; the body is one node, the root, with an empty name. */
#ifndef SDM_PREFIX_H
#define SDM_PREFIX_H
#include "sdm/bytes.h"
#include "sdm/set.h"

#define SDM_PREFIX_DEPTH 512u /* deeper frames are cut */

struct sdm_prefix {
  char *name;
  struct sdm_set *set;
  size_t n;
  struct sdm_prefix **children; /* [n], owned, by name */
};

struct sdm_prefix *sdm_prefix_new(void);
void sdm_prefix_free(struct sdm_prefix *p);
/* Adds one path; frames[0] is the outermost. */
void sdm_prefix_add(struct sdm_prefix *root, const char *const *frames, size_t n, sdm_id id);
/* Makes every id rank of the tree the id rank * factor + offset. */
void sdm_prefix_renumber(struct sdm_prefix *p, uint32_t factor, uint32_t offset);
void sdm_prefix_encode(const struct sdm_prefix *p, struct sdm_bytes *out);
struct sdm_prefix *sdm_prefix_decode(const void *p, size_t len); /* NULL: not a tree */
/* The reducer: 'into' becomes the encoded union.  0 or -EBADMSG. */
int sdm_prefix_merge(struct sdm_bytes *into, const void *body, size_t len);
#endif
