/* Receiving: each record that comes is an event of one of our requests, or of one that nobody has made yet. */
#include "mpir/mpi/moves.h"
#include "mpir/mpi/type.h"
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum { FETCH_BYTES = 16 << 10 };
static bool cannot_fetch; /* other processes' memory cannot be read here */

static void received(struct ompi_request_t *q) {
  if (q->own_bytes)
    mpl_type_scatter(q, q->status._ucount);
  mpl_complete(q);
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
  if (bytes < FETCH_BYTES || cannot_fetch || mpl_replicated() || mpl_is_elsewhere(from))
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
    mpl_put(from, &head, MPL_ACK);
    received(q);
    return;
  }
  if (kind == MPL_RTS) {
    q->moved = 0;
    mpl_put(from, &head, MPL_CTS);
    return;
  }
  if (kind == MPL_EAGER_SYNC)
    mpl_put(from, &head, MPL_ACK);
  accept_data(q, data, bytes);
}

static void keep_unexpected(const struct mpl_record *r, enum mpl_kind kind, uint32_t from) {
  struct mpl_context *c = mpl_context(r->context);
  size_t data = kind == MPL_RTS ? 0 : r->bytes;
  struct mpl_unexpected *u = malloc(sizeof(*u) + data);
  if (!u)
    mpl_die(1, "no memory for an unexpected message of %zu bytes", data);
  *u = (struct mpl_unexpected){.at = c->unexpected_end, .kind = (uint8_t)kind, .source = (int)r->offset, .tag = r->tag, .from = from,
                               .context = r->context, .bytes = r->bytes, .sender = r->sender, .address = r->target};
  if (data)
    memcpy(u->data, r + 1, data);
  *c->unexpected_end = u;
  c->unexpected_end = &u->next;
  mpl_count_unexpected(1);
}

static void on_message(const struct mpl_record *r, enum mpl_kind kind, uint32_t from) {
  struct mpl_context *c = mpl_context(r->context);
  struct ompi_request_t *q = mpl_context_posted(c, (int)r->offset, r->tag);
  if (!q) {
    keep_unexpected(r, kind, from);
    return;
  }
  mpl_unpost(c, q);
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

static void on_cancel(const struct mpl_record *r, uint32_t from) {
  struct mpl_unexpected *u = mpl_context(r->context)->unexpected;
  while (u && (u->from != from || u->sender != r->sender))
    u = u->next;
  struct mpl_record head = {.sender = r->sender, .target = u != NULL};
  if (u) {
    mpl_take_unexpected(u);
    free(u);
  }
  mpl_put(from, &head, MPL_CANCELLED);
}

static void on_cancelled(const struct mpl_record *r) {
  struct ompi_request_t *q = mpl_request_of(r->sender);
  q->cancelling = false;
  if (!r->target)
    return; /* it had been received; the acknowledgement or the data come */
  q->cancelled = true;
  q->status._cancelled = 1;
  mpl_complete(q);
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
    mpl_send_cleared(r, from);
    break;
  case MPL_DATA:
    on_data(r);
    break;
  case MPL_ACK:
    mpl_request_of(r->sender)->matched = true;
    mpl_complete(mpl_request_of(r->sender));
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
  if (atomic_load_explicit(&in->ring->writer_waits, memory_order_relaxed) || mpl_is_elsewhere(from))
    mpl_ring_bell(from);
}

void mpl_progress_record(uint32_t from) { take_record(from, mpl_ring_peek(&mpl.peers[from].in)); }

bool  mpl_progress_in(void) {
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
  struct mpl_unexpected *u = mpl_context_unexpected(c, q->peer, q->tag);
  if (!u) {
    mpl_post(c, q);
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
  mpl_unpost(mpl_context(q->context), q);
  q->cancelled = true;
  q->status._cancelled = 1;
  mpl_complete(q);
  return true;
}
