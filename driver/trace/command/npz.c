#define _GNU_SOURCE
#include "driver/trace/command/npz.h"
#include "driver/trace/command/files.h"
#include "driver/trace/format/bytes.h"
#include "driver/trace/format/format.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BUFFER = 64 << 10,
  ZIP_VERSION = 45,
  LOCAL_MAGIC = 0x04034b50,
  CENTRAL_MAGIC = 0x02014b50,
  END64_MAGIC = 0x06064b50,
  LOCATOR_MAGIC = 0x07064b50,
  END_MAGIC = 0x06054b50
};

struct column {
  char *name;                  /* of the file in the archive; owned */
  char type[8];
  unsigned bytes;
  uint64_t n;                  /* numbers */
  unsigned char *buffer;       /* owned; [BUFFER] */
  size_t used;
  uint64_t *chunk;             /* owned; where full buffers lie in the temporary file */
  size_t nchunks;
  char *text;                  /* in place of all that; owned */
};
struct dvmt_npz {
  char *path;
  FILE *out, *spill;
  struct column *column;       /* owned */
  size_t n;
  uint64_t spilt;
  struct dvmt_bytes central;
  uint64_t written;
  int rc;
};

struct dvmt_npz *dvmt_npz_create(const char *path, struct dvm_error *err) {
  struct dvmt_npz *z = calloc(1, sizeof(*z));
  if (z && (z->path = strdup(path)) && (z->spill = tmpfile()) && (z->out = fopen(path, "we")))
    return z;
  dvm_error_errno(err, "cannot write '%s'", path);
  if (z && z->spill)
    fclose(z->spill);
  if (z)
    free(z->path);
  free(z);
  return NULL;
}

static struct column *new_column(struct dvmt_npz *z, char *name) {
  struct column *rows = name ? realloc(z->column, (z->n + 1) * sizeof(*rows)) : NULL;
  if (!rows) {
    free(name);
    z->rc = -ENOMEM;
    return NULL;
  }
  z->column = rows;
  rows[z->n] = (struct column){.name = name};
  return &rows[z->n++];
}

int dvmt_npz_column(struct dvmt_npz *z, const char *name, const char *type, unsigned bytes) {
  char *file = NULL;
  struct column *c = asprintf(&file, "%s.npy", name) < 0 ? NULL : new_column(z, file);
  if (!c || !(c->buffer = malloc(BUFFER))) {
    z->rc = -ENOMEM;
    return -ENOMEM;
  }
  snprintf(c->type, sizeof(c->type), "%s", type);
  c->bytes = bytes;
  return (int)z->n - 1;
}

static void spill(struct dvmt_npz *z, struct column *c) {
  if (c->nchunks % 64 == 0) {
    uint64_t *rows = realloc(c->chunk, (c->nchunks + 64) * sizeof(*rows));
    if (!rows) {
      z->rc = -ENOMEM;
      return;
    }
    c->chunk = rows;
  }
  c->chunk[c->nchunks++] = z->spilt;
  if (fwrite(c->buffer, 1, c->used, z->spill) != c->used)
    z->rc = -EIO;
  z->spilt += c->used;
  c->used = 0;
}

void dvmt_npz_add(struct dvmt_npz *z, int column, const void *number) {
  struct column *c = column < 0 ? NULL : &z->column[column];
  if (!c || z->rc)
    return;
  memcpy(c->buffer + c->used, number, c->bytes);
  c->used += c->bytes;
  c->n++;
  if (c->used + c->bytes > BUFFER / c->bytes * c->bytes)
    spill(z, c);
}

void dvmt_npz_text(struct dvmt_npz *z, const char *name, char *text) {
  struct column *c = new_column(z, strdup(name));
  if (c)
    c->text = text;
  else
    free(text);
}

/* ---- the archive ----------------------------------------------------------------------------------------------------------------- */

static void put(struct dvmt_npz *z, const void *p, size_t n, uint32_t *crc) {
  if (fwrite(p, 1, n, z->out) != n)
    z->rc = -EIO;
  z->written += n;
  if (crc)
    *crc = dvmt_crc(*crc, p, n);
}

static void put_number(unsigned char **to, uint64_t v, int bytes) { dvmt_put(to, v, bytes); }

/* Local header with sizes of 64 bits, which are known. */
static void put_local(struct dvmt_npz *z, const struct column *c, uint32_t crc, uint64_t size) {
  unsigned char head[50], *to = head;
  put_number(&to, LOCAL_MAGIC, 4);
  put_number(&to, ZIP_VERSION, 2);
  put_number(&to, 0, 8);            /* flags, method 0, time and date */
  put_number(&to, crc, 4);
  put_number(&to, UINT32_MAX, 4);
  put_number(&to, UINT32_MAX, 4);
  put_number(&to, strlen(c->name), 2);
  put_number(&to, 20, 2);
  put(z, head, (size_t)(to - head), NULL);
  put(z, c->name, strlen(c->name), NULL);
  to = head;
  put_number(&to, 1, 2);            /* ZIP64: sizes */
  put_number(&to, 16, 2);
  put_number(&to, size, 8);
  put_number(&to, size, 8);
  put(z, head, (size_t)(to - head), NULL);
}

static void add_central(struct dvmt_npz *z, const struct column *c, uint32_t crc, uint64_t size, uint64_t offset) {
  unsigned char head[96], *to = head;
  put_number(&to, CENTRAL_MAGIC, 4);
  put_number(&to, ZIP_VERSION, 2);
  put_number(&to, ZIP_VERSION, 2);
  put_number(&to, 0, 8);
  put_number(&to, crc, 4);
  put_number(&to, UINT32_MAX, 4);
  put_number(&to, UINT32_MAX, 4);
  put_number(&to, strlen(c->name), 2);
  put_number(&to, 28, 2);
  put_number(&to, 0, 8);            /* comment, disk, attributes */
  put_number(&to, 0, 2);
  put_number(&to, UINT32_MAX, 4);
  dvmt_bytes_add(&z->central, head, (size_t)(to - head));
  dvmt_bytes_add(&z->central, c->name, strlen(c->name));
  to = head;
  put_number(&to, 1, 2);
  put_number(&to, 24, 2);
  put_number(&to, size, 8);
  put_number(&to, size, 8);
  put_number(&to, offset, 8);
  dvmt_bytes_add(&z->central, head, (size_t)(to - head));
}

/* Header of a .npy file, padded to 64 bytes. */
static size_t npy_header(const struct column *c, char *buf, size_t size) {
  char text[160];
  int n = snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }", c->type, (unsigned long long)c->n);
  size_t whole = ((size_t)n + 11 + 63) / 64 * 64;
  memset(buf, ' ', size);
  memcpy(buf, "\x93NUMPY\1\0", 8);
  buf[8] = (char)((whole - 10) & 255);
  buf[9] = (char)((whole - 10) >> 8);
  memcpy(buf + 10, text, (size_t)n);
  buf[whole - 1] = '\n';
  return whole;
}

/* Passes all bytes of a column to the archive, or only to the checksum. */
static void each_byte(struct dvmt_npz *z, const struct column *c, const char *head, size_t nhead, bool write, uint32_t *crc) {
  static unsigned char part[BUFFER];
  size_t full = BUFFER / (c->bytes ? c->bytes : 1) * (c->bytes ? c->bytes : 1);
  *crc = dvmt_crc(*crc, head, nhead);
  if (write)
    put(z, head, nhead, NULL);
  for (size_t i = 0; i < c->nchunks && !z->rc; i++) {
    if (pread(fileno(z->spill), part, full, (off_t)c->chunk[i]) != (ssize_t)full)
      z->rc = -EIO;
    *crc = dvmt_crc(*crc, part, full);
    if (write)
      put(z, part, full, NULL);
  }
  *crc = dvmt_crc(*crc, c->buffer, c->used);
  if (write)
    put(z, c->buffer, c->used, NULL);
}

static void write_column(struct dvmt_npz *z, const struct column *c) {
  char head[256];
  uint64_t offset = z->written, size;
  uint32_t crc = 0, again = 0;
  if (c->text) {
    size = strlen(c->text);
    crc = dvmt_crc(0, c->text, size);
    put_local(z, c, crc, size);
    put(z, c->text, size, NULL);
  } else {
    size_t nhead = npy_header(c, head, sizeof(head));
    size = nhead + c->n * c->bytes;
    each_byte(z, c, head, nhead, false, &crc);
    put_local(z, c, crc, size);
    each_byte(z, c, head, nhead, true, &again);
  }
  add_central(z, c, crc, size, offset);
}

static void write_end(struct dvmt_npz *z) {
  unsigned char end[98], *to = end;
  uint64_t central = z->written, size = z->central.n;
  put(z, z->central.p, z->central.n, NULL);
  put_number(&to, END64_MAGIC, 4);
  put_number(&to, 44, 8);
  put_number(&to, ZIP_VERSION, 2);
  put_number(&to, ZIP_VERSION, 2);
  put_number(&to, 0, 8);
  put_number(&to, z->n, 8);
  put_number(&to, z->n, 8);
  put_number(&to, size, 8);
  put_number(&to, central, 8);
  put_number(&to, LOCATOR_MAGIC, 4);
  put_number(&to, 0, 4);
  put_number(&to, central + size, 8);
  put_number(&to, 1, 4);
  put_number(&to, END_MAGIC, 4);
  put_number(&to, 0, 4);
  put_number(&to, z->n < UINT16_MAX ? z->n : UINT16_MAX, 2);
  put_number(&to, z->n < UINT16_MAX ? z->n : UINT16_MAX, 2);
  put_number(&to, UINT32_MAX, 4);
  put_number(&to, UINT32_MAX, 4);
  put_number(&to, 0, 2);
  put(z, end, (size_t)(to - end), NULL);
}

int dvmt_npz_close(struct dvmt_npz *z, struct dvm_error *err) {
  if (fflush(z->spill))
    z->rc = z->rc ? z->rc : -errno;
  for (size_t i = 0; i < z->n && !z->rc; i++)
    write_column(z, &z->column[i]);
  if (!z->rc)
    write_end(z);
  int rc = dvmt_file_close(z->out, z->path, err);
  if (!rc && z->rc)
    rc = dvm_error_set(err, z->rc, "cannot write '%s': %s", z->path, strerror(-z->rc));
  for (size_t i = 0; i < z->n; i++) {
    free(z->column[i].name);
    free(z->column[i].buffer);
    free(z->column[i].chunk);
    free(z->column[i].text);
  }
  fclose(z->spill);
  free(z->column);
  free(z->central.p);
  free(z->path);
  free(z);
  return rc;
}
