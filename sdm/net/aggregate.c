#include "sdm/aggregate.h"
#include "sdm/net/parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "sdm/net/layer.h"

#define VERSION 1

struct sdm_aggregate *sdm_aggregate_new(void) {
  struct sdm_aggregate *a = sdm_alloc(sizeof(*a));
  *a = (struct sdm_aggregate){.timeout_ms = 10000, .reducer = SDM_REDUCE_SAME};
  return a;
}

void sdm_aggregate_free(struct sdm_aggregate *a) { free(a); }
void sdm_aggregate_copy(struct sdm_aggregate *to, const struct sdm_aggregate *from) { *to = *from; }

int sdm_aggregate_set_value(struct sdm_aggregate *a, int type, ...) {
  va_list ap;
  int rc = 0;
  va_start(ap, type);
  switch (type) {
  case SDM_AGGREGATE_TIMEOUT: a->timeout_ms = va_arg(ap, unsigned); break;
  case SDM_AGGREGATE_REDUCER: a->reducer = va_arg(ap, int); break;
  case SDM_AGGREGATE_REQUEST: a->request = va_arg(ap, uint64_t); break;
  case SDM_AGGREGATE_HASH: a->hash = va_arg(ap, uint64_t); break;
  case SDM_AGGREGATE_STATUS: a->status = va_arg(ap, int); break;
  default: rc = -EINVAL;
  }
  va_end(ap);
  return rc;
}

uint64_t sdm_aggregate_get_value(const struct sdm_aggregate *a, int type) {
  switch (type) {
  case SDM_AGGREGATE_TIMEOUT: return a->timeout_ms;
  case SDM_AGGREGATE_REDUCER: return (uint64_t)a->reducer;
  case SDM_AGGREGATE_REQUEST: return a->request;
  case SDM_AGGREGATE_HASH: return a->hash;
  case SDM_AGGREGATE_STATUS: return (uint64_t)a->status;
  default: return 0;
  }
}

int sdm_aggregate(struct sdm_ctx *c, struct sdm_message *msg, unsigned flags) {
  struct sdm_aggregate *a = &msg->aggregate;
  a->hash = sdm_digest(msg->payload.p, msg->payload.len);
  if (!(flags & SDM_AGGREGATE_UPSTREAM))
    return 0;
  if (c->opt.role != SDM_ROLE_SERVER || !a->request)
    return -EINVAL;
  sdm_reply(c, a->request, a->status == SDM_STATUS_ERROR ? SDM_CLASS_ERROR : SDM_CLASS_OK, msg->payload.p, msg->payload.len, NULL, 0);
  return 0;
}

void sdm_aggregate_set_completion_callback(struct sdm_ctx *c, sdm_aggregate_f callback, void *arg) {
  c->layer->on_complete = callback;
  c->layer->complete_arg = arg;
}

size_t sdm_aggregate_serialized_length(const struct sdm_aggregate *a) {
  return 3 + sdm_varint_size(a->timeout_ms) + sdm_varint_size(a->request) + 8;
}

size_t sdm_aggregate_serialize(const struct sdm_aggregate *a, char *buf, char **end) {
  struct sdm_bytes b = {0};
  sdm_bytes_u8(&b, VERSION);
  sdm_bytes_u8(&b, (uint8_t)a->reducer);
  sdm_bytes_u8(&b, (uint8_t)a->status);
  sdm_bytes_varint(&b, a->timeout_ms);
  sdm_bytes_varint(&b, a->request);
  sdm_bytes_u64(&b, a->hash);
  for (size_t i = 0; i < b.len; i++)
    buf[i] = (char)b.p[i];
  size_t n = b.len;
  sdm_bytes_fini(&b);
  if (end)
    *end = buf + n;
  return n;
}

long sdm_aggregate_deserialize(struct sdm_aggregate *a, const char *buf, size_t len, const char **end) {
  struct sdm_cursor c = sdm_cursor_of(buf, len);
  uint8_t version = sdm_cursor_u8(&c), reducer = sdm_cursor_u8(&c), status = sdm_cursor_u8(&c);
  uint64_t timeout = sdm_cursor_varint(&c), request = sdm_cursor_varint(&c), hash = sdm_cursor_u64(&c);
  if (c.bad || version != VERSION || reducer >= SDM_REDUCERS_MAX || status > SDM_STATUS_OTHER || timeout > UINT32_MAX)
    return -EBADMSG;
  *a = (struct sdm_aggregate){(uint32_t)timeout, reducer, status, request, hash};
  if (end)
    *end = (const char *)c.p;
  return (long)(len - sdm_cursor_left(&c));
}

int sdm_aggregate_init(struct sdm_ctx *c, int argc, char *const *argv) { return (void)c, (void)argc, (void)argv, 0; }

void sdm_layer_complete(struct layer *l, struct sdm_message *msg, unsigned flags) {
  l->complete = sdm_realloc(l->complete, (l->ncomplete + 1) * sizeof(*l->complete));
  l->complete[l->ncomplete].msg = msg;
  l->complete[l->ncomplete++].flags = flags;
}

void sdm_aggregate_progress(struct sdm_ctx *c) {
  struct layer *l = c->layer;
  for (size_t i = 0; l && i < l->ncomplete; i++) { /* a callback may make more */
    struct sdm_message *m = l->complete[i].msg;
    if (l->on_complete)
      l->on_complete(l->complete_arg, m, l->complete[i].flags);
    sdm_message_free(m);
  }
  if (l)
    l->ncomplete = 0;
}

void sdm_aggregate_finalize(struct sdm_ctx *c) {
  struct layer *l = c->layer;
  if (!l)
    return;
  for (size_t i = 0; i < l->ncomplete; i++)
    sdm_message_free(l->complete[i].msg);
  free(l->complete);
  free(l);
  c->layer = NULL;
}
