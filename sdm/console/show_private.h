/* What the files of show.h share. */
#ifndef SDM_SHOW_PRIVATE_H
#define SDM_SHOW_PRIVATE_H
#include "sdm/console/show.h"

void sdm_show_json(const struct sdm_show *w, json_t *j); /* stolen */
void sdm_show_ranks(json_t *j, const char *key, const struct sdm_set *set);
void sdm_show_head(const struct sdm_show *w, const struct sdm_set *set); /* "{0-3} 4  " */
void sdm_show_file(FILE *out, const json_t *place); /* " at FILE:LINE", or " from LIBRARY" */
void sdm_show_missing(const struct sdm_show *w, const struct sdm_answer *a);
void sdm_show_class_error(const struct sdm_show *w, const struct sdm_class *c); /* "{3} error: why" */
json_t *sdm_show_missing_json(const struct sdm_answer *a);
#endif
