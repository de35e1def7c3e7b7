/* What sdm_init, sdm_finalize and sdm_progress consist of.  Users of the library call those. */
#ifndef SDM_NET_PARTS_H
#define SDM_NET_PARTS_H
#include "sdm/sdm.h"

int sdm_aggregate_init(struct sdm_ctx *c, int argc, char *const *argv);
void sdm_aggregate_finalize(struct sdm_ctx *c);
void sdm_aggregate_progress(struct sdm_ctx *c);

int sdm_message_init(struct sdm_ctx *c, int argc, char *const *argv);
void sdm_message_finalize(struct sdm_ctx *c);
void sdm_message_progress(struct sdm_ctx *c);

int sdm_route_init(struct sdm_ctx *c, int argc, char *const *argv);
void sdm_route_finalize(struct sdm_ctx *c);
#endif
