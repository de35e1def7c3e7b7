#define _GNU_SOURCE
#include "driver/trace/command/object_file.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct dvmt_object_file dvmt_object_file_open(const char *path) {
  struct dvmt_object_file f = {NULL, 0};
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 64) {
    void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p != MAP_FAILED)
      f = (struct dvmt_object_file){p, (size_t)st.st_size};
  }
  if (fd >= 0)
    close(fd);
  if (f.bytes && memcmp(f.bytes, "\177ELF", 4) != 0)
    dvmt_object_file_close(&f);
  return f;
}

void dvmt_object_file_close(struct dvmt_object_file *f) {
  if (f->bytes)
    munmap((void *)(uintptr_t)f->bytes, f->n);
  *f = (struct dvmt_object_file){NULL, 0};
}

bool dvmt_object_file_holds(const struct dvmt_object_file *f, const char *text) {
  return f->bytes && memmem(f->bytes, f->n, text, strlen(text));
}

const char *dvmt_object_file_find(char *const *command, const char *folder, bool (*wanted)(void *arg, const char *path), void *arg,
                                  char *buf, size_t size) {
  const char *path = getenv("PATH");
  for (; *command; command++) {
    if (strchr(*command, '/')) {
      snprintf(buf, size, "%s%s%s", folder && **command != '/' ? folder : "", folder && **command != '/' ? "/" : "", *command);
      if (wanted(arg, buf))
        return buf;
      continue;
    }
    for (const char *p = path; p && *p; p += strcspn(p, ":"), p += *p == ':') {
      snprintf(buf, size, "%.*s/%s", (int)strcspn(p, ":"), p, *command);
      if (access(buf, X_OK))
        continue;
      if (wanted(arg, buf))
        return buf;
      break;
    }
  }
  return NULL;
}
