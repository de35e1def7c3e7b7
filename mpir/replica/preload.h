#ifndef REPLICA_PRELOAD_H
#define REPLICA_PRELOAD_H
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

int replica_preload_open(int folder, const char *path, int flags, mode_t mode, const void *place);
/* Does 'act' in the replica that leads; the other gets its result.  'done': the error that says that it had been done. */
int replica_preload_once(int (*act)(const char *, const char *, long), const char *a, const char *b, long n, int done);
/* Looks at a file, for the program's code at 'place': 0, or -1 with errno; fills 'to', 'size' bytes or none.  Both replicas get what the main has seen. */
typedef int replica_look(const char *path, void *to, long how);
int replica_preload_look(replica_look *look, const char *path, void *to, size_t size, long how, const void *place);
bool replica_preload_watches(const char *path); /* its opening is not left to libc */
void replica_preload_refuse(const char *what, const char *name, const void *place);

/* Replicas on different hosts: a file that the program writes is flushed (fd -1: all are), is about to be closed, has been closed; the program ends. */
void replica_put_flushed(int fd);
bool replica_put_closes(int fd);
void replica_put_closed(void);
void replica_put_all(void);
#endif
