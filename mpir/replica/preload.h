#ifndef REPLICA_PRELOAD_H
#define REPLICA_PRELOAD_H
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

int replica_preload_open(int folder, const char *path, int flags, mode_t mode, const void *place);
/* Does 'act' in the replica that leads; the other gets its result.  'done': the error that says that it had been done. */
int replica_preload_once(int (*act)(const char *, const char *, long), const char *a, const char *b, long n, int done);
int replica_preload_stat(int (*look)(const char *, struct stat *), const char *path, struct stat *to);
int replica_preload_access(int (*look)(const char *, int), const char *path, int mode);
bool replica_preload_watches(const char *path); /* its opening is not left to libc */
void replica_preload_refuse(const char *what, const char *name, const void *place);

/* Replicas on different hosts: a file that the program writes is flushed (fd -1: all are), is about to be closed, has been closed; the program ends. */
void replica_put_flushed(int fd);
bool replica_put_closes(int fd);
void replica_put_closed(void);
void replica_put_all(void);
#endif
