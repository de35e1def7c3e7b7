#include "mpir/mpi/bindings.h"
#include "mpir/mpi/comm.h"
#include "mpir/mpi/core.h"
#include "mpir/mpi/predefined.h"
#include <stdlib.h>
#pragma clang diagnostic ignored "-Wunused-parameter" /* Open MPI has them */

/* Data that the bindings look at: nothing is checked twice, no codes of errors but MPI's own. */
int32_t ompi_mpi_state;
bool ompi_mpi_param_check;
const MPI_Status ompi_status_empty = {MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
int ompi_errcode_intern_lastused;
char ompi_errcodes_intern[0x78], ompi_registered_datareps[0x40];

enum { COMM_ATTR = 1, TYPE_ATTR = 2 };

/* --- attributes --- */

int ompi_attr_create_keyval(int what, void *copy, void *del, int *key, void *state, int flags, void *more);
int ompi_attr_create_keyval_fint(int what, void *copy, void *del, int *key, MPI_Fint state, int flags, void *more);
int ompi_attr_create_keyval_aint(int what, void *copy, void *del, int *key, MPI_Aint state, int flags, void *more);
int ompi_attr_set_fint(int what, void *object, struct mpl_attr ***at, int key, MPI_Fint value, bool predefined);
int ompi_attr_set_aint(int what, void *object, struct mpl_attr ***at, int key, MPI_Aint value, bool predefined);
int ompi_attr_get_fint(struct mpl_attr **at, int key, MPI_Fint *value, int *flag);
int ompi_attr_get_aint(struct mpl_attr **at, int key, MPI_Aint *value, int *flag);

int ompi_attr_create_keyval(int what, void *copy, void *del, int *key, void *state, int flags, void *more) {
  MPL_ENTER;
  return mpl_keyval_new(copy, del, state, MPL_ATTR_C, key);
}

int ompi_attr_create_keyval_fint(int what, void *copy, void *del, int *key, MPI_Fint state, int flags, void *more) {
  MPL_ENTER;
  return mpl_keyval_new(copy, del, (void *)(intptr_t)state, MPL_ATTR_FINT, key);
}

int ompi_attr_create_keyval_aint(int what, void *copy, void *del, int *key, MPI_Aint state, int flags, void *more) {
  MPL_ENTER;
  return mpl_keyval_new(copy, del, (void *)state, MPL_ATTR_AINT, key);
}

static int set(int what, void *object, struct mpl_attr ***at, int key, MPI_Aint value) {
  MPL_ENTER;
  if (what != COMM_ATTR && what != TYPE_ATTR)
    return MPI_ERR_ARG;
  *at = what == COMM_ATTR ? &((struct ompi_communicator_t *)object)->attrs : &((struct ompi_datatype_t *)object)->attrs;
  return mpl_attr_set(object, *at, key, (void *)value, true);
}

int ompi_attr_set_fint(int what, void *object, struct mpl_attr ***at, int key, MPI_Fint value, bool predefined) { return set(what, object, at, key, value); }
int ompi_attr_set_aint(int what, void *object, struct mpl_attr ***at, int key, MPI_Aint value, bool predefined) { return set(what, object, at, key, value); }

int ompi_attr_get_aint(struct mpl_attr **at, int key, MPI_Aint *value, int *flag) {
  MPL_ENTER;
  return mpl_attr_get_integer(at, key, value, flag) ? MPI_SUCCESS : MPI_ERR_KEYVAL;
}

int ompi_attr_get_fint(struct mpl_attr **at, int key, MPI_Fint *value, int *flag) {
  MPI_Aint whole = 0;
  int rc = ompi_attr_get_aint(at, key, &whole, flag);
  if (!rc && *flag)
    *value = (MPI_Fint)whole;
  return rc;
}

/* --- errors and operations --- */

struct ompi_errhandler_t *ompi_errhandler_create(int what, void (*function)(void *, int *, ...), enum mpl_language language);
int ompi_errhandler_invoke(void *handler, void *object, int what, int code, const char *call);
void ompi_mpi_errors_are_fatal_comm_handler(struct ompi_communicator_t **comm, int *code, ...);
void ompi_op_set_cxx_callback(struct ompi_op_t *op, MPI_User_function *function);
void *ompi_datatype_match_size(int size, uint16_t kind, uint16_t language);

struct ompi_errhandler_t *ompi_errhandler_create(int what, void (*function)(void *, int *, ...), enum mpl_language language) {
  MPL_ENTER;
  return mpl_errhandler_new((MPI_Comm_errhandler_function *)(uintptr_t)function, language);
}

/* 'handler' was taken from where Open MPI has it, and is not ours; nor need 'object' be a communicator. */
int ompi_errhandler_invoke(void *handler, void *object, int what, int code, const char *call) { return mpl_error(object, code, call); }

void ompi_mpi_errors_are_fatal_comm_handler(struct ompi_communicator_t **comm, int *code, ...) {
  mpl_die(1, "a function of MPI was called before MPI_Init or after MPI_Finalize");
}

void ompi_op_set_cxx_callback(struct ompi_op_t *op, MPI_User_function *function) {
  op->language = MPL_OP_CXX;
  op->inner = function;
}

/* 'kind': 1 integers, 2 reals, 3 complex numbers, times 0x1000. */
void *ompi_datatype_match_size(int size, uint16_t kind, uint16_t language) {
  static const int classes[] = {0, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_REAL, MPI_TYPECLASS_COMPLEX};
  struct ompi_datatype_t *t = mpl_type_of_size(classes[kind >> 12 & 3], size);
  return t ? t : MPI_DATATYPE_NULL;
}

/* --- persistent collective operations, an extension that mpi.h does not declare --- */

#define REFUSED(name)                                                                    \
  int MPIX_##name(void);                                                                 \
  int PMPIX_##name(void);                                                                \
  int MPIX_##name(void) { mpl_refuse("MPIX_" #name, MPL_PLACE); }                        \
  int PMPIX_##name(void) { mpl_refuse("MPIX_" #name, MPL_PLACE); }
REFUSED(Allgather_init) REFUSED(Allgatherv_init) REFUSED(Allreduce_init) REFUSED(Alltoall_init) REFUSED(Alltoallv_init) REFUSED(Alltoallw_init)
REFUSED(Barrier_init) REFUSED(Bcast_init) REFUSED(Exscan_init) REFUSED(Gather_init) REFUSED(Gatherv_init) REFUSED(Neighbor_allgather_init)
REFUSED(Neighbor_allgatherv_init) REFUSED(Neighbor_alltoall_init) REFUSED(Neighbor_alltoallv_init) REFUSED(Neighbor_alltoallw_init) REFUSED(Reduce_init)
REFUSED(Reduce_scatter_block_init) REFUSED(Reduce_scatter_init) REFUSED(Scan_init) REFUSED(Scatter_init) REFUSED(Scatterv_init)

int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void) { return 0; }
