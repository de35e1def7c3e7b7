/* A trace is opened, and its head read. */
#include "driver/trace/format/reader_inside.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int dvmt_reader_read_at(struct dvmt_reader *r, uint64_t offset, void *to, size_t n) {
  if (offset > r->size || n > r->size - offset)
    return -ENODATA;
  if (r->fd < 0) {
    memcpy(to, r->memory + offset, n);
    return 0;
  }
  for (char *at = to; n;) {
    ssize_t got = pread(r->fd, at, n, (off_t)(r->base + offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got ? -errno : -ENODATA;
    at += got;
    offset += (uint64_t)got;
    n -= (size_t)got;
  }
  return 0;
}

/* ---- beginning ------------------------------------------------------------------------------------------------------------- */

static int read_header(struct dvmt_reader *r, struct dvm_error *err) {
  unsigned char header[DVMT_HEADER_BYTES];
  if (dvmt_reader_read_at(r, 0, header, sizeof(header)) || memcmp(header, DVMT_MAGIC, 8))
    return dvm_error_set(err, -EINVAL, "'%s' is not a trace", r->name);
  const unsigned char *at = header + 8;
  unsigned version = (unsigned)dvmt_get(&at, 2);
  if (version > DVMT_VERSION || version < DVMT_VERSION_BEFORE)
    return dvm_error_set(err, -EINVAL,
                         "'%s' is a trace of format version %u; this program reads version %d: record it again, or use the "
                         "%s version of dvm",
                         r->name, version, DVMT_VERSION, version > DVMT_VERSION ? "newer" : "older");
  r->version = version;
  dvmt_get(&at, 2);
  if (dvmt_get(&at, 4) != 0x01020304)
    return dvm_error_set(err, -EINVAL, "'%s' has a different byte order", r->name);
  size_t n = dvmt_get(&at, 4);
  uint32_t crc = (uint32_t)dvmt_get(&at, 4);
  dvmt_get(&at, 4);
  if ((uint32_t)dvmt_get(&at, 4) != dvmt_crc(0, header, DVMT_HEADER_BYTES - 4) || n > DVMT_META_BYTES_MAX)
    return dvm_error_set(err, -EBADMSG, "the header of '%s' is damaged", r->name);
  r->meta = malloc(n + 1);
  if (!r->meta)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  if (dvmt_reader_read_at(r, DVMT_HEADER_BYTES, r->meta, n) || dvmt_crc(0, r->meta, n) != crc || memchr(r->meta, 0, n))
    return dvm_error_set(err, -EBADMSG, "the header of '%s' is damaged", r->name);
  r->meta[n] = 0;
  /* As lines that are strings of their own. */
  for (char *p = r->meta; *p; p++)
    if (*p == '\n')
      *p = '\1';
  r->offset = DVMT_HEADER_BYTES + n;
  return 0;
}

static struct dvmt_reader *open_any(int fd, const void *memory, uint64_t base, uint64_t size, const char *name, struct dvm_error *err) {
  struct dvmt_reader *r = calloc(1, sizeof(*r));
  if (!r) {
    dvm_error_set(err, -ENOMEM, "out of memory");
    if (fd >= 0)
      close(fd);
    return NULL;
  }
  r->fd = fd;
  r->memory = memory;
  r->base = base;
  r->size = size;
  r->name = strdup(name);
  r->packer = dvmt_packer_create();
  dvmt_decoder_init(&r->decoder);
  int rc = r->name && r->packer ? read_header(r, err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    return r;
  dvmt_reader_close(r);
  return NULL;
}

/* The file, or -1. */
static int open_file(const char *path, uint64_t *size, struct dvm_error *err) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st)) {
    dvm_error_errno(err, "cannot read '%s'", path);
    if (fd >= 0)
      close(fd);
    return -1;
  }
  if (!S_ISREG(st.st_mode)) {
    dvm_error_set(err, -EINVAL, "'%s' is not a file", path);
    close(fd);
    return -1;
  }
  *size = (uint64_t)st.st_size;
  return fd;
}

struct dvmt_reader *dvmt_reader_open(const char *path, struct dvm_error *err) {
  uint64_t size;
  int fd = open_file(path, &size, err);
  return fd < 0 ? NULL : open_any(fd, NULL, 0, size, path, err);
}

struct dvmt_reader *dvmt_reader_open_part(const char *path, uint64_t offset, uint64_t size, const char *name, struct dvm_error *err) {
  uint64_t all;
  int fd = open_file(path, &all, err);
  if (fd < 0)
    return NULL;
  if (offset <= all) /* of one that is cut what there is */
    return open_any(fd, NULL, offset, size < all - offset ? size : all - offset, name, err);
  dvm_error_set(err, -EBADMSG, "'%s' ends before the stream '%s' begins", path, name);
  close(fd);
  return NULL;
}

struct dvmt_reader *dvmt_reader_open_memory(const void *p, size_t n, struct dvm_error *err) {
  return open_any(-1, p, 0, n, "(memory)", err);
}

struct dvmt_reader *dvmt_reader_again(const struct dvmt_reader *r, struct dvm_error *err) {
  int fd = r->fd < 0 ? -1 : fcntl(r->fd, F_DUPFD_CLOEXEC, 0);
  if (r->fd < 0 || fd >= 0)
    return open_any(fd, r->memory, r->base, r->size, r->name, err);
  dvm_error_errno(err, "cannot read '%s'", r->name);
  return NULL;
}

void dvmt_reader_close(struct dvmt_reader *r) {
  if (!r)
    return;
  for (size_t i = 0; i < r->nsites; i++)
    free((char *)r->sites[i].text);
  for (size_t i = 0; i < r->nobjects; i++)
    free((char *)r->objects[i].name);
  dvmt_ahead_destroy(r->ahead);
  dvmt_decoder_fini(&r->decoder);
  dvmt_packer_destroy(r->packer);
  free(r->sites);
  free(r->objects);
  free(r->packed.p);
  free(r->raw.p);
  free(r->meta);
  free(r->index);
  free(r->contents.p);
  free(r->content_offsets);
  free(r->places);
  free(r->program);
  free(r->name);
  if (r->fd >= 0)
    close(r->fd);
  free(r);
}

const char *dvmt_reader_meta(const struct dvmt_reader *r, const char *key) {
  static __thread char value[DVMT_META_BYTES_MAX];
  size_t n = strlen(key);
  for (const char *line = r->meta; *line;) {
    size_t length = strcspn(line, "\1");
    if (length > n && !strncmp(line, key, n) && line[n] == ' ') {
      memcpy(value, line + n + 1, length - n - 1);
      value[length - n - 1] = 0;
      return value;
    }
    line += length + (line[length] == '\1');
  }
  return NULL;
}

char *dvmt_reader_lines(const struct dvmt_reader *r) {
  char *lines = strdup(r->meta);
  for (char *p = lines; p && *p; p++)
    if (*p == '\1')
      *p = '\n';
  return lines;
}
