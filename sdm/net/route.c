#include "sdm/route.h"
#include "sdm/net/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/net/layer.h"

int sdm_route_set_table(struct sdm_ctx *c, const struct sdm_table *table) {
  struct layer *l = c->layer;
  struct sdm_bytes copy = {0};
  if (!l || c->opt.role == SDM_ROLE_SERVER)
    return -EINVAL;
  if (!sdm_set_is_empty(sdm_all(c)))
    return -EISCONN;
  sdm_table_encode(table, 0, table->n, &copy);
  struct sdm_cursor cur = sdm_cursor_of(copy.p, copy.len);
  sdm_table_fini(&l->table);
  int rc = sdm_table_decode(&l->table, &cur);
  sdm_bytes_fini(&copy);
  l->has_table = !rc;
  return rc;
}

sdm_id sdm_route_get_parent(const struct sdm_ctx *c) {
  if (c->opt.role == SDM_ROLE_MASTER)
    return c->front ? SDM_FRONTEND : SDM_ID_NONE;
  return sdm_node_parent(c->node);
}

sdm_id sdm_route_get_id(const struct sdm_ctx *c) { return c->opt.id; }

int sdm_route_set_id(struct sdm_ctx *c, sdm_id id) {
  if (c->opt.role != SDM_ROLE_SERVER || id > SDM_ID_MAX)
    return -EINVAL;
  if (c->conns || c->registered || sdm_node_parent(c->node) != SDM_ID_NONE)
    return -EISCONN;
  c->opt.id = id;
  sdm_ctx_renew_node(c);
  return 0;
}

uint32_t sdm_route_get_size(const struct sdm_ctx *c) {
  if (c->layer && c->layer->has_table)
    return (uint32_t)c->layer->table.n;
  return c->layer && c->layer->size ? c->layer->size : sdm_set_size(sdm_all(c));
}

int sdm_route_set_size(struct sdm_ctx *c, uint32_t size) {
  if (!c->layer || c->opt.role == SDM_ROLE_SERVER)
    return -EINVAL;
  if (c->layer->has_table)
    return -EISCONN;
  c->layer->size = size;
  return 0;
}

struct sdm_set *sdm_route_get_route(const struct sdm_ctx *c, const struct sdm_set *dest) { return sdm_node_next_hops(c->node, dest); }

struct sdm_set *sdm_route_reachable(const struct sdm_ctx *c, const struct sdm_set *dest) {
  return sdm_set_diff(sdm_set_intersect(sdm_set_copy(dest), sdm_all(c)), sdm_gone(c));
}

static const char *option(const char *word, const char *name) {
  size_t n = strlen(name);
  return !strncmp(word, name, n) && word[n] == '=' ? word + n + 1 : NULL;
}

/* --routing-file, --servers, --shape, and the base port for rows without one. */
int sdm_route_init(struct sdm_ctx *c, int argc, char *const *argv) {
  struct layer *l = c->layer;
  struct dvm_error err = DVM_ERROR_INIT;
  const char *value, *file = NULL;
  int rc = sdm_shape_parse(&l->table.shape, "binomial", &err);
  l->table.port_tries = c->opt.port_tries;
  for (int i = 1; i < argc && !rc; i++)
    if ((value = option(argv[i], "--routing-file")))
      file = value;
    else if ((value = option(argv[i], "--servers")))
      l->size = (uint32_t)strtoul(value, NULL, 10);
    else if ((value = option(argv[i], "--shape")))
      rc = sdm_shape_parse(&l->table.shape, value, &err);
    else if ((value = option(argv[i], "--base-port")))
      l->table.base_port = (uint16_t)strtoul(value, NULL, 10);
  if (!rc && file) {
    rc = sdm_table_read(&l->table, file, &err);
    l->has_table = !rc;
  }
  return rc;
}

void sdm_route_finalize(struct sdm_ctx *c) {
  if (c->layer)
    sdm_table_fini(&c->layer->table);
}
