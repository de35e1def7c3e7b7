#include "base/path.h"

#include <errno.h>
#include <sys/stat.h>

int dvm_path_replaceable(const char *path, struct dvm_error *err) {
  struct stat st;
  if (stat(path, &st) || S_ISREG(st.st_mode))
    return 0;
  return S_ISDIR(st.st_mode) ? dvm_error_set(err, -EISDIR, "'%s' is a folder; expected the name of a file", path)
                             : dvm_error_set(err, -EPERM, "'%s' is no regular file, and would be replaced by one", path);
}
