/* Aggregation elements: what every message carries for the merging of answers.  Down: how long answers may take and how
 * different ones are reduced.  Up: which request is answered, a hash for a first look (bodies are compared all the
 * same), and what became of it. */
#ifndef SDM_AGGREGATE_H
#define SDM_AGGREGATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sdm_ctx;
struct sdm_message;
struct sdm_aggregate;

enum sdm_aggregate_type {
  SDM_AGGREGATE_TIMEOUT, /* unsigned, ms; 0: none; default 10000 */
  SDM_AGGREGATE_REDUCER, /* int, enum sdm_reducer (answer.h); default SDM_REDUCE_SAME */
  SDM_AGGREGATE_REQUEST, /* uint64_t; 0: none.  Given by sdm_message_send, copied by who answers */
  SDM_AGGREGATE_HASH,    /* uint64_t; set by sdm_aggregate */
  SDM_AGGREGATE_STATUS,  /* int, enum sdm_aggregate_status */
};

enum sdm_aggregate_status {
  SDM_STATUS_OK,
  SDM_STATUS_ERROR,
  SDM_STATUS_DEAD,
  SDM_STATUS_TIMED_OUT,
  SDM_STATUS_UNREACHABLE, /* no payload: why the sources did not answer */
  SDM_STATUS_OTHER, /* no payload: answered, in more different ways than are kept */
};

enum { SDM_AGGREGATE_UPSTREAM = 1, SDM_AGGREGATE_DOWNSTREAM = 2, SDM_AGGREGATE_LATE = 4 };

struct sdm_aggregate *sdm_aggregate_new(void);
void sdm_aggregate_free(struct sdm_aggregate *a);
/* The value has the type named above; an unknown 'type' is -EINVAL. */
int sdm_aggregate_set_value(struct sdm_aggregate *a, int type, ...);
uint64_t sdm_aggregate_get_value(const struct sdm_aggregate *a, int type);
void sdm_aggregate_copy(struct sdm_aggregate *to, const struct sdm_aggregate *from);

/* UPSTREAM, at a server: 'msg' is this server's answer to the request that its element names; returns 0, or -EINVAL
 * without one.  DOWNSTREAM, at the master: opens the aggregation, as sdm_message_send does by itself; returns 0. */
int sdm_aggregate(struct sdm_ctx *c, struct sdm_message *msg, unsigned flags);
/* When an aggregation is complete, or its time is over: once for each group of equal answers, with their sources, and
 * for each cause of missing ones.  'flags' is SDM_AGGREGATE_LATE for answers after that.  The message is freed when the
 * callback returns. */
typedef void (*sdm_aggregate_f)(void *arg, struct sdm_message *msg, unsigned flags);
void sdm_aggregate_set_completion_callback(struct sdm_ctx *c, sdm_aggregate_f callback, void *arg);

/* 'buf' needs the upper bound that sdm_aggregate_serialized_length gives; 'end', if not NULL, gets the first byte after
 * it.  Return the bytes written or read, or -EBADMSG. */
size_t sdm_aggregate_serialize(const struct sdm_aggregate *a, char *buf, char **end);
size_t sdm_aggregate_serialized_length(const struct sdm_aggregate *a);
long sdm_aggregate_deserialize(struct sdm_aggregate *a, const char *buf, size_t len, const char **end);
#ifdef __cplusplus
}
#endif
#endif
