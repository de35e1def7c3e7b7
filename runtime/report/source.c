#include "runtime/report/source.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static char start[PATH_MAX];

void dvmrt_source_init(void) {
  if (!getcwd(start, sizeof(start)))
    start[0] = 0;
}

static int open_source(const char *file) {
  char path[2 * PATH_MAX];
  if (file[0] == '/' || !start[0])
    return open(file, O_RDONLY | O_CLOEXEC);
  snprintf(path, sizeof(path), "%s/%s", start, file);
  return open(path, O_RDONLY | O_CLOEXEC);
}

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
