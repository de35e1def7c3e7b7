/* The handles that mpi.h names.  Their Fortran numbers are those of Open MPI's mpif.h. */
#ifndef MPL_PREDEFINED_H
#define MPL_PREDEFINED_H
#include "mpir/mpi/type.h"

/* X(symbol, name in MPI, basic) */
#define MPL_TYPES(X)                                                                                                             \
  X(byte, "MPI_BYTE", BYTE) X(packed, "MPI_PACKED", BYTE) X(char, "MPI_CHAR", CHAR) X(signed_char, "MPI_SIGNED_CHAR", INT8)      \
  X(unsigned_char, "MPI_UNSIGNED_CHAR", UINT8) X(short, "MPI_SHORT", INT16) X(unsigned_short, "MPI_UNSIGNED_SHORT", UINT16)      \
  X(int, "MPI_INT", INT32) X(unsigned, "MPI_UNSIGNED", UINT32) X(long, "MPI_LONG", INT64)                                        \
  X(unsigned_long, "MPI_UNSIGNED_LONG", UINT64) X(long_long_int, "MPI_LONG_LONG_INT", INT64)                                     \
  X(unsigned_long_long, "MPI_UNSIGNED_LONG_LONG", UINT64) X(float, "MPI_FLOAT", FLOAT) X(double, "MPI_DOUBLE", DOUBLE)           \
  X(long_double, "MPI_LONG_DOUBLE", LDOUBLE) X(wchar, "MPI_WCHAR", INT32) X(c_bool, "MPI_C_BOOL", BOOL)                          \
  X(c_complex, "MPI_C_COMPLEX", CFLOAT) X(c_float_complex, "MPI_C_COMPLEX", CFLOAT)                                        \
  X(c_double_complex, "MPI_C_DOUBLE_COMPLEX", CDOUBLE) X(c_long_double_complex, "MPI_C_LONG_DOUBLE_COMPLEX", CLDOUBLE)           \
  X(cxx_bool, "MPI_CXX_BOOL", BOOL) X(cxx_cplex, "MPI_CXX_FLOAT_COMPLEX", CFLOAT)                                                \
  X(cxx_dblcplex, "MPI_CXX_DOUBLE_COMPLEX", CDOUBLE) X(cxx_ldblcplex, "MPI_CXX_LONG_DOUBLE_COMPLEX", CLDOUBLE)                   \
  X(int8_t, "MPI_INT8_T", INT8) X(int16_t, "MPI_INT16_T", INT16) X(int32_t, "MPI_INT32_T", INT32)                                \
  X(int64_t, "MPI_INT64_T", INT64) X(uint8_t, "MPI_UINT8_T", UINT8) X(uint16_t, "MPI_UINT16_T", UINT16)                          \
  X(uint32_t, "MPI_UINT32_T", UINT32) X(uint64_t, "MPI_UINT64_T", UINT64) X(aint, "MPI_AINT", INT64)                             \
  X(offset, "MPI_OFFSET", INT64) X(count, "MPI_COUNT", INT64)                                                                    \
  X(logical, "MPI_LOGICAL", FLOGICAL) X(logical1, "MPI_LOGICAL1", FLOGICAL1) X(logical2, "MPI_LOGICAL2", FLOGICAL2)              \
  X(logical4, "MPI_LOGICAL4", FLOGICAL) X(logical8, "MPI_LOGICAL8", FLOGICAL8) X(character, "MPI_CHARACTER", CHAR)               \
  X(integer, "MPI_INTEGER", INT32) X(integer1, "MPI_INTEGER1", INT8) X(integer2, "MPI_INTEGER2", INT16)                          \
  X(integer4, "MPI_INTEGER4", INT32) X(integer8, "MPI_INTEGER8", INT64) X(integer16, "MPI_INTEGER16", INT128)                    \
  X(real, "MPI_REAL", FLOAT) X(real4, "MPI_REAL4", FLOAT) X(real8, "MPI_REAL8", DOUBLE) X(real16, "MPI_REAL16", LDOUBLE)         \
  X(dblprec, "MPI_DOUBLE_PRECISION", DOUBLE) X(cplex, "MPI_COMPLEX", CFLOAT) X(dblcplex, "MPI_DOUBLE_COMPLEX", CDOUBLE)          \
  X(ldblcplex, "MPI_LONG_DOUBLE_COMPLEX", CLDOUBLE) X(complex8, "MPI_COMPLEX8", CFLOAT)                                          \
  X(complex16, "MPI_COMPLEX16", CDOUBLE) X(complex32, "MPI_COMPLEX32", CLDOUBLE)
/* X(symbol, name, basic of the pair, symbol of the value, type of the value, symbol of the second) */
#define MPL_PAIRS(X)                                                                                      \
  X(float_int, "MPI_FLOAT_INT", FLOATINT, float, float, int)                                              \
  X(double_int, "MPI_DOUBLE_INT", DOUBLEINT, double, double, int)                                         \
  X(longdbl_int, "MPI_LONG_DOUBLE_INT", LDOUBLEINT, long_double, long double, int)                        \
  X(short_int, "MPI_SHORT_INT", SHORTINT, short, short, int) X(long_int, "MPI_LONG_INT", LONGINT, long, long, int) \
  X(2int, "MPI_2INT", TWOINT, int, int, int) X(2integer, "MPI_2INTEGER", TWOINT, integer, int, integer)   \
  X(2real, "MPI_2REAL", TWOFLOAT, real, float, real)                                                      \
  X(2dblprec, "MPI_2DOUBLE_PRECISION", TWODOUBLE, dblprec, double, dblprec)                               \
  X(2cplex, "MPI_2COMPLEX", TWOCFLOAT, cplex, float _Complex, cplex)                                      \
  X(2dblcplex, "MPI_2DOUBLE_COMPLEX", TWOCDOUBLE, dblcplex, double _Complex, dblcplex)
/* X(symbol, name, commutes) */
#define MPL_OPS(X)                                                                                        \
  X(null, 0) X(max, 1) X(min, 2) X(sum, 3) X(prod, 4) X(land, 5) X(band, 6) X(lor, 7) X(bor, 8) X(lxor, 9) X(bxor, 10) \
  X(maxloc, 11) X(minloc, 12) X(replace, 13) X(no_op, 14)
enum mpl_builtin { MPL_OP_USER, MPL_OP_MAX, MPL_OP_MIN, MPL_OP_SUM, MPL_OP_PROD, MPL_OP_LAND, MPL_OP_BAND, MPL_OP_LOR, MPL_OP_BOR,
                   MPL_OP_LXOR, MPL_OP_BXOR, MPL_OP_MAXLOC, MPL_OP_MINLOC, MPL_OP_REPLACE, MPL_OP_NO_OP };

void mpl_op_release(struct ompi_op_t *op);
/* inout = in op inout, for 'count' elements; 0 or a class of errors. */
int mpl_op_apply(struct ompi_op_t *op, void *in, void *inout, int count, struct ompi_datatype_t *type);
int mpl_op_check(const struct ompi_op_t *op, const struct ompi_datatype_t *type);
extern struct ompi_predefined_datatype_t ompi_mpi_lb, ompi_mpi_ub; /* which mpi.h hides */
/* Fortran's numbers of them; when they are made. */
void mpl_handles_init(void);
/* MPI_COMM_WORLD and MPI_COMM_SELF of this process. */
void mpl_comms_init(void);
#endif
