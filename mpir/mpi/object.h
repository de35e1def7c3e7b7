/* What the handles of MPI point to.  All of it is plain data in the process: an image of the process holds it, and nothing else knows of it.
   Sizes of the predefined objects are those of Open MPI's, whose symbols programs were linked against.
   Debian's bindings for Fortran and C++ run on this library, too, and look into a few fields of Open MPI's objects: those stand where Open MPI 4.1 has
   them, at the offsets MPL_AT_*. */
#ifndef MPL_OBJECT_H
#define MPL_OBJECT_H
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { MPL_COMM = 0x434d4d21, MPL_TYPE = 0x54595021, MPL_GROUP = 0x47525021, MPL_OP = 0x4f502121, MPL_REQUEST = 0x52455121,
       MPL_INFO = 0x494e4621, MPL_ERRHANDLER = 0x45525221, MPL_MESSAGE = 0x4d534721, MPL_FREED = 0x46524545 };

enum { MPL_AT_COMM_ATTRS = 0x110, MPL_AT_TYPE_ATTRS = 0xd0, MPL_AT_OP_FLAGS = 0x54, MPL_AT_ERRHANDLER_DISPATCH = 0x78 };

struct mpl_attr {
  struct mpl_attr *next;
  int keyval;
  bool integer; /* 'value' is an integer of Fortran's */
  void *value;
};

struct ompi_group_t {
  uint32_t magic, refs;
  int size, rank; /* rank: of this process, or MPI_UNDEFINED */
  int f_index;
  bool predefined;
  int *members;   /* ranks of the job; owned */
};

enum mpl_language { MPL_C, MPL_CXX, MPL_FORTRAN };
struct ompi_errhandler_t {
  uint32_t magic, refs;
  int f_index, kind; /* kind: 0 of the user, 1 fatal, 2 return */
  MPI_Comm_errhandler_function *function;
  uint8_t language;  /* of the function */
  char room_[MPL_AT_ERRHANDLER_DISPATCH - 32];
  void (*dispatch)(void *object, int *code, const char *message, void *function); /* of C++ */
};
_Static_assert(__builtin_offsetof(struct ompi_errhandler_t, dispatch) == MPL_AT_ERRHANDLER_DISPATCH, "as Open MPI has it");

struct mpl_topology;
struct ompi_communicator_t {
 union {
 struct {
  uint32_t magic, refs;
  uint32_t context; /* point to point; collectives have context + 1 */
  int rank, size, remote_size;
  int f_index;
  bool inter, predefined;
  uint32_t collectives;  /* started so far: tag of the next */
  struct ompi_group_t *group, *remote; /* remote: of an inter-communicator */
  struct ompi_communicator_t *local;   /* likewise: for what the local group does among itself */
  struct ompi_errhandler_t *errhandler;
  struct mpl_attr *attrs;
  struct mpl_topology *topology;
  struct ompi_info_t *info;
  struct ompi_communicator_t *next, **at; /* in the list of all */
  char name[MPI_MAX_OBJECT_NAME];
 };
 char room_[MPL_AT_COMM_ATTRS];
 };
  struct mpl_attr **attrs_at; /* 'attrs' of this, or NULL if there has never been one */
};
_Static_assert(__builtin_offsetof(struct ompi_communicator_t, attrs_at) == MPL_AT_COMM_ATTRS, "as Open MPI has it");

enum mpl_shape { MPL_BASIC, MPL_VECTOR, MPL_BLOCKS };
struct mpl_contents { /* as the constructor was called */
  int nints, naints, ntypes;
  int *ints;
  MPI_Aint *aints;
  struct ompi_datatype_t **types;
};
struct ompi_datatype_t {
 union {
 struct {
  uint32_t magic, refs;
  int f_index, combiner;
  bool predefined, committed, dense; /* dense: data of one element are one run of bytes from true_lb on, in order */
  uint8_t shape, basic; /* basic: enum mpl_basic */
  uint8_t align;        /* bytes: of the basic type that needs most */
  MPI_Aint size, lb, ub, true_lb, true_ub;
  uint64_t nbasic; /* basic elements in one */
  /* MPL_VECTOR: 'count' blocks of 'blocklen' children, 'stride' bytes apart; MPL_BLOCKS: 'count' blocks of lens[i] of kids[i] (or of 'child') at disps[i]. */
  MPI_Aint count, blocklen, stride;
  int *lens;
  MPI_Aint *disps;
  struct ompi_datatype_t *child, **kids;
  struct mpl_contents *contents;
  struct mpl_attr *attrs;
 };
 char room_[MPL_AT_TYPE_ATTRS];
 };
  struct mpl_attr **attrs_at; /* likewise */
  char name[MPI_MAX_OBJECT_NAME];
};
_Static_assert(__builtin_offsetof(struct ompi_datatype_t, attrs_at) == MPL_AT_TYPE_ATTRS, "as Open MPI has it");

enum { MPL_OP_FORTRAN = 2, MPL_OP_CXX = 4 };
struct ompi_op_t {
  uint32_t magic, refs;
  int f_index, builtin; /* builtin: enum mpl_builtin, 0 of the user */
  bool commutes;
  MPI_User_function *function;
  MPI_User_function *inner; /* of C++: what 'function' calls */
  char room_[MPL_AT_OP_FLAGS - 40];
  uint32_t language;    /* of the function: 0 or MPL_OP_* */
};
_Static_assert(__builtin_offsetof(struct ompi_op_t, language) == MPL_AT_OP_FLAGS, "as Open MPI has it");

struct mpl_pair { struct mpl_pair *next; char *key, *value; };
struct ompi_info_t {
  uint32_t magic, refs;
  int f_index;
  struct mpl_pair *pairs;
};

struct mpl_schedule;
enum mpl_request_kind { MPL_SEND, MPL_RECV, MPL_COLLECTIVE, MPL_GENERALIZED };
struct ompi_request_t {
  uint32_t magic;
  int f_index;
  uint8_t kind, mode; /* mode of a send: enum mpl_mode */
  bool persistent, active, complete, freed, matched, cancelling, cancelled;
  int peer, tag; /* peer: rank of the job, or MPI_ANY_SOURCE */
  uint32_t context;
  uint32_t name;     /* in records, where replicas need one; 0: none */
  struct ompi_communicator_t *comm;
  struct ompi_datatype_t *type;
  void *buf;
  int count;
  char *bytes;       /* the data as one run: in 'buf', or in memory of our own */
  size_t size, moved, capacity;
  bool own_bytes, lent; /* lent: of a buffered send, whose caller has gone on */
  uint64_t other;    /* address of the request at the other end */
  MPI_Status status;
  struct ompi_request_t *next, **at;   /* in a list of posted receives, or of sends that are not complete */
  struct mpl_schedule *schedule;
  struct mpl_generalized *generalized;
  const void *place; /* who asked for it */
};

struct mpl_unexpected;
struct ompi_message_t {
  uint32_t magic;
  int f_index;
  struct mpl_unexpected *u;
  struct ompi_communicator_t *comm;
};

#define MPL_PREDEFINED(name, bytes)           \
  struct ompi_predefined_##name##_t {         \
    union {                                   \
      struct ompi_##name##_t object;          \
      char room[bytes];                       \
    };                                        \
  }
MPL_PREDEFINED(communicator, 512);
MPL_PREDEFINED(datatype, 512);
MPL_PREDEFINED(group, 256);
MPL_PREDEFINED(request, 256);
MPL_PREDEFINED(message, 256);
MPL_PREDEFINED(op, 2048);
MPL_PREDEFINED(info, 256);
MPL_PREDEFINED(errhandler, 1024);
_Static_assert(sizeof(struct ompi_predefined_communicator_t) == 512 && sizeof(struct ompi_predefined_datatype_t) == 512 &&
                 sizeof(struct ompi_predefined_request_t) == 256,
               "the sizes of Open MPI's symbols");
#define MPL_PLACE __builtin_return_address(0)
/* The profiling name is the function; the other is a weak second name that a tool may take over. */
#define MPL_API(type, name, ...)                                                     \
  type MPI_##name(__VA_ARGS__) __attribute__((weak, alias("PMPI_" #name)));          \
  type PMPI_##name(__VA_ARGS__)
#endif
