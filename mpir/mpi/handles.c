/* Fortran's handles: integers.  Those of predefined objects are Open MPI's (mpif-handles.h); others get the next number when they are first asked for. */
#include "mpir/mpi/core.h"
#include "mpir/mpi/predefined.h"
#include <stdlib.h>

struct table {
  void **objects;
  int n, room;
};

/* Makes 'index' (or the next one, for -1) mean 'object'. */
static int enter(struct table *t, int index, void *object) {
  if (index < 0)
    index = t->n;
  while (index >= t->room) {
    int room = t->room ? 2 * t->room : 128;
    t->objects = realloc(t->objects, (size_t)room * sizeof(*t->objects));
    for (int i = t->room; i < room; i++)
      t->objects[i] = NULL;
    t->room = room;
  }
  t->objects[index] = object;
  if (index >= t->n)
    t->n = index + 1;
  return index;
}

static void *leave(const struct table *t, int index, void *otherwise) {
  return index >= 0 && index < t->n && t->objects[index] ? t->objects[index] : otherwise;
}

static struct table comms, types, groups, ops, requests, infos, errhandlers, messages;

void mpl_handles_init(void) {
#define T(index, symbol) ompi_mpi_##symbol.object.f_index = enter(&types, index, &ompi_mpi_##symbol);
  enter(&types, 0, MPI_DATATYPE_NULL);
  T(1, byte) T(2, packed) T(3, ub) T(4, lb) T(5, character) T(6, logical) T(7, integer) T(8, integer1) T(9, integer2) T(10, integer4)
  T(11, integer8) T(12, integer16) T(13, real) T(14, real4) T(15, real8) T(16, real16) T(17, dblprec) T(18, cplex) T(19, complex8)
  T(20, complex16) T(21, complex32) T(22, dblcplex) T(23, 2real) T(24, 2dblprec) T(25, 2integer) T(26, 2cplex) T(27, 2dblcplex)
  T(29, logical1) T(30, logical2) T(31, logical4) T(32, logical8) T(33, wchar) T(34, char) T(35, unsigned_char) T(36, signed_char)
  T(37, short) T(38, unsigned_short) T(39, int) T(40, unsigned) T(41, long) T(42, unsigned_long) T(43, long_long_int)
  T(44, unsigned_long_long) T(45, float) T(46, double) T(47, long_double) T(48, float_int) T(49, double_int) T(50, longdbl_int)
  T(51, long_int) T(52, 2int) T(53, short_int) T(54, cxx_bool) T(55, cxx_cplex) T(56, cxx_dblcplex) T(57, cxx_ldblcplex)
  T(58, int8_t) T(59, uint8_t) T(60, int16_t) T(61, uint16_t) T(62, int32_t) T(63, uint32_t) T(64, int64_t) T(65, uint64_t) T(66, aint)
  T(67, offset) T(68, c_bool) T(69, c_float_complex) T(70, c_double_complex) T(71, c_long_double_complex) T(72, count)
#define X(symbol, which) ompi_mpi_op_##symbol.object.f_index = enter(&ops, which, &ompi_mpi_op_##symbol);
  MPL_OPS(X)
#undef X
  enter(&comms, 0, MPI_COMM_WORLD);
  enter(&comms, 1, MPI_COMM_SELF);
  enter(&comms, 2, MPI_COMM_NULL);
  enter(&groups, 0, MPI_GROUP_NULL);
  enter(&groups, 1, MPI_GROUP_EMPTY);
  enter(&requests, 0, MPI_REQUEST_NULL);
  enter(&infos, 0, MPI_INFO_NULL);
  enter(&infos, 1, MPI_INFO_ENV);
  enter(&errhandlers, 0, MPI_ERRHANDLER_NULL);
  enter(&errhandlers, 1, MPI_ERRORS_ARE_FATAL);
  enter(&errhandlers, 2, MPI_ERRORS_RETURN);
  enter(&messages, 0, MPI_MESSAGE_NULL);
  enter(&messages, 1, MPI_MESSAGE_NO_PROC);
}

/* Index of an object without a field of its own for it, or the one it keeps. */
static int number_of(struct table *t, void *object, int *kept, const void *null, int of_null) {
  if (object == null)
    return of_null;
  if (*kept < 0 || leave(t, *kept, NULL) != object) {
    int index = -1;
    for (int i = 0; i < t->n && i < 3; i++)
      if (t->objects[i] == object)
        index = i;
    *kept = index >= 0 ? index : enter(t, -1, object);
  }
  return *kept;
}

#define TO(name, type, table, null, of_null) \
  MPL_API(int, name, type h) { MPL_ENTER; return h ? number_of(&table, h, &h->f_index, null, of_null) : of_null; }
#define FROM(name, type, table, null) \
  MPL_API(type, name, int index) { MPL_ENTER; return leave(&table, index, null); }
TO(Comm_c2f, MPI_Comm, comms, MPI_COMM_NULL, 2)
FROM(Comm_f2c, MPI_Comm, comms, MPI_COMM_NULL)
TO(Type_c2f, MPI_Datatype, types, MPI_DATATYPE_NULL, 0)
FROM(Type_f2c, MPI_Datatype, types, MPI_DATATYPE_NULL)
TO(Group_c2f, MPI_Group, groups, MPI_GROUP_NULL, 0)
FROM(Group_f2c, MPI_Group, groups, MPI_GROUP_NULL)
TO(Op_c2f, MPI_Op, ops, MPI_OP_NULL, 0)
FROM(Op_f2c, MPI_Op, ops, MPI_OP_NULL)
TO(Request_c2f, MPI_Request, requests, MPI_REQUEST_NULL, 0)
FROM(Request_f2c, MPI_Request, requests, MPI_REQUEST_NULL)
TO(Info_c2f, MPI_Info, infos, MPI_INFO_NULL, 0)
FROM(Info_f2c, MPI_Info, infos, MPI_INFO_NULL)
TO(Errhandler_c2f, MPI_Errhandler, errhandlers, MPI_ERRHANDLER_NULL, 0)
FROM(Errhandler_f2c, MPI_Errhandler, errhandlers, MPI_ERRHANDLER_NULL)
TO(Message_c2f, MPI_Message, messages, MPI_MESSAGE_NULL, 0)
FROM(Message_f2c, MPI_Message, messages, MPI_MESSAGE_NULL)

/* A status has the same six words in both languages. */
MPL_API(int, Status_c2f, const MPI_Status *c, int *f) {
  if (c == MPI_STATUS_IGNORE)
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Status_c2f");
  __builtin_memcpy(f, c, sizeof(*c));
  return MPI_SUCCESS;
}

MPL_API(int, Status_f2c, const int *f, MPI_Status *c) {
  if (!f)
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Status_f2c");
  __builtin_memcpy(c, f, sizeof(*c));
  return MPI_SUCCESS;
}
