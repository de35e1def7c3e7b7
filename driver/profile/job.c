#define _GNU_SOURCE
#include "driver/profile/job.h"
#include "base/path.h"
#include "base/text.h"
#include "driver/list.h"
#include "driver/run.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what it is ------------------------------------------------------------------------------------------------------------ */

enum kind { UNKNOWN, PARALLEL, CHECKED, TRACED };

/* By the libraries that an executable file names. */
static enum kind kind_of(const char *path) {
  struct stat st;
  enum kind kind = UNKNOWN;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return UNKNOWN;
  char *p = !fstat(fd, &st) && S_ISREG(st.st_mode) && (st.st_mode & 0111) && st.st_size > 64
                ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                : MAP_FAILED;
  close(fd);
  if (p == MAP_FAILED)
    return UNKNOWN;
  size_t n = (size_t)st.st_size;
  if (!memcmp(p, "\177ELF", 4))
    kind = memmem(p, n, "libdvmpar.so", 12)     ? PARALLEL
           : memmem(p, n, "libdvmtrace.so", 14) ? TRACED
           : memmem(p, n, "libdvmrt.so", 11)    ? CHECKED
                                                : UNKNOWN;
  munmap(p, n);
  return kind;
}

int prof_job_look(char *const *command, struct dvm_error *err) {
  if (!dvm_path_executable(command[0])) {
    bool launcher = !strncmp(command[0], "mpirun", 6) || !strncmp(command[0], "mpiexec", 7);
    return dvm_error_set(err, -ENOENT, "there is no program '%s'%s", command[0],
                         launcher ? ": install Open MPI (openmpi-bin), or use 'dvm profile -- dvm run -n ..'" : "");
  }
  /* What else stands there, options of launchers and their values, names no program of ours. */
  for (int i = 0; command[i]; i++) {
    enum kind kind = kind_of(command[i]);
    if (kind == PARALLEL)
      return 0;
    if (kind == CHECKED || kind == TRACED)
      return dvm_error_set(err, -EINVAL,
                           "'%s' was compiled to be %s, not to be executed in parallel: compile it with 'dvmcc -fdvm=parallel'", command[i],
                           kind == CHECKED ? "checked" : "recorded");
  }
  return 0;
}

/* ---- running it ------------------------------------------------------------------------------------------------------------ */

static int tell_folder(const char *folder, struct dvm_error *err) {
  struct dvm_text t = DVM_TEXT_INIT;
  const char *before = getenv("DVM_OPTIONS");
  if (before && *before)
    dvm_text_printf(&t, "%s:", before);
  dvm_text_add(&t, "profile=");
  for (const char *s = folder; *s; s++) {
    if (*s == ':')
      dvm_text_add(&t, "\\");
    dvm_text_add_n(&t, s, 1);
  }
  int rc = t.failed || setenv("DVM_OPTIONS", dvm_text_str(&t), 1) ? -ENOMEM : 0;
  dvm_text_fini(&t);
  return rc ? dvm_error_set(err, rc, "out of memory") : 0;
}

int prof_job_run(char *const *command, const char *folder, bool apart, int *status, struct dvm_error *err) {
  struct dvm_list list = DVM_LIST_INIT;
  int ours = -1, rc = tell_folder(folder, err);
  for (; *command; command++)
    dvm_list_add(&list, *command);
  if (!rc && list.failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  fflush(stdout);
  if (!rc && apart) {
    ours = fcntl(1, F_DUPFD_CLOEXEC, 3);
    rc = ours < 0 || dup2(2, 1) < 0 ? dvm_error_errno(err, "cannot redirect the program's standard output") : 0;
  }
  if (!rc)
    rc = dvm_run_wait(&list, status, err);
  if (ours >= 0) {
    dup2(ours, 1);
    close(ours);
  }
  dvm_list_fini(&list);
  return rc;
}
