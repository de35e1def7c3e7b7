#define _GNU_SOURCE
#include "driver/trace/command/files.h"
#include "base/path.h"
#include "driver/trace/job/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dvmt_reader *dvmt_file_open(const char *path, struct dvm_error *err) {
  struct dvmt_reader *r = dvmt_job_stream(path, err);
  struct dvmt_job job = {0};
  if (!r && !err->code && dvmt_job_open(&job, path, err) > 0)
    dvm_error_set(err, -EBADMSG, "'%s' is the trace of a job of %zu ranks: name the one that is meant, as in '%s.0'", path, job.nranks,
                  path);
  dvmt_job_close(&job);
  if (!r && !err->code)
    r = dvmt_reader_open(path, err);
  if (!r && err->code == -EINVAL)
    err->code = -EBADMSG;
  return r;
}

void dvmt_file_note_lost(const char *path, uint64_t records) {
  if (records)
    fprintf(stderr, "dvm: warning: '%s' is damaged: %llu records are lost\n", path, (unsigned long long)records);
}

int dvmt_file_note_damage(const char *path, struct dvmt_reader *r, struct dvm_error *err) {
  struct dvmt_damage d;
  int rc = dvmt_reader_check(r, &d, err);
  if (!rc && d.names)
    fprintf(stderr, "dvm: warning: '%s' is damaged: definitions from record %llu on are lost; nothing after it can be read\n", path,
            (unsigned long long)d.first);
  else if (!rc && d.blocks)
    fprintf(stderr, "dvm: warning: '%s' is damaged: %llu records are lost, the first of them is record %llu\n", path,
            (unsigned long long)d.records, (unsigned long long)d.first);
  return rc;
}

int dvmt_file_writable(const char *path, struct dvm_error *err) {
  struct stat st;
  const char *slash = strrchr(path, '/');
  if (!stat(path, &st))
    return S_ISDIR(st.st_mode)  ? dvm_error_set(err, -EISDIR, "'%s' is a folder; expected the name of a file", path)
           : access(path, W_OK) ? dvm_error_errno(err, "cannot write '%s'", path)
                                : 0;
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!folder)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  int rc = access(folder, W_OK | X_OK) ? dvm_error_errno(err, "cannot write '%s'", path) : 0;
  free(folder);
  return rc;
}

int dvmt_file_replaceable(const char *path, struct dvm_error *err) {
  int rc = dvm_path_replaceable(path, err);
  return rc ? rc : dvmt_file_writable(path, err);
}

int dvmt_file_close(FILE *f, const char *path, struct dvm_error *err) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  bool failed = ferror(f); /* the reason is past */
  int code = fflush(f) ? errno : 0;
  if (fclose(f) && !code)
    code = errno;
  if (!failed && !code)
    return 0;
  if (!dvm_path_replaceable(path, &ignored))
    unlink(path);
  return code ? dvm_error_set(err, -code, "cannot write '%s': %s", path, strerror(code))
              : dvm_error_set(err, -EIO, "cannot write all of '%s'; is the disk full?", path);
}
