/* The helper thread: takes requests from the command's socket and from the program, and runs checkpoints. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include "mpir/crs/crs_calls.h"
#include "mpir/crs/crs_clock.h"
#include "mpir/crs/crs_demand.h"
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_fault.h"
#include "mpir/crs/crs_hooks.h"
#include "mpir/crs/crs_lead.h"
#include "mpir/crs/crs_private.h"
#include "mpir/crs/crs_track.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define HELPER_STACK (1u << 20)
#define STOP_TIMEOUT_MS 10000
#define TICKETS 16
#define LISTEN_AGAIN_MS 100
#define DEMAND_MS 1000
#define LISTEN_FD_TOP 1000 /* our socket's number: high, out of the way of programs that count on low ones */

enum ticket_state { TICKET_FREE, TICKET_ASKED, TICKET_TAKEN, TICKET_DONE };

static struct ticket {
  atomic_uint state; /* futex */
  int outcome;
  int scope;
  pid_t target;
  struct crs_request request;
  struct crs_reply reply;
} tickets[TICKETS], default_ticket;

static struct ticket *led;  /* that a command of ours leads, whose answer comes on 'led_fd' */
static int led_fd = -1;

static struct crs_request default_request;
static struct crs_request *current_request;
static struct crs_reply *current_reply;
static int current_connection = -1;
static pid_t current_requester; /* 0: this process */
static char default_folder[CRS_PATH_MAX];
static atomic_uint asked_by_signal;
static unsigned period_ms;
static atomic_int busy;
static bool served;             /* by this helper on demand */

/* On standard error, without libc's buffers: "dvm: " and the parts. */
static void say(const char *before, int64_t number, const char *between, const char *line, size_t length) {
  char text[CRS_TEXT_MAX + 128];
  struct plain_text t = PLAIN_TEXT(text);

  mpir_plain_add(&t, before);
  mpir_plain_add_dec(&t, number);
  mpir_plain_add(&t, between);
  for (size_t i = 0; i < length; i++)
    mpir_plain_add(&t, (const char[]){line[i], '\0'});
  mpir_plain_add(&t, length && line[length - 1] == '\n' ? "" : "\n");
  sys3(SYS_write, 2, text, t.len);
}

/* Image names: FOLDER/PROGRAM-PID-NUMBER.ckpt */
static void image_name(struct plain_text *t, const char *folder, unsigned sequence) {
  char name[16] = "";

  prctl(PR_GET_NAME, name);
  mpir_crs_read_file("/proc/self/comm", name, sizeof(name));
  for (char *p = name; *p; p++)
    if (*p == '\n')
      *p = '\0';
    else if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_' || *p == '.'))
      *p = '_';
  mpir_plain_add(t, folder);
  if (t->len && t->s[t->len - 1] != '/')
    mpir_plain_add(t, "/");
  mpir_plain_add(t, name);
  mpir_plain_add(t, "-");
  mpir_plain_add_dec(t, crs.pid);
  mpir_plain_add(t, "-");
  mpir_plain_add_dec(t, sequence);
  mpir_plain_add(t, ".ckpt");
}

static void make_folders(const char *folder) {
  char path[CRS_PATH_MAX];

  for (size_t i = 1; i < sizeof(path) && folder[i - 1]; i++) {
    if (folder[i] && folder[i] != '/')
      continue;
    memcpy(path, folder, i);
    path[i] = '\0';
    mkdir(path, 0700);
  }
}

static void choose_path(const struct crs_request *request, char *path, size_t size) {
  const char *wanted = request->path[0] ? request->path : default_folder;
  size_t len = strlen(wanted);
  struct plain_text t = {path, size, 0};
  struct stat st;

  if (request->path[0] && wanted[len - 1] != '/') {
    mpir_plain_add(&t, wanted);
    return;
  }
  make_folders(wanted);
  for (;; crs.sequence++) { /* an older line of this process, restarted and gone on, may have used the number */
    t.len = 0;
    image_name(&t, wanted, crs.sequence + 1);
    if (stat(path, &st))
      return;
  }
}

/* Removes this process's images before the last 'keep'. */
static void retain(const struct crs_request *request, const char *path) {
  char folder[CRS_PATH_MAX], name[CRS_PATH_MAX];
  const char *slash = strrchr(path, '/');
  unsigned needed;

  if (!request->keep || !slash || (request->path[0] && request->path[strlen(request->path) - 1] != '/'))
    return;
  memcpy(folder, path, (size_t)(slash - path) + 1);
  folder[slash - path + 1] = '\0';
  if (crs.sequence <= request->keep)
    return;
  needed = mpir_crs_track_needed(crs.sequence - request->keep + 1);
  for (unsigned i = needed; i > 1; i--) {
    struct plain_text t = PLAIN_TEXT(name);

    image_name(&t, folder, i - 1);
    if (unlink(name) && i < needed)
      return; /* a gap: what lies before was removed earlier */
  }
}

/* The bottom of the thread-context callbacks: the phase barrier is passed, now all others are stopped and saved. */
static int stop_and_save(void) {
  struct crs_request *request = current_request;
  struct crs_reply *reply = current_reply;
  unsigned timeout = request->stop_timeout_ms ? request->stop_timeout_ms : STOP_TIMEOUT_MS;
  int rc = atomic_load(&crs.abort_code);

  if (rc) {
    strcpy(reply->text, "refused by a callback of the program\n");
    atomic_store(&crs.outcome, rc);
    return rc;
  }
  rc = mpir_crs_stop(timeout, reply->text, sizeof(reply->text));
  reply->stop_ns = (uint64_t)(sys_monotonic_ns() - crs.stopped_at_ns);
  reply->threads = mpir_crs_stopped_threads() + 1;
  if (!rc && (request->flags & CRS_MEMBER))
    rc = mpir_crs_group_begin(current_connection, reply);
  if (rc) {
    mpir_crs_release(rc);
  } else {
    mpir_crs_pending_take_late();
    rc = mpir_crs_save(request, reply->path, reply, current_connection, led_fd);
  }
  reply->code = rc;
  return rc;
}

/* A debugger that is attached may hold single threads, so that the others would wait in vain: none is stopped. */
static int refuse_traced(const struct crs_request *request, struct crs_reply *reply) {
  struct plain_text t = PLAIN_TEXT(reply->text);

  if (request->flags & CRS_ALLOW_TRACED || !mpir_crs_hooks_traced())
    return 0;
  mpir_crs_hooks_name_tracer(&t);
  mpir_plain_add(&t, "\n");
  return -EBUSY;
}

/* One checkpoint from start to end.  Returns 0, 1 in the restarted process, or -E.... */
static int checkpoint(struct crs_request *request, struct crs_reply *reply, int connection) {
  struct crs_chain *chain = mpir_crs_helper_chain();
  int64_t start = sys_monotonic_ns();
  bool traced;
  int rc;

  memset(reply, 0, sizeof(*reply));
  reply->version = CRS_PROTOCOL_VERSION;
  served = true;
  current_request = request;
  current_reply = reply;
  current_connection = connection;
  atomic_store(&busy, 1);
  atomic_store(&crs.abort_code, 0);
  MPIR_checkpoint_busy = 1;
  traced = mpir_crs_hooks_traced();
  MPIR_checkpoint_debugger_detach();
  if (traced && !(request->flags & CRS_ALLOW_TRACED))
    mpir_crs_hooks_await_detach();
  mpir_crs_hooks_expect(request->flags & CRS_FOR_DEBUGGER, traced);
  mpir_crs_hooks_await_held();
  reply->code = refuse_traced(request, reply);
  if (!reply->code)
    reply->code = mpir_crs_confine_check(reply->text, sizeof(reply->text));
  if (!reply->code)
    reply->code = mpir_crs_lazy_fill(reply->text, sizeof(reply->text));
  if (!reply->code && !(request->flags & (CRS_IGNORE_FILES | CRS_MEMBER)))
    reply->code = mpir_crs_shared_check(reply->text, sizeof(reply->text));
  if (!reply->code) {
    choose_path(request, reply->path, sizeof(reply->path));
    chain->bottom = stop_and_save;
    chain->left = chain->count;
    mpir_crs_chain_run(chain);
  }
  if (chain->count)
    mpir_crs_hooks_run_helper(reply->code ? reply->code : atomic_load(&crs.abort_code));
  if (!reply->code) /* a callback may have refused before the bottom */
    reply->code = atomic_load(&crs.abort_code);
  rc = reply->code;
  if (rc == 0)
    retain(request, reply->path);
  if (rc == 0 && !(request->flags & CRS_MEMBER))
    mpir_crs_lead_copy(reply->path, request->keep);
  mpir_crs_hooks_note_image(rc >= 0 && !(request->flags & CRS_MEMBER) ? reply->path : "");
  if (rc != 1)
    mpir_crs_hooks_announce();
  reply->total_ns = (uint64_t)(sys_monotonic_ns() - start);
  MPIR_checkpoint_busy = 0;
  atomic_store(&busy, 0);
  return rc;
}

/* The signal asked for, once whoever asked has the answer: it may be the end of the process. */
static void signal_done(const struct crs_request *request, int rc) {
  if (rc == 0 && request->signal)
    kill(crs.pid, request->signal);
}

static int write_all(int fd, const void *from, size_t size) {
  const char *p = from;

  while (size) {
    ssize_t n = send(fd, p, size, MSG_NOSIGNAL);

    if (n < 0 && errno == EINTR) /* with a time limit also by a debugger that comes or goes */
      continue;
    if (n <= 0)
      return -EIO;
    p += n;
    size -= (size_t)n;
  }
  return 0;
}

/* The request came while a debugger held us, and whoever sent it has not waited that long. */
static bool peer_has_left(int fd) {
  char c;

  return recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

static int read_request(int fd, struct crs_request *request) {
  struct timeval limit = {5, 0};
  char *p = (char *)request;
  size_t left = sizeof(*request);

  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  while (left) {
    ssize_t n = recv(fd, p, left, 0);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return -EIO;
    p += n;
    left -= (size_t)n;
  }
  request->path[sizeof(request->path) - 1] = '\0';
  if (request->version != CRS_PROTOCOL_VERSION)
    return -EPROTO;
  return peer_has_left(fd) ? -EPIPE : 0;
}

/* Requests of others than the process's own user and root are not answered. */
static bool peer_may_ask(int fd) {
  struct ucred peer;
  socklen_t size = sizeof(peer);

  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
    return false;
  current_requester = peer.pid;
  return peer.uid == geteuid() || peer.uid == 0;
}

static void listen_again(void) {
  mpir_crs_descriptors_lock();
  mpir_crs_helper_listen();
  mpir_crs_descriptors_unlock();
}

static void led_restarted(void);

static void serve_connection(void) {
  static struct crs_request request;
  static struct crs_reply reply;
  int fd, rc;

  mpir_crs_descriptors_lock();
  fd = current_connection = accept4(crs.listen_fd, NULL, NULL, SOCK_CLOEXEC);
  rc = errno;
  mpir_crs_descriptors_unlock();
  errno = rc;
  if (fd < 0) {
    if (errno == EBADF || errno == EINVAL || errno == ENOTSOCK) /* the program closed our descriptor */
      listen_again();
    return;
  }
  rc = peer_may_ask(fd) ? read_request(fd, &request) : -EPERM;
  if (!rc) {
    if (!request.keep)
      request.keep = default_request.keep;
    if (!request.whole_every)
      request.whole_every = default_request.whole_every;
    request.flags |= default_request.flags; /* what the program was started with holds for every image */
    rc = checkpoint(&request, &reply, fd);
    current_requester = 0;
    if (rc == 1) { /* another life: the connection was not restored */
      current_connection = -1;
      led_restarted();
      return;
    }
  } else {
    memset(&reply, 0, sizeof(reply));
    reply.version = CRS_PROTOCOL_VERSION;
    reply.code = rc;
    strcpy(reply.text, rc == -EPERM ? "the process belongs to another user\n" : "the request is not understood\n");
  }
  write_all(fd, &reply, sizeof(reply));
  mpir_crs_descriptors_lock();
  close(fd);
  current_connection = -1;
  mpir_crs_descriptors_unlock();
  MPIR_checkpoint_served++;
  signal_done(&request, rc);
}

/* Of images that no command was there to tell of; each is told once. */
static void tell_notices(const struct ticket *t) {
  static char told[CRS_TEXT_MAX];
  const char *line = t->reply.text;

  if (strcmp(line, told) == 0)
    return;
  strcpy(told, line);
  for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
    say("dvm: note: the image of process ", crs.pid, ": ", line, strcspn(line, "\n"));
}

static void ticket_done(struct ticket *t, int outcome) {
  static struct crs_request request;

  request = t->request; /* the ticket may be given back at once */
  t->outcome = outcome;
  if (!outcome)
    tell_notices(t);
  MPIR_checkpoint_served++;
  if (t == &default_ticket) {
    atomic_store(&t->state, TICKET_FREE);
    if (outcome < 0)
      say("dvm: no checkpoint of process ", crs.pid, ": ", t->reply.text, strlen(t->reply.text));
    return;
  }
  atomic_store(&t->state, TICKET_DONE);
  sys_futex_wake(&t->state);
  signal_done(&request, outcome);
}

/* Whether the checkpoint is of more than this process, and so led by the command. */
static bool is_led(const struct ticket *t) {
  return t->scope == DVMCR_GROUP || t->scope == DVMCR_SESSION || t->scope == DVMCR_TREE || (t->target && t->target != crs.pid) ||
         (t->scope == DVMCR_AUTO && (mpir_crs_lead_is_rank() || mpir_crs_lead_has_children()));
}

static void lead(struct ticket *t) {
  memset(&t->reply, 0, sizeof(t->reply));
  mpir_crs_descriptors_lock();
  led_fd = mpir_crs_lead_start(&t->request, t->scope, t->target);
  mpir_crs_descriptors_unlock();
  if (led_fd >= 0) {
    led = t;
    return;
  }
  strcpy(t->reply.text, led_fd == -ENOENT ? "the command for several processes is not known: start the program with 'dvm run'\n" : "");
  ticket_done(t, led_fd);
  led_fd = -1;
}

/* The command has answered, or ended. */
static void serve_answer(void) {
  struct ticket *t = led;
  int rc = mpir_crs_lead_answer(led_fd, &t->reply);

  mpir_crs_descriptors_lock();
  close(led_fd);
  led_fd = -1;
  mpir_crs_descriptors_unlock();
  led = NULL;
  if (t->request.signal != SIGKILL && rc == 0 && t->target && t->target != crs.pid && t->request.signal)
    kill(t->target, t->request.signal);
  if (t->target && t->target != crs.pid)
    t->request.signal = 0;
  ticket_done(t, rc);
}

/* A process that was restarted as a member of a set that it had asked for. */
static void led_restarted(void) {
  struct ticket *t = led;

  led_fd = -1;
  led = NULL;
  if (!t)
    return;
  snprintf(t->reply.path, sizeof(t->reply.path), "%s", crs.restart.image);
  ticket_done(t, 1);
}

static void serve_tickets(void) {

  for (struct ticket *t = tickets; t < tickets + TICKETS; t++) {
    unsigned asked = TICKET_ASKED;

    if (!atomic_compare_exchange_strong(&t->state, &asked, TICKET_TAKEN))
      continue;
    if (!is_led(t))
      ticket_done(t, checkpoint(&t->request, &t->reply, -1));
    else if (led)
      atomic_store(&t->state, TICKET_ASKED); /* one after the other */
    else
      lead(t);
  }
}

/* A checkpoint that nobody waits for: the failure is told on standard error. */
static void serve_default(void) {
  struct ticket *t = &default_ticket;

  if (atomic_load(&t->state) != TICKET_FREE)
    return; /* the last one is not done yet */
  atomic_store(&t->state, TICKET_TAKEN);
  t->request = default_request;
  if (!is_led(t) || led)
    ticket_done(t, checkpoint(&t->request, &t->reply, -1));
  else
    lead(t);
}

void mpir_crs_helper_listen(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  struct plain_text t = {address.sun_path + 1, sizeof(address.sun_path) - 1, 0};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), high;
  struct stat st;

  crs.listen_fd = -1;
  if (fd < 0)
    return;
  mpir_plain_add(&t, "dvm-checkpoint.");
  mpir_plain_add_dec(&t, stat("/proc/self/ns/pid", &st) ? 0 : (int64_t)st.st_ino);
  mpir_plain_add(&t, ".");
  mpir_plain_add_dec(&t, crs.pid);
  if (bind(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + t.len)) || listen(fd, 8)) {
    close(fd);
    return;
  }
  high = fcntl(fd, F_DUPFD_CLOEXEC, LISTEN_FD_TOP);
  if (high >= 0)
    close(fd);
  crs.listen_fd = high >= 0 ? high : fd;
}

/* How long a helper on demand waits for whom it was made for. */
static int64_t patience_ms(void) { return led || mpir_crs_lazy_fd() >= 0 ? 1000 : served || mpir_crs_demand_is_ending() ? 0 : DEMAND_MS; }

/* Until there is something to do: a connection, a signal (which is also what wakes us), or the time of a checkpoint. */
static bool helper_wait(int64_t next) {
  const bool on_demand = mpir_crs_demand_is_self();
  struct pollfd waiting[3] = {
      {.fd = crs.listen_fd, .events = POLLIN}, {.fd = mpir_crs_lazy_fd(), .events = POLLIN}, {.fd = led_fd, .events = POLLIN}};
  int64_t left = on_demand ? patience_ms() : period_ms ? (next - sys_monotonic_ns()) / 1000000 : LISTEN_AGAIN_MS;
  struct timespec limit;
  sigset_t mask;

  sigfillset(&mask);
  sigdelset(&mask, crs.stop_signal); /* let in only here */
  if (crs.listen_fd < 0 && left > LISTEN_AGAIN_MS)
    left = LISTEN_AGAIN_MS;
  limit = (struct timespec){left > 0 ? left / 1000 : 0, left > 0 ? left % 1000 * 1000000 : 0};
  sys5(SYS_ppoll, waiting, 3, on_demand || period_ms || crs.listen_fd < 0 ? &limit : NULL, &mask, 8);
  if (waiting[1].revents)
    mpir_crs_lazy_heard();
  if (led && waiting[2].revents)
    serve_answer();
  return waiting[0].revents != 0;
}

/* What a helper on demand must not leave undone. */
static bool is_asked(void) {
  struct pollfd waiting = {.fd = crs.listen_fd, .events = POLLIN};

  for (const struct ticket *t = tickets; t < tickets + TICKETS; t++)
    if (atomic_load(&t->state) == TICKET_ASKED)
      return true;
  return atomic_load(&asked_by_signal) || sys3(SYS_poll, &waiting, 1, 0) > 0;
}

static bool may_leave(void) {
  if (!mpir_crs_demand_is_self() || led || mpir_crs_lazy_fd() >= 0)
    return false;
  MPIR_checkpoint_helper_tid = 0;
  if (mpir_crs_demand_leave(is_asked))
    return true;
  MPIR_checkpoint_helper_tid = crs.helper_tid;
  return false;
}

static void helper_serve(void) {
  int64_t next = sys_monotonic_ns() + period_ms * 1000000ll;

  served = false;
  mpir_crs_self.helper = true;
  crs.helper_tid = (pid_t)sys0(SYS_gettid);
  MPIR_checkpoint_helper_tid = crs.helper_tid;
  prctl(PR_SET_NAME, "dvm-cr");
  for (;;) {
    atomic_thread_fence(memory_order_seq_cst); /* with mpir_crs_helper_wake: whoever came before our number was known */
    serve_tickets();
    if (atomic_exchange(&asked_by_signal, 0))
      serve_default();
    if (period_ms && sys_monotonic_ns() >= next) {
      serve_default();
      next = sys_monotonic_ns() + period_ms * 1000000ll;
    }
    if (crs.listen_fd < 0)
      listen_again(); /* a child just forked may still hold the name */
    if (helper_wait(next))
      serve_connection();
    else if (may_leave())
      return;
  }
}

static void *helper_main(void *arg) {
  (void)arg;
  helper_serve();
  return NULL;
}

const char *mpir_crs_folder(void) { return default_folder; }

/* A child that is forked as soon as threads run would close what has these numbers by then. */
void mpir_crs_helper_restarted(void) {
  current_connection = led_fd = -1;
  mpir_crs_descriptors_forget();
}

void mpir_crs_helper_wake(void) {
  atomic_thread_fence(memory_order_seq_cst);
  mpir_crs_stop_take_back();
  if (crs.helper_tid)
    sys3(SYS_tgkill, crs.pid, crs.helper_tid, crs.stop_signal);
  else
    mpir_crs_demand_start();
}

static void on_ask(int sig, siginfo_t *info, void *frame) {
  (void)sig;
  (void)info;
  mpir_crs_note_interruption(frame);
  atomic_store(&asked_by_signal, 1);
  mpir_crs_helper_wake();
}

static unsigned environment_number(const char *name, unsigned otherwise) {
  const char *value = getenv(name);

  return value && *value ? (unsigned)strtoul(value, NULL, 10) : otherwise;
}

static void read_environment(void) {
  const char *folder = getenv("DVMCR_DIR"), *home = getenv("HOME");
  const char *state = getenv("XDG_STATE_HOME");
  struct plain_text t = PLAIN_TEXT(default_folder);

  if (folder && *folder) {
    mpir_plain_add(&t, folder);
  } else if (state && *state) {
    mpir_plain_add(&t, state);
    mpir_plain_add(&t, "/dvm/checkpoints");
  } else {
    mpir_plain_add(&t, home ? home : "/tmp");
    mpir_plain_add(&t, "/.local/state/dvm/checkpoints");
  }
  default_request.version = CRS_PROTOCOL_VERSION;
  default_request.keep = environment_number("DVMCR_KEEP", 0);
  default_request.stop_timeout_ms = environment_number("DVMCR_TIMEOUT_MS", 0);
  default_request.whole_every = environment_number("DVMCR_INCREMENTAL", 0);
  default_request.flags =
      (default_request.whole_every ? CRS_INCREMENTAL : 0u) | (environment_number("DVMCR_ALL_FILES", 0) ? CRS_ALL_FILES : 0u) |
      (environment_number("DVMCR_NO_FORK", 0) ? CRS_NO_FORK : 0u) | (environment_number("DVMCR_STRICT", 0) ? CRS_STRICT : 0u) |
      (environment_number("DVMCR_SAVE_FILES", 0) ? CRS_SAVE_FILES : 0u);
  period_ms = environment_number("DVMCR_EVERY", 0) * 1000;
  crs.stop_signal = (int)environment_number("DVMCR_STOP_SIGNAL", (unsigned)SIGRTMAX - 1);
  crs.hold_signal = (int)environment_number("DVMCR_HOLD_SIGNAL", (unsigned)SIGRTMAX - 3) /* Java has the one between */;
  crs.ask_signal = (int)environment_number("DVMCR_SIGNAL", 0);
}

static int start_thread(void) {
  pthread_attr_t attributes;
  sigset_t all, before;
  pthread_t thread;
  int rc;

  sigfillset(&all);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, 8);
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, HELPER_STACK);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  rc = pthread_create(&thread, &attributes, helper_main, NULL);
  pthread_attr_destroy(&attributes);
  sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8);
  return -rc;
}

/* At the start, and in a child: a thread, or what can make one when it is asked for. */
static int start_helper(bool on_demand) {
  if (!on_demand)
    return start_thread();
  mpir_crs_helper_listen();
  if (crs.listen_fd >= 0)
    return 0;
  mpir_crs_demand_end(); /* the name is still held: a thread waits until it is free */
  return start_thread();
}

void mpir_crs_helper_require(void) {
  if (mpir_crs_demand_end() && start_thread())
    say("dvm: the helper thread of process ", crs.pid, " cannot be started: it cannot be checkpointed", "", 0);
}

/* A forked child has our memory but not our thread. */
static void after_fork(void) {
  mpir_crs_descriptors_forget();
  if (crs.listen_fd >= 0)
    close(crs.listen_fd);
  if (current_connection >= 0)
    close(current_connection);
  if (led_fd >= 0)
    close(led_fd);
  led_fd = -1;
  led = NULL;
  atomic_store(&default_ticket.state, TICKET_FREE);
  crs.listen_fd = current_connection = -1;
  atomic_store(&crs.stopping, 0); /* others may have been stopped when this thread forked: they are not here */
  atomic_store(&crs.claimed, 0);
  atomic_store(&crs.left, 0);
  atomic_store(&busy, 0);
  for (int i = 0; i < TICKETS; i++)
    atomic_store(&tickets[i].state, TICKET_FREE);
  crs.pid = getpid();
  mpir_crs_lazy_after_fork();
  mpir_crs_save_after_fork();
  crs.helper_tid = 0;
  crs.sequence = 0;
  mpir_crs_self.helper = false;
  mpir_crs_self.tid = 0;
  mpir_crs_track_forget(true);
  mpir_crs_timer_after_fork();
  mpir_crs_clock_after_fork();
  mpir_crs_semaphores_after_fork();
  mpir_crs_hooks_after_fork();
  start_helper(mpir_crs_demand_after_fork());
}

#ifdef CRS_ARCHIVE
static bool program_holds_one(void) {
  extern const uint32_t mpir_crs_linked_note[];
  mpir_crs_wrap_linked(); /* part of the program even where it calls nothing that is wrapped */
  return mpir_crs_linked_note[0] == 0; /* never; but the note is then part of the program */
}
#else
static int find_note(struct dl_phdr_info *object, size_t size, void *arg) {
  (void)size;
  (void)arg;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &object->dlpi_phdr[i];
    const char *at = (const char *)object->dlpi_addr + ph->p_vaddr, *end = at + ph->p_memsz;

    for (ElfW(Nhdr) note; ph->p_type == PT_NOTE && (size_t)(end - at) >= sizeof(note);) {
      memcpy(&note, at, sizeof(note));
      if (note.n_namesz == 6 && memcmp(at + sizeof(note), "DVMCR", 6) == 0)
        return 1;
      at += sizeof(note) + ((note.n_namesz + 3) & ~3u) + ((note.n_descsz + 3) & ~3u);
    }
  }
  return -1; /* the program comes first, and is all that counts */
}

/* One that is linked with libdvmcr.a and started by 'dvm run --checkpointable'. */
static bool program_holds_one(void) { return dl_iterate_phdr(find_note, NULL) == 1; }
#endif

static bool can_demand(void) {
#ifdef CRS_ARCHIVE
  return false;
#else
  return !period_ms && !mpir_crs_lead_is_rank() && mpir_crs_demand_init(helper_serve);
#endif
}

__attribute__((constructor)) static void crs_constructor(void) {
  struct sigaction ask = {.sa_sigaction = on_ask, .sa_flags = SA_SIGINFO | SA_RESTART};

  if (program_holds_one())
    return;
  read_environment();
  mpir_crs_settings_init();
  crs.pid = getpid();
  mpir_crs_namespaces_note();
  mpir_crs_calls_init();
  mpir_crs_confine_init();
  mpir_crs_wrap_init();
  mpir_crs_clock_init();
  mpir_crs_fault_init();
  crs.listen_fd = -1;
  if (mpir_crs_stop_init() || mpir_crs_hooks_init() || start_helper(can_demand())) {
    dprintf(2, "dvm: this process cannot be checkpointed: its helper thread cannot be started\n");
    return;
  }
  mpir_crs_stop_installed();
  if (crs.ask_signal)
    sigaction(crs.ask_signal, &ask, NULL);
  crs.installed = true;
  pthread_atfork(mpir_crs_descriptors_lock, mpir_crs_descriptors_unlock, after_fork);
}

int dvmcr_request(const struct dvmcr_options *options) {
  for (int i = 0; i < TICKETS; i++) {
    struct ticket *t = &tickets[i];
    unsigned is_free = TICKET_FREE;

    if (!atomic_compare_exchange_strong(&t->state, &is_free, TICKET_TAKEN))
      continue;
    t->request = default_request;
    t->scope = DVMCR_AUTO;
    t->target = 0;
    if (options && options->size >= sizeof(*options) && (options->scope < DVMCR_AUTO || options->scope > DVMCR_PROCESS)) {
      atomic_store(&t->state, TICKET_FREE);
      return -EINVAL;
    }
    if (options) {
      if (options->path && strlen(options->path) >= sizeof(t->request.path)) {
        atomic_store(&t->state, TICKET_FREE);
        return -ENAMETOOLONG;
      }
      strcpy(t->request.path, options->path ? options->path : "");
      t->request.flags |= options->flags & (CRS_ALL_FILES | CRS_NO_FORK | CRS_ALLOW_TRACED | CRS_NO_SYNC | CRS_STRICT | CRS_SAVE_FILES);
      t->request.stop_timeout_ms = options->stop_timeout_ms;
      t->request.signal = options->signal;
      if (options->size >= sizeof(*options)) { /* programs of an earlier version end before */
        t->scope = options->scope;
        t->target = options->target;
      }
      t->request.keep = options->keep ? options->keep : default_request.keep;
    }
    atomic_store(&t->state, TICKET_ASKED);
    mpir_crs_helper_wake();
    return i + 1;
  }
  return -ENOSPC;
}

int dvmcr_poll(int ticket, char *path, size_t size) {
  struct ticket *t;
  int outcome;

  if (ticket < 1 || ticket > TICKETS || atomic_load(&tickets[ticket - 1].state) == TICKET_FREE)
    return -EINVAL;
  t = &tickets[ticket - 1];
  if (atomic_load(&t->state) != TICKET_DONE)
    return -EINPROGRESS;
  outcome = t->outcome;
  if (path && size) {
    struct plain_text text = {path, size, 0};

    path[0] = '\0';
    mpir_plain_add(&text, outcome < 0 ? t->reply.text : t->reply.path);
  }
  atomic_store(&t->state, TICKET_FREE);
  return outcome;
}

int dvmcr_wait(int ticket, char *path, size_t size, int timeout_ms) {
  int64_t deadline = sys_monotonic_ns() + timeout_ms * 1000000ll;
  int rc;

  while ((rc = dvmcr_poll(ticket, path, size)) == -EINPROGRESS) {
    int64_t left = timeout_ms < 0 ? -1 : deadline - sys_monotonic_ns();
    unsigned state = atomic_load(&tickets[ticket - 1].state);

    if (timeout_ms >= 0 && left <= 0)
      return rc;
    if (state != TICKET_DONE)
      sys_futex_wait(&tickets[ticket - 1].state, state, left < 0 || left > 100000000 ? 100000000 : left);
  }
  return rc;
}

int dvmcr_done(int ticket, int timeout_ms) {
  int64_t deadline = sys_monotonic_ns() + timeout_ms * 1000000ll;
  unsigned state;

  if (ticket < 1 || ticket > TICKETS)
    return -EINVAL;
  while ((state = atomic_load(&tickets[ticket - 1].state)) != TICKET_DONE && state != TICKET_FREE) {
    int64_t left = timeout_ms < 0 ? 100000000 : deadline - sys_monotonic_ns();

    if (left <= 0)
      return 0;
    sys_futex_wait(&tickets[ticket - 1].state, state, left > 100000000 ? 100000000 : left);
  }
  return state == TICKET_DONE ? 1 : -EINVAL;
}

int dvmcr_message(int ticket, char *text, size_t size) {
  struct plain_text t = {text, size, 0};
  const char *message;

  if (ticket < 1 || ticket > TICKETS || atomic_load(&tickets[ticket - 1].state) != TICKET_DONE)
    return -EINVAL;
  message = tickets[ticket - 1].reply.text;
  if (size) {
    text[0] = '\0';
    mpir_plain_add(&t, message);
  }
  return *message ? (int)strlen(message) + 1 : 0;
}

int dvmcr_current(struct dvmcr_current *current) {
  if (!atomic_load(&busy))
    return -EINVAL;
  *current = (struct dvmcr_current){current_reply->path, current_request->signal, current_requester ? current_requester : crs.pid};
  return 0;
}

const char *dvmcr_restarted_from(void) { return crs.restart.image; }

int dvmcr_status(void) { return atomic_load(&busy); }
