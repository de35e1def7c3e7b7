/* What was asked for and what has come: contexts, their two lists, and requests. */
#include "mpir/mpi/moves.h"
#include "mpir/mpi/type.h"
#include <stdlib.h>
#include <string.h>

struct mpl_world mpl = {.main = 0};

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

void  mpl_post(struct mpl_context *c, struct ompi_request_t *q) {
  q->next = NULL;
  q->at = c->posted_end;
  *c->posted_end = q;
  c->posted_end = &q->next;
}

void  mpl_unpost(struct mpl_context *c, struct ompi_request_t *q) {
  *q->at = q->next;
  if (q->next)
    q->next->at = q->at;
  else
    c->posted_end = q->at;
  q->at = NULL;
}

/* Only this process writes it. */
void  mpl_count_unexpected(int more) {
  atomic_store_explicit(&mpl.state->unexpected, atomic_load_explicit(&mpl.state->unexpected, memory_order_relaxed) + (uint32_t)more, memory_order_relaxed);
}

void mpl_take_unexpected(struct mpl_unexpected *u) {
  struct mpl_context *c = mpl_context(u->context);
  mpl_count_unexpected(-1);
  *u->at = u->next;
  if (u->next)
    u->next->at = u->at;
  else
    c->unexpected_end = u->at;
}

static bool fits(int want_source, int want_tag, int source, int tag) {
  return (want_source == MPI_ANY_SOURCE || want_source == source) && (want_tag == MPI_ANY_TAG || want_tag == tag);
}

struct mpl_unexpected * mpl_context_unexpected(struct mpl_context *c, int source, int tag) {
  for (struct mpl_unexpected *u = c->unexpected; u; u = u->next)
    if (fits(source, tag, u->source, u->tag))
      return u;
  return NULL;
}

struct mpl_unexpected *mpl_find_unexpected(struct ompi_communicator_t *comm, int source, int tag) {
  return mpl_context_unexpected(mpl_context(comm->context), source, tag);
}

struct ompi_request_t * mpl_context_posted(struct mpl_context *c, int source, int tag) {
  for (struct ompi_request_t *q = c->posted; q; q = q->next)
    if (fits(q->peer, q->tag, source, tag))
      return q;
  return NULL;
}

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

void  mpl_complete(struct ompi_request_t *q) {
  if (q->kind == MPL_SEND && q->at)
    mpl_unpost(&mpl.sends, q);
  if (q->own_bytes) {
    free(q->bytes);
    q->bytes = NULL;
    q->own_bytes = false;
  }
  q->complete = true;
  if (q->freed)
    mpl_request_free(q);
}
