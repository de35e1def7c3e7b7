/* Parts of libdvmreplica for each other. */
#ifndef REPLICA_PRELOAD_PRIVATE_H
#define REPLICA_PRELOAD_PRIVATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "mpir/replica/door.h"
#include "mpir/replica/fds.h"

/* preload.c */
extern struct replica_door *replica_door; /* the message layer's; NULL until it has come */
bool replica_is_on(void); /* this is a replica, and what is called now is the program's */
int replica_sys_open(int folder, const char *path, int flags, mode_t mode); /* not what the program would get of us */
int replica_sys_close(int fd);
int replica_sys_stat(const char *path, struct stat *to);
char *replica_absolute(const char *path); /* the same for all names of a file that need not be there; the caller frees it */

/* preload_nature.c: by the thread that calls MPI_Init, when the message layer has come. */
void replica_nature_begin(void);
void replica_nature_forks(void); /* a main, before it makes its shadow */
void replica_nature_clone(void); /* the fresh shadow */
bool replica_is_determined(enum replica_determinant kind,
                           const void *place); /* asked by the code at 'place', which may be NULL: not by libc for itself */
bool replica_is_asked(const void *place); /* likewise, of what is not among these kinds */
uint64_t replica_same(uint64_t word); /* the main's */
void replica_same_bytes(void *data, size_t size); /* likewise; copied in parts, the last one padded */

/* preload_random.c */
bool replica_random_is(int fd); /* it is a device of random numbers, which is noted */
FILE *replica_random_stream(int fd, const char *mode); /* one that gives the same to both; NULL with errno.  It owns 'fd' then. */

/* preload_files.c: files that are open for writing.  A shadow writes into memory; where it is on another host, its main does, too. */
struct written {
  struct written *next;
  char *path; /* NULL: the file has no name, and nobody else sees it */
  int flags; /* to open it again, where it goes on */
  int spool; /* the memory file once more: it shares its position with the program's descriptors */
  off_t begin; /* what is before is not in the spool */
  int first; /* what was in the file when this one began, or -1 */
  off_t put; /* what is before was put in place when the program said so */
};
struct written *replica_written_first(void);
void replica_written_drop(struct written *w);
bool replica_written_is_open(const struct written *w, const int *fds, size_t n);
void replica_written_out(const struct written *w, const int *fds,
                         size_t n); /* into its place; descriptors of 'fds' that lead to the memory lead there */
void replica_written_refuse(const struct written *w); /* with errno: it cannot be written there */
int replica_written_open_again(const struct written *w);
int replica_written_open(int folder, const char *path, int flags, mode_t mode);
int replica_read_open(int folder, const char *path, int flags); /* of a file that the program has written */
bool replica_has_written(const char *path);
bool replica_written_is(int fd); /* a file that is open for writing; by a shadow, in memory */
/* A file gets another name (or none: NULL) in the call that is made now; then: it has. */
void replica_written_moves(const char *from, const char *to);
void replica_written_moved(const char *from, const char *to);
void replica_written_forget(void); /* those that the program has closed, when its main is known to have closed them, too */
void replica_written_claim(void); /* what is open now is this rank's */
const char *replica_written_before(void); /* a file with a name that is open for writing, or NULL */
bool replica_written_any(void); /* something is in memory alone */
void replica_written_promote(void); /* this replica leads: it goes to the files; with shadows on other hosts it stays in memory, too */
void replica_written_clone(void); /* this process is a fresh shadow: what its main has open goes to memory */

/* preload_put.c: replicas on different hosts.  Both write into memory.  A file is put in place when it is closed, and what has come to it when the program flushes it:
   by the main, when its shadow is where it is, so that no other course can be taken any more.  A shadow that comes to lead does it again, and goes on so.  Elsewhere they
   do nothing. */
void replica_put_before(void); /* before something is done to files: what was closed is in place, and the shadow is here, too */
struct written *replica_put_find(const char *path); /* one that is not in place yet, or NULL */
#endif
