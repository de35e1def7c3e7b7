/* Files that are open when a shadow is made: a clone shares their positions with its main, so it opens them again. */
#include "mpir/replica/replica_private.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void replica_reopen_files(void);

static void reopen(int fd) {
  struct stat s;
  int flags = fcntl(fd, F_GETFL), of_fd = fcntl(fd, F_GETFD);
  char path[32];
  if (flags < 0 || (flags & O_ACCMODE) != O_RDONLY || fstat(fd, &s) || !S_ISREG(s.st_mode))
    return;
  snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
  int again = open(path, O_RDONLY | O_CLOEXEC);
  if (again < 0)
    return;
  lseek(again, lseek(fd, 0, SEEK_CUR), SEEK_SET);
  dup3(again, fd, of_fd & FD_CLOEXEC ? O_CLOEXEC : 0);
  close(again);
}

void replica_reopen_files(void) {
  DIR *d = opendir("/proc/self/fd");
  for (struct dirent *e; d && (e = readdir(d));)
    if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
      reopen(atoi(e->d_name));
  if (d)
    closedir(d);
}
