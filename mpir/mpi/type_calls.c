/* The calls that make datatypes and ask about them. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/comm.h"
#include "mpir/mpi/predefined.h"
#include <stdlib.h>
#include <string.h>

typedef struct ompi_datatype_t mpl_type;
static int bad(const mpl_type *t) { return !t || t->magic != MPL_TYPE || t == MPI_DATATYPE_NULL ? MPI_ERR_TYPE : MPI_SUCCESS; }
#define FAIL(rc, call) do { int rc_ = (rc); if (rc_) return mpl_error(NULL, rc_, call); } while (0)
static MPI_Aint extent(const mpl_type *t) { return t->ub - t->lb; }
static int check(int count, const mpl_type *t) { return count < 0 ? MPI_ERR_COUNT : bad(t); }

static int *ints(const int *head, int nhead, const int *a, const int *b, int n, int *total) {
  *total = nhead + (a ? n : 0) + (b ? n : 0);
  int *all = malloc(((size_t)*total + 1) * sizeof(int));
  memcpy(all, head, (size_t)nhead * sizeof(int));
  if (a)
    memcpy(all + nhead, a, (size_t)n * sizeof(int));
  if (b)
    memcpy(all + nhead + n, b, (size_t)n * sizeof(int));
  return all;
}

MPL_API(int, Type_contiguous, int count, MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(check(count, old), "MPI_Type_contiguous");
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_CONTIGUOUS);
  mpl_type_vector(t, 1, count, 0, old);
  mpl_type_contents(t, 1, &count, 0, NULL, 1, &old);
  return MPI_SUCCESS;
}

MPL_API(int, Type_vector, int count, int blocklen, int stride, MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(blocklen < 0 ? MPI_ERR_ARG : check(count, old), "MPI_Type_vector");
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_VECTOR);
  mpl_type_vector(t, count, blocklen, stride * extent(old), old);
  mpl_type_contents(t, 3, (int[]){count, blocklen, stride}, 0, NULL, 1, &old);
  return MPI_SUCCESS;
}

static int hvector(int count, int blocklen, MPI_Aint stride, mpl_type *old, mpl_type **new, const char *call) {
  FAIL(blocklen < 0 ? MPI_ERR_ARG : check(count, old), call);
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_HVECTOR);
  mpl_type_vector(t, count, blocklen, stride, old);
  mpl_type_contents(t, 2, (int[]){count, blocklen}, 1, &stride, 1, &old);
  return MPI_SUCCESS;
}
MPL_API(int, Type_create_hvector, int count, int blocklen, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  return hvector(count, blocklen, stride, old, new, "MPI_Type_create_hvector");
}

static int check_lens(int count, const int *lens, const mpl_type *t) {
  int rc = check(count, t);
  for (int i = 0; i < count && !rc; i++)
    if (lens[i] < 0)
      rc = MPI_ERR_ARG;
  return rc;
}

MPL_API(int, Type_indexed, int count, const int lens[], const int displs[], MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(check_lens(count, lens, old), "MPI_Type_indexed");
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_INDEXED);
  MPI_Aint *bytes = malloc(((size_t)count + 1) * sizeof(*bytes));
  for (int i = 0; i < count; i++)
    bytes[i] = displs[i] * extent(old);
  mpl_type_blocks(t, count, lens, bytes, NULL, old);
  int n, *all = ints(&count, 1, lens, displs, count, &n);
  mpl_type_contents(t, n, all, 0, NULL, 1, &old);
  free(all);
  free(bytes);
  return MPI_SUCCESS;
}

static int hindexed(int count, const int lens[], const MPI_Aint displs[], mpl_type *old, mpl_type **new, const char *call) {
  FAIL(check_lens(count, lens, old), call);
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_HINDEXED);
  mpl_type_blocks(t, count, lens, displs, NULL, old);
  int n, *all = ints(&count, 1, lens, NULL, count, &n);
  mpl_type_contents(t, n, all, count, displs, 1, &old);
  free(all);
  return MPI_SUCCESS;
}
MPL_API(int, Type_create_hindexed, int count, const int lens[], const MPI_Aint displs[], MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  return hindexed(count, lens, displs, old, new, "MPI_Type_create_hindexed");
}

/* Blocks of one length. */
static int blocks(int count, int blocklen, const MPI_Aint *bytes, mpl_type *old, int combiner, const int *displs, mpl_type **new) {
  int *lens = malloc(((size_t)count + 1) * sizeof(int)), n;
  for (int i = 0; i < count; i++)
    lens[i] = blocklen;
  mpl_type *t = *new = mpl_type_new(combiner);
  mpl_type_blocks(t, count, lens, bytes, NULL, old);
  int *all = ints((int[]){count, blocklen}, 2, displs, NULL, count, &n);
  mpl_type_contents(t, n, all, displs ? 0 : count, displs ? NULL : bytes, 1, &old);
  free(all);
  free(lens);
  return MPI_SUCCESS;
}

MPL_API(int, Type_create_indexed_block, int count, int blocklen, const int displs[], MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(blocklen < 0 ? MPI_ERR_ARG : check(count, old), "MPI_Type_create_indexed_block");
  MPI_Aint *bytes = malloc(((size_t)count + 1) * sizeof(*bytes));
  for (int i = 0; i < count; i++)
    bytes[i] = displs[i] * extent(old);
  blocks(count, blocklen, bytes, old, MPI_COMBINER_INDEXED_BLOCK, displs, new);
  free(bytes);
  return MPI_SUCCESS;
}

MPL_API(int, Type_create_hindexed_block, int count, int blocklen, const MPI_Aint displs[], MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(blocklen < 0 ? MPI_ERR_ARG : check(count, old), "MPI_Type_create_hindexed_block");
  return blocks(count, blocklen, displs, old, MPI_COMBINER_HINDEXED_BLOCK, NULL, new);
}

/* MPI_LB and MPI_UB of MPI-1 set bounds. */
static void old_markers(mpl_type *t, int count, const MPI_Aint displs[], mpl_type *const types[]) {
  bool low = false, high = false;
  for (int i = 0; i < count; i++) {
    if (types[i] == &ompi_mpi_lb.object && (!low || displs[i] < t->lb))
      t->lb = displs[i], low = true;
    if (types[i] == &ompi_mpi_ub.object && (!high || displs[i] > t->ub))
      t->ub = displs[i], high = true;
  }
}

/* As a C compiler lays out what follows one (MPI 3.1, 4.1.6: the extent is rounded up to the alignment). */
static void pad(mpl_type *t) {
  MPI_Aint rest = t->align ? (t->ub - t->lb) % t->align : 0;
  if (rest)
    t->ub += t->align - rest;
}

static int make_struct(int count, const int lens[], const MPI_Aint displs[], mpl_type *const types[], mpl_type **new, const char *call) {
  FAIL(count < 0 ? MPI_ERR_COUNT : 0, call);
  for (int i = 0; i < count; i++)
    FAIL(lens[i] < 0 ? MPI_ERR_ARG : bad(types[i]), call);
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_STRUCT);
  mpl_type_blocks(t, count, lens, displs, types, NULL);
  pad(t);
  old_markers(t, count, displs, types);
  int n, *all = ints(&count, 1, lens, NULL, count, &n);
  mpl_type_contents(t, n, all, count, displs, count, types);
  free(all);
  return MPI_SUCCESS;
}
MPL_API(int, Type_create_struct, int count, const int lens[], const MPI_Aint displs[], const MPI_Datatype types[], MPI_Datatype *new) {
  MPL_ENTER;
  return make_struct(count, lens, displs, types, new, "MPI_Type_create_struct");
}

MPL_API(int, Type_create_resized, MPI_Datatype old, MPI_Aint lb, MPI_Aint size, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(bad(old), "MPI_Type_create_resized");
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_RESIZED);
  mpl_type_vector(t, 1, 1, 0, old);
  mpl_type_contents(t, 0, NULL, 2, (MPI_Aint[]){lb, size}, 1, &old);
  t->lb = lb;
  t->ub = lb + size;
  return MPI_SUCCESS;
}

MPL_API(int, Type_dup, MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(bad(old), "MPI_Type_dup");
  mpl_type *t = *new = mpl_type_new(MPI_COMBINER_DUP);
  mpl_type_vector(t, 1, 1, 0, old);
  mpl_type_contents(t, 0, NULL, 0, NULL, 1, &old);
  t->lb = old->lb;
  t->ub = old->ub;
  t->committed = old->committed;
  t->basic = old->basic;
  t->attrs_at = &t->attrs;
  int rc = mpl_attrs_copy(old, old->attrs, &t->attrs);
  if (rc) {
    mpl_type_release(t);
    *new = MPI_DATATYPE_NULL;
  }
  FAIL(rc, "MPI_Type_dup");
  return MPI_SUCCESS;
}

/* 'child' with bounds [0, size): takes over the reference to it. */
static mpl_type *resized(mpl_type *child, MPI_Aint lb, MPI_Aint size) {
  mpl_type *t = mpl_type_new(MPI_COMBINER_RESIZED);
  mpl_type_vector(t, 1, 1, 0, child);
  t->lb = lb;
  t->ub = lb + size;
  mpl_type_release(child);
  return t;
}

static mpl_type *moved(mpl_type *child, MPI_Aint by) {
  mpl_type *t = mpl_type_new(MPI_COMBINER_HINDEXED);
  mpl_type_blocks(t, 1, (int[]){1}, &by, NULL, child);
  mpl_type_release(child);
  return t;
}

static mpl_type *vector_of(mpl_type *child, MPI_Aint count, MPI_Aint stride) {
  mpl_type *t = mpl_type_new(MPI_COMBINER_HVECTOR);
  mpl_type_vector(t, count, 1, stride, child);
  mpl_type_release(child);
  return t;
}

/* The last dimension (in order C), or the first (Fortran), varies fastest. */
static int dimension(int k, int ndims, int order) { return order == MPI_ORDER_C ? ndims - 1 - k : k; }

MPL_API(int, Type_create_subarray, int ndims, const int sizes[], const int subsizes[], const int starts[], int order, MPI_Datatype old,
        MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(ndims < 1 ? MPI_ERR_ARG : bad(old), "MPI_Type_create_subarray");
  FAIL(order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN ? MPI_ERR_ARG : 0, "MPI_Type_create_subarray");
  for (int i = 0; i < ndims; i++)
    FAIL(subsizes[i] < 1 || starts[i] < 0 || starts[i] + subsizes[i] > sizes[i] ? MPI_ERR_ARG : 0, "MPI_Type_create_subarray");
  MPI_Aint stride = extent(old), offset = 0;
  mpl_type *t = old;
  mpl_type_hold(t);
  for (int k = 0; k < ndims; k++) {
    int d = dimension(k, ndims, order);
    t = vector_of(t, subsizes[d], stride);
    offset += starts[d] * stride;
    stride *= sizes[d];
  }
  t = *new = resized(moved(t, offset), 0, stride);
  t->combiner = MPI_COMBINER_SUBARRAY;
  int n = 3 * ndims + 2, *all = malloc((size_t)n * sizeof(int));
  all[0] = ndims;
  memcpy(all + 1, sizes, (size_t)ndims * sizeof(int));
  memcpy(all + 1 + ndims, subsizes, (size_t)ndims * sizeof(int));
  memcpy(all + 1 + 2 * ndims, starts, (size_t)ndims * sizeof(int));
  all[n - 1] = order;
  mpl_type_contents(t, n, all, 0, NULL, 1, &old);
  free(all);
  return MPI_SUCCESS;
}

/* What one process has of one dimension of 'size': blocks of 'block' elements every 'block * processes'. */
static mpl_type *dealt(mpl_type *child, int size, int distribution, int argument, int processes, int process, MPI_Aint stride, MPI_Aint *offset) {
  if (distribution == MPI_DISTRIBUTE_NONE)
    return vector_of(child, size, stride);
  int block = argument != MPI_DISTRIBUTE_DFLT_DARG ? argument : distribution == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
  int first = process * block, count = 0, *lens = malloc(((size_t)size + 1) * sizeof(int));
  MPI_Aint *displs = malloc(((size_t)size + 1) * sizeof(*displs));
  mpl_type *rows = vector_of(child, 1, stride);
  for (int at = first; at < size; at += block * processes)
    for (int i = at; i < size && i < at + block; i++) {
      lens[count] = 1;
      displs[count++] = (MPI_Aint)(i - first) * stride;
    }
  mpl_type *t = mpl_type_new(MPI_COMBINER_HINDEXED);
  mpl_type_blocks(t, count, lens, displs, NULL, rows);
  mpl_type_release(rows);
  free(lens);
  free(displs);
  *offset += (MPI_Aint)first * stride;
  return t;
}

MPL_API(int, Type_create_darray, int size, int rank, int ndims, const int gsizes[], const int distribs[], const int dargs[], const int psizes[],
        int order, MPI_Datatype old, MPI_Datatype *new) {
  MPL_ENTER;
  FAIL(ndims < 1 || rank < 0 || rank >= size ? MPI_ERR_ARG : bad(old), "MPI_Type_create_darray");
  int *coords = malloc((size_t)ndims * sizeof(int));
  for (int i = ndims - 1, rest = rank; i >= 0; i--) { /* processes are numbered as in C, whatever the order */
    coords[i] = rest % psizes[i];
    rest /= psizes[i];
  }
  MPI_Aint stride = extent(old), offset = 0;
  mpl_type *t = old;
  mpl_type_hold(t);
  for (int k = 0; k < ndims; k++) {
    int d = dimension(k, ndims, order);
    t = dealt(t, gsizes[d], distribs[d], dargs[d], psizes[d], coords[d], stride, &offset);
    stride *= gsizes[d];
  }
  free(coords);
  t = *new = resized(moved(t, offset), 0, stride);
  t->combiner = MPI_COMBINER_DARRAY;
  int n = 4 * ndims + 4, *all = malloc((size_t)n * sizeof(int));
  all[0] = size, all[1] = rank, all[2] = ndims, all[n - 1] = order;
  const int *const parts[] = {gsizes, distribs, dargs, psizes};
  for (int i = 0; i < 4; i++)
    memcpy(all + 3 + i * ndims, parts[i], (size_t)ndims * sizeof(int));
  mpl_type_contents(t, n, all, 0, NULL, 1, &old);
  free(all);
  return MPI_SUCCESS;
}

MPL_API(int, Type_commit, MPI_Datatype *t) {
  MPL_ENTER;
  FAIL(bad(*t), "MPI_Type_commit");
  (*t)->committed = true;
  return MPI_SUCCESS;
}

MPL_API(int, Type_free, MPI_Datatype *t) {
  MPL_ENTER;
  FAIL(bad(*t) ? MPI_ERR_TYPE : (*t)->predefined ? MPI_ERR_TYPE : 0, "MPI_Type_free");
  FAIL(mpl_attrs_delete(*t, &(*t)->attrs), "MPI_Type_free");
  mpl_type_release(*t);
  *t = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

/* --- questions --- */

#define ASK(name, arguments, body)            \
  MPL_API(int, name, MPI_Datatype t, arguments) { \
    FAIL(bad(t), "MPI_" #name);               \
    body                                      \
    return MPI_SUCCESS;                       \
  }
#define A(...) __VA_ARGS__
ASK(Type_size, int *size, *size = t->size > INT32_MAX ? MPI_UNDEFINED : (int)t->size;)
ASK(Type_size_x, MPI_Count *size, *size = t->size;)
ASK(Type_get_extent, A(MPI_Aint *lb, MPI_Aint *size), *lb = t->lb; *size = extent(t);)
ASK(Type_get_extent_x, A(MPI_Count *lb, MPI_Count *size), *lb = t->lb; *size = extent(t);)
ASK(Type_get_true_extent, A(MPI_Aint *lb, MPI_Aint *size), *lb = t->true_lb; *size = t->true_ub - t->true_lb;)
ASK(Type_get_true_extent_x, A(MPI_Count *lb, MPI_Count *size), *lb = t->true_lb; *size = t->true_ub - t->true_lb;)
ASK(Type_set_name, const char *name, strncpy(t->name, name, sizeof(t->name) - 1);)

MPL_API(int, Type_get_name, MPI_Datatype t, char *name, int *length) {
  MPL_ENTER;
  if (!t || t->magic != MPL_TYPE)
    return mpl_error(NULL, MPI_ERR_TYPE, "MPI_Type_get_name");
  strcpy(name, t->name);
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

ASK(Type_get_envelope, A(int *nints, int *naints, int *ntypes, int *combiner),
    *combiner = t->combiner; *nints = t->contents ? t->contents->nints : 0; *naints = t->contents ? t->contents->naints : 0;
    *ntypes = t->contents ? t->contents->ntypes : 0;)

MPL_API(int, Type_get_contents, MPI_Datatype t, int maxints, int maxaints, int maxtypes, int array_ints[], MPI_Aint aints[], MPI_Datatype types[]) {
  MPL_ENTER;
  FAIL(bad(t) ? MPI_ERR_TYPE : !t->contents ? MPI_ERR_TYPE : 0, "MPI_Type_get_contents");
  const struct mpl_contents *c = t->contents;
  FAIL(maxints < c->nints || maxaints < c->naints || maxtypes < c->ntypes ? MPI_ERR_ARG : 0, "MPI_Type_get_contents");
  memcpy(array_ints, c->ints, (size_t)c->nints * sizeof(int));
  memcpy(aints, c->aints, (size_t)c->naints * sizeof(*aints));
  for (int i = 0; i < c->ntypes; i++)
    mpl_type_hold(types[i] = c->types[i]);
  return MPI_SUCCESS;
}

MPL_API(int, Get_address, const void *at, MPI_Aint *address) {
  *address = (MPI_Aint)(uintptr_t)at;
  return MPI_SUCCESS;
}

mpl_type *mpl_type_of_size(int class, int size) {
  static const struct { int class, size; struct ompi_predefined_datatype_t *t; } known[] = {
      {MPI_TYPECLASS_INTEGER, 1, &ompi_mpi_integer1}, {MPI_TYPECLASS_INTEGER, 2, &ompi_mpi_integer2}, {MPI_TYPECLASS_INTEGER, 4, &ompi_mpi_integer4},
      {MPI_TYPECLASS_INTEGER, 8, &ompi_mpi_integer8}, {MPI_TYPECLASS_REAL, 4, &ompi_mpi_real4}, {MPI_TYPECLASS_REAL, 8, &ompi_mpi_real8},
      {MPI_TYPECLASS_REAL, 16, &ompi_mpi_real16}, {MPI_TYPECLASS_COMPLEX, 8, &ompi_mpi_complex8}, {MPI_TYPECLASS_COMPLEX, 16, &ompi_mpi_complex16},
      {MPI_TYPECLASS_COMPLEX, 32, &ompi_mpi_complex32}};
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
    if (known[i].class == class && known[i].size == size)
      return &known[i].t->object;
  return NULL;
}

MPL_API(int, Type_match_size, int class, int size, MPI_Datatype *t) {
  *t = mpl_type_of_size(class, size);
  return *t ? MPI_SUCCESS : mpl_error(NULL, MPI_ERR_ARG, "MPI_Type_match_size");
}

/* Types by digits and range of Fortran's kinds: the smallest one that has them. */
static int f90_type(int class, int digits, int range, mpl_type **t, const char *call) {
  static const struct { int class, digits, range, size; } kinds[] = {
      {MPI_TYPECLASS_INTEGER, 0, 2, 1}, {MPI_TYPECLASS_INTEGER, 0, 4, 2}, {MPI_TYPECLASS_INTEGER, 0, 9, 4}, {MPI_TYPECLASS_INTEGER, 0, 18, 8},
      {MPI_TYPECLASS_REAL, 6, 37, 4}, {MPI_TYPECLASS_REAL, 15, 307, 8}, {MPI_TYPECLASS_REAL, 18, 4931, 16},
      {MPI_TYPECLASS_COMPLEX, 6, 37, 8}, {MPI_TYPECLASS_COMPLEX, 15, 307, 16}, {MPI_TYPECLASS_COMPLEX, 18, 4931, 32}};
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
    if (kinds[i].class == class && (digits == MPI_UNDEFINED || digits <= kinds[i].digits) && (range == MPI_UNDEFINED || range <= kinds[i].range)) {
      *t = mpl_type_of_size(class, kinds[i].size);
      return MPI_SUCCESS;
    }
  return mpl_error(NULL, MPI_ERR_ARG, call);
}
MPL_API(int, Type_create_f90_real, int digits, int range, MPI_Datatype *t) { return f90_type(MPI_TYPECLASS_REAL, digits, range, t, "MPI_Type_create_f90_real"); }
MPL_API(int, Type_create_f90_complex, int digits, int range, MPI_Datatype *t) {
  return f90_type(MPI_TYPECLASS_COMPLEX, digits, range, t, "MPI_Type_create_f90_complex");
}
MPL_API(int, Type_create_f90_integer, int range, MPI_Datatype *t) {
  return f90_type(MPI_TYPECLASS_INTEGER, MPI_UNDEFINED, range, t, "MPI_Type_create_f90_integer");
}

/* --- the names of MPI-1, which old binaries call --- */

#define OLD(type, name, parameters, call)                                     \
  type PMPI_##name parameters;                                                \
  type MPI_##name parameters __attribute__((weak, alias("PMPI_" #name)));     \
  type PMPI_##name parameters { return call; }
#undef MPI_Address
#undef MPI_Type_hindexed
#undef MPI_Type_hvector
#undef MPI_Type_struct
#undef MPI_Type_extent
#undef MPI_Type_lb
#undef MPI_Type_ub
#undef MPI_Errhandler_create
#undef MPI_Errhandler_get
#undef MPI_Errhandler_set
static int old_bounds(const mpl_type *t, MPI_Aint *lb, MPI_Aint *ub, MPI_Aint *size) {
  FAIL(bad(t), "MPI_Type_extent");
  if (lb)
    *lb = t->lb;
  if (ub)
    *ub = t->ub;
  if (size)
    *size = extent(t);
  return MPI_SUCCESS;
}
OLD(int, Address, (void *at, MPI_Aint *address), PMPI_Get_address(at, address))
OLD(int, Type_hvector, (int count, int blocklen, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *new), hvector(count, blocklen, stride, old, new, "MPI_Type_hvector"))
OLD(int, Type_hindexed, (int count, int lens[], MPI_Aint displs[], MPI_Datatype old, MPI_Datatype *new), hindexed(count, lens, displs, old, new, "MPI_Type_hindexed"))
OLD(int, Type_struct, (int count, int lens[], MPI_Aint displs[], MPI_Datatype types[], MPI_Datatype *new), make_struct(count, lens, displs, types, new, "MPI_Type_struct"))
OLD(int, Type_extent, (MPI_Datatype t, MPI_Aint *size), old_bounds(t, NULL, NULL, size))
OLD(int, Type_lb, (MPI_Datatype t, MPI_Aint *lb), old_bounds(t, lb, NULL, NULL))
OLD(int, Type_ub, (MPI_Datatype t, MPI_Aint *ub), old_bounds(t, NULL, ub, NULL))
OLD(int, Errhandler_create, (MPI_Comm_errhandler_function * f, MPI_Errhandler *h), PMPI_Comm_create_errhandler(f, h))
OLD(int, Errhandler_set, (MPI_Comm c, MPI_Errhandler h), PMPI_Comm_set_errhandler(c, h))
OLD(int, Errhandler_get, (MPI_Comm c, MPI_Errhandler *h), PMPI_Comm_get_errhandler(c, h))
