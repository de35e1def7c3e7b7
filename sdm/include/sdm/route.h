/* Routing: the table of all servers, and where messages go from here.  A server knows the slice of its own subtree,
 * which came with the start of the session. */
#ifndef SDM_ROUTE_H
#define SDM_ROUTE_H
#include "sdm/set.h"
#include "sdm/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdm_ctx;

/* Front end, or a master without one: all servers, before sdm_connect.  'table' is copied.  Returns 0, -EINVAL (a server, or a context of
 * sdm_open), -EISCONN, or -EBADMSG: the table names a server twice or a host that cannot be one. */
int sdm_route_set_table(struct sdm_ctx *c, const struct sdm_table *table);
sdm_id sdm_route_get_parent(const struct sdm_ctx *c); /* SDM_MASTER, SDM_FRONTEND; SDM_ID_NONE: not connected */
sdm_id sdm_route_get_id(const struct sdm_ctx *c);
/* Before anybody is connected.  Returns 0, or -EISCONN. */
int sdm_route_set_id(struct sdm_ctx *c, sdm_id id);
uint32_t sdm_route_get_size(const struct sdm_ctx *c); /* entries of the routing table */
/* Master: the number of servers that will register (see sdm_gather).  Returns 0, or -EISCONN if the table already exists. */
int sdm_route_set_size(struct sdm_ctx *c, uint32_t size);
/* Neighbours to which a message for 'dest' goes from here; the caller frees it. */
struct sdm_set *sdm_route_get_route(const struct sdm_ctx *c, const struct sdm_set *dest);
/* The part of 'dest' that can be reached from here downwards; the caller frees it. */
struct sdm_set *sdm_route_reachable(const struct sdm_ctx *c, const struct sdm_set *dest);
#define sdm_route_rechable sdm_route_reachable /* as the PTP design spells it */
#ifdef __cplusplus
}
#endif
#endif
