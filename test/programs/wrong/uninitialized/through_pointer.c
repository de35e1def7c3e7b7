/* Functions of the C library that are called through pointers write through those of their arguments that they write through when they
 * are called by name, and to nothing that the others lead to. */
// TWIN
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
  const char *name;
  double *line;
  char text[16];
};

static struct calls {
  int (*access)(const char *, int);
  ssize_t (*write)(int, const void *, size_t);
  size_t (*length)(const char *);
  int (*status)(const char *, struct stat *);
  void *(*set)(void *, int, size_t);
  int (*compare)(const char *, const char *);
} calls = {access, write, strlen, stat, memset, strcmp};

static struct file *opened(const char *name) {
  struct file *f = malloc(sizeof *f);
  if (!f || !(f->line = malloc(8 * sizeof *f->line)))
    exit(1);
  f->name = name;
  strcpy(f->text, name);
#ifdef RIGHT
  for (int i = 0; i < 8; i++)
    f->line[i] = i;
#endif
  return f;
}

int main(void) {
  struct file *f = opened("/");
  struct stat st;
  double *other = malloc(4 * sizeof *other), sum = 0;
  if (!other)
    return 1;
#ifdef RIGHT
  other[3] = 1;
#endif
  if (calls.access(f->text, R_OK) || calls.write(1, f->text, 0) || calls.length(f->text) != 1 || calls.compare(f->text, f->name) ||
      calls.status(f->text, &st) || !S_ISDIR(st.st_mode))
    return 1;
  calls.access((const char *)other, -1);
  sum += f->line[2];
  //     ^ error dvm-uninitialized 'f->line[2]'
  sum += other[3];
  //     ^ error dvm-uninitialized 'other[3]'
  calls.set(f->line, 0, 8 * sizeof *f->line);
  sum += f->line[4];
  puts(sum < 1e300 ? "done" : "large");
  return 0;
}
