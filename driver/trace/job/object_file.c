#include "driver/trace/job/object_file.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

/* The output of 'ldd'; NULL: it cannot be started. */
static FILE *ask_ldd(const char *program, pid_t *pid) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return NULL;
  *pid = fork();
  if (!*pid) {
    int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(ends[1], 1);
    dup2(none, 2);
    execlp("ldd", "ldd", program, (char *)NULL);
    _exit(127);
  }
  close(ends[1]);
  FILE *out = *pid > 0 ? fdopen(ends[0], "r") : NULL;
  if (!out)
    close(ends[0]);
  return out;
}

bool dvmt_object_file_libraries(const char *program, bool (*f)(void *arg, const char *path), void *arg) {
  pid_t pid = 0;
  FILE *out = ask_ldd(program, &pid);
  char line[4096];
  bool fine = true;
  while (out && fgets(line, sizeof(line), out)) {
    char *found = strstr(line, "=> "), *path = found ? found + 3 : line + strspn(line, " \t"), *end = strstr(path, " (0x");
    const char *slash = end ? memrchr(path, '/', (size_t)(end - path)) : NULL;
    if (!slash)
      continue;
    *end = 0;
    if (fine && strncmp(slash + 1, "libdvm", 6) != 0)
      fine = f(arg, path);
  }
  if (out)
    fclose(out);
  if (pid > 0)
    waitpid(pid, NULL, 0);
  return fine;
}

/* The text that ends in ".so" or ".so.N" and has this in it; false: it is none. */
static bool library_text(const struct dvmt_object_file *file, const char *dot, char *buf, size_t size) {
  const char *begin = dot, *end = dot + 3, *last = file->bytes + file->n;
  while (begin > file->bytes && begin[-1] > ' ' && begin[-1] < 127)
    begin--;
  while (end < last && (*end == '.' || (*end >= '0' && *end <= '9')))
    end++;
  if (end == last || *end || (begin > file->bytes && begin[-1]) || begin == dot || (size_t)(end - begin) >= size)
    return false;
  memcpy(buf, begin, (size_t)(end - begin) + 1);
  return true;
}

bool dvmt_object_file_named(const struct dvmt_object_file *file, const char *program, bool (*f)(void *arg, const char *path), void *arg) {
  const char *at = file->bytes, *end = at + file->n, *slash = strrchr(program, '/');
  char name[1024], path[4096];
  bool fine = true;
  for (; fine && at && (at = memmem(at, (size_t)(end - at), ".so", 3)); at += 3) {
    if (!library_text(file, at, name, sizeof(name)))
      continue;
    snprintf(path, sizeof(path), "%s", name);
    if (access(path, R_OK) && *name != '/')
      snprintf(path, sizeof(path), "%.*s/%s", slash ? (int)(slash - program) : 1, slash ? program : ".", name);
    if (!access(path, R_OK))
      fine = f(arg, path);
  }
  return fine;
}
