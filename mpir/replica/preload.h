#ifndef REPLICA_PRELOAD_H
#define REPLICA_PRELOAD_H
#include <sys/types.h>

int replica_preload_open(int folder, const char *path, int flags, mode_t mode, const void *place);
/* Does 'act' in the replica that leads; the other gets its result.  'done': the error that says that it had been done. */
int replica_preload_once(int (*act)(const char *, const char *, long), const char *a, const char *b, long n, int done);
void replica_preload_refuse(const char *what, const char *name, const void *place);
#endif
