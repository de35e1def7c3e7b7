#include "base/path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool regular_executable(const char *path) {
  struct stat st;
  return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

bool dvm_path_executable(const char *name) {
  char path[PATH_MAX];
  if (strchr(name, '/'))
    return regular_executable(name);
  const char *p = getenv("PATH");
  if (!p)
    p = "/bin:/usr/bin"; /* as execvp(3) */
  for (bool more = *name; more;) {
    size_t n = strcspn(p, ":");
    int len = snprintf(path, sizeof(path), "%.*s%s%s", (int)n, p, n ? "/" : "./", name); /* an empty one is the working folder */
    if (len < (int)sizeof(path) && regular_executable(path))
      return true;
    more = p[n] == ':';
    p += n + more;
  }
  return false;
}

int dvm_path_replaceable(const char *path, struct dvm_error *err) {
  struct stat st;
  if (stat(path, &st) || S_ISREG(st.st_mode))
    return 0;
  return S_ISDIR(st.st_mode) ? dvm_error_set(err, -EISDIR, "'%s' is a folder; expected the name of a file", path)
                             : dvm_error_set(err, -EPERM, "'%s' is not a regular file, and would be replaced by one", path);
}
