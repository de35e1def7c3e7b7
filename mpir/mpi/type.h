/* Datatypes: their shape, walking over it, packing, and the basic types at the leaves. */
#ifndef MPL_TYPE_H
#define MPL_TYPE_H
#include "mpir/mpi/object.h"
#include <stddef.h>

/* X(id, C type) */
#define MPL_BASICS(X)                                                                                              \
  X(BYTE, unsigned char) X(CHAR, char) X(INT8, signed char) X(INT16, short) X(INT32, int)           \
  X(INT64, long) X(INT128, __int128) X(UINT8, unsigned char) X(UINT16, unsigned short)                 \
  X(UINT32, unsigned) X(UINT64, unsigned long) X(FLOAT, float) X(DOUBLE, double)                       \
  X(LDOUBLE, long double) X(CFLOAT, float _Complex) X(CDOUBLE, double _Complex)                           \
  X(CLDOUBLE, long double _Complex) X(BOOL, _Bool) X(FLOGICAL, int) X(FLOGICAL1, signed char)          \
  X(FLOGICAL2, short) X(FLOGICAL8, long)                                                                     \
  X(FLOATINT, struct { float v; int i; }) X(DOUBLEINT, struct { double v; int i; })                          \
  X(LDOUBLEINT, struct { long double v; int i; }) X(SHORTINT, struct { short v; int i; })                    \
  X(LONGINT, struct { long v; int i; }) X(TWOINT, struct { int v; int i; })                                  \
  X(TWOFLOAT, struct { float v; float i; }) X(TWODOUBLE, struct { double v; double i; })                     \
  X(TWOCFLOAT, struct { float v[4]; }) X(TWOCDOUBLE, struct { double v[4]; })
enum mpl_basic {
  MPL_B_NONE,
#define X(id, type) MPL_B_##id,
  MPL_BASICS(X)
#undef X
};

struct ompi_datatype_t *mpl_type_new(int combiner);
void mpl_type_hold(struct ompi_datatype_t *t);
void mpl_type_release(struct ompi_datatype_t *t);
/* The shape of a new type; sizes and bounds follow.  'kids' and arrays are copied. */
void mpl_type_vector(struct ompi_datatype_t *t, MPI_Aint count, MPI_Aint blocklen, MPI_Aint stride, struct ompi_datatype_t *child);
void mpl_type_blocks(struct ompi_datatype_t *t, MPI_Aint count, const int *lens, const MPI_Aint *disps, struct ompi_datatype_t *const *kids,
                     struct ompi_datatype_t *child);
void mpl_type_contents(struct ompi_datatype_t *t, int nints, const int *ints, int naints, const MPI_Aint *aints, int ntypes,
                       struct ompi_datatype_t *const *types);

static inline bool mpl_type_is_run(const struct ompi_datatype_t *t, MPI_Aint count) {
  return t->dense && (count <= 1 || t->ub - t->lb == t->size);
}

/* Runs of bytes, in the order of the type map, until 'limit' bytes were given. */
typedef void mpl_run_f(void *arg, char *at, size_t bytes);
void mpl_type_runs(const struct ompi_datatype_t *t, MPI_Aint count, const void *buf, size_t limit, mpl_run_f *f, void *arg);
/* Runs of 'n' elements of one basic type. */
typedef void mpl_basic_f(void *arg, char *at, enum mpl_basic basic, size_t n);
void mpl_type_basics(const struct ompi_datatype_t *t, MPI_Aint count, const void *buf, mpl_basic_f *f, void *arg);
size_t mpl_basic_size(enum mpl_basic basic);
uint8_t mpl_basic_align(enum mpl_basic basic);
/* Basic elements in the first 'bytes' bytes of elements of 't'; whole is set if they end with one. */
uint64_t mpl_type_elements(const struct ompi_datatype_t *t, uint64_t bytes, bool *whole);

void mpl_pack(const struct ompi_datatype_t *t, MPI_Aint count, const void *buf, char *out);
void mpl_unpack(const struct ompi_datatype_t *t, MPI_Aint count, void *buf, const char *in, size_t bytes);
/* Any data to any: what MPI_Sendrecv with oneself would do. */
void mpl_copy(const void *from, MPI_Aint nfrom, const struct ompi_datatype_t *tfrom, void *to, MPI_Aint nto, const struct ompi_datatype_t *tto);

/* A request's data as one run: to be sent, room to receive, and back from there. */
void mpl_type_gather(struct ompi_request_t *q);
void mpl_type_room(struct ompi_request_t *q);
void mpl_type_scatter(struct ompi_request_t *q, size_t bytes);
void mpl_comm_release(struct ompi_communicator_t *comm);
/* Of MPI_TYPECLASS_*; NULL: none has so many bytes. */
struct ompi_datatype_t *mpl_type_of_size(int class, int size);
#endif
