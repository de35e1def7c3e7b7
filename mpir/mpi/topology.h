/* Cartesian, graph and distributed-graph topologies of communicators. */
#ifndef MPL_TOPOLOGY_H
#define MPL_TOPOLOGY_H
#include "mpir/mpi/object.h"

struct mpl_topology {
  int kind; /* MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH */
  int ndims, *dims, *periods;          /* cartesian */
  int nnodes, nedges, *index, *edges;  /* graph */
  int nin, nout, *in, *out, *inweights, *outweights; /* distributed graph; weights may be NULL */
  bool weighted;
};
struct mpl_neighbours { int nin, nout, *in, *out; };

/* Ranks in the order that neighbourhood collectives use. */
void mpl_neighbours(const struct ompi_communicator_t *c, struct mpl_neighbours *n);
void mpl_neighbours_free(struct mpl_neighbours *n);
struct mpl_topology *mpl_topology_copy(const struct mpl_topology *t);
void mpl_topology_free(struct mpl_topology *t);
#endif
