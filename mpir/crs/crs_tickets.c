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
  struct crs_request request;
  struct crs_reply reply;
} tickets[TICKETS_MAX], default_ticket;

static struct ticket *led;  /* that a command of ours leads, whose answer comes on 'led_fd' */
static int led_fd = -1;

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
  mpir_crs_signal_done(&request, outcome);
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

void mpir_crs_tickets_answer(void) {
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

void mpir_crs_tickets_restarted(void) {
  struct ticket *t = led;

  led_fd = -1;
  led = NULL;
  if (!t)
    return;
  snprintf(t->reply.path, sizeof(t->reply.path), "%s", crs.restart.image);
  ticket_done(t, 1);
}

void mpir_crs_tickets_serve(void) {

  for (struct ticket *t = tickets; t < tickets + TICKETS_MAX; t++) {
    unsigned asked = TICKET_ASKED;

    if (!atomic_compare_exchange_strong(&t->state, &asked, TICKET_TAKEN))
      continue;
    if (!is_led(t))
      ticket_done(t, mpir_crs_run(&t->request, &t->reply, -1, 0));
    else if (led)
      atomic_store(&t->state, TICKET_ASKED); /* one after the other */
    else
      lead(t);
  }
}

void mpir_crs_tickets_serve_default(void) {
  struct ticket *t = &default_ticket;

  if (atomic_load(&t->state) != TICKET_FREE)
    return; /* the last one is not done yet */
  atomic_store(&t->state, TICKET_TAKEN);
  t->request = mpir_crs_defaults.request;
  if (!is_led(t) || led)
    ticket_done(t, mpir_crs_run(&t->request, &t->reply, -1, 0));
  else
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
  atomic_store(&default_ticket.state, TICKET_FREE);
  for (int i = 0; i < TICKETS_MAX; i++)
    atomic_store(&tickets[i].state, TICKET_FREE);
}

int dvmcr_request(const struct dvmcr_options *options) {
  for (int i = 0; i < TICKETS_MAX; i++) {
    struct ticket *t = &tickets[i];
    unsigned is_free = TICKET_FREE;

    if (!atomic_compare_exchange_strong(&t->state, &is_free, TICKET_TAKEN))
      continue;
    t->request = mpir_crs_defaults.request;
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
      t->request.keep = options->keep ? options->keep : mpir_crs_defaults.request.keep;
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
  message = tickets[ticket - 1].reply.text;
  if (size) {
    text[0] = '\0';
    mpir_plain_add(&t, message);
  }
  return *message ? (int)strlen(message) + 1 : 0;
}
