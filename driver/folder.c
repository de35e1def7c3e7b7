#define _GNU_SOURCE
#include "driver/folder.h"
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

int cc_temporary_name(char path[CC_TEMPORARY_MAX], const char *name, struct dvm_error *err) {
  const char *tmp = getenv("TMPDIR");
  int n = snprintf(path, CC_TEMPORARY_MAX, "%s/dvm-%s-XXXXXX", tmp && *tmp ? tmp : "/tmp", name);
  if (n > 0 && n < CC_TEMPORARY_MAX)
    return 0;
  *path = 0;
  return dvm_error_set(err, -ENAMETOOLONG, "the path in TMPDIR is too long");
}

int cc_folder_create(char path[CC_TEMPORARY_MAX], const char *name, struct dvm_error *err) {
  int rc = cc_temporary_name(path, name, err);
  if (!rc && !mkdtemp(path)) {
    rc = dvm_error_errno(err, "cannot create the temporary folder '%s'", path);
    *path = 0;
  }
  return rc;
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st, (void)kind, (void)at;
  remove(path);
  return 0;
}

void cc_folder_remove(const char *path) {
  if (*path)
    nftw(path, drop, 16, FTW_DEPTH | FTW_PHYS);
}
