/* Random numbers: of libc's functions, and of the devices.  A shadow gets what its main got. */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>
#include "mpir/replica/preload_private.h"
#pragma clang diagnostic ignored "-Wmissing-prototypes"
#pragma clang diagnostic ignored "-Wreserved-identifier"

#define PLACE __builtin_return_address(0)
#define NEXT(name) static __typeof__(&name) next_##name
NEXT(getrandom);
NEXT(getentropy);
NEXT(arc4random);
NEXT(arc4random_buf);
NEXT(arc4random_uniform);
NEXT(read);
NEXT(pread);
NEXT(readv);
/* Also before this library's constructor has run: other libraries have constructors too. */
#define FIND(name) (next_##name ? next_##name : (next_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name)))

/* 'n' bytes were got, or -1 with the error; the shadow has as many, and the same. */
static ssize_t same_data(void *to, size_t size, ssize_t n) {
  int64_t all = (int64_t)replica_same(n < 0 ? (uint64_t)-(int64_t)errno : (uint64_t)n);
  if (all > (int64_t)size) /* the main asked for more: replicas that differ, which their messages will show */
    all = (int64_t)size;
  if (all > 0)
    replica_same_bytes(to, (size_t)all);
  errno = all < 0 ? (int)-all : errno;
  return all < 0 ? -1 : (ssize_t)all;
}

ssize_t getrandom(void *to, size_t size, unsigned flags) {
  ssize_t n = FIND(getrandom)(to, size, flags);
  return replica_is_determined(REPLICA_RANDOM, PLACE) ? same_data(to, size, n) : n;
}

int getentropy(void *to, size_t size) {
  int rc = FIND(getentropy)(to, size);
  if (!rc && replica_is_determined(REPLICA_RANDOM, PLACE))
    replica_same_bytes(to, size);
  return rc;
}

static uint32_t same_number(uint32_t own, const void *place) {
  if (replica_is_determined(REPLICA_RANDOM, place))
    replica_same_bytes(&own, sizeof(own));
  return own;
}

uint32_t arc4random(void) { return same_number(FIND(arc4random)(), PLACE); }
uint32_t arc4random_uniform(uint32_t limit) { return same_number(FIND(arc4random_uniform)(limit), PLACE); }
void arc4random_buf(void *to, size_t size) {
  FIND(arc4random_buf)(to, size);
  if (replica_is_determined(REPLICA_RANDOM, PLACE))
    replica_same_bytes(to, size);
}

/* --- /dev/random and /dev/urandom --- */

static bool any_device; /* one was opened: what is read is looked at */

bool replica_random_is(int fd) {
  struct stat s;
  if (fd < 0 || syscall(SYS_fstat, fd, &s) || !S_ISCHR(s.st_mode) || (s.st_rdev != makedev(1, 8) && s.st_rdev != makedev(1, 9)))
    return false;
  any_device = true;
  return true;
}

static bool is_same(int fd, const void *place) {
  return any_device && replica_is_determined(REPLICA_RANDOM, place) && replica_random_is(fd);
}

static ssize_t read_same(int fd, void *to, size_t size, ssize_t n, const void *place) {
  return is_same(fd, place) ? same_data(to, size, n) : n;
}

ssize_t read(int fd, void *to, size_t size) { return read_same(fd, to, size, FIND(read)(fd, to, size), PLACE); }
ssize_t pread(int fd, void *to, size_t size, off_t at) { return read_same(fd, to, size, FIND(pread)(fd, to, size, at), PLACE); }
ssize_t pread64(int fd, void *to, size_t size, off_t at) { return read_same(fd, to, size, FIND(pread)(fd, to, size, at), PLACE); }

ssize_t readv(int fd, const struct iovec *pieces, int count) {
  if (!is_same(fd, PLACE))
    return FIND(readv)(fd, pieces, count);
  ssize_t all = 0, n = 0;
  for (int i = 0; i < count && (size_t)n == (i ? pieces[i - 1].iov_len : 0); i++, all += n) {
    n = same_data(pieces[i].iov_base, pieces[i].iov_len, FIND(read)(fd, pieces[i].iov_base, pieces[i].iov_len));
    if (n < 0)
      return all ? all : -1;
  }
  return all;
}

/* As code that was compiled with _FORTIFY_SOURCE calls them; 'room': of what 'to' points to. */
static void check(size_t size, size_t room) {
  if (size > room)
    abort();
}
ssize_t __read_chk(int fd, void *to, size_t size, size_t room) {
  check(size, room);
  return read_same(fd, to, size, FIND(read)(fd, to, size), PLACE);
}
ssize_t __pread_chk(int fd, void *to, size_t size, off_t at, size_t room) {
  check(size, room);
  return read_same(fd, to, size, FIND(pread)(fd, to, size, at), PLACE);
}
ssize_t __pread64_chk(int fd, void *to, size_t size, off_t at, size_t room) {
  check(size, room);
  return read_same(fd, to, size, FIND(pread)(fd, to, size, at), PLACE);
}

/* libc's streams read by themselves, but ask these. */
static ssize_t stream_read(void *cookie, char *to, size_t size) {
  int fd = (int)(intptr_t)cookie;
  return read_same(fd, to, size, FIND(read)(fd, to, size), NULL);
}
static ssize_t stream_write(void *cookie, const char *from, size_t size) { return write((int)(intptr_t)cookie, from, size); }
static int stream_close(void *cookie) { return close((int)(intptr_t)cookie); }

FILE *replica_random_stream(int fd, const char *mode) {
  return fopencookie((void *)(intptr_t)fd, mode, (cookie_io_functions_t){stream_read, stream_write, NULL, stream_close});
}
