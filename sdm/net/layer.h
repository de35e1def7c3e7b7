/* The callbacks of a context that sdm_init made; shared by message.c, aggregate.c, route.c and init.c. */
#ifndef SDM_LAYER_H
#define SDM_LAYER_H
#include "sdm/aggregate.h"
#include "sdm/net/ctx_private.h"
#include "sdm/message.h"
#include "sdm/route.h"

struct sdm_aggregate {
  uint32_t timeout_ms;
  int reducer, status;
  uint64_t request, hash;
};

struct sdm_message {
  struct sdm_set *destination, *source;
  struct sdm_aggregate aggregate;
  struct sdm_bytes payload;
  bool received;
  sdm_message_f on_sent;
  void *on_sent_arg;
  struct layer *layer; /* on its way: in the layer's list */
  struct sdm_message *next;
};

struct layer {
  sdm_message_f on_message;
  sdm_payload_f on_payload;
  sdm_aggregate_f on_complete;
  void *message_arg, *payload_arg, *complete_arg;
  struct sdm_message *sending;
  struct {
    struct sdm_message *msg;
    unsigned flags;
  } *complete; /* aggregations whose callback comes with the next progress */
  size_t ncomplete;
  struct sdm_table table;
  bool has_table;
  uint32_t size;
};

/* A message that came, from 'source' (copied; NULL: from above). */
struct sdm_message *sdm_message_received(const void *p, size_t len, const struct sdm_set *source);
void sdm_layer_complete(struct layer *l, struct sdm_message *msg, unsigned flags);
extern const struct sdm_handlers sdm_message_handlers; /* 'arg' is the context */
#endif
