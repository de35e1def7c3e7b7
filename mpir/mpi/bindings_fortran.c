/* What Fortran programs name without calling it: addresses that mean something, and strings of theirs. */
#include "mpir/mpi/core.h"
#include <stdlib.h>
#include <string.h>
#pragma clang diagnostic ignored "-Wunused-parameter" /* Open MPI has them */

/* Common blocks of mpif.h: a program has its own of the name that its compiler makes, and the linker takes that for all. */
#define COMMON(lower, upper, type)          \
  type mpi_fortran_##lower, mpi_fortran_##lower##_, mpi_fortran_##lower##__, MPI_FORTRAN_##upper;
COMMON(bottom, BOTTOM, int) COMMON(in_place, IN_PLACE, int) COMMON(unweighted, UNWEIGHTED, int) COMMON(weights_empty, WEIGHTS_EMPTY, int)
COMMON(errcodes_ignore, ERRCODES_IGNORE, int) COMMON(argv_null, ARGV_NULL, char) COMMON(argvs_null, ARGVS_NULL, char)
COMMON(status_ignore, STATUS_IGNORE, int *) COMMON(statuses_ignore, STATUSES_IGNORE, int *)

MPI_Fint *MPI_F_STATUS_IGNORE = (MPI_Fint *)&mpi_fortran_status_ignore_, *MPI_F_STATUSES_IGNORE = (MPI_Fint *)&mpi_fortran_statuses_ignore_;

/* A data representation's conversion that does nothing: named only for MPI-IO. */
void mpi_conversion_fn_null_f(void);
void mpi_conversion_fn_null_f(void) { mpl_refuse("MPI_CONVERSION_FN_NULL", MPL_PLACE); }
#define ALSO(name) void name(void) __attribute__((weak, alias("mpi_conversion_fn_null_f")));
ALSO(mpi_conversion_fn_null) ALSO(mpi_conversion_fn_null_) ALSO(mpi_conversion_fn_null__)
#undef MPI_CONVERSION_FN_NULL
ALSO(MPI_CONVERSION_FN_NULL)

int ompi_fortran_string_f2c(const char *text, int length, char **copy);
int ompi_fortran_string_c2f(const char *text, char *to, int length);
int ompi_fortran_argv_blank_f2c(const char *array, int length, int advance, char ***words);
int ompi_fortran_argv_count_f2c(const char *array, int count, int length, int advance, char ***words);
int ompi_fortran_multiple_argvs_f2c(int count, const char *array, int length, char ****arrays);

/* Without the blanks at both ends; 0, or -2 for want of memory. */
int ompi_fortran_string_f2c(const char *text, int length, char **copy) {
  while (length > 0 && *text == ' ')
    text++, length--;
  while (length > 0 && text[length - 1] == ' ')
    length--;
  *copy = strndup(text, length > 0 ? (size_t)length : 0);
  return *copy ? 0 : -2;
}

/* Blanks up to its end. */
int ompi_fortran_string_c2f(const char *text, char *to, int length) {
  size_t n = strnlen(text, length > 0 ? (size_t)length : 0);
  memcpy(to, text, n);
  if (length > 0)
    memset(to + n, ' ', (size_t)length - n);
  return 0;
}

/* Arrays of strings are arguments of MPI_Comm_spawn, which is refused before anybody looks at them. */
int ompi_fortran_argv_blank_f2c(const char *array, int length, int advance, char ***words) {
  *words = NULL;
  return 0;
}

int ompi_fortran_argv_count_f2c(const char *array, int count, int length, int advance, char ***words) {
  *words = NULL;
  return 0;
}

int ompi_fortran_multiple_argvs_f2c(int count, const char *array, int length, char ****arrays) {
  *arrays = calloc(count > 0 ? (size_t)count : 1, sizeof(**arrays));
  return *arrays ? 0 : -2;
}

/* Functions for attributes that MPI has itself.  Integers are of 4 bytes in those of the old kind, else of 8. */
#undef MPI_DUP_FN
#undef MPI_NULL_COPY_FN
#undef MPI_NULL_DELETE_FN
#undef MPI_COMM_DUP_FN
#undef MPI_COMM_NULL_COPY_FN
#undef MPI_COMM_NULL_DELETE_FN
#undef MPI_TYPE_DUP_FN
#undef MPI_TYPE_NULL_COPY_FN
#undef MPI_TYPE_NULL_DELETE_FN
#undef MPI_WIN_DUP_FN
#undef MPI_WIN_NULL_COPY_FN
#undef MPI_WIN_NULL_DELETE_FN
#define NAMES(lower, upper, parameters)                                                          \
  void mpi_##lower parameters __attribute__((weak, alias("ompi_" #lower "_f")));                 \
  void mpi_##lower##_ parameters __attribute__((weak, alias("ompi_" #lower "_f")));              \
  void mpi_##lower##__ parameters __attribute__((weak, alias("ompi_" #lower "_f")));             \
  void MPI_##upper parameters __attribute__((weak, alias("ompi_" #lower "_f")));
#define COPIES(lower, upper, copied, integer)                                                    \
  void ompi_##lower##_f(MPI_Fint *, MPI_Fint *, void *, integer *, integer *, MPI_Fint *, MPI_Fint *);                                    \
  void ompi_##lower##_f(MPI_Fint *object, MPI_Fint *key, void *state, integer *from, integer *to, MPI_Fint *flag, MPI_Fint *error) {      \
    *flag = copied;                                                                              \
    if (copied)                                                                                  \
      *to = *from;                                                                               \
    *error = MPI_SUCCESS;                                                                        \
  }                                                                                              \
  NAMES(lower, upper, (MPI_Fint *, MPI_Fint *, void *, integer *, integer *, MPI_Fint *, MPI_Fint *))
#define DELETES(lower, upper)                                                                    \
  void ompi_##lower##_f(MPI_Fint *, MPI_Fint *, void *, void *, MPI_Fint *);                     \
  void ompi_##lower##_f(MPI_Fint *object, MPI_Fint *key, void *value, void *state, MPI_Fint *error) { *error = MPI_SUCCESS; }             \
  NAMES(lower, upper, (MPI_Fint *, MPI_Fint *, void *, void *, MPI_Fint *))
COPIES(dup_fn, DUP_FN, 1, MPI_Fint) COPIES(null_copy_fn, NULL_COPY_FN, 0, MPI_Fint) DELETES(null_delete_fn, NULL_DELETE_FN)
COPIES(comm_dup_fn, COMM_DUP_FN, 1, MPI_Aint) COPIES(comm_null_copy_fn, COMM_NULL_COPY_FN, 0, MPI_Aint) DELETES(comm_null_delete_fn, COMM_NULL_DELETE_FN)
COPIES(type_dup_fn, TYPE_DUP_FN, 1, MPI_Aint) COPIES(type_null_copy_fn, TYPE_NULL_COPY_FN, 0, MPI_Aint) DELETES(type_null_delete_fn, TYPE_NULL_DELETE_FN)
COPIES(win_dup_fn, WIN_DUP_FN, 1, MPI_Aint) COPIES(win_null_copy_fn, WIN_NULL_COPY_FN, 0, MPI_Aint) DELETES(win_null_delete_fn, WIN_NULL_DELETE_FN)
