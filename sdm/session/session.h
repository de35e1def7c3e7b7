/* A debug session at the front end: the tree, what is known of every rank, and commands with their answers.
 * Console, batch report and DAP adapter stand on it. */
#ifndef SDM_SESSION_H
#define SDM_SESSION_H
#include <jansson.h>
#include <stdatomic.h>

#include "sdm/session/launch.h"
#include "sdm/sdm.h"

/* Where ranks stand: the last stop of each, or how it ended, merged. */
struct sdm_place {
  json_t *event; /* owned: {"event":"stopped","reason":...,"func":...,"bp":...} */
  struct sdm_set *set;
};

struct sdm_checkpoint;
struct sdm_session {
  struct sdm_ctx *ctx;
  struct sdm_checkpoints {
    struct sdm_checkpoint *at; /* owned, see checkpoints.h */
    size_t n;
  } checkpoints;
  struct sdm_launch launch;
  struct sdm_set *all, *running, *stopped, *exited, *dead;
  struct sdm_place *places;
  size_t nplaces;
  uint32_t failed; /* ranks that ended by a signal or with a status that is not 0 */
  uint64_t waiting, ignored; /* requests: whose answer is waited for, whose does not matter */
  uint64_t recalls[16]; /* requests to those who came back, newest last; see on_back */
  struct sdm_answer *answer;
  uint16_t answer_flags;
  struct sdm_feed *feed; /* see feed.h; or NULL */
  struct sdm_set *heard; /* who has said something unasked since the last request; owned */
  struct sdm_set *left; /* ranks that were detached from: their programs run on when the session ends; owned */
  char *file;   /* the session file, owned; or NULL */
  json_t *program; /* of the file that was taken up, owned; or NULL */
  /* While an answer is waited for: set by ^C; then functions that gdb calls are stopped, and the second time the wait is over.
   * NULL: nothing does that. */
  volatile atomic_int *interrupted;
  bool apart; /* our standard output is not for what programs write to it themselves */
  bool saves_job; /* what ranks tell of being saved is our own doing */
  bool inside;  /* servers end with their programs */
  const volatile atomic_int *abandon; /* when it becomes true an answer is not waited for any more: it counts as not come; or NULL */
  /* Told as they come; may be NULL. */
  void (*on_event)(void *arg, const struct sdm_set *ids, const json_t *event);
  void (*on_output)(void *arg, const struct sdm_set *ids, unsigned stream, const void *p, size_t len);
  void (*on_output_end)(void *arg); /* end of the output for now: a consumer that buffers it flushes */
  void (*on_lost)(void *arg, const struct sdm_set *ids, const char *why);
  void (*on_back)(void *arg, const struct sdm_set *ids); /* lost ones are there again; events tell where their programs are */
  void (*on_late)(void *arg, const struct sdm_answer *a);
  void *arg;
};

struct sdm_session_options {
  uint32_t n;              /* 0 with 'command': as the launcher says */
  char *const *command;    /* launcher words; NULL: servers of our own on this host, or */
  const struct sdm_targets *targets; /* for these ranks on these hosts; or NULL */
  const char *ssh;         /* see sdm_launch_targets */
  const char *servers;     /* file of servers that run already, lines "rank host port"; NULL: they are started */
  const char *secret_file; /* with 'servers': the secret that these have */
  uint16_t base_port, port_tries; /* of servers whose port is given as 0; tries default 1000 */
  const char *host;        /* where the master listens; NULL: 127.0.0.1, which servers on other hosts cannot reach */
  const char *shape, *backend, *backend_path;
  bool oob, partial;
  char *const *inside;     /* the program with its arguments: the servers are inside it; or NULL */
  bool hold;               /* .. it waits at its first safe point */
  bool apart;              /* .. its output is not to mix with ours */
  uint32_t start_ms;
  uint32_t orphan_ms;      /* how long servers live without a front end; 0: 30000 */
  int told;                /* see launch.h; 0: none */
  const char *session_file; /* kept up to the end, for 'reattach'; or NULL */
  const char *reattach;    /* such a file: its servers are taken over; or NULL */
  const json_t *program;   /* for the session file */
  const char *orphan_do;   /* what becomes of the programs then, see server.h; NULL: the usual */
  uint32_t ping_ms;        /* heart-beats of quiet links; a peer is lost after three; 0: 2000 */
};

/* The command that attaches each of 't' to its process; a new reference. */
json_t *sdm_attach_command(const struct sdm_targets *t);
/* Starts servers and connects them.  0, or a negative code; missing servers are an error unless 'partial'. */
int sdm_session_open(struct sdm_session *s, const struct sdm_session_options *o, struct dvm_error *err);
void sdm_session_close(struct sdm_session *s);
/* After 'reattach': asks the servers where their programs are, as if they told it now.  'known' gets each breakpoint that they
 * have, with the ranks: the command that set it. */
void sdm_session_recall(struct sdm_session *s, void (*known)(void *arg, const struct sdm_set *ids, const json_t *command), void *arg);

/* Sends 'command' (stolen) and waits for the answer, at most 'timeout_ms' and a little.  The caller frees the answer.
 * Never NULL. */
struct sdm_answer *sdm_session_ask(struct sdm_session *s, const struct sdm_set *to, json_t *command, uint8_t reducer, uint32_t timeout_ms);
/* The same for commands that set programs running: 'to' counts as running at once, those who refuse as before. */
struct sdm_answer *sdm_session_go(struct sdm_session *s, const struct sdm_set *to, json_t *command, uint32_t timeout_ms);
/* Waits until none of 'set' runs: 0; -ETIMEDOUT, -EINTR when *interrupted becomes true. */
int sdm_session_wait(struct sdm_session *s, const struct sdm_set *set, uint32_t timeout_ms, const volatile atomic_int *interrupted);
void sdm_session_step(struct sdm_session *s, int timeout_ms); /* handles what has come */
/* The ranks of a merged answer's good classes. */
json_t *sdm_class_json(const struct sdm_class *c); /* its body as JSON; a new reference, NULL if it is none */
char *sdm_set_text(const struct sdm_set *set);     /* the caller frees */
#endif
