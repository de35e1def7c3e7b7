/* While the program stands, the thread of it that is asked for checkpoints stands too.  A copy of the socket that it listens on, taken for that time,
 * tells when somebody comes; nothing is accepted or read here. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "sdm/gdb/gdb_checkpoint.h"
#include "base/process.h"

/* As the checkpointer calls it (mpir/crs/protocol.h). */
static bool name_of(pid_t pid, char *name, size_t size) {
  char path[48];
  struct stat st;
  snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
  if (stat(path, &st))
    return false;
  snprintf(name, size, "dvm-checkpoint.%lu.%d", (unsigned long)st.st_ino, (int)dvm_process_last(pid, "NSpid:", pid));
  return true;
}

/* Descriptor 'number' of the process, if it is the socket of that name; else -1. */
static int copy_if(int process, int number, const char *name) {
  struct sockaddr_un a;
  socklen_t len = sizeof(a);
  int fd = (int)syscall(SYS_pidfd_getfd, process, number, 0);
  if (fd < 0)
    return -1;
  size_t n = strlen(name);
  if (!getsockname(fd, (struct sockaddr *)&a, &len) && a.sun_family == AF_UNIX && len == offsetof(struct sockaddr_un, sun_path) + 1 + n &&
      !a.sun_path[0] && !memcmp(a.sun_path + 1, name, n) && !fcntl(fd, F_SETFD, FD_CLOEXEC))
    return fd;
  close(fd);
  return -1;
}

static int find_door(struct gdb_checkpoint *k, int process, const char *name) {
  char path[300], target[64];
  int fd = k->door_number ? copy_if(process, k->door_number, name) : -1;
  snprintf(path, sizeof(path), "/proc/%d/fd", (int)k->of.pid);
  DIR *dir = fd < 0 ? opendir(path) : NULL;
  struct dirent *d;
  while (dir && fd < 0 && (d = readdir(dir))) {
    snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)k->of.pid, d->d_name);
    ssize_t n = readlink(path, target, sizeof(target));
    if (n > 7 && !memcmp(target, "socket:", 7) && (fd = copy_if(process, atoi(d->d_name), name)) >= 0)
      k->door_number = atoi(d->d_name);
  }
  if (dir)
    closedir(dir);
  return fd;
}

static void on_door(void *arg, unsigned events) {
  struct sdm_backend *b = arg;
  (void)events;
  sdm_gdb_door_close(b);
  sdm_gdb_save_by_request(b, false);
}

void sdm_gdb_door_open(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  char name[96];
  sdm_gdb_door_close(b);
  if (!k || !k->armed || !name_of(k->of.pid, name, sizeof(name)))
    return;
  int process = (int)syscall(SYS_pidfd_open, k->of.pid, 0);
  k->door = process >= 0 ? find_door(k, process, name) : -1;
  if (process >= 0)
    close(process);
  if (k->door >= 0)
    k->door_watch = sdm_loop_watch(b->host.loop, k->door, SDM_READ, on_door, b);
}

void sdm_gdb_door_close(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (!k || k->door < 0)
    return;
  sdm_watch_free(k->door_watch);
  close(k->door);
  k->door_watch = NULL;
  k->door = -1;
}
