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
int replica_sys_stat(const char *path, struct stat *to);
char *replica_absolute(const char *path); /* the same for all names of a file that need not be there; the caller frees it */

/* preload_nature.c: by the thread that calls MPI_Init, when the message layer has come. */
void replica_nature_begin(void);
void replica_nature_forks(void); /* a main, before it makes its shadow */
void replica_nature_clone(void); /* the fresh shadow */
bool replica_is_determined(enum replica_determinant kind,
                           const void *place); /* asked by the code at 'place', which may be NULL: not by libc for itself */
uint64_t replica_same(uint64_t word); /* the main's */
void replica_same_bytes(void *data, size_t size); /* likewise; copied in parts, the last one padded */

/* preload_random.c */
bool replica_random_is(int fd); /* it is a device of random numbers, which is noted */
FILE *replica_random_stream(int fd, const char *mode); /* one that gives the same to both; NULL with errno.  It owns 'fd' then. */

/* preload_files.c: files that are open for writing.  A shadow writes into memory. */
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
void replica_written_promote(void); /* this replica leads: it goes to the files */
void replica_written_clone(void); /* this process is a fresh shadow: what its main has open goes to memory */
#endif
