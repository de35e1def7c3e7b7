#include "mpir/mpi/topology.h"
#include "mpir/mpi/comm.h"
#include "mpir/mpi/core.h"
#include <stdlib.h>
#include <string.h>

static int *ints(const int *from, int n) {
  int *p = malloc((size_t)(n > 0 ? n : 1) * sizeof(int));
  if (n > 0 && from)
    memcpy(p, from, (size_t)n * sizeof(int));
  return p;
}

struct mpl_topology *mpl_topology_copy(const struct mpl_topology *t) {
  if (!t)
    return NULL;
  struct mpl_topology *n = malloc(sizeof(*n));
  *n = *t;
  n->dims = ints(t->dims, t->ndims);
  n->periods = ints(t->periods, t->ndims);
  n->index = ints(t->index, t->nnodes);
  n->edges = ints(t->edges, t->nedges);
  n->in = ints(t->in, t->nin);
  n->out = ints(t->out, t->nout);
  n->inweights = t->inweights ? ints(t->inweights, t->nin) : NULL;
  n->outweights = t->outweights ? ints(t->outweights, t->nout) : NULL;
  return n;
}

void mpl_topology_free(struct mpl_topology *t) {
  if (!t)
    return;
  free(t->dims);
  free(t->periods);
  free(t->index);
  free(t->edges);
  free(t->in);
  free(t->out);
  free(t->inweights);
  free(t->outweights);
  free(t);
}

static int bad(const struct ompi_communicator_t *c) { return !c || c->magic != MPL_COMM || c == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_SUCCESS; }
static int bad_kind(const struct ompi_communicator_t *c, int kind) {
  return bad(c) ? MPI_ERR_COMM : !c->topology || c->topology->kind != kind ? MPI_ERR_TOPOLOGY : MPI_SUCCESS;
}
#define FAIL(c, rc, call) if (rc) return mpl_error(bad(c) ? NULL : c, rc, call)

/* The first 'n' ranks of 'c' as a communicator with topology 't' (copied); MPI_COMM_NULL for the others. */
static int make(struct ompi_communicator_t *c, int n, const struct mpl_topology *t, struct ompi_communicator_t **result) {
  uint32_t context = mpl_context_agree(c);
  *result = MPI_COMM_NULL;
  if (c->rank >= n)
    return MPI_SUCCESS;
  struct ompi_group_t *g = mpl_group_new(n);
  memcpy(g->members, c->group->members, (size_t)n * sizeof(int));
  g = mpl_group_ready(g);
  *result = mpl_comm_new(g, context, c);
  (*result)->topology = mpl_topology_copy(t);
  mpl_group_release(g);
  return MPI_SUCCESS;
}

/* --- cartesian --- */

MPL_API(int, Cart_create, MPI_Comm c, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *result) {
  MPL_ENTER;
  (void)reorder;
  int rc = bad(c) ? MPI_ERR_COMM : c->inter ? MPI_ERR_COMM : ndims < 0 ? MPI_ERR_DIMS : MPI_SUCCESS;
  FAIL(c, rc, "MPI_Cart_create");
  long n = 1;
  for (int i = 0; i < ndims; i++) {
    FAIL(c, dims[i] < 1 ? MPI_ERR_DIMS : 0, "MPI_Cart_create");
    n *= dims[i];
  }
  FAIL(c, n > c->size ? MPI_ERR_DIMS : 0, "MPI_Cart_create");
  struct mpl_topology t = {.kind = MPI_CART, .ndims = ndims, .dims = (int *)(uintptr_t)dims, .periods = (int *)(uintptr_t)periods};
  return make(c, (int)n, &t, result);
}

static void coords_of(const struct mpl_topology *t, int rank, int *coords) {
  for (int i = t->ndims - 1; i >= 0; i--) {
    coords[i] = rank % t->dims[i];
    rank /= t->dims[i];
  }
}

/* Also what 'shift' asks: MPI_PROC_NULL beyond an edge. */
static int rank_of(const struct mpl_topology *t, const int *coords, bool *outside) {
  int rank = 0;
  *outside = false;
  for (int i = 0; i < t->ndims; i++) {
    int d = t->dims[i], x = coords[i];
    if (t->periods[i])
      x = ((x % d) + d) % d;
    else if (x < 0 || x >= d)
      *outside = true;
    rank = rank * d + x;
  }
  return *outside ? MPI_PROC_NULL : rank;
}

MPL_API(int, Cartdim_get, MPI_Comm c, int *ndims) {
  FAIL(c, bad_kind(c, MPI_CART), "MPI_Cartdim_get");
  *ndims = c->topology->ndims;
  return MPI_SUCCESS;
}

MPL_API(int, Cart_get, MPI_Comm c, int max, int dims[], int periods[], int coords[]) {
  FAIL(c, bad_kind(c, MPI_CART), "MPI_Cart_get");
  const struct mpl_topology *t = c->topology;
  FAIL(c, max < t->ndims ? MPI_ERR_ARG : 0, "MPI_Cart_get");
  if (!t->ndims)
    return MPI_SUCCESS;
  memcpy(dims, t->dims, (size_t)t->ndims * sizeof(int));
  memcpy(periods, t->periods, (size_t)t->ndims * sizeof(int));
  coords_of(t, c->rank, coords);
  return MPI_SUCCESS;
}

MPL_API(int, Cart_rank, MPI_Comm c, const int coords[], int *rank) {
  FAIL(c, bad_kind(c, MPI_CART), "MPI_Cart_rank");
  bool outside;
  *rank = rank_of(c->topology, coords, &outside);
  FAIL(c, outside ? MPI_ERR_ARG : 0, "MPI_Cart_rank");
  return MPI_SUCCESS;
}

MPL_API(int, Cart_coords, MPI_Comm c, int rank, int max, int coords[]) {
  FAIL(c, bad_kind(c, MPI_CART), "MPI_Cart_coords");
  FAIL(c, rank < 0 || rank >= c->size ? MPI_ERR_RANK : max < c->topology->ndims ? MPI_ERR_DIMS : 0, "MPI_Cart_coords");
  coords_of(c->topology, rank, coords);
  return MPI_SUCCESS;
}

static void shift(const struct mpl_topology *t, int rank, int dim, int by, int *source, int *dest) {
  int *coords = ints(NULL, t->ndims), *moved;
  bool outside;
  coords_of(t, rank, coords);
  moved = ints(coords, t->ndims);
  moved[dim] = coords[dim] + by;
  *dest = rank_of(t, moved, &outside);
  moved[dim] = coords[dim] - by;
  *source = rank_of(t, moved, &outside);
  free(coords);
  free(moved);
}

MPL_API(int, Cart_shift, MPI_Comm c, int dim, int by, int *source, int *dest) {
  FAIL(c, bad_kind(c, MPI_CART), "MPI_Cart_shift");
  FAIL(c, dim < 0 || dim >= c->topology->ndims ? MPI_ERR_DIMS : 0, "MPI_Cart_shift");
  shift(c->topology, c->rank, dim, by, source, dest);
  return MPI_SUCCESS;
}

MPL_API(int, Cart_sub, MPI_Comm c, const int remain[], MPI_Comm *result) {
  MPL_ENTER;
  FAIL(c, bad_kind(c, MPI_CART), "MPI_Cart_sub");
  const struct mpl_topology *t = c->topology;
  int *coords = ints(NULL, t->ndims), *dims = ints(NULL, t->ndims), *periods = ints(NULL, t->ndims), color = 0, key = 0, n = 0;
  coords_of(t, c->rank, coords);
  for (int i = 0; i < t->ndims; i++)
    if (remain[i]) {
      key = key * t->dims[i] + coords[i];
      dims[n] = t->dims[i];
      periods[n++] = t->periods[i];
    } else {
      color = color * t->dims[i] + coords[i];
    }
  int rc = PMPI_Comm_split(c, color, key, result);
  if (!rc) {
    struct mpl_topology sub = {.kind = MPI_CART, .ndims = n, .dims = dims, .periods = periods};
    (*result)->topology = mpl_topology_copy(&sub);
  }
  free(coords);
  free(dims);
  free(periods);
  return rc;
}

MPL_API(int, Cart_map, MPI_Comm c, int ndims, const int dims[], const int periods[], int *rank) {
  (void)periods;
  FAIL(c, bad(c), "MPI_Cart_map");
  int n = 1;
  for (int i = 0; i < ndims; i++) {
    FAIL(c, dims[i] < 1 ? MPI_ERR_DIMS : 0, "MPI_Cart_map");
    n *= dims[i];
  }
  *rank = c->rank < n ? c->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

static int by_size(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

/* As square as can be: primes, the largest first, each to the smallest dimension. */
MPL_API(int, Dims_create, int nnodes, int ndims, int dims[]) {
  int rest = nnodes, open = 0;
  FAIL(NULL, nnodes < 1 || ndims < 0 ? MPI_ERR_DIMS : 0, "MPI_Dims_create");
  for (int i = 0; i < ndims; i++) {
    FAIL(NULL, dims[i] < 0 || (dims[i] && rest % dims[i]) ? MPI_ERR_DIMS : 0, "MPI_Dims_create");
    if (dims[i])
      rest /= dims[i];
    open += !dims[i];
  }
  FAIL(NULL, !open && rest != 1 ? MPI_ERR_DIMS : 0, "MPI_Dims_create");
  if (!open)
    return MPI_SUCCESS;
  int *sizes = ints(NULL, open), primes[32], nprimes = 0;
  for (int p = 2; rest > 1; p = (long)p * p > rest && rest % p ? rest : p + (rest % p != 0))
    if (rest % p == 0) {
      primes[nprimes++] = p;
      rest /= p;
    }
  for (int i = 0; i < open; i++)
    sizes[i] = 1;
  while (nprimes > 0) {
    int least = 0;
    for (int i = 1; i < open; i++)
      if (sizes[i] < sizes[least])
        least = i;
    sizes[least] *= primes[--nprimes];
  }
  qsort(sizes, (size_t)open, sizeof(int), by_size);
  for (int i = 0, k = 0; i < ndims; i++)
    if (!dims[i])
      dims[i] = sizes[k++];
  free(sizes);
  return MPI_SUCCESS;
}

/* --- graphs --- */

MPL_API(int, Graph_create, MPI_Comm c, int n, const int index[], const int edges[], int reorder, MPI_Comm *result) {
  MPL_ENTER;
  (void)reorder;
  FAIL(c, bad(c), "MPI_Graph_create");
  FAIL(c, n < 0 || n > c->size ? MPI_ERR_ARG : 0, "MPI_Graph_create");
  struct mpl_topology t = {.kind = MPI_GRAPH, .nnodes = n, .nedges = n ? index[n - 1] : 0, .index = (int *)(uintptr_t)index, .edges = (int *)(uintptr_t)edges};
  return make(c, n, &t, result);
}

MPL_API(int, Graphdims_get, MPI_Comm c, int *nnodes, int *nedges) {
  FAIL(c, bad_kind(c, MPI_GRAPH), "MPI_Graphdims_get");
  *nnodes = c->topology->nnodes;
  *nedges = c->topology->nedges;
  return MPI_SUCCESS;
}

static int least(int a, int b) { return a < b ? a : b; }

MPL_API(int, Graph_get, MPI_Comm c, int maxindex, int maxedges, int index[], int edges[]) {
  FAIL(c, bad_kind(c, MPI_GRAPH), "MPI_Graph_get");
  memcpy(index, c->topology->index, (size_t)least(maxindex, c->topology->nnodes) * sizeof(int));
  memcpy(edges, c->topology->edges, (size_t)least(maxedges, c->topology->nedges) * sizeof(int));
  return MPI_SUCCESS;
}

static int *graph_edges(const struct mpl_topology *t, int rank, int *n) {
  int begin = rank ? t->index[rank - 1] : 0;
  *n = t->index[rank] - begin;
  return t->edges + begin;
}

MPL_API(int, Graph_neighbors_count, MPI_Comm c, int rank, int *count) {
  FAIL(c, bad_kind(c, MPI_GRAPH), "MPI_Graph_neighbors_count");
  FAIL(c, rank < 0 || rank >= c->size ? MPI_ERR_RANK : 0, "MPI_Graph_neighbors_count");
  graph_edges(c->topology, rank, count);
  return MPI_SUCCESS;
}

MPL_API(int, Graph_neighbors, MPI_Comm c, int rank, int max, int neighbours[]) {
  FAIL(c, bad_kind(c, MPI_GRAPH), "MPI_Graph_neighbors");
  FAIL(c, rank < 0 || rank >= c->size ? MPI_ERR_RANK : 0, "MPI_Graph_neighbors");
  int n, *edges = graph_edges(c->topology, rank, &n);
  memcpy(neighbours, edges, (size_t)least(n, max) * sizeof(int));
  return MPI_SUCCESS;
}

MPL_API(int, Graph_map, MPI_Comm c, int n, const int index[], const int edges[], int *rank) {
  (void)index, (void)edges;
  FAIL(c, bad(c), "MPI_Graph_map");
  *rank = c->rank < n ? c->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* --- distributed graphs --- */

static int *weights_of(const int *w, int n) { return w == MPI_UNWEIGHTED || w == MPI_WEIGHTS_EMPTY ? NULL : ints(w, n); }

MPL_API(int, Dist_graph_create_adjacent, MPI_Comm c, int nin, const int in[], const int inweights[], int nout, const int out[], const int outweights[],
        MPI_Info info, int reorder, MPI_Comm *result) {
  MPL_ENTER;
  (void)info, (void)reorder;
  FAIL(c, bad(c) ? MPI_ERR_COMM : nin < 0 || nout < 0 ? MPI_ERR_ARG : 0, "MPI_Dist_graph_create_adjacent");
  struct mpl_topology t = {.kind = MPI_DIST_GRAPH, .nin = nin, .nout = nout, .in = (int *)(uintptr_t)in, .out = (int *)(uintptr_t)out,
                           .weighted = inweights != MPI_UNWEIGHTED || outweights != MPI_UNWEIGHTED};
  t.inweights = weights_of(inweights, nin);
  t.outweights = weights_of(outweights, nout);
  int rc = make(c, c->size, &t, result);
  free(t.inweights);
  free(t.outweights);
  return rc;
}

struct edge { int from, to, weight; };

/* Everybody learns of all edges: for graphs of the sizes that one segment holds. */
MPL_API(int, Dist_graph_create, MPI_Comm c, int n, const int nodes[], const int degrees[], const int targets[], const int weights[], MPI_Info info,
        int reorder, MPI_Comm *result) {
  MPL_ENTER;
  (void)info, (void)reorder;
  FAIL(c, bad(c) ? MPI_ERR_COMM : n < 0 ? MPI_ERR_ARG : 0, "MPI_Dist_graph_create");
  int mine = 0, *counts = ints(NULL, c->size), *displs = ints(NULL, c->size), all = 0;
  for (int i = 0; i < n; i++)
    mine += degrees[i];
  struct edge *edges = malloc(((size_t)mine + 1) * sizeof(*edges));
  bool weighted = weights != MPI_UNWEIGHTED;
  for (int i = 0, k = 0; i < n; i++)
    for (int j = 0; j < degrees[i]; j++, k++)
      edges[k] = (struct edge){nodes[i], targets[k], weighted && weights != MPI_WEIGHTS_EMPTY ? weights[k] : 1};
  int bytes = mine * (int)sizeof(*edges);
  PMPI_Allgather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, c);
  for (int i = 0; i < c->size; i++) {
    displs[i] = all;
    all += counts[i];
  }
  struct edge *every = malloc((size_t)all + 1);
  PMPI_Allgatherv(edges, bytes, MPI_BYTE, every, counts, displs, MPI_BYTE, c);
  int total = all / (int)sizeof(*every);
  struct mpl_topology t = {.kind = MPI_DIST_GRAPH, .weighted = weighted};
  t.in = ints(NULL, total), t.out = ints(NULL, total), t.inweights = ints(NULL, total), t.outweights = ints(NULL, total);
  for (int i = 0; i < total; i++) {
    if (every[i].to == c->rank)
      t.inweights[t.nin] = every[i].weight, t.in[t.nin++] = every[i].from;
    if (every[i].from == c->rank)
      t.outweights[t.nout] = every[i].weight, t.out[t.nout++] = every[i].to;
  }
  int rc = make(c, c->size, &t, result);
  free(t.in), free(t.out), free(t.inweights), free(t.outweights), free(edges), free(every), free(counts), free(displs);
  return rc;
}

MPL_API(int, Dist_graph_neighbors_count, MPI_Comm c, int *nin, int *nout, int *weighted) {
  FAIL(c, bad_kind(c, MPI_DIST_GRAPH), "MPI_Dist_graph_neighbors_count");
  *nin = c->topology->nin;
  *nout = c->topology->nout;
  *weighted = c->topology->weighted;
  return MPI_SUCCESS;
}

static void give(int n, int max, const int *ranks, const int *weights, int *to, int *toweights) {
  n = least(n, max);
  memcpy(to, ranks, (size_t)n * sizeof(int));
  if (weights && toweights != MPI_UNWEIGHTED && toweights != MPI_WEIGHTS_EMPTY)
    memcpy(toweights, weights, (size_t)n * sizeof(int));
}

MPL_API(int, Dist_graph_neighbors, MPI_Comm c, int maxin, int in[], int inweights[], int maxout, int out[], int outweights[]) {
  FAIL(c, bad_kind(c, MPI_DIST_GRAPH), "MPI_Dist_graph_neighbors");
  const struct mpl_topology *t = c->topology;
  give(t->nin, maxin, t->in, t->inweights, in, inweights);
  give(t->nout, maxout, t->out, t->outweights, out, outweights);
  return MPI_SUCCESS;
}

MPL_API(int, Topo_test, MPI_Comm c, int *status) {
  FAIL(c, bad(c), "MPI_Topo_test");
  *status = c->topology ? c->topology->kind : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* --- for neighbourhood collectives --- */

void mpl_neighbours(const struct ompi_communicator_t *c, struct mpl_neighbours *n) {
  const struct mpl_topology *t = c->topology;
  if (t->kind == MPI_DIST_GRAPH) {
    *n = (struct mpl_neighbours){t->nin, t->nout, ints(t->in, t->nin), ints(t->out, t->nout)};
  } else if (t->kind == MPI_GRAPH) {
    int count, *edges = graph_edges(t, c->rank, &count);
    *n = (struct mpl_neighbours){count, count, ints(edges, count), ints(edges, count)};
  } else {
    *n = (struct mpl_neighbours){2 * t->ndims, 2 * t->ndims, ints(NULL, 2 * t->ndims), ints(NULL, 2 * t->ndims)};
    for (int i = 0; i < t->ndims; i++)
      shift(t, c->rank, i, 1, &n->in[2 * i], &n->in[2 * i + 1]);
    memcpy(n->out, n->in, (size_t)(2 * t->ndims) * sizeof(int));
  }
}

void mpl_neighbours_free(struct mpl_neighbours *n) {
  free(n->in);
  free(n->out);
}
