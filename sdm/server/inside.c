#define _GNU_SOURCE /* process_vm_readv */
#include "sdm/server/inside.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/facts.h"
#include "sdm/gdb/facts.h"
#include "sdm/net/net.h"
#include "sdm/net/rank.h"
#include "sdm/server/hand_over.h"
#include "sdm/server/server.h"

#define LAST_WORDS_MS 300 /* what the end of the program waits at most for the front end to be told, */
#define LAST_WORDS_US 30000 /* and what that takes */
#define LISTEN_MS (1u << 30)

/* There is one: it is part of a process. */
static struct {
  struct dvm_host *host;
  struct sdm_inside_options options;
  pthread_mutex_t busy; /* the server's thread is at work: a fork waits for it */
  struct sdm_ctx *ctx;  /* of the session; under 'busy' */
  int bell[2];          /* sockets: the program rings at [1] when it has something to tell */
  /* Under 'lock'. */
  pthread_mutex_t lock;
  pthread_cond_t go, told;
  bool hold, diagnostics;
  bool starting;        /* hold' is for the first construct, or the first diagnostic */
  unsigned held;        /* threads that wait, */
  unsigned turn;        /* until this changes */
  bool stopped;         /* .. news of it; why: */
  bool at_diagnostic, at_start;
  bool ended, said_so;
  bool closed;          /* the program has closed our descriptors */
  int status;
  _Atomic bool child;   /* after a fork: nothing here is alive any more */
} me = {
    .busy = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .go = PTHREAD_COND_INITIALIZER, .told = PTHREAD_COND_INITIALIZER};

/* ---- the program's threads ---- */

static void ring(void) {
  ssize_t done = send(me.bell[1], "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  (void)done;
}

static void held(bool at_diagnostic) {
  if (me.child)
    return;
  pthread_mutex_lock(&me.lock);
  if (me.starting && !at_diagnostic && !((const struct dvm_facts *)me.host->facts)->frame) {
    pthread_mutex_unlock(&me.lock);
    return;
  }
  if (me.starting || (at_diagnostic && me.diagnostics && !me.hold)) {
    me.hold = true;
    me.at_diagnostic = at_diagnostic;
    me.at_start = !at_diagnostic;
    me.starting = false;
  }
  unsigned turn = me.turn;
  if (me.hold) {
    me.stopped |= !me.held++;
    ring();
    while (me.turn == turn)
      pthread_cond_wait(&me.go, &me.lock);
  } else if (at_diagnostic || !me.diagnostics) /* not any more; else another thread is on its way here with a diagnostic */
    me.host->want(me.diagnostics ? DVM_HOST_DIAGNOSTICS : 0);
  pthread_mutex_unlock(&me.lock);
}

static void ended(int status) {
  struct timespec until;
  if (me.child)
    return;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += LAST_WORDS_MS * 1000000;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  pthread_mutex_lock(&me.lock);
  me.ended = true;
  me.status = status;
  ring();
  while (!me.said_so && !pthread_cond_timedwait(&me.told, &me.lock, &until))
    ;
  pthread_mutex_unlock(&me.lock);
}

static void before_fork(void) { pthread_mutex_lock(&me.busy); }
static void in_parent(void) { pthread_mutex_unlock(&me.busy); }
static void in_child(void) {
  me.child = true; /* 'lock' may be locked for ever: it is not asked for any more */
  me.host->want(0);
  if (me.ctx)
    sdm_abandon(me.ctx);
  sdm_net_close(me.bell[0]);
  sdm_net_close(me.bell[1]);
}

/* ---- the back end ---- */

struct sdm_backend {
  struct sdm_backend_host host;
  struct sdm_watch *watch;
  long long stop_id; /* the front end's number of the stop at diagnostics; 0: none */
  bool begun;        /* the front end has said so: before that nothing is told */
};

static void set_hold(bool hold) {
  pthread_mutex_lock(&me.lock);
  me.hold = hold;
  if (!hold) {
    me.stopped = me.at_diagnostic = me.at_start = false;
    me.host->want(me.diagnostics ? DVM_HOST_DIAGNOSTICS : 0);
    me.turn++;
    me.held = 0; /* those who have yet to wake up are counted no more */
    me.starting = false;
    pthread_cond_broadcast(&me.go);
  } else
    me.host->want(DVM_HOST_HOLD | (me.diagnostics ? DVM_HOST_DIAGNOSTICS : 0));
  pthread_mutex_unlock(&me.lock);
}

static void set_diagnostics(bool on) {
  pthread_mutex_lock(&me.lock);
  me.diagnostics = on;
  me.host->want((me.hold ? DVM_HOST_HOLD : 0) | (on ? DVM_HOST_DIAGNOSTICS : 0));
  pthread_mutex_unlock(&me.lock);
}

/* Asked for, not touched: a record that is just being freed is an error, not our end. */
static int read_self(void *arg, uint64_t at, void *to, size_t n) {
  struct iovec local = {to, n}, remote = {(void *)(uintptr_t)at, n};
  (void)arg;
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n ? 0 : -EFAULT;
}

static json_t *facts(const char *what, struct dvm_error *err) {
  const struct sdm_facts_source source = {read_self, NULL};
  bool inside = me.host->enter();
  json_t *j = sdm_facts_read(&source, (uintptr_t)me.host->facts, what, 0, err);
  if (inside)
    me.host->leave();
  return j;
}

static void copy(json_t *to, const json_t *from, const char *key, const char *as) {
  json_t *v = json_object_get(from, key);
  if (v)
    json_object_set(to, as, v);
}

static json_t *stop_event(bool diagnostic, bool start) {
  struct dvm_error err = DVM_ERROR_INIT;
  json_t *found = facts(diagnostic ? "last" : "construct", &err);
  json_t *at = diagnostic ? json_object_get(found, "diagnostic") : json_array_get(json_object_get(found, "constructs"), 0);
  json_t *e = json_pack("{s:s, s:s}", "event", "stopped", "reason", diagnostic ? "diagnostic" : start ? "start" : "interrupted");
  copy(e, at, "file", "file");
  copy(e, at, "line", "line");
  if (diagnostic) {
    copy(e, at, "id", "id");
    copy(e, at, "message", "diagnostic");
  }
  json_decref(found);
  return e;
}

static void on_bell(void *arg, unsigned events) {
  struct sdm_backend *b = arg;
  char rung[64];
  (void)events;
  while (recv(me.bell[0], rung, sizeof(rung), MSG_DONTWAIT) > 0)
    ;
  if (!b->begun)
    return;
  pthread_mutex_lock(&me.lock);
  bool stopped = me.stopped, over = me.ended && !me.said_so, diagnostic = me.at_diagnostic, start = me.at_start;
  int status = me.status;
  me.stopped = me.at_diagnostic = me.at_start = false;
  pthread_mutex_unlock(&me.lock);
  if (stopped)
    b->host.event(b->host.arg, stop_event(diagnostic, start));
  if (over)
    b->host.event(b->host.arg,
                  json_pack("{s:s, s:s, s:i}", "event", "exited", "reason", status ? "exited" : "exited-normally", "code", status));
}

static struct sdm_backend *inside_create(const struct sdm_backend_host *host, const char *path, struct dvm_error *err) {
  struct sdm_backend *b = sdm_alloc(sizeof(*b));
  (void)path, (void)err;
  b->host = *host;
  b->watch = sdm_loop_watch(host->loop, me.bell[0], SDM_READ, on_bell, b);
  return b;
}

static void inside_destroy(struct sdm_backend *b) {
  pthread_mutex_lock(&me.busy);
  me.ctx = NULL; /* it ends after us */
  pthread_mutex_unlock(&me.busy);
  sdm_watch_free(b->watch);
  free(b);
}

static void inside_input(struct sdm_backend *b, bool eof, const void *p, size_t len) { (void)b, (void)eof, (void)p, (void)len; }
static void inside_resume(struct sdm_backend *b) { (void)b; }

static void tell_running(struct sdm_backend *b) { b->host.event(b->host.arg, json_pack("{s:s}", "event", "running")); }

static void begin(struct sdm_backend *b) {
  tell_running(b);
  b->begun = true;
  ring(); /* there may be news already */
}

static void inside_go(struct sdm_backend *b, struct sdm_call *c) {
  sdm_call_done(c, NULL, NULL);
  tell_running(b);
  set_hold(false);
}

/* The program has been started already, and waits, if it is to. */
static void inside_launch(struct sdm_backend *b, struct sdm_call *c) {
  bool stop = sdm_call_number(c, "stop", 1);
  sdm_call_done(c, NULL, NULL);
  if (!stop)
    set_hold(false);
  begin(b);
}

static void inside_attach(struct sdm_backend *b, struct sdm_call *c) {
  sdm_call_done(c, NULL, NULL);
  begin(b);
}

static void inside_detach(struct sdm_backend *b, struct sdm_call *c) {
  b->stop_id = 0;
  set_diagnostics(false);
  sdm_call_done(c, NULL, NULL);
  set_hold(false);
}

static void inside_kill(struct sdm_backend *b, struct sdm_call *c) {
  (void)b;
  sdm_call_done(c, NULL, NULL);
  kill(getpid(), SIGKILL);
}

static void inside_interrupt(struct sdm_backend *b, struct sdm_call *c) {
  (void)b;
  set_hold(true);
  sdm_call_done(c, NULL, NULL);
}

static void inside_break(struct sdm_backend *b, struct sdm_call *c) {
  if (strcmp(sdm_call_text(c, "where", ""), DVM_FACTS_STOP)) {
    sdm_call_fail(c, "the server inside the program stops only at diagnostics; lines and functions need a debugger");
    return;
  }
  b->stop_id = sdm_call_number(c, "id", 0);
  set_diagnostics(true);
  sdm_call_done(c, json_pack("{s:I, s:s}", "id", (json_int_t)b->stop_id, "stops", "at each new diagnostic"), NULL);
}

static void switch_break(struct sdm_backend *b, struct sdm_call *c, bool on) {
  if (!b->stop_id || sdm_call_number(c, "id", 0) != b->stop_id) {
    sdm_call_fail(c, "no breakpoint %lld", sdm_call_number(c, "id", 0));
    return;
  }
  set_diagnostics(on);
  sdm_call_done(c, NULL, NULL);
}

static void inside_enable(struct sdm_backend *b, struct sdm_call *c) { switch_break(b, c, true); }
static void inside_disable(struct sdm_backend *b, struct sdm_call *c) { switch_break(b, c, false); }
static void inside_delete(struct sdm_backend *b, struct sdm_call *c) {
  bool known = b->stop_id && sdm_call_number(c, "id", 0) == b->stop_id;
  switch_break(b, c, false);
  if (known)
    b->stop_id = 0;
}

static void inside_dvm(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_error err = DVM_ERROR_INIT;
  (void)b;
  json_t *found = facts(sdm_call_text(c, "what", "construct"), &err);
  if (found)
    sdm_call_done(c, found, NULL);
  else
    sdm_call_fail(c, "%s", err.text);
}

static const struct sdm_backend_ops ops = {
    .name = "inside",
    .create = inside_create,
    .destroy = inside_destroy,
    .input = inside_input,
    .resume = inside_resume,
    .launch = inside_launch,
    .attach = inside_attach,
    .detach = inside_detach,
    .kill = inside_kill,
    .cont = inside_go,
    .interrupt = inside_interrupt,
    .break_insert = inside_break,
    .break_delete = inside_delete,
    .break_enable = inside_enable,
    .break_disable = inside_disable,
    .dvm = inside_dvm,
};

/* ---- the server's thread ---- */

static bool last_words(void) {
  pthread_mutex_lock(&me.lock);
  bool over = me.ended && !me.said_so;
  pthread_mutex_unlock(&me.lock);
  return over;
}

static bool progress(struct sdm_ctx *c) {
  struct pollfd p = {.fd = sdm_loop_fd(sdm_ctx_loop(c)), .events = POLLIN};
  poll(&p, 1, sdm_loop_wait_ms(sdm_ctx_loop(c)));
  pthread_mutex_lock(&me.busy);
  me.ctx = c;
  sdm_progress(c, 0);
  if (last_words()) { /* events wait for company before they are sent */
    for (int64_t until = sdm_now_us() + LAST_WORDS_US; sdm_now_us() < until;)
      sdm_progress(c, 5);
    pthread_mutex_lock(&me.lock);
    me.said_so = true;
    pthread_cond_signal(&me.told);
    pthread_mutex_unlock(&me.lock);
  }
  pthread_mutex_unlock(&me.busy);
  me.closed |= sdm_loop_broken(sdm_ctx_loop(c)); /* a program that makes itself a daemon, perhaps */
  return !me.closed;
}

static void *serve(void *arg) {
  const struct sdm_server_options so = {.backend = &ops, .inside = true, .progress = progress};
  struct dvm_error err = DVM_ERROR_INIT;
  bool listens = !me.options.o.rendezvous, again;
  (void)arg;
  do {
    int rc = sdm_server_run(&me.options.o, &so, &err);
    again = listens && !rc && !me.closed;
    if (rc)
      fprintf(stderr, "dvm: warning: the debug server inside rank %u could not be started: %s\n", me.options.o.id, err.text);
    set_diagnostics(false);
    set_hold(false);
  } while (again);
  pthread_mutex_lock(&me.lock);
  me.said_so = true; /* there is nobody to be told */
  pthread_mutex_unlock(&me.lock);
  return NULL;
}

static int start_thread(struct dvm_error *err) {
  sigset_t all, old;
  pthread_t thread;
  pthread_attr_t attr;
  sigfillset(&all); /* the program's signals are for its own threads */
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  int rc = pthread_create(&thread, &attr, serve, NULL);
  pthread_attr_destroy(&attr);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return rc ? dvm_error_set(err, -rc, "cannot start a thread: %s", strerror(rc)) : 0;
}

__attribute__((visibility("default"))) int dvm_host_start(struct dvm_host *h, const char *options, char *why, size_t size);

int dvm_host_start(struct dvm_host *h, const char *options, char *why, size_t size) {
  struct dvm_error err = DVM_ERROR_INIT, ignored;
  if (h->version != DVM_HOST_VERSION || h->bytes < sizeof(*h))
    return -ELIBACC;
  int rc = sdm_inside_parse(&me.options, options, &err);
  if (!rc && me.options.secret_fd)
    rc = sdm_hand_over_take(me.options.secret_fd, &me.options.o.secret, &err);
  else if (!rc)
    rc = sdm_secret_take(&me.options.o.secret, *me.options.secret_file ? me.options.secret_file : NULL, ",secret=FILE", &err);
  if (!rc && !me.options.have_rank && sdm_rank_from_environment(&me.options.o.id, &ignored))
    me.options.o.id = 0;
  if (!rc && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, me.bell))
    rc = dvm_error_errno(&err, "socketpair");
  if (!rc) {
    me.host = h;
    if (!me.options.o.rendezvous)
      me.options.o.start_ms = LISTEN_MS;
    me.hold = me.starting = me.options.hold;
    h->want(me.hold ? DVM_HOST_HOLD | DVM_HOST_DIAGNOSTICS : 0);
    h->held = held;
    h->ended = ended;
    pthread_atfork(before_fork, in_parent, in_child);
    rc = start_thread(&err);
  }
  if (rc)
    snprintf(why, size, "%s", err.text);
  return rc;
}
