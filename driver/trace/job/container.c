#include "driver/trace/job/container.h"
#include "driver/trace/format/format.h"
#include "driver/trace/job/job.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD_BYTES = 32, PLACE_BYTES = 16, VERSION = 1 };

void dvmt_container_fini(struct dvmt_container *c) {
  free(c->stream);
  *c = (struct dvmt_container){0};
}

static int damaged(const char *name, struct dvm_error *err) {
  return dvm_error_set(err, -EBADMSG, "the table of streams of '%s' is damaged", name);
}

/* Streams follow each other; all but the last ones are within the file. */
static int read_table(struct dvmt_container *c, const unsigned char *at, size_t n, const char *name, struct dvm_error *err) {
  uint64_t next = HEAD_BYTES + n * PLACE_BYTES;
  c->stream = calloc(n, sizeof(*c->stream));
  if (!c->stream)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  for (c->nstreams = 0; c->nstreams < n; c->nstreams++) {
    struct dvmt_stream_place *s = &c->stream[c->nstreams];
    s->offset = dvmt_get(&at, 8);
    s->bytes = dvmt_get(&at, 8);
    if (s->offset != next || s->bytes > 1ull << 60)
      return damaged(name, err);
    next += s->bytes;
  }
  return 1;
}

int dvmt_container_parse(struct dvmt_container *c, const unsigned char *p, size_t n, uint64_t size, const char *name,
                         struct dvm_error *err) {
  const unsigned char *at = p + 8;
  if (n < 8 || memcmp(p, DVMT_JOB_MAGIC, 8))
    return 0;
  if (n < HEAD_BYTES || size < n)
    return damaged(name, err);
  unsigned version = (unsigned)dvmt_get(&at, 4);
  size_t ranks = dvmt_get(&at, 4);
  uint32_t table = (uint32_t)dvmt_get(&at, 4);
  dvmt_get(&at, 8);
  if ((uint32_t)dvmt_get(&at, 4) != dvmt_crc(0, p, HEAD_BYTES - 4))
    return damaged(name, err);
  if (version != VERSION)
    return dvm_error_set(err, -EINVAL, "'%s' is the trace of a job in version %u of its format, this program reads version %d", name,
                         version, VERSION);
  if (!ranks || ranks > DVMT_JOB_RANKS_MAX || n < HEAD_BYTES + ranks * PLACE_BYTES ||
      dvmt_crc(0, p + HEAD_BYTES, ranks * PLACE_BYTES) != table)
    return damaged(name, err);
  return read_table(c, p + HEAD_BYTES, ranks, name, err);
}

int dvmt_container_read(struct dvmt_container *c, const char *path, struct dvm_error *err) {
  size_t room = HEAD_BYTES + (size_t)DVMT_JOB_RANKS_MAX * PLACE_BYTES;
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc = 0;
  unsigned char *p = fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) ? NULL : malloc(room);
  ssize_t got = p ? pread(fd, p, room, 0) : -1;
  *c = (struct dvmt_container){0};
  if (got > 0)
    rc = dvmt_container_parse(c, p, (size_t)got, (uint64_t)st.st_size, path, err);
  if (rc < 0)
    dvmt_container_fini(c);
  free(p);
  if (fd >= 0)
    close(fd);
  return rc;
}

/* ---- writing --------------------------------------------------------------------------------------------------------------------- */

static int copy_stream(int to, const char *path, size_t i, struct dvmt_stream_place *s, uint64_t offset, struct dvm_error *err) {
  char *name = NULL, buffer[1 << 16];
  int fd = asprintf(&name, "%s.%zu", path, i) < 0 ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  int rc = fd < 0 ? dvm_error_errno(err, "cannot read '%s.%zu'", path, i) : 0;
  ssize_t n = 0;
  *s = (struct dvmt_stream_place){offset, 0};
  while (!rc && (n = copy_file_range(fd, NULL, to, NULL, 1 << 30, 0)) > 0)
    s->bytes += (uint64_t)n;
  while (!rc && n && (n = read(fd, buffer, sizeof(buffer))) > 0) { /* file systems that cannot */
    if (write(to, buffer, (size_t)n) != n)
      rc = dvm_error_errno(err, "cannot write '%s'", path);
    s->bytes += (uint64_t)n;
  }
  if (!rc && n < 0)
    rc = dvm_error_errno(err, "cannot copy '%s.%zu'", path, i);
  if (fd >= 0)
    close(fd);
  free(name);
  return rc;
}

static int write_head(int fd, const struct dvmt_stream_place *s, size_t n, const char *path, struct dvm_error *err) {
  unsigned char *p = calloc(1, HEAD_BYTES + n * PLACE_BYTES), *to = p + HEAD_BYTES;
  if (!p)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t i = 0; i < n; i++) {
    dvmt_put(&to, s[i].offset, 8);
    dvmt_put(&to, s[i].bytes, 8);
  }
  memcpy(p, DVMT_JOB_MAGIC, 8);
  to = p + 8;
  dvmt_put(&to, VERSION, 4);
  dvmt_put(&to, n, 4);
  dvmt_put(&to, dvmt_crc(0, p + HEAD_BYTES, n * PLACE_BYTES), 4);
  dvmt_put(&to, 0, 8);
  dvmt_put(&to, dvmt_crc(0, p, HEAD_BYTES - 4), 4);
  int rc = pwrite(fd, p, HEAD_BYTES + n * PLACE_BYTES, 0) == (ssize_t)(HEAD_BYTES + n * PLACE_BYTES)
               ? 0
               : dvm_error_errno(err, "cannot write '%s'", path);
  free(p);
  return rc;
}

int dvmt_container_write(const char *to, const char *from, size_t nstreams, struct dvm_error *err) {
  struct dvmt_stream_place *s = calloc(nstreams, sizeof(*s));
  uint64_t offset = HEAD_BYTES + nstreams * PLACE_BYTES;
  int fd = open(to, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), rc = 0;
  if (fd < 0 || !s || lseek(fd, (off_t)offset, SEEK_SET) < 0)
    rc = dvm_error_errno(err, "cannot write '%s'", to);
  for (size_t i = 0; !rc && i < nstreams; i++) {
    rc = copy_stream(fd, from, i, &s[i], offset, err);
    offset += s[i].bytes;
  }
  if (!rc)
    rc = write_head(fd, s, nstreams, to, err);
  if (fd >= 0 && close(fd) && !rc)
    rc = dvm_error_errno(err, "cannot write '%s'", to);
  free(s);
  return rc;
}
