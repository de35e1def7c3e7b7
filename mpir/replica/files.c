/* Files that are open when a shadow is made: a clone shares their positions with its main, so it opens them again. */
#include "mpir/replica/fds.h"
#include "mpir/replica/replica_private.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

void replica_reopen_files(void);

static void reopen(int fd) {
  struct stat s;
  int flags = fcntl(fd, F_GETFL);
  char path[32];
  if (flags < 0 || (flags & O_ACCMODE) != O_RDONLY || fstat(fd, &s) || !S_ISREG(s.st_mode))
    return;
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  int again = open(path, O_RDONLY | O_CLOEXEC);
  if (again < 0)
    return;
  lseek(again, lseek(fd, 0, SEEK_CUR), SEEK_SET);
  replica_put_in_place(again, fd);
  close(again);
}

void replica_reopen_files(void) {
  static int fds[REPLICA_FDS_MAX];
  size_t n = replica_fds(fds, REPLICA_FDS_MAX);
  for (size_t i = 0; i < n; i++)
    reopen(fds[i]);
}
