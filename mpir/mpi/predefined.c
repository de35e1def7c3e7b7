#include "mpir/mpi/predefined.h"
#include "mpir/mpi/core.h"
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
EXPORT struct ompi_predefined_communicator_t ompi_mpi_comm_world, ompi_mpi_comm_self, ompi_mpi_comm_null;
EXPORT struct ompi_predefined_group_t ompi_mpi_group_empty, ompi_mpi_group_null;
EXPORT struct ompi_predefined_request_t ompi_request_null;
EXPORT struct ompi_predefined_message_t ompi_message_null, ompi_message_no_proc;
EXPORT struct ompi_predefined_errhandler_t ompi_mpi_errhandler_null, ompi_mpi_errors_are_fatal, ompi_mpi_errors_return,
    ompi_mpi_errors_throw_exceptions;
EXPORT struct ompi_predefined_info_t ompi_mpi_info_null, ompi_mpi_info_env;
struct ompi_predefined_win_t { char room[512]; };
struct ompi_predefined_file_t { char room[1536]; };
EXPORT struct ompi_predefined_win_t ompi_mpi_win_null;
EXPORT struct ompi_predefined_file_t ompi_mpi_file_null;
EXPORT struct ompi_predefined_datatype_t ompi_mpi_datatype_null, ompi_mpi_lb, ompi_mpi_ub, ompi_mpi_real2, ompi_mpi_unavailable;
#define X(symbol, name, basic) EXPORT struct ompi_predefined_datatype_t ompi_mpi_##symbol;
MPL_TYPES(X)
#undef X
#define X(symbol, name, basic, value, type, second) EXPORT struct ompi_predefined_datatype_t ompi_mpi_##symbol;
MPL_PAIRS(X)
#undef X
#define X(symbol, which) EXPORT struct ompi_predefined_op_t ompi_mpi_op_##symbol;
MPL_OPS(X)
#undef X

static void named(struct ompi_datatype_t *t, const char *name) {
  t->magic = MPL_TYPE;
  t->refs = 1;
  t->f_index = -1;
  t->combiner = MPI_COMBINER_NAMED;
  t->predefined = t->committed = true;
  strncpy(t->name, name, sizeof(t->name) - 1);
}

static void basic_type(struct ompi_predefined_datatype_t *p, const char *name, enum mpl_basic basic) {
  struct ompi_datatype_t *t = &p->object;
  named(t, name);
  t->basic = (uint8_t)basic;
  t->size = t->ub = t->true_ub = (MPI_Aint)mpl_basic_size(basic);
  t->nbasic = 1;
  t->align = mpl_basic_align(basic);
  t->dense = true;
}

static void pair_type(struct ompi_predefined_datatype_t *p, const char *name, enum mpl_basic basic, struct ompi_predefined_datatype_t *value,
                      struct ompi_predefined_datatype_t *second, MPI_Aint at, MPI_Aint span) {
  struct ompi_datatype_t *t = &p->object;
  mpl_type_blocks(t, 2, (int[]){1, 1}, (MPI_Aint[]){0, at}, (struct ompi_datatype_t *[]){&value->object, &second->object}, NULL);
  named(t, name);
  t->basic = (uint8_t)basic;
  t->ub = span;
}

static void bound_type(struct ompi_predefined_datatype_t *p, const char *name) {
  named(&p->object, name);
  p->object.dense = true;
}

static void builtin(struct ompi_predefined_op_t *p, int which) { p->object = (struct ompi_op_t){.magic = MPL_OP, .refs = 1, .f_index = -1, .builtin = which, .commutes = true}; }

__attribute__((constructor)) static void make_predefined(void) {
#define X(symbol, name, basic) basic_type(&ompi_mpi_##symbol, name, MPL_B_##basic);
  MPL_TYPES(X)
#undef X
#define X(symbol, name, basic, value, type, second)                                                     \
  {                                                                                                     \
    struct laid_ { type v; struct { char c[sizeof(MPL_SECOND_##second)]; } __attribute__((aligned(__alignof__(MPL_SECOND_##second)))) i; }; \
    pair_type(&ompi_mpi_##symbol, name, MPL_B_##basic, &ompi_mpi_##value, &ompi_mpi_##second,           \
              (MPI_Aint)__builtin_offsetof(struct laid_, i), (MPI_Aint)sizeof(struct laid_));           \
  }
#define MPL_SECOND_int int
#define MPL_SECOND_integer int
#define MPL_SECOND_real float
#define MPL_SECOND_dblprec double
#define MPL_SECOND_cplex float _Complex
#define MPL_SECOND_dblcplex double _Complex
  MPL_PAIRS(X)
#undef X
#define X(symbol, which) builtin(&ompi_mpi_op_##symbol, which);
  MPL_OPS(X)
#undef X
  bound_type(&ompi_mpi_lb, "MPI_LB");
  bound_type(&ompi_mpi_ub, "MPI_UB");
  named(&ompi_mpi_datatype_null.object, "MPI_DATATYPE_NULL");
  ompi_mpi_errors_are_fatal.object = (struct ompi_errhandler_t){.magic = MPL_ERRHANDLER, .refs = 1, .f_index = -1, .kind = 1};
  ompi_mpi_errors_return.object = (struct ompi_errhandler_t){.magic = MPL_ERRHANDLER, .refs = 1, .f_index = -1, .kind = 2};
  ompi_mpi_errors_throw_exceptions.object = (struct ompi_errhandler_t){.magic = MPL_ERRHANDLER, .refs = 1, .f_index = -1, .kind = 2};
  ompi_request_null.object.magic = MPL_REQUEST;
  ompi_request_null.object.complete = true;
  ompi_mpi_group_empty.object = (struct ompi_group_t){.magic = MPL_GROUP, .refs = 1, .rank = MPI_UNDEFINED, .f_index = -1, .predefined = true};
  ompi_mpi_info_env.object.magic = MPL_INFO;
  ompi_message_no_proc.object.magic = MPL_MESSAGE;
  mpl_handles_init();
}
