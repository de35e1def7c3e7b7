/* Reduction operations. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/predefined.h"
#include <stdlib.h>

typedef void apply_f(const void *in, void *inout, size_t n);
#define LOOP(name, type, expression)                                          \
  static void name(const void *vin, void *vinout, size_t n) {                 \
    const type *in = vin;                                                     \
    type *io = vinout;                                                        \
    for (size_t i = 0; i < n; i++)                                            \
      io[i] = (type)(expression);                                             \
  }
#define NUMBERS(X)                                                                                              \
  X(INT8, signed char) X(INT16, short) X(INT32, int) X(INT64, long) X(INT128, __int128) X(UINT8, unsigned char) \
  X(UINT16, unsigned short) X(UINT32, unsigned) X(UINT64, unsigned long)
#define REALS(X) X(FLOAT, float) X(DOUBLE, double) X(LDOUBLE, long double)
#define COMPLEXES(X) X(CFLOAT, float _Complex) X(CDOUBLE, double _Complex) X(CLDOUBLE, long double _Complex)
#define LOGICALS(X) X(BOOL, _Bool) X(FLOGICAL, int) X(FLOGICAL1, signed char) X(FLOGICAL2, short) X(FLOGICAL8, long)

#define ORDERED(id, type) LOOP(max_##id, type, in[i] > io[i] ? in[i] : io[i]) LOOP(min_##id, type, in[i] < io[i] ? in[i] : io[i])
#define ARITHMETIC(id, type) LOOP(sum_##id, type, in[i] + io[i]) LOOP(prod_##id, type, in[i] * io[i])
#define LOGIC(id, type) LOOP(land_##id, type, in[i] && io[i]) LOOP(lor_##id, type, in[i] || io[i]) LOOP(lxor_##id, type, !in[i] != !io[i])
#define BITS(id, type) LOOP(band_##id, type, in[i] & io[i]) LOOP(bor_##id, type, in[i] | io[i]) LOOP(bxor_##id, type, in[i] ^ io[i])
NUMBERS(ORDERED) REALS(ORDERED)
NUMBERS(ARITHMETIC) REALS(ARITHMETIC) COMPLEXES(ARITHMETIC)
NUMBERS(LOGIC) LOGICALS(LOGIC)
NUMBERS(BITS) LOGICALS(BITS) LOOP(band_BYTE, unsigned char, in[i] & io[i]) LOOP(bor_BYTE, unsigned char, in[i] | io[i])
LOOP(bxor_BYTE, unsigned char, in[i] ^ io[i])

#define LOCATED(id, value, place)                                                                                    \
  static void maxloc_##id(const void *vin, void *vinout, size_t n) {                                                 \
    const struct { value v; place i; } *in = vin;                                                                    \
    struct { value v; place i; } *io = vinout;                                                                       \
    for (size_t k = 0; k < n; k++)                                                                                   \
      if (in[k].v > io[k].v || (in[k].v == io[k].v && in[k].i < io[k].i))                                            \
        io[k].v = in[k].v, io[k].i = in[k].i;                                                                        \
  }                                                                                                                  \
  static void minloc_##id(const void *vin, void *vinout, size_t n) {                                                 \
    const struct { value v; place i; } *in = vin;                                                                    \
    struct { value v; place i; } *io = vinout;                                                                       \
    for (size_t k = 0; k < n; k++)                                                                                   \
      if (in[k].v < io[k].v || (in[k].v == io[k].v && in[k].i < io[k].i))                                            \
        io[k].v = in[k].v, io[k].i = in[k].i;                                                                        \
  }
#define PAIRS(X)                                                                                                   \
  X(FLOATINT, float, int) X(DOUBLEINT, double, int) X(LDOUBLEINT, long double, int) X(SHORTINT, short, int)        \
  X(LONGINT, long, int) X(TWOINT, int, int) X(TWOFLOAT, float, float) X(TWODOUBLE, double, double)
PAIRS(LOCATED)

static apply_f *const table[][MPL_B_TWOCDOUBLE + 1] = {
#define X(id, type) [MPL_B_##id] = max_##id,
    [MPL_OP_MAX] = {NUMBERS(X) REALS(X)},
#undef X
#define X(id, type) [MPL_B_##id] = min_##id,
    [MPL_OP_MIN] = {NUMBERS(X) REALS(X)},
#undef X
#define X(id, type) [MPL_B_##id] = sum_##id,
    [MPL_OP_SUM] = {NUMBERS(X) REALS(X) COMPLEXES(X)},
#undef X
#define X(id, type) [MPL_B_##id] = prod_##id,
    [MPL_OP_PROD] = {NUMBERS(X) REALS(X) COMPLEXES(X)},
#undef X
#define X(id, type) [MPL_B_##id] = land_##id,
    [MPL_OP_LAND] = {NUMBERS(X) LOGICALS(X)},
#undef X
#define X(id, type) [MPL_B_##id] = lor_##id,
    [MPL_OP_LOR] = {NUMBERS(X) LOGICALS(X)},
#undef X
#define X(id, type) [MPL_B_##id] = lxor_##id,
    [MPL_OP_LXOR] = {NUMBERS(X) LOGICALS(X)},
#undef X
#define X(id, type) [MPL_B_##id] = band_##id,
    [MPL_OP_BAND] = {NUMBERS(X) LOGICALS(X) X(BYTE, )},
#undef X
#define X(id, type) [MPL_B_##id] = bor_##id,
    [MPL_OP_BOR] = {NUMBERS(X) LOGICALS(X) X(BYTE, )},
#undef X
#define X(id, type) [MPL_B_##id] = bxor_##id,
    [MPL_OP_BXOR] = {NUMBERS(X) LOGICALS(X) X(BYTE, )},
#undef X
#define X(id, value, place) [MPL_B_##id] = maxloc_##id,
    [MPL_OP_MAXLOC] = {PAIRS(X)},
#undef X
#define X(id, value, place) [MPL_B_##id] = minloc_##id,
    [MPL_OP_MINLOC] = {PAIRS(X)},
#undef X
    [MPL_OP_NO_OP] = {0},
};

int mpl_op_check(const struct ompi_op_t *op, const struct ompi_datatype_t *type) {
  if (op->builtin == MPL_OP_USER)
    return op->function ? MPI_SUCCESS : MPI_ERR_OP;
  if (op->builtin == MPL_OP_REPLACE || op->builtin == MPL_OP_NO_OP)
    return MPI_SUCCESS;
  return type->basic && table[op->builtin][type->basic] ? MPI_SUCCESS : MPI_ERR_OP;
}

static void call_user(struct ompi_op_t *op, void *in, void *inout, int count, struct ompi_datatype_t *type) {
  if (op->language & MPL_OP_FORTRAN) {
    MPI_Fint handle = PMPI_Type_c2f(type);
    ((void (*)(void *, void *, MPI_Fint *, MPI_Fint *))(uintptr_t)op->function)(in, inout, &count, &handle);
  } else if (op->language & MPL_OP_CXX) {
    ((void (*)(void *, void *, int *, MPI_Datatype *, MPI_User_function *))(uintptr_t)op->function)(in, inout, &count, &type, op->inner);
  } else {
    op->function(in, inout, &count, &type);
  }
}

int mpl_op_apply(struct ompi_op_t *op, void *in, void *inout, int count, struct ompi_datatype_t *type) {
  if (op->builtin == MPL_OP_USER) {
    call_user(op, in, inout, count, type);
    return MPI_SUCCESS;
  }
  if (op->builtin == MPL_OP_NO_OP)
    return MPI_SUCCESS;
  if (op->builtin == MPL_OP_REPLACE) {
    mpl_copy(in, count, type, inout, count, type);
    return MPI_SUCCESS;
  }
  apply_f *f = type->basic ? table[op->builtin][type->basic] : NULL;
  if (!f)
    return MPI_ERR_OP;
  f(in, inout, (size_t)count);
  return MPI_SUCCESS;
}

void mpl_op_release(struct ompi_op_t *op) {
  if (!--op->refs)
    free(op); /* predefined ones hold themselves */
}

MPL_API(int, Op_create, MPI_User_function *function, int commute, MPI_Op *op) {
  MPL_ENTER;
  struct ompi_op_t *o = calloc(1, sizeof(*o));
  *o = (struct ompi_op_t){.magic = MPL_OP, .refs = 1, .f_index = -1, .builtin = MPL_OP_USER, .commutes = commute != 0, .function = function};
  *op = o;
  return MPI_SUCCESS;
}

MPL_API(int, Op_free, MPI_Op *op) {
  MPL_ENTER;
  if (!*op || *op == MPI_OP_NULL || (*op)->builtin)
    return mpl_error(NULL, MPI_ERR_OP, "MPI_Op_free");
  mpl_op_release(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

MPL_API(int, Op_commutative, MPI_Op op, int *commute) {
  *commute = op->commutes;
  return MPI_SUCCESS;
}

MPL_API(int, Reduce_local, const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op) {
  int rc = mpl_op_check(op, type);
  if (!rc)
    rc = mpl_op_apply(op, (void *)(uintptr_t)in, inout, count, type);
  return rc ? mpl_error(NULL, rc, "MPI_Reduce_local") : MPI_SUCCESS;
}
