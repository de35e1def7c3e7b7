/* The collective calls: each builds its schedule; the plain form runs it, the I form starts it. */
#include "mpir/mpi/collective.h"
#include "mpir/mpi/core.h"
#include "mpir/mpi/predefined.h"
#include "mpir/mpi/topology.h"

typedef struct ompi_communicator_t mpl_comm;

static int check_comm(const mpl_comm *c) { return !c || c->magic != MPL_COMM || c == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_SUCCESS; }
static int check_data(int count, const mpl_type *t) {
  if (count < 0)
    return MPI_ERR_COUNT;
  return !t || t->magic != MPL_TYPE || t == MPI_DATATYPE_NULL || !t->committed ? MPI_ERR_TYPE : MPI_SUCCESS;
}
static int check_root(const mpl_comm *c, int root) {
  if (c->inter)
    return root == MPI_ROOT || root == MPI_PROC_NULL || (root >= 0 && root < c->remote_size) ? MPI_SUCCESS : MPI_ERR_ROOT;
  return root >= 0 && root < c->size ? MPI_SUCCESS : MPI_ERR_ROOT;
}
static bool at_root(const mpl_comm *c, int root) { return c->inter ? root == MPI_ROOT : c->rank == root; }
static int check_op(const mpl_op *op, const mpl_type *t) { return !op || op->magic != MPL_OP || op == MPI_OP_NULL ? MPI_ERR_OP : mpl_op_check(op, t); }
#define TRY(check) if (!rc) rc = (check)

#pragma clang diagnostic ignored "-Wunused-parameter" /* a check looks at some of the arguments only */
/* Defines MPI_NAME and MPI_INAME.  'checks' sets rc, 'build' fills s. */
#define COLLECTIVE(name, iname, arguments, checks, build)                                                            \
  static int check_##name(PARAMETERS_##name) { int rc = check_comm(comm); if (!rc) { checks } return rc; }           \
  static struct mpl_schedule *build_##name(PARAMETERS_##name) {                                                      \
    struct mpl_schedule *s = mpl_schedule_new(comm, MPL_COLLECTIVE_##name);                                                    \
    build return s;                                                                                                  \
  }                                                                                                                  \
  MPL_API(int, name, PARAMETERS_##name) {                                                                            \
    MPL_ENTER;                                                                                                       \
    int rc = check_##name arguments;                                                                                 \
    return rc ? mpl_error(comm, rc, "MPI_" #name) : mpl_schedule_run(build_##name arguments, "MPI_" #name, MPL_PLACE); \
  }                                                                                                                  \
  MPL_API(int, iname, PARAMETERS_##name, MPI_Request *request) {                                                     \
    MPL_ENTER;                                                                                                       \
    int rc = check_##name arguments;                                                                                 \
    if (rc)                                                                                                          \
      return mpl_error(comm, rc, "MPI_" #iname);                                                                     \
    *request = mpl_schedule_start(build_##name arguments, "MPI_" #iname, MPL_PLACE);                                 \
    return MPI_SUCCESS;                                                                                              \
  }

#define PARAMETERS_Barrier MPI_Comm comm
COLLECTIVE(Barrier, Ibarrier, (comm), , mpl_build_barrier(s, comm);)

#define PARAMETERS_Bcast void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm
COLLECTIVE(Bcast, Ibcast, (buf, count, type, root, comm), TRY(check_data(count, type)); TRY(check_root(comm, root));
           , mpl_build_bcast(s, comm, buf, count, type, root);)

#define SEND_PART const void *from, int nfrom, MPI_Datatype tfrom
#define PARAMETERS_Gather SEND_PART, void *to, int nto, MPI_Datatype tto, int root, MPI_Comm comm
COLLECTIVE(Gather, Igather, (from, nfrom, tfrom, to, nto, tto, root, comm), TRY(check_root(comm, root)); TRY(from == MPI_IN_PLACE || root == MPI_PROC_NULL || (comm->inter && root == MPI_ROOT) ? 0 : check_data(nfrom, tfrom));
           TRY(at_root(comm, root) ? check_data(nto, tto) : 0);, mpl_build_gather(s, comm, from, nfrom, tfrom, to, NULL, nto, NULL, tto, root);)

#define PARAMETERS_Gatherv SEND_PART, void *to, const int counts[], const int displs[], MPI_Datatype tto, int root, MPI_Comm comm
COLLECTIVE(Gatherv, Igatherv, (from, nfrom, tfrom, to, counts, displs, tto, root, comm), TRY(check_root(comm, root));
           TRY(at_root(comm, root) ? check_data(0, tto) : 0);, mpl_build_gather(s, comm, from, nfrom, tfrom, to, counts, 0, displs, tto, root);)

#define PARAMETERS_Scatter SEND_PART, void *to, int nto, MPI_Datatype tto, int root, MPI_Comm comm
COLLECTIVE(Scatter, Iscatter, (from, nfrom, tfrom, to, nto, tto, root, comm), TRY(check_root(comm, root));
           TRY(at_root(comm, root) ? check_data(nfrom, tfrom) : 0);, mpl_build_scatter(s, comm, from, NULL, nfrom, NULL, tfrom, to, nto, tto, root);)

#define PARAMETERS_Scatterv                                                                                          \
  const void *from, const int counts[], const int displs[], MPI_Datatype tfrom, void *to, int nto, MPI_Datatype tto, int root, MPI_Comm comm
COLLECTIVE(Scatterv, Iscatterv, (from, counts, displs, tfrom, to, nto, tto, root, comm), TRY(check_root(comm, root));
           TRY(at_root(comm, root) ? check_data(0, tfrom) : 0);, mpl_build_scatter(s, comm, from, counts, 0, displs, tfrom, to, nto, tto, root);)

#define PARAMETERS_Allgather SEND_PART, void *to, int nto, MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Allgather, Iallgather, (from, nfrom, tfrom, to, nto, tto, comm), TRY(check_data(nto, tto)); TRY(from == MPI_IN_PLACE ? 0 : check_data(nfrom, tfrom));
           , mpl_build_allgather(s, comm, from, nfrom, tfrom, to, NULL, nto, NULL, tto);)

#define PARAMETERS_Allgatherv SEND_PART, void *to, const int counts[], const int displs[], MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Allgatherv, Iallgatherv, (from, nfrom, tfrom, to, counts, displs, tto, comm), TRY(check_data(0, tto)); TRY(from == MPI_IN_PLACE ? 0 : check_data(nfrom, tfrom));
           , mpl_build_allgather(s, comm, from, nfrom, tfrom, to, counts, 0, displs, tto);)

#define SIDE(b, n, t) &(struct mpl_pieces){.buf = (char *)(uintptr_t)(b), .count = n, .type = t}
#define SIDEV(b, n, d, t) &(struct mpl_pieces){.buf = (char *)(uintptr_t)(b), .counts = n, .displs = d, .type = t}
#define SIDEW(b, n, d, t) &(struct mpl_pieces){.buf = (char *)(uintptr_t)(b), .counts = n, .displs = d, .types = t}
#define PARAMETERS_Alltoall SEND_PART, void *to, int nto, MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Alltoall, Ialltoall, (from, nfrom, tfrom, to, nto, tto, comm), TRY(check_data(nto, tto)); TRY(from == MPI_IN_PLACE ? 0 : check_data(nfrom, tfrom));
           , mpl_build_alltoall(s, comm, SIDE(from, nfrom, tfrom), SIDE(to, nto, tto));)

#define PARAMETERS_Alltoallv                                                                                         \
  const void *from, const int nfrom[], const int dfrom[], MPI_Datatype tfrom, void *to, const int nto[], const int dto[], MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Alltoallv, Ialltoallv, (from, nfrom, dfrom, tfrom, to, nto, dto, tto, comm), TRY(check_data(0, tto));
           , mpl_build_alltoall(s, comm, SIDEV(from, nfrom, dfrom, tfrom), SIDEV(to, nto, dto, tto));)

#define PARAMETERS_Alltoallw                                                                                         \
  const void *from, const int nfrom[], const int dfrom[], const MPI_Datatype tfrom[], void *to, const int nto[], const int dto[], const MPI_Datatype tto[], MPI_Comm comm
COLLECTIVE(Alltoallw, Ialltoallw, (from, nfrom, dfrom, tfrom, to, nto, dto, tto, comm), ,
           mpl_build_alltoall(s, comm, SIDEW(from, nfrom, dfrom, tfrom), SIDEW(to, nto, dto, tto));)

#define PARAMETERS_Reduce const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm
COLLECTIVE(Reduce, Ireduce, (from, to, count, type, op, root, comm), TRY(check_data(count, type)); TRY(check_root(comm, root)); TRY(check_op(op, type));
           , mpl_build_reduce(s, comm, from, to, count, type, op, root);)

#define PARAMETERS_Allreduce const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
COLLECTIVE(Allreduce, Iallreduce, (from, to, count, type, op, comm), TRY(check_data(count, type)); TRY(check_op(op, type));
           , mpl_build_allreduce(s, comm, from, to, count, type, op);)

#define PARAMETERS_Reduce_scatter const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm
COLLECTIVE(Reduce_scatter, Ireduce_scatter, (from, to, counts, type, op, comm), TRY(check_data(0, type)); TRY(check_op(op, type));
           , mpl_build_reduce_scatter(s, comm, from, to, counts, 0, type, op);)

#define PARAMETERS_Reduce_scatter_block const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, (from, to, count, type, op, comm), TRY(check_data(count, type)); TRY(check_op(op, type));
           , mpl_build_reduce_scatter(s, comm, from, to, NULL, count, type, op);)

#define PARAMETERS_Scan const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
COLLECTIVE(Scan, Iscan, (from, to, count, type, op, comm), TRY(check_data(count, type)); TRY(check_op(op, type)); TRY(comm->inter ? MPI_ERR_COMM : 0);
           , mpl_build_scan(s, comm, from, to, count, type, op, false);)
#define PARAMETERS_Exscan const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm
COLLECTIVE(Exscan, Iexscan, (from, to, count, type, op, comm), TRY(check_data(count, type)); TRY(check_op(op, type)); TRY(comm->inter ? MPI_ERR_COMM : 0);
           , mpl_build_scan(s, comm, from, to, count, type, op, true);)

/* --- neighbours --- */

/* One message to each, one from each. */
static void neighbours(struct mpl_schedule *s, mpl_comm *c, const struct mpl_pieces *from, bool same, const struct mpl_pieces *to) {
  struct mpl_neighbours n;
  mpl_neighbours(c, &n);
  for (int i = 0; i < n.nin; i++)
    mpl_add_recv(s, mpl_piece_at(to, i), mpl_piece_count(to, i), mpl_piece_type(to, i), n.in[i]);
  /* A rank that is the neighbour on both sides gets two messages: first the one for its lower side. */
  bool cartesian = c->topology->kind == MPI_CART;
  for (int k = 0; k < n.nout; k++) {
    int i = cartesian ? k ^ 1 : k;
    mpl_add_send(s, mpl_piece_at(from, same ? 0 : i), mpl_piece_count(from, same ? 0 : i), mpl_piece_type(from, same ? 0 : i), n.out[i]);
  }
  mpl_neighbours_free(&n);
}

static int check_topology(const mpl_comm *c) { return c->topology ? MPI_SUCCESS : MPI_ERR_TOPOLOGY; }

#define PARAMETERS_Neighbor_allgather SEND_PART, void *to, int nto, MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, (from, nfrom, tfrom, to, nto, tto, comm), TRY(check_topology(comm));
           , neighbours(s, comm, SIDE(from, nfrom, tfrom), true, SIDE(to, nto, tto));)
#define PARAMETERS_Neighbor_allgatherv SEND_PART, void *to, const int nto[], const int dto[], MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, (from, nfrom, tfrom, to, nto, dto, tto, comm), TRY(check_topology(comm));
           , neighbours(s, comm, SIDE(from, nfrom, tfrom), true, SIDEV(to, nto, dto, tto));)
#define PARAMETERS_Neighbor_alltoall SEND_PART, void *to, int nto, MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, (from, nfrom, tfrom, to, nto, tto, comm), TRY(check_topology(comm));
           , neighbours(s, comm, SIDE(from, nfrom, tfrom), false, SIDE(to, nto, tto));)
#define PARAMETERS_Neighbor_alltoallv                                                                                \
  const void *from, const int nfrom[], const int dfrom[], MPI_Datatype tfrom, void *to, const int nto[], const int dto[], MPI_Datatype tto, MPI_Comm comm
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, (from, nfrom, dfrom, tfrom, to, nto, dto, tto, comm), TRY(check_topology(comm));
           , neighbours(s, comm, SIDEV(from, nfrom, dfrom, tfrom), false, SIDEV(to, nto, dto, tto));)
#define SIDEA(b, n, d, t) &(struct mpl_pieces){.buf = (char *)(uintptr_t)(b), .counts = n, .adispls = d, .types = t}
#define PARAMETERS_Neighbor_alltoallw                                                                                \
  const void *from, const int nfrom[], const MPI_Aint dfrom[], const MPI_Datatype tfrom[], void *to, const int nto[], const MPI_Aint dto[], const MPI_Datatype tto[], MPI_Comm comm
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, (from, nfrom, dfrom, tfrom, to, nto, dto, tto, comm), TRY(check_topology(comm));
           , neighbours(s, comm, SIDEA(from, nfrom, dfrom, tfrom), false, SIDEA(to, nto, dto, tto));)
