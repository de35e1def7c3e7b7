/* Requests of the program itself: tickets, and the calls of dvmcr.h that make and ask for them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "dvmcr.h"
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_helper.h"
#include "mpir/crs/crs_hooks.h"
#include "mpir/crs/crs_lead.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define TICKETS_MAX 16

enum ticket_state { TICKET_FREE, TICKET_ASKED, TICKET_TAKEN, TICKET_DONE };

static struct ticket {
  atomic_uint state; /* futex */
  int outcome;
  int scope;
  pid_t target;
} tickets[TICKETS_MAX + 1] CRS_FORKED; /* the last is of checkpoints that nobody waits for */

/* What a ticket asks for, and what became of it. */
static struct exchange {
  struct crs_request request;
  struct crs_reply reply;
} exchanges[TICKETS_MAX + 1];

static struct ticket *led CRS_FORKED;  /* that a command of ours leads, whose answer comes on 'led_fd' */
static int led_fd = -1;

static struct crs_request *request_of(const struct ticket *t) { return &exchanges[t - tickets].request; }
static struct crs_reply *reply_of(const struct ticket *t) { return &exchanges[t - tickets].reply; }
static bool is_default(const struct ticket *t) { return t == tickets + TICKETS_MAX; }

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

void mpir_crs_signal_done(const struct crs_request *request, int rc) {
  if (rc == 0 && request->signal)
    kill(crs.pid, request->signal);
}

/* Of images that no command was there to tell of; each is told once. */
static void tell_notices(const struct ticket *t) {
  static char told[CRS_TEXT_MAX];
  const char *line = reply_of(t)->text;

  if (strcmp(line, told) == 0)
    return;
  strcpy(told, line);
  for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
    say("dvm: note: the image of process ", crs.pid, ": ", line, strcspn(line, "\n"));
}

static void ticket_done(struct ticket *t, int outcome) {
  static struct crs_request request;

  request = *request_of(t); /* the ticket may be given back at once */
  t->outcome = outcome;
  if (!outcome)
    tell_notices(t);
  MPIR_checkpoint_served++;
  if (is_default(t)) {
    atomic_store(&t->state, TICKET_FREE);
    if (outcome < 0)
      say("dvm: no checkpoint of process ", crs.pid, ": ", reply_of(t)->text, strlen(reply_of(t)->text));
    return;
  }
  atomic_store(&t->state, TICKET_DONE);
  sys_futex_wake(&t->state);
  mpir_crs_signal_done(&request, outcome);
}

/* Whether the checkpoint is of more than this process, and so led by the command. */
static bool is_led(const struct ticket *t) {
  return t->scope == DVMCR_GROUP || t->scope == DVMCR_SESSION || t->scope == DVMCR_TREE || (t->target && t->target != crs.pid) ||
         (t->scope == DVMCR_AUTO && (mpir_crs_lead_is_rank() || mpir_crs_lead_has_children()));
}

static void lead(struct ticket *t) {
  memset(reply_of(t), 0, sizeof(struct crs_reply));
  mpir_crs_descriptors_lock();
  led_fd = mpir_crs_lead_start(request_of(t), t->scope, t->target);
  mpir_crs_descriptors_unlock();
  if (led_fd >= 0) {
    led = t;
    return;
  }
  strcpy(reply_of(t)->text, led_fd == -ENOENT ? "the command for several processes is not known: start the program with 'dvm run'\n" : "");
  ticket_done(t, led_fd);
  led_fd = -1;
}

void mpir_crs_tickets_answer(void) {
  struct ticket *t = led;
  int rc = mpir_crs_lead_answer(led_fd, reply_of(t));

  mpir_crs_descriptors_lock();
  close(led_fd);
  led_fd = -1;
  mpir_crs_descriptors_unlock();
  led = NULL;
  if (request_of(t)->signal != SIGKILL && rc == 0 && t->target && t->target != crs.pid && request_of(t)->signal)
    kill(t->target, request_of(t)->signal);
  if (t->target && t->target != crs.pid)
    request_of(t)->signal = 0;
  ticket_done(t, rc);
}

void mpir_crs_tickets_restarted(void) {
  struct ticket *t = led;

  led_fd = -1;
  led = NULL;
  if (!t)
    return;
  snprintf(reply_of(t)->path, sizeof(reply_of(t)->path), "%s", crs.restart.image);
  ticket_done(t, 1);
}

/* Saves the process alone.  True where callbacks ask for more processes: the command is to lead. */
static bool run(struct ticket *t) {
  const int rc = mpir_crs_run(request_of(t), reply_of(t), -1, 0);

  if (rc == CRS_FORWARDED && !led) {
    t->scope = DVMCR_TREE;
    return true;
  }
  ticket_done(t, rc == CRS_FORWARDED ? -EAGAIN : rc);
  mpir_crs_save_reap();
  return false;
}

void mpir_crs_tickets_serve(void) {
  for (struct ticket *t = tickets; t < tickets + TICKETS_MAX; t++) {
    unsigned asked = TICKET_ASKED;

    if (!atomic_compare_exchange_strong(&t->state, &asked, TICKET_TAKEN))
      continue;
    if (!is_led(t) && !run(t))
      continue;
    if (led)
      atomic_store(&t->state, TICKET_ASKED); /* one after the other */
    else
      lead(t);
  }
}

void mpir_crs_tickets_serve_default(void) {
  struct ticket *t = tickets + TICKETS_MAX;

  if (atomic_load(&t->state) != TICKET_FREE)
    return; /* the last one is not done yet */
  atomic_store(&t->state, TICKET_TAKEN);
  *request_of(t) = mpir_crs_defaults.request;
  if (!is_led(t) || led ? run(t) : true)
    lead(t);
}

int mpir_crs_tickets_fd(void) { return led_fd; }

bool mpir_crs_tickets_asked(void) {
  for (const struct ticket *t = tickets; t < tickets + TICKETS_MAX; t++)
    if (atomic_load(&t->state) == TICKET_ASKED)
      return true;
  return false;
}

void mpir_crs_tickets_forget_led(void) { led_fd = -1; }

void mpir_crs_tickets_after_fork(void) {
  if (led_fd >= 0)
    close(led_fd);
  led_fd = -1;
  led = NULL;
  for (int i = 0; i <= TICKETS_MAX; i++)
    atomic_store(&tickets[i].state, TICKET_FREE);
}

int dvmcr_request(const struct dvmcr_options *options) {
  for (int i = 0; i < TICKETS_MAX; i++) {
    struct ticket *t = &tickets[i];
    unsigned is_free = TICKET_FREE;

    if (!atomic_compare_exchange_strong(&t->state, &is_free, TICKET_TAKEN))
      continue;
    *request_of(t) = mpir_crs_defaults.request;
    t->scope = DVMCR_AUTO;
    t->target = 0;
    if (options && options->size >= sizeof(*options) && (options->scope < DVMCR_AUTO || options->scope > DVMCR_PROCESS)) {
      atomic_store(&t->state, TICKET_FREE);
      return -EINVAL;
    }
    if (options) {
      if (options->path && strlen(options->path) >= sizeof(request_of(t)->path)) {
        atomic_store(&t->state, TICKET_FREE);
        return -ENAMETOOLONG;
      }
      strcpy(request_of(t)->path, options->path ? options->path : "");
      request_of(t)->flags |= options->flags & (CRS_ALL_FILES | CRS_NO_FORK | CRS_ALLOW_TRACED | CRS_NO_SYNC | CRS_STRICT | CRS_SAVE_FILES);
      request_of(t)->stop_timeout_ms = options->stop_timeout_ms;
      request_of(t)->signal = options->signal;
      if (options->size >= sizeof(*options)) { /* programs of an earlier version end before */
        t->scope = options->scope;
        t->target = options->target;
      }
      request_of(t)->keep = options->keep ? options->keep : mpir_crs_defaults.request.keep;
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

  if (ticket < 1 || ticket > TICKETS_MAX || atomic_load(&tickets[ticket - 1].state) == TICKET_FREE)
    return -EINVAL;
  t = &tickets[ticket - 1];
  if (atomic_load(&t->state) != TICKET_DONE)
    return -EINPROGRESS;
  outcome = t->outcome;
  if (path && size) {
    struct plain_text text = {path, size, 0};

    path[0] = '\0';
    mpir_plain_add(&text, outcome < 0 ? reply_of(t)->text : reply_of(t)->path);
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

  if (ticket < 1 || ticket > TICKETS_MAX)
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

  if (ticket < 1 || ticket > TICKETS_MAX || atomic_load(&tickets[ticket - 1].state) != TICKET_DONE)
    return -EINVAL;
  message = reply_of(&tickets[ticket - 1])->text;
  if (size) {
    text[0] = '\0';
    mpir_plain_add(&t, message);
  }
  return *message ? (int)strlen(message) + 1 : 0;
}
