#include "driver/trace/job/container.h"
#include "driver/trace/job/job.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Under a name of its own until it is whole. */
int dvmt_job_merge(const char *path, struct dvm_error *err) {
  struct dvmt_job job;
  char *part = NULL;
  int rc = dvmt_job_open_streams(&job, path, err);
  size_t n = job.nranks;
  if (rc <= 0)
    return rc ? rc : dvm_error_set(err, -ENOENT, "there are no streams '%s.0' ..", path);
  dvmt_job_close(&job);
  if (asprintf(&part, "%s.part", path) < 0)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  rc = dvmt_container_write(part, path, n, err);
  if (!rc && rename(part, path))
    rc = dvm_error_errno(err, "cannot write '%s'", path);
  if (rc)
    unlink(part);
  free(part);
  for (size_t i = 0; !rc && i < n; i++) {
    char *name = NULL;
    if (asprintf(&name, "%s.%zu", path, i) >= 0)
      unlink(name);
    free(name);
  }
  return rc;
}
