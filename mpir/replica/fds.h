/* The descriptors of this process; in the message layer and in the preloaded part alike. */
#ifndef REPLICA_FDS_H
#define REPLICA_FDS_H
#include <stdbool.h>
#include <stddef.h>

enum { REPLICA_FDS_MAX = 4096 };
size_t replica_fds(int *fds, size_t max); /* those that are open */
bool replica_same_open_file(int a, int b); /* one was made of the other, and they share a position */
void replica_put_in_place(int fd, int place); /* dup2(2); 'place' is closed by exec, or not, as before */
#endif
