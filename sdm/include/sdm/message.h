/* Messages: an opaque payload with a destination, a source and an aggregation element.
 *
 * Down:  the master (or the front end) makes a message, adds ranks to its destination and sends it.  The overlay hands
 *        it on by itself; every process of the tree that is a destination gets it by its receive callback, and hands
 *        the payload to its payload callback with sdm_message_payload_deliver.
 * Up:    a server answers with sdm_aggregate(c, m, SDM_AGGREGATE_UPSTREAM), where 'm' has the aggregation element of
 *        the message it answers; or, unasked, with sdm_message_send of a message without a destination.  What comes up
 *        reaches the master's completion callback (answers, see aggregate.h) or its receive callback (the rest).
 *
 * These functions are for contexts that sdm_init made; sdm_open has callbacks of its own (sdm.h).  Callbacks run from
 * sdm_progress. */
#ifndef SDM_MESSAGE_H
#define SDM_MESSAGE_H
#include "sdm/aggregate.h"
#include "sdm/set.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdm_ctx;
struct sdm_message;

/* The payload is copied. */
struct sdm_message *sdm_message_new(const void *buf, size_t len);
void sdm_message_free(struct sdm_message *msg); /* all of it; NULL is fine; one in transit is forgotten */

/* All three belong to the message. */
struct sdm_set *sdm_message_get_destination(struct sdm_message *msg); /* empty: up, to the master */
const struct sdm_set *sdm_message_get_source(const struct sdm_message *msg); /* who sent the same */
struct sdm_aggregate *sdm_message_get_aggregate(struct sdm_message *msg);
/* Borrowed from the message.  Returns the length. */
size_t sdm_message_get_payload(const struct sdm_message *msg, const void **buf);

typedef void (*sdm_message_f)(void *arg, struct sdm_message *msg);
typedef void (*sdm_payload_f)(void *arg, const void *buf, size_t len);

/* Starts sending the message; it remains the caller's and may be freed at once.  A received message is already on its
 * way already.  Returns 0, or -EINVAL for a destination at a server, -ENOTCONN before sdm_connect. */
int sdm_message_send(struct sdm_ctx *c, struct sdm_message *msg);
/* Hands the payload to the payload callback if this process is a destination of 'msg'.  Returns whether it is. */
bool sdm_message_payload_deliver(struct sdm_ctx *c, const struct sdm_message *msg);

/* When all of the message has left this process.  The callback may free it. */
void sdm_message_set_send_callback(struct sdm_message *msg, sdm_message_f callback, void *arg);
/* For every message that arrives; it is freed when the callback returns. */
void sdm_message_set_recv_callback(struct sdm_ctx *c, sdm_message_f callback, void *arg);
void sdm_message_set_payload_callback(struct sdm_ctx *c, sdm_payload_f callback, void *arg);
#ifdef __cplusplus
}
#endif
#endif
