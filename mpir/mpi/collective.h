/* Builders of collective operations: each adds the rounds of one operation to a schedule.  They are used by the calls of MPI, and by what communicators agree on. */
#ifndef MPL_COLLECTIVE_H
#define MPL_COLLECTIVE_H
#include "mpir/mpi/schedule.h"

typedef struct ompi_datatype_t mpl_type;
typedef struct ompi_op_t mpl_op;
void mpl_build_barrier(struct mpl_schedule *s, struct ompi_communicator_t *c);
void mpl_build_bcast(struct mpl_schedule *s, struct ompi_communicator_t *c, void *buf, int count, mpl_type *t, int root);
void mpl_build_gather(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, int nfrom, mpl_type *tfrom, void *to, const int *counts,
                      int count, const int *displs, mpl_type *tto, int root);
void mpl_build_scatter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, const int *counts, int count, const int *displs,
                       mpl_type *tfrom, void *to, int nto, mpl_type *tto, int root);
void mpl_build_allgather(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, int nfrom, mpl_type *tfrom, void *to,
                         const int *counts, int count, const int *displs, mpl_type *tto);
void mpl_build_reduce(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op, int root);
void mpl_build_allreduce(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op);
void mpl_build_reduce_scatter(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, const int *counts, int count,
                              mpl_type *t, mpl_op *op);
void mpl_build_scan(struct mpl_schedule *s, struct ompi_communicator_t *c, const void *from, void *to, int count, mpl_type *t, mpl_op *op,
                    bool exclusive);
/* One side of an all-to-all: the piece for or from rank i. */
struct mpl_pieces {
  char *buf;
  int count;         /* of each, where 'counts' is NULL */
  const int *counts;
  const int *displs; /* NULL: one behind the other */
  const MPI_Aint *adispls;
  mpl_type *type;
  mpl_type *const *types; /* displs count bytes then */
};
void mpl_build_alltoall(struct mpl_schedule *s, struct ompi_communicator_t *c, const struct mpl_pieces *from, const struct mpl_pieces *to);
static inline int mpl_piece_count(const struct mpl_pieces *p, int i) { return p->counts ? p->counts[i] : p->count; }
static inline mpl_type *mpl_piece_type(const struct mpl_pieces *p, int i) { return p->types ? p->types[i] : p->type; }
char *mpl_piece_at(const struct mpl_pieces *p, int i);
#endif
