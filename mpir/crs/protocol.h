/* Between the checkpoint command and the helper thread of a checkpointable process: one request, one reply, over an
 * abstract stream socket.  Both ends are of one build; the version says so. */
#ifndef DVM_MPIR_PROTOCOL_H
#define DVM_MPIR_PROTOCOL_H
#include <stdint.h>

#define CRS_PROTOCOL_VERSION 1
#define CRS_PATH_MAX 4096
#define CRS_TEXT_MAX 4096

enum { /* crs_request.flags */
  CRS_ALL_FILES = 1,     /* save mapped files too */
  CRS_NO_FORK = 2,       /* write while stopped */
  CRS_ALLOW_TRACED = 4,  /* a debugger may be attached */
  CRS_NO_SYNC = 8,       /* do not wait for the medium */
  CRS_FOR_DEBUGGER = 16, /* asked with --crdebug */
  CRS_IGNORE_FILES = 32, /* leave out what cannot be restored instead of refusing */
};

struct crs_request {
  uint32_t version, flags;
  uint32_t stop_timeout_ms;
  uint32_t keep;            /* images of this process to keep; 0: all */
  int32_t signal;           /* sent to the process when the image is whole; 0: none */
  char path[CRS_PATH_MAX];  /* image file, a folder (ends in '/'), or "" for the process's own folder */
};

struct crs_reply {
  uint32_t version;
  int32_t code;             /* 0, or -E... */
  uint64_t stop_ns, held_ns, total_ns; /* until all threads stood; until they were released; until the image was whole */
  uint64_t image_size, data_size;
  uint32_t threads, reserved;
  char path[CRS_PATH_MAX];
  char text[CRS_TEXT_MAX];  /* why it failed; lines */
};

/* The socket's name after the leading zero byte: numbers of the process's own pid namespace. */
#define CRS_SOCKET_FORMAT "dvm-checkpoint.%lu.%d"
#endif
