/* Error handlers, classes, codes and their texts. */
#include "mpir/mpi/core.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[MPI_ERR_LASTCODE + 1] = {
    [MPI_SUCCESS] = "MPI_SUCCESS: no errors",
#define E(name, text) [name] = #name ": " text,
    E(MPI_ERR_BUFFER, "invalid buffer pointer") E(MPI_ERR_COUNT, "invalid count argument") E(MPI_ERR_TYPE, "invalid datatype")
    E(MPI_ERR_TAG, "invalid tag") E(MPI_ERR_COMM, "invalid communicator") E(MPI_ERR_RANK, "invalid rank")
    E(MPI_ERR_REQUEST, "invalid request") E(MPI_ERR_ROOT, "invalid root") E(MPI_ERR_GROUP, "invalid group")
    E(MPI_ERR_OP, "invalid reduce operation") E(MPI_ERR_TOPOLOGY, "invalid communicator topology")
    E(MPI_ERR_DIMS, "invalid topology dimension") E(MPI_ERR_ARG, "invalid argument of some other kind")
    E(MPI_ERR_UNKNOWN, "unknown error") E(MPI_ERR_TRUNCATE, "message truncated") E(MPI_ERR_OTHER, "known error not in list")
    E(MPI_ERR_INTERN, "internal error") E(MPI_ERR_IN_STATUS, "error code in status") E(MPI_ERR_PENDING, "pending request")
    E(MPI_ERR_ACCESS, "permission denied") E(MPI_ERR_AMODE, "error related to the amode passed to MPI_File_open")
    E(MPI_ERR_ASSERT, "invalid assert argument") E(MPI_ERR_BAD_FILE, "invalid file name") E(MPI_ERR_BASE, "invalid base")
    E(MPI_ERR_CONVERSION, "error in data conversion") E(MPI_ERR_DISP, "invalid displacement")
    E(MPI_ERR_DUP_DATAREP, "data representation already registered") E(MPI_ERR_FILE_EXISTS, "file exists")
    E(MPI_ERR_FILE_IN_USE, "file in use") E(MPI_ERR_FILE, "invalid file") E(MPI_ERR_INFO_KEY, "invalid key argument for info object")
    E(MPI_ERR_INFO_NOKEY, "unknown key for given info object") E(MPI_ERR_INFO_VALUE, "invalid value argument for info object")
    E(MPI_ERR_INFO, "invalid info object") E(MPI_ERR_IO, "input/output error") E(MPI_ERR_KEYVAL, "invalid key value")
    E(MPI_ERR_LOCKTYPE, "invalid lock") E(MPI_ERR_NAME, "invalid name argument") E(MPI_ERR_NO_MEM, "out of memory")
    E(MPI_ERR_NOT_SAME, "collective argument not identical on all processes") E(MPI_ERR_NO_SPACE, "not enough space on device")
    E(MPI_ERR_NO_SUCH_FILE, "no such file or directory") E(MPI_ERR_PORT, "invalid port") E(MPI_ERR_QUOTA, "out of quota")
    E(MPI_ERR_READ_ONLY, "file is read only") E(MPI_ERR_RMA_CONFLICT, "conflicting accesses to window")
    E(MPI_ERR_RMA_SYNC, "wrong synchronization of one-sided calls") E(MPI_ERR_SERVICE, "could not publish name")
    E(MPI_ERR_SIZE, "invalid size") E(MPI_ERR_SPAWN, "could not spawn processes")
    E(MPI_ERR_UNSUPPORTED_DATAREP, "data representation not supported") E(MPI_ERR_UNSUPPORTED_OPERATION, "operation not supported")
    E(MPI_ERR_WIN, "invalid window")
#undef E
};

/* Codes that the program has added: 'class' of each (a class is its own), and texts. */
static struct added { int class; char *text; } *added;
static int nadded;

static struct added *find_added(int code) {
  int i = code - MPI_ERR_LASTCODE - 1;
  return i >= 0 && i < nadded ? &added[i] : NULL;
}

static int add(int class) {
  added = realloc(added, (size_t)(nadded + 1) * sizeof(*added));
  added[nadded] = (struct added){class, NULL};
  return MPI_ERR_LASTCODE + 1 + nadded++;
}

int mpl_last_code(void) { return MPI_ERR_LASTCODE + nadded; }

MPL_API(int, Add_error_class, int *class) {
  *class = add(0);
  find_added(*class)->class = *class;
  return MPI_SUCCESS;
}

MPL_API(int, Add_error_code, int class, int *code) {
  MPL_ENTER;
  *code = add(class);
  return MPI_SUCCESS;
}

MPL_API(int, Add_error_string, int code, const char *text) {
  MPL_ENTER;
  struct added *a = find_added(code);
  if (!a || strlen(text) >= MPI_MAX_ERROR_STRING)
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Add_error_string");
  free(a->text);
  a->text = strdup(text);
  return MPI_SUCCESS;
}

MPL_API(int, Error_class, int code, int *class) {
  struct added *a = find_added(code);
  if (!a && (code < 0 || code > MPI_ERR_LASTCODE))
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Error_class");
  *class = a ? a->class : code;
  return MPI_SUCCESS;
}

static const char *text_of(int code) {
  struct added *a = find_added(code);
  if (a)
    return a->text ? a->text : "";
  return code >= 0 && code <= MPI_ERR_LASTCODE && texts[code] ? texts[code] : NULL;
}

MPL_API(int, Error_string, int code, char *string, int *length) {
  const char *text = text_of(code);
  if (!text)
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Error_string");
  *length = snprintf(string, MPI_MAX_ERROR_STRING, "%s", text);
  return MPI_SUCCESS;
}

static void call_handler(struct ompi_errhandler_t *h, struct ompi_communicator_t *comm, int code, const char *call) {
  if (h->language == MPL_FORTRAN) {
    MPI_Fint handle = PMPI_Comm_c2f(comm);
    ((void (*)(MPI_Fint *, MPI_Fint *, ...))(uintptr_t)h->function)(&handle, &code);
  } else if (h->language == MPL_CXX && h->dispatch) {
    h->dispatch(&comm, &code, call, (void *)(uintptr_t)h->function);
  } else {
    h->function(&comm, &code);
  }
}

int mpl_error(struct ompi_communicator_t *comm, int code, const char *call) {
  if (!comm || comm->magic != MPL_COMM)
    comm = MPI_COMM_WORLD;
  struct ompi_errhandler_t *h = mpl.initialized ? comm->errhandler : MPI_ERRORS_ARE_FATAL;
  if (h && h->kind == 2)
    return code;
  if (h && h->kind == 0) {
    call_handler(h, comm, code, call);
    return code;
  }
  const char *text = text_of(code);
  fprintf(stderr, "dvm run: error: rank %u: %s on %s: %s\n", mpl.rank, call, comm->name[0] ? comm->name : "a communicator", text ? text : "unknown error");
  PMPI_Abort(comm, code);
  return code;
}

struct ompi_errhandler_t *mpl_errhandler_new(MPI_Comm_errhandler_function *function, enum mpl_language language) {
  struct ompi_errhandler_t *h = calloc(1, sizeof(*h));
  *h = (struct ompi_errhandler_t){.magic = MPL_ERRHANDLER, .refs = 1, .f_index = -1, .function = function, .language = (uint8_t)language};
  return h;
}

MPL_API(int, Comm_create_errhandler, MPI_Comm_errhandler_function *function, MPI_Errhandler *handler) {
  MPL_ENTER;
  *handler = mpl_errhandler_new(function, MPL_C);
  return MPI_SUCCESS;
}

static void release(struct ompi_errhandler_t *h) {
  if (h && h->kind == 0 && !--h->refs)
    free(h);
}

MPL_API(int, Errhandler_free, MPI_Errhandler *handler) {
  MPL_ENTER;
  if (!*handler || *handler == MPI_ERRHANDLER_NULL)
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Errhandler_free");
  release(*handler);
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler) {
  MPL_ENTER;
  if (!comm || comm->magic != MPL_COMM || comm == MPI_COMM_NULL)
    return mpl_error(NULL, MPI_ERR_COMM, "MPI_Comm_set_errhandler");
  if (!handler || handler->magic != MPL_ERRHANDLER)
    return mpl_error(comm, MPI_ERR_ARG, "MPI_Comm_set_errhandler");
  handler->refs++;
  release(comm->errhandler);
  comm->errhandler = handler;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_get_errhandler, MPI_Comm comm, MPI_Errhandler *handler) {
  MPL_ENTER;
  if (!comm || comm->magic != MPL_COMM)
    return mpl_error(NULL, MPI_ERR_COMM, "MPI_Comm_get_errhandler");
  *handler = comm->errhandler;
  (*handler)->refs++;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_call_errhandler, MPI_Comm comm, int code) {
  MPL_ENTER;
  if (!comm || comm->magic != MPL_COMM)
    return mpl_error(NULL, MPI_ERR_COMM, "MPI_Comm_call_errhandler");
  mpl_error(comm, code, "MPI_Comm_call_errhandler");
  return MPI_SUCCESS;
}
