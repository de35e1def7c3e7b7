/* Between the checkpoint command and the helper thread of a checkpointable process: one request, one reply, over an
 * abstract stream socket.  Both ends are of one build; the version says so. */
#ifndef DVM_MPIR_PROTOCOL_H
#define DVM_MPIR_PROTOCOL_H
#include <errno.h>
#include <stdint.h>

#define CRS_PROTOCOL_VERSION 4
#define CRS_PATH_MAX 4096
#define CRS_TEXT_MAX 4096

enum { /* crs_request.flags */
       CRS_ALL_FILES = 1,     /* save mapped files too */
       CRS_NO_FORK = 2,       /* write while stopped */
       CRS_ALLOW_TRACED = 4,  /* a debugger may be attached */
       CRS_NO_SYNC = 8,       /* do not wait until the data are on disk */
       CRS_FOR_DEBUGGER = 16, /* asked with --crdebug */
       CRS_IGNORE_FILES = 32, /* leave out what cannot be restored instead of refusing */
       CRS_RESET_SOCKETS = 1 << 15, /* connections that lead out are broken at a restart, instead of being refused */
       CRS_INCREMENTAL = 1 << 14, /* what has changed since the image before, if that is known */
       CRS_STRICT = 1 << 13,  /* what would not come back as it is refuses the image */
       CRS_SAVE_FILES = 1 << 12, /* contents of open files too */
       CRS_MEMBER = 1 << 16,  /* one process of a set, see struct crs_order */
};

#define CRS_FORWARDED (-10001) /* crs_reply.code: nothing is saved, more processes are to be, as 'forwards' tells */
#define CRS_FORWARDS_MAX 16
/* crs_reply.code: a debugger of ours has come back since the request was begun.  It lets go when it is asked again: the request is made once
 * more, by the process itself, or, of members of a set, by who has asked all. */
#define CRS_CAME_BACK (-EALREADY)
#define CRS_TRIES 4

/* What a callback has added to the checkpoint. */
struct crs_forward {
  int32_t scope; /* DVMCR_PROCESS, DVMCR_TREE, DVMCR_GROUP, DVMCR_SESSION */
  int32_t target; /* in the numbers of the process that tells it */
};

enum crs_phase { /* crs_reply.phase */
                 CRS_DONE = 0, /* the last reply */
                 CRS_STOPPED = 1, /* a member stands and waits for its order; 'path' is where its image would go if it were alone */
                 CRS_COPIED = 2, /* a member has saved what it shares with others and waits for CRS_GO */
};

struct crs_request {
  uint32_t version, flags;
  uint32_t stop_timeout_ms;
  uint32_t keep; /* images of this process to keep; 0: all */
  uint32_t whole_every; /* incremental images between whole ones, 0: as usual */
  int32_t signal; /* sent to the process when the image is whole; 0: none */
  char path[CRS_PATH_MAX]; /* image file, a folder (ends in '/'), or "" for the process's own folder */
};

struct crs_reply {
  uint32_t version;
  int32_t code; /* 0, or -E... */
  uint64_t stop_ns, held_ns, total_ns; /* until all threads stood; until they were released; until the image was whole */
  uint64_t image_size, data_size;
  uint32_t threads, phase;
  uint32_t forward_count, reserved;
  struct crs_forward forwards[CRS_FORWARDS_MAX];
  char path[CRS_PATH_MAX];
  char text[CRS_TEXT_MAX]; /* lines: why it failed, or else what will not come back as it was */
};

/* A set of processes is saved so: each is sent a request with CRS_MEMBER, parents before their children, and answers
 * CRS_STOPPED; when all stand, each gets an order, with 'count' objects behind it, and answers CRS_COPIED; when all have,
 * each gets the byte CRS_GO, goes on, and answers CRS_DONE when its image is whole.  A connection that ends before lets the
 * member go on, and there is no image. */
#define CRS_GO 'G'
#define CRS_OBJECTS_MAX 16384

enum { /* crs_object.flags */
       CRS_OBJECT_INSIDE = 1, /* all who have it are members */
       CRS_OBJECT_MINE = 2, /* this member saves its content, the others do not */
       CRS_OBJECT_COMMON = 8, /* several members have it, and nobody else is known to */
       CRS_OBJECT_STANDARD = 4, /* leads outside, as a standard stream of one member: restored from the restarting command's */
};

/* A pipe, socket, or piece of memory that several members have. */
struct crs_object {
  uint64_t device, inode; /* device 0: a socket, or as stat(2) tells it */
  uint32_t flags, reserved;
};

struct crs_order {
  uint32_t version, count;
  char path[CRS_PATH_MAX]; /* image file, in a folder with a name for the moment */
  char name[CRS_PATH_MAX]; /* under which it will be found: FOLDER/SET/FILE */
};

/* The socket's name after the leading zero byte: numbers of the process's own pid namespace. */
#define CRS_SOCKET_FORMAT "dvm-checkpoint.%lu.%d"
#endif
