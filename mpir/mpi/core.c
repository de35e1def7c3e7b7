/* Point-to-point messages: sending, matching, receiving, and the loop that moves them. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/type.h"
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct mpl_world mpl = {.main = 0};
enum { FETCH_BYTES = 16 << 10 };
static bool cannot_fetch; /* other processes' memory cannot be read here */

/* What waits for room: a record without data, or a request whose record or data are to be sent. */
struct mpl_out {
  struct mpl_out *next;
  struct ompi_request_t *q; /* NULL: 'r' alone */
  uint8_t kind;
  struct mpl_record r;
};

/* --- contexts and lists --- */

struct mpl_context *mpl_context(uint32_t id) {
  if (id >= mpl.ncontexts) {
    uint32_t n = mpl.ncontexts ? mpl.ncontexts : 64;
    while (n <= id)
      n *= 2;
    mpl.contexts = realloc(mpl.contexts, n * sizeof(*mpl.contexts));
    memset(mpl.contexts + mpl.ncontexts, 0, (n - mpl.ncontexts) * sizeof(*mpl.contexts));
    mpl.ncontexts = n;
  }
  struct mpl_context *c = mpl.contexts[id];
  if (!c) {
    c = mpl.contexts[id] = calloc(1, sizeof(*c));
    c->posted_end = &c->posted;
    c->unexpected_end = &c->unexpected;
  }
  return c;
}

void mpl_context_forget(uint32_t id) {
  struct mpl_context *c = id < mpl.ncontexts ? mpl.contexts[id] : NULL;
  if (!c || c->posted || c->unexpected)
    return;
  free(c);
  mpl.contexts[id] = NULL;
}

static void post(struct mpl_context *c, struct ompi_request_t *q) {
  q->next = NULL;
  q->at = c->posted_end;
  *c->posted_end = q;
  c->posted_end = &q->next;
}

static void unpost(struct mpl_context *c, struct ompi_request_t *q) {
  *q->at = q->next;
  if (q->next)
    q->next->at = q->at;
  else
    c->posted_end = q->at;
  q->at = NULL;
}

/* Only this process writes it. */
static void count_unexpected(int more) {
  atomic_store_explicit(&mpl.state->unexpected, atomic_load_explicit(&mpl.state->unexpected, memory_order_relaxed) + (uint32_t)more, memory_order_relaxed);
}

void mpl_take_unexpected(struct mpl_unexpected *u) {
  struct mpl_context *c = mpl_context(u->context);
  count_unexpected(-1);
  *u->at = u->next;
  if (u->next)
    u->next->at = u->at;
  else
    c->unexpected_end = u->at;
}

static bool fits(int want_source, int want_tag, int source, int tag) {
  return (want_source == MPI_ANY_SOURCE || want_source == source) && (want_tag == MPI_ANY_TAG || want_tag == tag);
}

static struct mpl_unexpected *find_unexpected(struct mpl_context *c, int source, int tag) {
  for (struct mpl_unexpected *u = c->unexpected; u; u = u->next)
    if (fits(source, tag, u->source, u->tag))
      return u;
  return NULL;
}

struct mpl_unexpected *mpl_find_unexpected(struct ompi_communicator_t *comm, int source, int tag) {
  return find_unexpected(mpl_context(comm->context), source, tag);
}

static struct ompi_request_t *find_posted(struct mpl_context *c, int source, int tag) {
  for (struct ompi_request_t *q = c->posted; q; q = q->next)
    if (fits(q->peer, q->tag, source, tag))
      return q;
  return NULL;
}

/* --- requests --- */

struct ompi_request_t *mpl_request_new(enum mpl_request_kind kind, struct ompi_communicator_t *comm) {
  struct ompi_request_t *q = calloc(1, sizeof(*q));
  if (!q)
    mpl_die(1, "no memory for a request");
  q->magic = MPL_REQUEST;
  q->f_index = -1;
  q->kind = kind;
  q->comm = comm;
  q->status = (MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
  if (comm)
    comm->refs++;
  mpl_request_name(q);
  return q;
}

void mpl_request_free(struct ompi_request_t *q) {
  mpl_request_unname(q);
  if (q->own_bytes)
    free(q->bytes);
  if (q->type)
    mpl_type_release(q->type);
  if (q->comm)
    mpl_comm_release(q->comm);
  q->magic = MPL_FREED;
  free(q);
}

static void complete(struct ompi_request_t *q) {
  if (q->kind == MPL_SEND && q->at)
    unpost(&mpl.sends, q);
  if (q->own_bytes) {
    free(q->bytes);
    q->bytes = NULL;
    q->own_bytes = false;
  }
  q->complete = true;
  if (q->freed)
    mpl_request_free(q);
}

/* --- rings --- */

/* On another node: the proxy of this one is to look. */
static bool is_elsewhere(uint32_t rank) { return mpl.job->nnodes > 1 && mpl_state(mpl.job, rank)->node != mpl.job->node; }

static void ring_bell(uint32_t rank) {
  struct mpl_rank_state *s = mpl_state(mpl.job, rank);
  const bool elsewhere = is_elsewhere(rank);
  _Atomic uint32_t *bell = elsewhere ? &mpl.job->proxy_bell : &s->bell, *sleeping = elsewhere ? &mpl.job->proxy_sleeping : &s->sleeping;
  atomic_thread_fence(memory_order_seq_cst);
  if (!atomic_load_explicit(sleeping, memory_order_relaxed))
    return;
  atomic_fetch_add(bell, 1);
  syscall(SYS_futex, bell, FUTEX_WAKE, 64, NULL, NULL, 0);
}

static bool put(uint32_t to, const struct mpl_record *head, enum mpl_kind kind, const void *data, size_t size) {
  size_t whole = mpl_round(sizeof(*head) + size, 16);
  struct mpl_end *out = &mpl.peers[to].out;
  int replayed = mpl_replays() ? mpl_replica_put(to, out, head, kind, data, size) : REPLICA_LEADS;
  if (replayed != REPLICA_LEADS)
    return replayed == REPLICA_SENT;
  struct mpl_record *r = mpl_ring_reserve(out, whole);
  if (mpl_replicated())
    mpl_replica_tell_room(to, out, r != NULL);
  if (!r)
    return false;
  memcpy((char *)r + sizeof(r->head), (const char *)head + sizeof(r->head), sizeof(*head) - sizeof(r->head));
  if (size)
    memcpy(r + 1, data, size);
  mpl_ring_publish(out, r, kind, whole);
  if (mpl_replicated())
    mpl_replica_sent(out, head, kind);
  ring_bell(to);
  return true;
}

static void wait_for_room(uint32_t to, const struct mpl_out *o) {
  struct mpl_peer *p = &mpl.peers[to];
  struct mpl_out *copy = malloc(sizeof(*copy));
  *copy = *o;
  copy->next = NULL;
  mpl.waiting += !p->first;
  *p->last = copy;
  p->last = &copy->next;
  if (!mpl_replays())
    atomic_store(&p->out.ring->writer_waits, 1);
}

static void put_or_wait(uint32_t to, const struct mpl_record *head, enum mpl_kind kind) {
  if (mpl.peers[to].first || !put(to, head, kind, NULL, 0))
    wait_for_room(to, &(struct mpl_out){.kind = kind, .r = *head});
}

/* --- sending --- */

static bool is_eager(const struct ompi_request_t *q) { return q->size <= mpl.job->eager_limit; }

static bool send_first(struct ompi_request_t *q, uint32_t to, struct mpl_record *head) {
  head->target = mpl_replicated() ? 0 : (uintptr_t)q->bytes;
  mpl_replica.place = q->place;
  if (!is_eager(q))
    return put(to, head, MPL_RTS, NULL, 0);
  bool sync = q->mode == MPL_SYNCHRONOUS || (mpl.job->strict && !(q->context & 1) && !q->lent);
  if (!put(to, head, sync ? MPL_EAGER_SYNC : MPL_EAGER, q->bytes, q->size))
    return false;
  if (!sync)
    complete(q);
  return true;
}

/* As much as there is room for; true when all is sent. */
static bool send_data(struct ompi_request_t *q, uint32_t to) {
  mpl_replica.place = q->place;
  while (q->moved < q->size) {
    size_t n = q->size - q->moved < MPL_FRAGMENT ? q->size - q->moved : MPL_FRAGMENT;
    struct mpl_record head = {.bytes = n, .target = q->other, .offset = q->moved};
    if (!put(to, &head, MPL_DATA, q->bytes + q->moved, n))
      return false;
    q->moved += n;
  }
  complete(q);
  return true;
}

static bool send_waiting(struct mpl_out *o, uint32_t to) {
  if (!o->q)
    return put(to, &o->r, o->kind, NULL, 0);
  return o->kind == MPL_DATA ? send_data(o->q, to) : send_first(o->q, to, &o->r);
}

static bool progress_peer(uint32_t to) {
  struct mpl_peer *p = &mpl.peers[to];
  bool moved = false;
  mpl_replica_retry(true);
  while (p->first) {
    struct mpl_out *o = p->first;
    uint64_t before = p->out.position;
    bool sent = send_waiting(o, to);
    moved |= sent || p->out.position != before;
    if (!sent)
      break;
    p->first = o->next;
    free(o);
    if (!p->first) {
      p->last = &p->first;
      mpl.waiting--;
      if (!mpl_replays())
        atomic_store(&p->out.ring->writer_waits, 0);
    }
  }
  mpl_replica_retry(false);
  return moved;
}

void mpl_progress_peer(uint32_t to) { progress_peer(to); }

static bool progress_out(void) {
  bool moved = false;
  for (uint32_t to = 0; mpl.waiting && to < mpl.size; to++)
    moved |= progress_peer(to);
  return moved;
}

void mpl_send_start(struct ompi_request_t *q, bool collective) {
  q->active = true;
  q->complete = q->matched = q->cancelled = false;
  q->moved = 0;
  q->status = (MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
  if (q->peer == MPI_PROC_NULL) {
    q->complete = true;
    return;
  }
  q->context = q->comm->context + collective;
  mpl_type_gather(q);
  post(&mpl.sends, q);
  uint32_t to = (uint32_t)mpl_job_rank(q->comm, q->peer);
  struct mpl_record head = {.context = q->context, .tag = q->tag, .bytes = q->size, .sender = mpl_request_token(q), .offset = (uint64_t)q->comm->rank};
  if (mpl.peers[to].first || !send_first(q, to, &head))
    wait_for_room(to, &(struct mpl_out){.q = q, .kind = MPL_EAGER, .r = head});
}

/* --- receiving --- */

static void received(struct ompi_request_t *q) {
  if (q->own_bytes)
    mpl_type_scatter(q, q->status._ucount);
  complete(q);
}

/* Who sent what: the receive is matched.  Truncation is an error of the receiver. */
static void match(struct ompi_request_t *q, int source, int tag, uint64_t bytes) {
  q->matched = true;
  q->status.MPI_SOURCE = source;
  q->status.MPI_TAG = tag;
  q->status._ucount = bytes;
  if (q->peer == MPI_ANY_SOURCE)
    MPL_REPLICA_COUNT(wildcards);
  q->size = bytes;
  if (bytes > q->capacity) {
    q->status.MPI_ERROR = MPI_ERR_TRUNCATE;
    q->status._ucount = q->capacity;
  }
}

static void accept_data(struct ompi_request_t *q, const char *data, uint64_t bytes) {
  size_t n = bytes < q->capacity ? bytes : q->capacity;
  if (n)
    memcpy(q->bytes, data, n);
  received(q);
}

/* Long data are taken from the memory of the sender, which waits: one copy instead of two.  Where the system does not permit that they come through the
   ring. */
static bool fetch(const struct ompi_request_t *q, uint32_t from, uint64_t address, uint64_t bytes) {
  size_t done = 0, n = bytes < q->capacity ? bytes : q->capacity;
  if (bytes < FETCH_BYTES || cannot_fetch || mpl_replicated() || is_elsewhere(from))
    return false;
  while (done < n) {
    struct iovec here = {q->bytes + done, n - done}, there = {(void *)(uintptr_t)(address + done), n - done};
    ssize_t moved = process_vm_readv(atomic_load(&mpl_state(mpl.job, from)->pid), &here, 1, &there, 1, 0);
    if (moved <= 0) {
      cannot_fetch = true;
      return false;
    }
    done += (size_t)moved;
  }
  return true;
}

/* 'sender' is at 'from', with a request there; 'data' at 'address' in it. */
static void accept(struct ompi_request_t *q, enum mpl_kind kind, uint32_t from, uint64_t bytes, uint64_t sender, uint64_t address, const char *data) {
  struct mpl_record head = {.sender = sender, .target = mpl_request_token(q)};
  if (kind == MPL_RTS && fetch(q, from, address, bytes)) {
    put_or_wait(from, &head, MPL_ACK);
    received(q);
    return;
  }
  if (kind == MPL_RTS) {
    q->moved = 0;
    put_or_wait(from, &head, MPL_CTS);
    return;
  }
  if (kind == MPL_EAGER_SYNC)
    put_or_wait(from, &head, MPL_ACK);
  accept_data(q, data, bytes);
}

static void keep_unexpected(const struct mpl_record *r, enum mpl_kind kind, uint32_t from) {
  struct mpl_context *c = mpl_context(r->context);
  size_t data = kind == MPL_RTS ? 0 : r->bytes;
  struct mpl_unexpected *u = malloc(sizeof(*u) + data);
  if (!u)
    mpl_die(1, "no memory for a message of %zu bytes that nobody has asked for", data);
  *u = (struct mpl_unexpected){.at = c->unexpected_end, .kind = (uint8_t)kind, .source = (int)r->offset, .tag = r->tag, .from = from,
                               .context = r->context, .bytes = r->bytes, .sender = r->sender, .address = r->target};
  if (data)
    memcpy(u->data, r + 1, data);
  *c->unexpected_end = u;
  c->unexpected_end = &u->next;
  count_unexpected(1);
}

static void on_message(const struct mpl_record *r, enum mpl_kind kind, uint32_t from) {
  struct mpl_context *c = mpl_context(r->context);
  struct ompi_request_t *q = find_posted(c, (int)r->offset, r->tag);
  if (!q) {
    keep_unexpected(r, kind, from);
    return;
  }
  unpost(c, q);
  match(q, (int)r->offset, r->tag, r->bytes);
  accept(q, kind, from, r->bytes, r->sender, r->target, (const char *)(r + 1));
}

static void on_data(const struct mpl_record *r) {
  struct ompi_request_t *q = mpl_request_of(r->target);
  size_t room = r->offset < q->capacity ? q->capacity - r->offset : 0, n = r->bytes < room ? r->bytes : room;
  if (n)
    memcpy(q->bytes + r->offset, r + 1, n);
  q->moved += r->bytes;
  if (q->moved == q->size)
    received(q);
}

static void on_clear_to_send(const struct mpl_record *r, uint32_t from) {
  struct ompi_request_t *q = mpl_request_of(r->sender);
  q->other = r->target;
  q->matched = true;
  if (mpl.peers[from].first || !send_data(q, from))
    wait_for_room(from, &(struct mpl_out){.q = q, .kind = MPL_DATA});
}

static void on_cancel(const struct mpl_record *r, uint32_t from) {
  struct mpl_unexpected *u = mpl_context(r->context)->unexpected;
  while (u && (u->from != from || u->sender != r->sender))
    u = u->next;
  struct mpl_record head = {.sender = r->sender, .target = u != NULL};
  if (u) {
    mpl_take_unexpected(u);
    free(u);
  }
  put_or_wait(from, &head, MPL_CANCELLED);
}

static void on_cancelled(const struct mpl_record *r) {
  struct ompi_request_t *q = mpl_request_of(r->sender);
  q->cancelling = false;
  if (!r->target)
    return; /* it had been received; the acknowledgement or the data come */
  q->cancelled = true;
  q->status._cancelled = 1;
  complete(q);
}

static void on_record(const struct mpl_record *r, enum mpl_kind kind, uint32_t from) {
  switch (kind) {
  case MPL_SKIP:
    break;
  case MPL_EAGER:
  case MPL_EAGER_SYNC:
  case MPL_RTS:
    on_message(r, kind, from);
    break;
  case MPL_CTS:
    on_clear_to_send(r, from);
    break;
  case MPL_DATA:
    on_data(r);
    break;
  case MPL_ACK:
    mpl_request_of(r->sender)->matched = true;
    complete(mpl_request_of(r->sender));
    break;
  case MPL_CANCEL:
    on_cancel(r, from);
    break;
  case MPL_CANCELLED:
    on_cancelled(r);
    break;
  }
}

static void take_record(uint32_t from, struct mpl_record *r) {
  struct mpl_end *in = &mpl.peers[from].in;
  if (mpl_replicated())
    r = mpl_replica_record(from, in, r);
  on_record(r, (enum mpl_kind)(atomic_load_explicit(&r->head, memory_order_relaxed) & 0xff), from);
  mpl_ring_take(in, r);
  if (mpl_replicated())
    mpl_replica_taken();
  if (atomic_load_explicit(&in->ring->writer_waits, memory_order_relaxed) || is_elsewhere(from))
    ring_bell(from);
}

void mpl_progress_record(uint32_t from) { take_record(from, mpl_ring_peek(&mpl.peers[from].in)); }

static bool progress_in(void) {
  bool moved = false;
  for (uint32_t from = 0; from < mpl.size; from++) {
    struct mpl_record *r;
    while ((r = mpl_ring_peek(&mpl.peers[from].in))) {
      take_record(from, r);
      moved = true;
    }
  }
  return moved;
}

void mpl_recv_start(struct ompi_request_t *q, bool collective) {
  q->active = true;
  q->complete = q->matched = q->cancelled = false;
  q->moved = 0;
  q->status = (MPI_Status){MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
  if (q->peer == MPI_PROC_NULL) {
    q->status.MPI_SOURCE = MPI_PROC_NULL;
    q->complete = true;
    return;
  }
  q->context = q->comm->context + collective;
  mpl_type_room(q);
  struct mpl_context *c = mpl_context(q->context);
  struct mpl_unexpected *u = find_unexpected(c, q->peer, q->tag);
  if (!u) {
    post(c, q);
    return;
  }
  mpl_take_unexpected(u);
  mpl_recv_message(q, u);
}

void mpl_recv_message(struct ompi_request_t *q, struct mpl_unexpected *u) {
  match(q, u->source, u->tag, u->bytes);
  accept(q, (enum mpl_kind)u->kind, u->from, u->bytes, u->sender, u->address, u->data);
  free(u);
}

bool mpl_cancel_recv(struct ompi_request_t *q) {
  if (q->complete || q->matched || !q->at)
    return false;
  unpost(mpl_context(q->context), q);
  q->cancelled = true;
  q->status._cancelled = 1;
  complete(q);
  return true;
}

void mpl_cancel_send(struct ompi_request_t *q) {
  if (q->complete || q->matched || q->cancelling || q->peer == MPI_PROC_NULL)
    return;
  q->cancelling = true;
  struct mpl_record head = {.context = q->context, .sender = mpl_request_token(q)};
  put_or_wait((uint32_t)mpl_job_rank(q->comm, q->peer), &head, MPL_CANCEL);
}

/* --- the loop --- */

/* What this thread has moved may be what another one waits for. */
static void wake_callers(void) {
  if (!atomic_load_explicit(&mpl.state->sleeping, memory_order_relaxed))
    return;
  atomic_fetch_add(&mpl.state->bell, 1);
  syscall(SYS_futex, &mpl.state->bell, FUTEX_WAKE, 64, NULL, NULL, 0);
}

static bool move(void) {
  bool moved = progress_in();
  if (mpl.waiting)
    moved |= progress_out();
  return moved;
}

/* 'waits': the call goes on until something has moved. */
static bool progress(bool waits) {
  bool moved;
  if (mpl_replicated()) {
    moved = mpl_replica_do_step(move, waits);
    if (!moved && waits)
      return false;
  } else {
    moved = move();
  }
  if (mpl_schedules_active)
    moved |= mpl_schedules_progress();
  if (moved)
    atomic_store_explicit(&mpl.state->moves, atomic_load_explicit(&mpl.state->moves, memory_order_relaxed) + 1, memory_order_relaxed);
  if (moved && mpl.multiple)
    wake_callers();
  return moved;
}

extern int dvmcr_init(void) __attribute__((weak)); /* there is a checkpointer, which has a thread */

/* Threads of the program: each thread of the process has an entry in the folder. */
static uint32_t count_threads(void) {
  struct stat s;
  return stat("/proc/self/task", &s) ? 1 : (uint32_t)s.st_nlink - 2 - (dvmcr_init != NULL);
}

/* Another thread may still send, receive, or complete a generalized request: then this rank is not said to wait. */
static bool may_be_helped(const struct mpl_why *why) {
  if (why->q && why->q->kind == MPL_GENERALIZED)
    return true;
  return mpl.multiple && mpl.callers < count_threads();
}

static void tell_wait(const struct mpl_why *why) {
  if (may_be_helped(why))
    return;
  struct mpl_wait *w = &mpl.state->wait;
  const struct ompi_request_t *q = why->q;
  int peer = q ? q->peer : why->peer;
  w->tag = q ? q->tag : why->tag;
  w->context = q ? q->context : why->context;
  w->peer = q && q->comm && peer >= 0 && (q->kind == MPL_SEND || q->kind == MPL_RECV) ? mpl_job_rank(q->comm, peer) : q ? (peer == MPI_ANY_SOURCE ? -1 : -2) : peer;
  w->npeers = q && q->schedule ? mpl_schedule_peers(q->schedule, w->peers, MPL_PEERS) : 0;
  if (w->npeers)
    w->peer = w->peers[0];
  w->nrequests = why->nrequests;
  w->place = (uintptr_t)why->place;
  strncpy(w->call, why->call, sizeof(w->call) - 1);
  atomic_store(&w->blocked, 1);
}

/* The command believes that nobody can go on, and wants to know what has come and was not asked for. */
static void tell_queues(void) {
  uint32_t asked = atomic_load(&mpl.job->asked);
  if (asked == atomic_load(&mpl.state->told))
    return;
  size_t n = 0, room = sizeof(mpl.state->queues);
  mpl.state->queues[0] = 0;
  for (uint32_t id = 0; id < mpl.ncontexts; id++)
    for (const struct mpl_unexpected *u = mpl.contexts[id] ? mpl.contexts[id]->unexpected : NULL; u && n < room; u = u->next)
      n += (size_t)snprintf(mpl.state->queues + n, room - n, "%u %u %d %llu %s\n", u->from, u->context, u->tag, (unsigned long long)u->bytes,
                            u->kind == MPL_RTS ? "announced" : "here");
  atomic_store(&mpl.state->told, asked);
}

/* Gives up the lock, however often this thread has it. */
static uint32_t let_others_in(void) {
  uint32_t depth = mpl.multiple ? mpl.depth : 0;
  if (depth) {
    mpl.depth = 1;
    mpl_lock_leave();
  }
  return depth;
}

static void come_in_again(uint32_t depth) {
  if (!depth)
    return;
  mpl_lock_take();
  mpl.depth = depth;
}

static bool something_has_come(void) {
  for (uint32_t from = 0; from < mpl.size; from++)
    if (mpl_ring_peek(&mpl.peers[from].in))
      return true;
  return false;
}

/* Until somebody rings who has changed the bell from 'bell', or a moment has passed. */
static void sleep_until_rung(uint32_t bell, const struct mpl_why *why) {
  struct mpl_rank_state *s = mpl.state;
  struct timespec limit = {0, 20000000};
  if (!atomic_load(&s->wait.blocked))
    tell_wait(why);
  tell_queues();
  atomic_fetch_add(&s->sleeping, 1);
  atomic_thread_fence(memory_order_seq_cst);
  bool something = something_has_come();
  uint32_t depth = let_others_in(); /* not before: another thread that moves something sees that we sleep, and rings */
  if (!something)
    syscall(SYS_futex, &s->bell, FUTEX_WAIT, bell, &limit, NULL, 0);
  come_in_again(depth);
  atomic_fetch_sub(&s->sleeping, 1);
}

static void give_way(void) {
  uint32_t depth = let_others_in();
  sched_yield();
  come_in_again(depth);
}

/* A program that tests in a loop waits too: what it waits for may need this processor. */
bool mpl_progress(void) {
  static _Thread_local uint32_t turn;
  bool moved = progress(false);
  turn = moved ? 0 : turn + 1;
  if (turn > mpl.job->spins)
    give_way();
  return moved;
}

/* Nothing moves: look again for a while (not with the lock that others want), give way, then sleep. */
static void idle(uint32_t turn, const struct mpl_why *why) {
  uint32_t spins = mpl.multiple ? 0 : mpl.job->spins;
  if (turn < spins)
    __builtin_ia32_pause();
  else if (turn < spins + 64)
    give_way();
  else
    sleep_until_rung(atomic_load(&mpl.state->bell), why);
  if (atomic_load_explicit(&mpl.job->aborted, memory_order_relaxed))
    pause(); /* the command ends us */
}

void mpl_wait_until(bool (*done)(void *), void *arg, const struct mpl_why *why) {
  mpl.callers++;
  for (uint32_t turn = 0; !done(arg); turn++)
    if (progress(true)) {
      turn = 0;
      atomic_store_explicit(&mpl.state->wait.blocked, 0, memory_order_relaxed);
    } else if (!done(arg)) {
      idle(turn, why);
    }
  mpl.callers--;
  atomic_store_explicit(&mpl.state->wait.blocked, 0, memory_order_relaxed);
}

static bool is_complete(void *arg) { return ((struct ompi_request_t *)arg)->complete; }

void mpl_wait_for(struct ompi_request_t *q, const char *call, const void *place) {
  if (!q->complete)
    mpl_wait_until(is_complete, q, &(struct mpl_why){.call = call, .place = place, .q = q, .nrequests = 1});
}
