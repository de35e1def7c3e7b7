#include "runtime/report/source.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char start[PATH_MAX];
static const char *elsewhere = "";

void dvmrt_source_instead(const char *folder) { elsewhere = folder; }

void dvmrt_source_init(void) {
  if (!getcwd(start, sizeof(start)))
    start[0] = 0;
}

static int open_source(const char *file) {
  char path[3 * PATH_MAX];
  bool absolute = file[0] == '/' || !start[0];
  int fd = -1;
  if (elsewhere[0]) {
    snprintf(path, sizeof(path), "%s%s%s%s", elsewhere, absolute ? "" : start, absolute ? "" : "/", file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
  }
  if (fd >= 0)
    return fd;
  snprintf(path, sizeof(path), "%s%s%s", absolute ? "" : start, absolute ? "" : "/", file);
  return open(path, O_RDONLY | O_CLOEXEC);
}

/* A copy: a file that is cut while it is mapped would kill the program. */
bool dvmrt_source_map(const char *file, const char **map, size_t *size) {
  struct stat st;
  int fd = open_source(file);
  char *m = MAP_FAILED;
  size_t n = 0;
  if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
    m = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (ssize_t got = 1; m != MAP_FAILED && n < (size_t)st.st_size && got > 0; n += got > 0 ? (size_t)got : 0)
    got = read(fd, m + n, (size_t)st.st_size - n);
  if (fd >= 0)
    close(fd);
  if (m == MAP_FAILED)
    return false;
  *map = m;
  *size = (size_t)st.st_size;
  if (n == *size)
    return true;
  dvmrt_source_unmap(m, *size);
  return false;
}

void dvmrt_source_unmap(const char *map, size_t size) { munmap((void *)(uintptr_t)map, size); }

bool dvmrt_source_line(const char *file, uint32_t line, char *buf, size_t size) {
  int fd = open_source(file);
  if (fd < 0)
    return false;
  char chunk[4096];
  uint32_t at = 1;
  size_t n = 0;
  bool any = false;
  for (ssize_t got; at <= line && (got = read(fd, chunk, sizeof(chunk))) > 0;) {
    for (ssize_t i = 0; i < got && at <= line; i++) {
      any |= at == line;
      if (chunk[i] == '\n')
        at++;
      else if (at == line && n + 1 < size)
        buf[n++] = chunk[i];
    }
  }
  close(fd);
  while (n && buf[n - 1] == '\r')
    n--;
  buf[n] = 0;
  return any;
}
