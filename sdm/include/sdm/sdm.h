/* The overlay library: start-up, progress, end.  One context is one process of the tree; a program may have several.
 *
 *   master:     sdm_open, sdm_gather or a routing table, sdm_connect_tree, then requests and sdm_progress
 *   server:     sdm_open (listens, tells the master where), then sdm_progress
 *   front end:  sdm_open (listens for the master), then as a master; the master: sdm_open, sdm_connect to the front
 *               end, then sdm_progress
 *
 * sdm_init makes a context from an argument vector that speaks in messages (message.h) instead of handlers.
 *
 * Handlers are called from sdm_progress only.  Payloads are opaque here. */
#ifndef SDM_SDM_H
#define SDM_SDM_H
#include "sdm/answer.h"
#include "sdm/iolist.h"
#include "sdm/link.h"
#include "sdm/loop.h"
#include "sdm/set.h"
#include "sdm/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sdm_ctx;

/* Most tools are their own master.  A separate front end talks only to the master, which connects to it. */
enum sdm_role { SDM_ROLE_MASTER, SDM_ROLE_SERVER, SDM_ROLE_FRONTEND };

/* What the application is told.  Any may be NULL.  Borrowed for the call. */
struct sdm_handlers {
  /* server */
  void (*command)(void *arg, uint64_t request, uint32_t ms_left, const void *p, size_t len);
  void (*input)(void *arg, const struct sdm_iolist *l);
  void (*credit)(void *arg, uint64_t bytes);
  void (*alone)(void *arg); /* no parent for 'orphan_ms': time to detach or to end */
  void (*bye)(void *arg);
  /* master, front end */
  void (*answer)(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a);
  void (*event)(void *arg, const struct sdm_answer *a);
  void (*output)(void *arg, const struct sdm_iolist *l);
  void (*lost)(void *arg, const struct sdm_set *ids, const char *why);
  void (*back)(void *arg, const struct sdm_set *ids); /* lost servers that were only unresponsive: they can be asked again */
};

struct sdm_options {
  enum sdm_role role;
  sdm_id id;              /* server: its rank */
  struct sdm_secret secret;
  const char *host;       /* where to listen; a folder means unix sockets; NULL: see below */
  uint16_t base_port;     /* 0: any port */
  uint16_t port_tries;    /* from base_port upwards; default 1000 */
  const char *rendezvous; /* server: "host:port" of the master to register with; NULL: only listen.  A server without
                             'host' then listens at the address it has towards the master. */
  uint32_t start_ms;      /* limit for registering; default 30000 */
  const char *frontend;   /* master: "host:port" of the front end, for sdm_connect */
  unsigned front_tries;   /* how often that is dialled, each 100 ms; default 50 */
  uint32_t orphan_ms;     /* default 30000 */
  uint32_t ping_ms;       /* default 2000; 0xffffffff: none */
  const struct sdm_handlers *handlers;
  void *arg;
};

/* 'o' is copied; the texts that it points to, 'handlers' and 'arg' must live as long as the context.  NULL with the reason in *err. */
struct sdm_ctx *sdm_open(const struct sdm_options *o, struct dvm_error *err);
/* The same from an argument vector; words that it does not know are the application's:
 *   --master [--frontend=HOST:PORT]   --server[=RANK]   --frontend
 *   --host=HOST  --port=BASE  --port-tries=N  --rendezvous=HOST:PORT  --routing-file=FILE  --servers=N  --shape=SHAPE
 *   --secret-file=FILE (else the secret is in SDM_SECRET)  --start-timeout=MS  --orphan=MS
 * Without RANK the launcher's environment tells it.  Messages arrive by callbacks, see message.h.  'argv' must live as long as the context.
 * NULL with the reason in *err: words that contradict each other, no secret, a routing table that cannot be read. */
struct sdm_ctx *sdm_init(int argc, char *const *argv, struct dvm_error *err);
void sdm_finalize(struct sdm_ctx *c); /* closes all; a front end or a master says goodbye first */
/* After a fork, in the child: closes the connections there without sending anything. */
void sdm_abandon(struct sdm_ctx *c);
/* One round: waits at most 'timeout_ms' (-1: until something happens). */
void sdm_progress(struct sdm_ctx *c, int timeout_ms);
/* Server: its master has said goodbye, or it had no parent for 'orphan_ms': time to end. */
bool sdm_is_over(const struct sdm_ctx *c);
struct sdm_loop *sdm_ctx_loop(struct sdm_ctx *c); /* for the application's own descriptors and timers */

const char *sdm_ctx_host(const struct sdm_ctx *c); /* where it listens */
uint16_t sdm_ctx_port(const struct sdm_ctx *c);

/* Master: waits until 'n' servers (0: as many as their launcher told the first of them) have registered, or for
 * 'timeout_ms', and fills 't'.  Returns 0, or -ETIMEDOUT with the
 * missing ranks in the text; 't' then has those who came.  'alive', if not NULL, is called from time to time and ends the
 * wait by returning false (the launcher has died). */
int sdm_gather(struct sdm_ctx *c, uint32_t n, uint32_t timeout_ms, struct sdm_table *t, bool (*alive)(void *), void *arg,
               struct dvm_error *err);
/* The same for servers of these ranks (NULL: as with n = 0). */
int sdm_gather_these(struct sdm_ctx *c, const struct sdm_set *who, uint32_t timeout_ms, struct sdm_table *t, bool (*alive)(void *),
                     void *arg, struct dvm_error *err);
/* SDM_SET_FRONTEND: a master dials its front end, as often as 'front_tries' says.  Otherwise master or front end: wires
 * up those of 'ids' (NULL: all) that are in the routing table; without a table the master first waits until as many
 * have registered as sdm_route_set_size said.  Returns 0, or a negative code with the reason: -ECONNREFUSED (no front
 * end), -EHOSTUNREACH, -ETIMEDOUT (missing servers are named). */
extern const struct sdm_set *const SDM_SET_FRONTEND;
int sdm_connect(struct sdm_ctx *c, const struct sdm_set *ids, struct dvm_error *err);
/* Master, front end: the master dials its children, who dial theirs, until all of 't' are connected or the limit is
 * over.  Returns 0, or
 * -EHOSTUNREACH with the missing ranks and why in the text; 'missing', if not NULL, gets them.  The rest works. */
int sdm_connect_tree(struct sdm_ctx *c, const struct sdm_table *t, uint32_t timeout_ms, struct sdm_set *missing, struct dvm_error *err);

/* Master, front end.  sdm_request returns the number by which 'answer' tells of it: exactly once with all of 'dest', those that are not in the
 * tree as unreachable (an empty 'dest': an answer of nobody), at 'timeout_ms' at the latest (0: no limit).  'reducer': how answers are merged, see
 * answer.h.  Payloads are copied. */
uint64_t sdm_request(struct sdm_ctx *c, const struct sdm_set *dest, uint8_t reducer, uint32_t timeout_ms, const void *p, size_t len);
void sdm_input(struct sdm_ctx *c, const struct sdm_set *dest, bool eof, const void *p, size_t len);
void sdm_credit(struct sdm_ctx *c, const struct sdm_set *dest, uint64_t bytes);
/* The application cannot take more (true): nothing more is read from the servers until it can. */
void sdm_hold(struct sdm_ctx *c, bool hold);
/* Server.  'kind' of a reply: see answer.h; 'stream' of output: see iolist.h.  Copied. */
void sdm_reply(struct sdm_ctx *c, uint64_t request, uint8_t kind, const void *body, size_t len, const void *detail, size_t detail_len);
void sdm_event(struct sdm_ctx *c, const void *body, size_t len);
void sdm_output(struct sdm_ctx *c, uint8_t stream, bool eof, const void *p, size_t len);

const struct sdm_set *sdm_all(const struct sdm_ctx *c); /* every id in the tree from here down; borrowed */
const struct sdm_set *sdm_gone(const struct sdm_ctx *c); /* those that were lost; borrowed */
sdm_id sdm_get_my_id(const struct sdm_ctx *c);
#ifdef __cplusplus
}
#endif
#endif
