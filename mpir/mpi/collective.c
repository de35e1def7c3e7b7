#include "mpir/mpi/collective.h"
#include "mpir/mpi/core.h"
#include "mpir/mpi/predefined.h"

static char *at(const void *buf, MPI_Aint i, const mpl_type *t) { return (char *)(uintptr_t)buf + i * (t->ub - t->lb); }

/* --- barrier, broadcast --- */

/* Each waits for a word of each rank of the other group. */
static void barrier_inter(struct mpl_schedule *s, struct ompi_communicator_t *c) {
  for (int i = 0; i < c->remote_size; i++) {
    mpl_add_recv(s, NULL, 0, MPI_BYTE, i);
    mpl_add_send(s, NULL, 0, MPI_BYTE, i);
  }
}

void mpl_build_barrier(struct mpl_schedule *s, struct ompi_communicator_t *c) {
  if (c->inter) {
    barrier_inter(s, c);
    return;
  }
  for (int step = 1; step < c->size; step *= 2) {
    mpl_add_recv(s, NULL, 0, MPI_BYTE, (c->rank - step + c->size) % c->size);
    mpl_add_send(s, NULL, 0, MPI_BYTE, (c->rank + step) % c->size);
    mpl_next_round(s);
  }
}

static void bcast_tree(struct mpl_schedule *s, struct ompi_communicator_t *c, void *buf, int count, mpl_type *t, int root) {
  int me = (c->rank - root + c->size) % c->size, mask = 1;
  for (; mask < c->size; mask *= 2)
    if (me & mask) {
      mpl_add_recv(s, buf, count, t, (me - mask + root) % c->size);
      mpl_next_round(s);
      break;
    }
  for (mask /= 2; mask > 0; mask /= 2)
    if (me + mask < c->size)
      mpl_add_send(s, buf, count, t, (me + mask + root) % c->size);
  mpl_next_round(s);
}

void mpl_build_bcast(struct mpl_schedule *s, struct ompi_communicator_t *c, void *buf, int count, mpl_type *t, int root) {
  if (!c->inter) {
    bcast_tree(s, c, buf, count, t, root);
  } else if (root == MPI_ROOT) {
    for (int i = 0; i < c->remote_size; i++)
      mpl_add_send(s, buf, count, t, i);
  } else if (root != MPI_PROC_NULL) {
    mpl_add_recv(s, buf, count, t, root);
  }
}

/* --- gather, scatter, allgather --- */

static char *place(const void *buf, int count, const int *displs, const mpl_type *t, int i) {
  return at(buf, displs ? displs[i] : (MPI_Aint)i * count, t);
}

void mpl_build_gather(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, int nfrom, mpl_type *tfrom, void *to, const int *counts,
                      int count, const int *displs, mpl_type *tto, int root) {
  bool is_root = c->inter ? root == MPI_ROOT : c->rank == root;
  int n = c->inter ? c->remote_size : c->size;
  if (c->inter && root == MPI_PROC_NULL)
    return;
  if (!is_root) {
    mpl_add_send(s, from, nfrom, tfrom, root);
    return;
  }
  for (int i = 0; i < n; i++) {
    int ni = counts ? counts[i] : count;
    if (c->inter || i != c->rank)
      mpl_add_recv(s, place(to, count, displs, tto, i), ni, tto, i);
    else if (from != MPI_IN_PLACE)
      mpl_add_copy(s, from, nfrom, tfrom, place(to, count, displs, tto, i), ni, tto);
  }
}

void mpl_build_scatter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, const int *counts, int count, const int *displs,
                       mpl_type *tfrom, void *to, int nto, mpl_type *tto, int root) {
  bool is_root = c->inter ? root == MPI_ROOT : c->rank == root;
  int n = c->inter ? c->remote_size : c->size;
  if (c->inter && root == MPI_PROC_NULL)
    return;
  if (!is_root) {
    mpl_add_recv(s, to, nto, tto, root);
    return;
  }
  for (int i = 0; i < n; i++) {
    int ni = counts ? counts[i] : count;
    if (c->inter || i != c->rank)
      mpl_add_send(s, place(from, count, displs, tfrom, i), ni, tfrom, i);
    else if (to != MPI_IN_PLACE)
      mpl_add_copy(s, place(from, count, displs, tfrom, i), ni, tfrom, to, nto, tto);
  }
}

static void allgather_inter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, int nfrom, mpl_type *tfrom, void *to,
                            const int *counts, int count, const int *displs, mpl_type *tto) {
  for (int i = 0; i < c->remote_size; i++) {
    mpl_add_recv(s, place(to, count, displs, tto, i), counts ? counts[i] : count, tto, i);
    mpl_add_send(s, from, nfrom, tfrom, i);
  }
}

/* A ring: each passes on what it has got last. */
void mpl_build_allgather(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, int nfrom, mpl_type *tfrom, void *to,
                         const int *counts, int count, const int *displs, mpl_type *tto) {
  if (c->inter) {
    allgather_inter(s, c, from, nfrom, tfrom, to, counts, count, displs, tto);
    return;
  }
#define COUNT(i) (counts ? counts[i] : count)
  if (from != MPI_IN_PLACE) {
    mpl_add_copy(s, from, nfrom, tfrom, place(to, count, displs, tto, c->rank), COUNT(c->rank), tto);
    mpl_next_round(s);
  }
  int left = (c->rank - 1 + c->size) % c->size, right = (c->rank + 1) % c->size;
  for (int k = 0; k < c->size - 1; k++) {
    int out = (c->rank - k + c->size) % c->size, in = (c->rank - k - 1 + 2 * c->size) % c->size;
    mpl_add_recv(s, place(to, count, displs, tto, in), COUNT(in), tto, left);
    mpl_add_send(s, place(to, count, displs, tto, out), COUNT(out), tto, right);
    mpl_next_round(s);
  }
#undef COUNT
}

/* --- all to all --- */

char *mpl_piece_at(const struct mpl_pieces *p, int i) {
  if (p->adispls)
    return p->buf + p->adispls[i];
  if (p->types)
    return p->buf + p->displs[i];
  return at(p->buf, p->displs ? p->displs[i] : (MPI_Aint)i * p->count, p->type);
}

/* MPI_IN_PLACE: what is to be sent is in 'to'; it is copied first. */
static void copy_out(struct mpl_schedule *s, int n, const struct mpl_pieces *to, struct mpl_pieces *from) {
  char **copies = mpl_schedule_memory(s, (size_t)n * sizeof(*copies));
  *from = *to;
  for (int i = 0; i < n; i++) {
    mpl_type *t = mpl_piece_type(to, i);
    copies[i] = mpl_schedule_buffer(s, mpl_piece_count(to, i), t);
    mpl_add_copy(s, mpl_piece_at(to, i), mpl_piece_count(to, i), t, copies[i], mpl_piece_count(to, i), t);
  }
  mpl_next_round(s);
  MPI_Aint *displs = mpl_schedule_memory(s, (size_t)n * sizeof(*displs));
  for (int i = 0; i < n; i++)
    displs[i] = (MPI_Aint)(uintptr_t)copies[i];
  from->buf = NULL;
  from->adispls = displs;
}

void mpl_build_alltoall(struct mpl_schedule *s, struct ompi_communicator_t *c, const struct mpl_pieces *given, const struct mpl_pieces *to) {
  int n = c->inter ? c->remote_size : c->size;
  struct mpl_pieces copied, *from = &copied;
  copied = *given;
  if (given->buf == MPI_IN_PLACE)
    copy_out(s, n, to, &copied);
  for (int k = 0; k < n; k++) {
    int in = c->inter ? k : (c->rank - k + n) % n, out = c->inter ? k : (c->rank + k) % n;
    if (!c->inter && k == 0) {
      mpl_add_copy(s, mpl_piece_at(from, in), mpl_piece_count(from, in), mpl_piece_type(from, in), mpl_piece_at(to, in), mpl_piece_count(to, in),
                   mpl_piece_type(to, in));
      continue;
    }
    mpl_add_recv(s, mpl_piece_at(to, in), mpl_piece_count(to, in), mpl_piece_type(to, in), in);
    mpl_add_send(s, mpl_piece_at(from, out), mpl_piece_count(from, out), mpl_piece_type(from, out), out);
  }
}

/* --- reductions --- */

/* Two buffers: what is accumulated, and what comes.  'op' leaves its result in its second argument, so they change roles where that is the
   one that has come. */
struct pair { void *mine, *other; };

static struct pair accumulators(struct mpl_schedule *s, const void *from, int count, mpl_type *t) {
  struct pair p = {mpl_schedule_buffer(s, count, t), mpl_schedule_buffer(s, count, t)};
  mpl_add_copy(s, from, count, t, p.mine, count, t);
  mpl_next_round(s);
  return p;
}

/* mine = mine op other: 'other' holds what higher ranks have. */
static void take_higher(struct mpl_schedule *s, struct pair *p, int count, mpl_type *t, mpl_op *op) {
  mpl_add_op(s, op, p->mine, p->other, count, t);
  void *result = p->other;
  p->other = p->mine;
  p->mine = result;
}

/* mine = other op mine */
static void take_lower(struct mpl_schedule *s, struct pair *p, int count, mpl_type *t, mpl_op *op) { mpl_add_op(s, op, p->other, p->mine, count, t); }

/* A binomial tree over ranks in their order, to rank 0; the result is the same for every root. */
static struct pair reduce_to_first(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, int count, mpl_type *t, mpl_op *op) {
  struct pair p = accumulators(s, from, count, t);
  for (int mask = 1; mask < c->size; mask *= 2) {
    if (c->rank & mask) {
      mpl_add_send(s, p.mine, count, t, c->rank - mask);
      mpl_next_round(s);
      break;
    }
    if (c->rank + mask < c->size) {
      mpl_add_recv(s, p.other, count, t, c->rank + mask);
      take_higher(s, &p, count, t, op);
      mpl_next_round(s);
    }
  }
  return p;
}

static void reduce_inter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op,
                         int root) {
  if (root == MPI_PROC_NULL)
    return;
  if (root != MPI_ROOT) {
    mpl_add_send(s, from, count, t, root);
    return;
  }
  char **parts = mpl_schedule_memory(s, (size_t)c->remote_size * sizeof(*parts));
  for (int i = 0; i < c->remote_size; i++)
    mpl_add_recv(s, parts[i] = mpl_schedule_buffer(s, count, t), count, t, i);
  mpl_next_round(s);
  for (int i = c->remote_size - 1; i > 0; i--)
    mpl_add_op(s, op, parts[i - 1], parts[i], count, t), parts[i - 1] = parts[i];
  mpl_add_copy(s, parts[0], count, t, to, count, t);
}

void mpl_build_reduce(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op, int root) {
  if (c->inter) {
    reduce_inter(s, c, from, to, count, t, op, root);
    return;
  }
  struct pair p = reduce_to_first(s, c, from == MPI_IN_PLACE ? to : from, count, t, op);
  if (c->rank == 0 && root != 0)
    mpl_add_send(s, p.mine, count, t, root);
  if (c->rank == root && root != 0)
    mpl_add_recv(s, to, count, t, 0);
  if (c->rank == 0 && root == 0)
    mpl_add_copy(s, p.mine, count, t, to, count, t);
}

/* Recursive doubling in the order of ranks; of the ranks above a power of two, neighbours join first. */
static void allreduce_doubling(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op) {
  int whole = 1;
  while (2 * whole <= c->size)
    whole *= 2;
  int rest = c->size - whole, me = c->rank < 2 * rest ? c->rank / 2 : c->rank - rest;
  struct pair p = accumulators(s, from, count, t);
  if (c->rank < 2 * rest && c->rank % 2) {
    mpl_add_send(s, p.mine, count, t, c->rank - 1);
    mpl_add_recv(s, to, count, t, c->rank - 1);
    return;
  }
  if (c->rank < 2 * rest) {
    mpl_add_recv(s, p.other, count, t, c->rank + 1);
    take_higher(s, &p, count, t, op);
    mpl_next_round(s);
  }
  for (int mask = 1; mask < whole; mask *= 2) {
    int peer = me ^ mask, rank = peer < rest ? 2 * peer : peer + rest;
    mpl_add_recv(s, p.other, count, t, rank);
    mpl_add_send(s, p.mine, count, t, rank);
    if (peer > me)
      take_higher(s, &p, count, t, op);
    else
      take_lower(s, &p, count, t, op);
    mpl_next_round(s);
  }
  mpl_add_copy(s, p.mine, count, t, to, count, t);
  if (c->rank < 2 * rest) {
    mpl_next_round(s);
    mpl_add_send(s, to, count, t, c->rank + 1);
  }
}

static void allreduce_inter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op) {
  char **parts = mpl_schedule_memory(s, (size_t)c->remote_size * sizeof(*parts));
  for (int i = 0; i < c->remote_size; i++) {
    mpl_add_recv(s, parts[i] = mpl_schedule_buffer(s, count, t), count, t, i);
    mpl_add_send(s, from, count, t, i);
  }
  mpl_next_round(s);
  for (int i = c->remote_size - 1; i > 0; i--)
    mpl_add_op(s, op, parts[i - 1], parts[i], count, t), parts[i - 1] = parts[i];
  mpl_add_copy(s, parts[0], count, t, to, count, t);
}

void mpl_build_allreduce(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op) {
  if (c->inter)
    allreduce_inter(s, c, from, to, count, t, op);
  else
    allreduce_doubling(s, c, from == MPI_IN_PLACE ? to : from, to, count, t, op);
}

static void reduce_scatter_inter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int mine, int all, int begin,
                                 mpl_type *t, mpl_op *op) {
  char *sum = mpl_schedule_buffer(s, all, t);
  allreduce_inter(s, c, from, sum, all, t, op);
  mpl_next_round(s);
  mpl_add_copy(s, at(sum, begin, t), mine, t, to, mine, t);
}

void mpl_build_reduce_scatter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, const int *counts, int count,
                              mpl_type *t, mpl_op *op) {
  int all = 0, begin = 0, mine = counts ? counts[c->rank] : count;
  for (int i = 0; i < c->size; i++) {
    if (i == c->rank)
      begin = all;
    all += counts ? counts[i] : count;
  }
  if (c->inter) {
    reduce_scatter_inter(s, c, from, to, mine, all, begin, t, op);
    return;
  }
  struct pair p = reduce_to_first(s, c, from == MPI_IN_PLACE ? to : from, all, t, op);
  if (c->rank != 0) {
    mpl_add_recv(s, to, mine, t, 0);
    return;
  }
  int next = mine;
  for (int i = 1; i < c->size; i++) {
    int n = counts ? counts[i] : count;
    mpl_add_send(s, at(p.mine, next, t), n, t, i);
    next += n;
  }
  mpl_add_copy(s, p.mine, mine, t, to, mine, t);
}

/* From rank to rank. */
void mpl_build_scan(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op,
                    bool exclusive) {
  struct pair p = accumulators(s, from == MPI_IN_PLACE ? to : from, count, t);
  if (c->rank > 0) {
    mpl_add_recv(s, p.other, count, t, c->rank - 1);
    if (exclusive)
      mpl_add_copy(s, p.other, count, t, to, count, t);
    take_lower(s, &p, count, t, op);
    mpl_next_round(s);
  }
  if (c->rank + 1 < c->size)
    mpl_add_send(s, p.mine, count, t, c->rank + 1);
  if (!exclusive)
    mpl_add_copy(s, p.mine, count, t, to, count, t);
}
