#include "driver/trace/job/job.h"
#include "driver/trace/job/container.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void dvmt_job_close(struct dvmt_job *job) {
  for (size_t i = 0; i < job->nranks; i++)
    dvmt_reader_close(job->rank[i]);
  free(job->rank);
  *job = (struct dvmt_job){0};
}

/* A decimal number, or -1. */
static long number_of(const char *text) {
  char *end;
  long v = text ? strtol(text, &end, 10) : -1;
  return text && *text >= '0' && *text <= '9' && !*end ? v : -1;
}

static struct dvmt_reader *open_rank(const struct dvmt_container *c, const char *path, size_t rank, struct dvm_error *err) {
  char *name = NULL;
  struct dvmt_reader *r = NULL;
  if (asprintf(&name, "%s.%zu", path, rank) < 0)
    dvm_error_set(err, -ENOMEM, "out of memory");
  else if (c->nstreams)
    r = dvmt_reader_open_part(path, c->stream[rank].offset, c->stream[rank].bytes, name, err);
  else if (access(name, F_OK))
    dvm_error_set(err, -ENOENT, "the stream '%s' of rank %zu is missing", name, rank);
  else
    r = dvmt_reader_open(name, err);
  if (!r && err->code == -EINVAL)
    err->code = -EBADMSG;
  free(name);
  return r;
}

/* All ranks of one run, each in its place. */
static int check(const struct dvmt_job *job, const char *path, struct dvm_error *err) {
  static const char *const common[] = {"job", "kind", "command", "level"};
  for (size_t i = 0; i < job->nranks; i++) {
    long rank = number_of(dvmt_reader_meta(job->rank[i], "rank"));
    char whose[32] = "no rank";
    if (rank >= 0)
      snprintf(whose, sizeof(whose), "rank %ld", rank);
    if (rank != (long)i)
      return dvm_error_set(err, -EBADMSG, "'%s.%zu' holds the stream of %s, not of rank %zu", path, i, whose, i);
    for (size_t k = 0; k < sizeof(common) / sizeof(*common); k++) {
      char *first = dvmt_reader_meta(job->rank[0], common[k]) ? strdup(dvmt_reader_meta(job->rank[0], common[k])) : NULL;
      const char *own = dvmt_reader_meta(job->rank[i], common[k]);
      bool same = first && own ? !strcmp(first, own) : !first && !own;
      free(first);
      if (!same)
        return dvm_error_set(err, -EBADMSG, "'%s.%zu' and '%s.0' are streams of different runs (their '%s' differ)", path, i, path,
                             common[k]);
    }
  }
  return 0;
}

/* How many ranks there are: the table of a merged one knows, and each stream; else files as long as there are. */
static long count_ranks(const struct dvmt_container *c, const char *path, struct dvm_error *err) {
  struct dvmt_reader *r = c->nstreams ? NULL : open_rank(c, path, 0, err);
  long n = (long)c->nstreams;
  char *name = NULL;
  if (c->nstreams)
    return n;
  if (!r)
    return err->code;
  n = number_of(dvmt_reader_meta(r, "ranks"));
  dvmt_reader_close(r);
  for (long i = 1; n <= 0 && i <= DVMT_JOB_RANKS_MAX; i++) {
    if (asprintf(&name, "%s.%ld", path, i) < 0)
      return dvm_error_set(err, -ENOMEM, "out of memory");
    n = access(name, F_OK) ? i : 0;
    free(name);
  }
  return n > DVMT_JOB_RANKS_MAX ? dvm_error_set(err, -EBADMSG, "'%s.0' tells of %ld ranks: more than %d", path, n, DVMT_JOB_RANKS_MAX) : n;
}

static bool is_set(const char *path) {
  char *first = NULL;
  bool is = asprintf(&first, "%s.0", path) >= 0 && !access(first, F_OK);
  free(first);
  return is;
}

static int open_all(struct dvmt_job *job, const struct dvmt_container *c, const char *path, struct dvm_error *err) {
  long n = count_ranks(c, path, err);
  int rc = n < 0 ? (int)n : 0;
  job->rank = rc ? NULL : calloc((size_t)n, sizeof(*job->rank));
  if (!rc && !job->rank)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  while (!rc && job->nranks < (size_t)n) {
    struct dvmt_reader *r = open_rank(c, path, job->nranks, err);
    if (r)
      job->rank[job->nranks++] = r;
    else
      rc = err->code;
  }
  if (!rc)
    rc = check(job, path, err);
  if (!rc) {
    const char *kind = dvmt_reader_meta(job->rank[0], "kind");
    job->parallel = kind && !strcmp(kind, "parallel");
  }
  if (rc)
    dvmt_job_close(job);
  return rc ? rc : 1;
}

int dvmt_job_open_streams(struct dvmt_job *job, const char *path, struct dvm_error *err) {
  const struct dvmt_container none = {0};
  *job = (struct dvmt_job){0};
  return is_set(path) ? open_all(job, &none, path, err) : 0;
}

/* Streams that an earlier, or a later, job has left beside the trace of that name. */
static bool has_streams(const char *path) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  char *name = NULL;
  struct dvmt_reader *r = is_set(path) && asprintf(&name, "%s.0", path) >= 0 ? dvmt_reader_open(name, &ignored) : NULL;
  bool has = r && dvmt_reader_meta(r, "rank");
  dvmt_reader_close(r);
  free(name);
  return has;
}

int dvmt_job_open(struct dvmt_job *job, const char *path, struct dvm_error *err) {
  struct dvmt_container c = {0};
  *job = (struct dvmt_job){0};
  int rc = dvmt_container_read(&c, path, err);
  if (rc >= 0 && !access(path, F_OK) && has_streams(path)) { /* which is the newer is not for us to guess */
    dvmt_container_fini(&c);
    return dvm_error_set(err, -EEXIST, "'%s' is there, and so are streams '%s.0' .. that have not been merged: move one of the two away",
                         path, path);
  }
  if (!rc)
    return access(path, F_OK) ? dvmt_job_open_streams(job, path, err) : 0;
  if (rc > 0)
    rc = open_all(job, &c, path, err);
  dvmt_container_fini(&c);
  return rc;
}

struct dvmt_reader *dvmt_job_stream(const char *path, struct dvm_error *err) {
  const char *dot = strrchr(path, '.');
  long rank = dot ? number_of(dot + 1) : -1;
  char *whole = rank < 0 || !access(path, F_OK) ? NULL : strndup(path, (size_t)(dot - path));
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct dvmt_container c = {0};
  struct dvmt_reader *r = NULL;
  if (whole && dvmt_container_read(&c, whole, &ignored) > 0 && (size_t)rank < c.nstreams)
    r = open_rank(&c, whole, (size_t)rank, err);
  dvmt_container_fini(&c);
  free(whole);
  return r;
}

void dvmt_job_sweep(const char *path) {
  for (long i = 0; i < DVMT_JOB_RANKS_MAX; i++) {
    struct dvm_error ignored = DVM_ERROR_INIT;
    char *name = NULL;
    if (asprintf(&name, "%s.%ld", path, i) < 0)
      return;
    bool there = !access(name, F_OK);
    struct dvmt_reader *r = there ? dvmt_reader_open(name, &ignored) : NULL;
    if (r && number_of(dvmt_reader_meta(r, "rank")) == i)
      unlink(name);
    dvmt_reader_close(r);
    free(name);
    if (!there)
      return;
  }
}
