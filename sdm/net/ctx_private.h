/* The inside of a context: connections and dials around one node. */
#ifndef SDM_CTX_PRIVATE_H
#define SDM_CTX_PRIVATE_H
#include "sdm/node.h"
#include "sdm/sdm.h"

#define CTX_PENDING_MAX 16u         /* peers that have not proved themselves */
#define CTX_AUTH_US 5000000         /* and how long they may take */
#define CTX_EVICT_US 500000         /* the oldest makes place for a new one after that */
#define CTX_HIGH_WATER (8u << 20)   /* bytes queued on a link above which nothing that feeds it is read */

struct dial;
struct sdm_iof;

/* One socket.  slot tells whose it is for the node. */
struct conn {
  struct sdm_ctx *ctx;
  int fd, slot;
  struct sdm_link *link;
  struct sdm_watch *watch;
  struct dial *dial;   /* it is being dialled */
  bool connecting, pending, registering, doomed, linger; /* linger: closes when all is written */
  int64_t since;
  struct conn *next;
};

/* An attempt to reach one server: port after port, again and again, until it is over. */
struct dial {
  struct sdm_ctx *ctx;
  int slot;
  sdm_id id;
  char *host;
  uint16_t base, tries, at;
  int64_t until, backoff;
  bool doubt; /* this round somebody did not refuse */
  struct conn *conn;
  struct sdm_timer *timer;
  char why[160];
  struct dial *next;
};

struct sdm_ctx {
  struct sdm_options opt;
  struct sdm_loop *loop;
  struct sdm_node *node;
  char host[256];
  uint16_t port;
  int listener;
  struct sdm_watch *listen_watch;
  struct sdm_timer *wake, *sweep, *orphan;
  struct conn *conns;
  struct dial *dials;
  bool over; /* the session has ended */
  bool hold, registered, closing, up_full, down_full;
  int register_code;       /* why the master did not take us */
  char register_why[160];
  struct sdm_table *gather; /* master, while servers register */
  struct sdm_set *gathered;
  uint32_t gather_size; /* 0: not known until a server tells what its launcher said */
  uint64_t route_request;
  struct sdm_answer *route_answer; /* owned */
  struct sdm_iof *iof[3];
  /* front.c: the link between front end and master; at the front end what is known of the tree behind it */
  struct conn *front;
  struct relay *relays; /* requests of the front end: ring of [RELAYS] */
  size_t nrelays;
  uint64_t front_serial, front_route, front_now;
  struct sdm_set *far_all, *far_gone;
  struct layer *layer; /* message.c: callbacks of a context that sdm_init made */
};

/* A request of the front end and what it is called in the tree. */
#define RELAYS 256u
struct relay {
  uint64_t far, near;
};

#define TELL(c, handler, ...)                                                                                                              \
  do {                                                                                                                                     \
    if ((c)->opt.handlers && (c)->opt.handlers->handler)                                                                                   \
      (c)->opt.handlers->handler((c)->opt.arg, ##__VA_ARGS__);                                                                             \
  } while (0)

struct conn *sdm_ctx_conn_new(struct sdm_ctx *c, int fd, bool connecting);
void sdm_ctx_conn_close(struct conn *conn, const char *why);
void sdm_ctx_flush(struct sdm_ctx *c);
void sdm_ctx_renew_node(struct sdm_ctx *c); /* after a change of the id */
void sdm_ctx_dial(void *arg, int slot, const struct sdm_table *t, const struct sdm_entry *e, int64_t until);
/* dial.c */
void sdm_dial_ready(struct conn *conn);
void sdm_dial_failed(struct conn *conn, int code, const char *why);
void sdm_dials_free(struct sdm_ctx *c);
/* front.c */
void sdm_front_up(struct conn *conn);
void sdm_front_lost(struct sdm_ctx *c);
void sdm_front_frame(struct sdm_ctx *c, const struct sdm_frame *f);
int sdm_front_dial(struct sdm_ctx *c, struct dvm_error *err);
uint64_t sdm_front_request(struct sdm_ctx *c, const struct sdm_set *dest, uint8_t reducer, uint32_t timeout_ms, const void *p, size_t len);
uint64_t sdm_front_route(struct sdm_ctx *c, const struct sdm_table *t, uint32_t timeout_ms);
void sdm_front_input(struct sdm_ctx *c, const struct sdm_set *dest, bool eof, const void *p, size_t len);
void sdm_front_credit(struct sdm_ctx *c, const struct sdm_set *dest, uint64_t bytes);
void sdm_front_say_bye(struct sdm_ctx *c);
/* At the master: true if it was for the front end alone. */
bool sdm_front_tell_answer(struct sdm_ctx *c, uint64_t request, uint16_t flags, const struct sdm_answer *a);
bool sdm_front_tell_output(struct sdm_ctx *c, const struct sdm_iolist *l);
void sdm_front_tell_event(struct sdm_ctx *c, const struct sdm_answer *a);
void sdm_front_tell_lost(struct sdm_ctx *c, const struct sdm_set *ids, const char *why);
void sdm_front_tell_back(struct sdm_ctx *c, const struct sdm_set *ids);
#endif
