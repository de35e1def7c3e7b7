#define _GNU_SOURCE /* memmem */
#include "driver/object.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The symbol that parallel objects want of their library. */
static const char mark[] = "__dvmp_link_with_fdvm_parallel";

/* Whatever cannot be read is left to the linker. */
static bool is_parallel(const char *name) {
  struct stat s;
  bool found = false;
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && !fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > 0) {
    void *text = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    found = text != MAP_FAILED && memmem(text, (size_t)s.st_size, mark, sizeof(mark) - 1);
    if (text != MAP_FAILED)
      munmap(text, (size_t)s.st_size);
  }
  if (fd >= 0)
    close(fd);
  return found;
}

int cc_objects_fit(const struct cc_plan *plan, struct dvm_error *err) {
  for (size_t i = 0; plan->links && !plan->relocatable && plan->mode != DVM_MODE_PARALLEL && i < plan->objects.n; i++)
    if (is_parallel(plan->objects.v[i]))
      return dvm_error_set(err, -EINVAL, "'%s' was compiled with '-fdvm=parallel': compile and link all of the program with it",
                           plan->objects.v[i]);
  return 0;
}
