/* What a rank says where answers of all ranks are added up on their way to the front end. */
#ifndef SDM_REDUCED_H
#define SDM_REDUCED_H
#include <jansson.h>
#include <stdbool.h>

#include "sdm/bytes.h"
#include "sdm/set.h"

/* Adds the part of rank 'id' for the reducer "reduce" of a command's 'args' to 'out' ("stats", "tree", "histogram", "top", "lines"; others
 * have none).  NULL, or why it has none. */
const char *sdm_server_reduced(const json_t *args, const json_t *result, sdm_id id, struct sdm_bytes *out);

/* Whether the value in 'result' is a number within "limit" of "mean": of outliers, it says nothing then. */
bool sdm_server_is_inlier(const json_t *args, const json_t *result);
#endif
