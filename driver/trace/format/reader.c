#include "driver/trace/format/reader.h"
#include "driver/trace/format/ahead.h"
#include "driver/trace/format/codec.h"
#include "driver/trace/format/context.h"
#include "driver/trace/format/pack.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file is mapped; pages are the kernel's to drop.  A file that is cut while it is read would be a bus error, so it is read
 * by pread into a buffer instead. */
struct dvmt_reader {
  int fd;                      /* or -1: from memory */
  const unsigned char *memory;
  char *name;                  /* for messages; owned, as the rest */
  uint64_t base;               /* where the stream begins in the file */
  unsigned version;
  uint64_t size, offset;       /* offset: of the next block */
  char *meta, *program;
  struct dvmt_site_def *sites;
  size_t nsites, sites_cap;
  struct dvmt_object_def *objects;
  size_t nobjects, objects_cap;
  struct dvmt_block block;
  struct dvmt_bytes packed, raw;
  struct dvmt_packer *packer;
  struct dvmt_decoder decoder;
  struct dvmt_cursor context;  /* of the present block, in 'raw' */
  bool goes_ahead;
  struct dvmt_ahead *ahead;    /* owned, or NULL */
  const struct dvmt_decoded_row *row; /* of 'ahead': the next record; NULL: it is the decoder's */
  const uint64_t *words;       /* its words */
  uint64_t passed;             /* records before the next block */
  uint64_t before_passed;      /* offset of the block that was passed over last */
  uint64_t lost[1];
  uint64_t untold;             /* records lost before the present block, of which nobody has been told yet */
  const char *torn;
  bool ended;
  bool unsure;                 /* something without a known number of definitions has been passed over */
  bool nameless;               /* definitions are lost: numbers of sites and objects mean nothing any more */
  uint64_t defined_to;         /* definitions of blocks before this place in the file are known */
  struct place {
    uint64_t offset, record;
  } *places;                   /* owned; blocks of records that have been sought so far */
  size_t nplaces;
  unsigned char *index;        /* of the file, if it has one; loaded when a block is damaged */
  size_t nindex;
  bool index_tried;
  struct dvmt_bytes contents;  /* of the blocks of records in their order; empty: not known */
  uint64_t *content_offsets;   /* owned; where those blocks lie */
  size_t ncontents;
  bool contents_tried;
};

static int read_at(struct dvmt_reader *r, uint64_t offset, void *to, size_t n) {
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
  if (read_at(r, 0, header, sizeof(header)) || memcmp(header, DVMT_MAGIC, 8))
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
  if (read_at(r, DVMT_HEADER_BYTES, r->meta, n) || dvmt_crc(0, r->meta, n) != crc || memchr(r->meta, 0, n))
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

/* ---- definitions ----------------------------------------------------------------------------------------------------------- */

static char *read_string(struct dvmt_cursor *c) {
  uint64_t n = dvmt_cursor_number(c);
  const char *p = n <= 1 << 20 ? dvmt_cursor_bytes(c, n) : NULL;
  if (!p || memchr(p, 0, n)) {
    c->bad = true;
    return NULL;
  }
  return strndup(p, n);
}

static void *one_more(void *rows, size_t n, size_t *cap, size_t row_bytes) {
  if (n < *cap)
    return rows;
  size_t want = *cap ? 2 * *cap : 64;
  void *p = realloc(rows, want * row_bytes);
  if (p)
    *cap = want;
  return p;
}

static int read_site(struct dvmt_reader *r, struct dvmt_cursor *c) {
  struct dvmt_site_def def = {NULL, 0, 0, 0, 0, 0};
  void *rows = one_more(r->sites, r->nsites, &r->sites_cap, sizeof(*r->sites));
  if (!rows || r->nsites > 1 << 24)
    return -ENOMEM;
  r->sites = rows;
  def.kind = (uint8_t)dvmt_cursor_number(c);
  def.words = (uint8_t)dvmt_cursor_number(c);
  def.bytes = (uint8_t)dvmt_cursor_number(c);
  def.where = (uint8_t)dvmt_cursor_number(c);
  def.nargs = (uint8_t)dvmt_cursor_number(c);
  def.text = read_string(c);
  if (c->bad) {
    free((char *)def.text);
    return -EBADMSG;
  }
  if (!def.text)
    return -ENOMEM;
  r->sites[r->nsites++] = def;
  return 0;
}

static int read_object(struct dvmt_reader *r, struct dvmt_cursor *c) {
  struct dvmt_object_def def = {.name = NULL};
  void *rows = one_more(r->objects, r->nobjects, &r->objects_cap, sizeof(*r->objects));
  if (!rows)
    return -ENOMEM;
  r->objects = rows;
  def.flags = (uint8_t)dvmt_cursor_number(c);
  def.element_bytes = (uint32_t)dvmt_cursor_number(c);
  uint64_t ndims = dvmt_cursor_number(c);
  if (ndims > DVMT_NDIMS_MAX)
    return -EBADMSG;
  def.ndims = (uint8_t)ndims;
  for (int d = 0; d < def.ndims; d++)
    def.extent[d] = dvmt_unzigzag(dvmt_cursor_number(c));
  for (int d = 0; def.flags & DVMT_OBJECT_FORTRAN && d < def.ndims; d++)
    def.lower[d] = dvmt_unzigzag(dvmt_cursor_number(c));
  def.name = read_string(c);
  if (c->bad) {
    free((char *)def.name);
    return -EBADMSG;
  }
  if (!def.name)
    return -ENOMEM;
  r->objects[r->nobjects++] = def;
  return 0;
}

static int read_program(struct dvmt_reader *r, struct dvmt_cursor *c) {
  free(r->program);
  r->program = read_string(c);
  return c->bad ? -EBADMSG : r->program ? 0 : -ENOMEM;
}

static int read_definitions(struct dvmt_reader *r) {
  struct dvmt_cursor c = {r->raw.p, r->raw.p + r->raw.n, false};
  for (uint32_t i = 0; i < r->block.nrecords; i++) {
    uint64_t what = dvmt_cursor_number(&c);
    int rc = what == 1 ? read_site(r, &c) : what == 2 ? read_object(r, &c) : what == 3 ? read_program(r, &c) : -EBADMSG;
    if (rc)
      return rc;
  }
  return 0;
}

const char *dvmt_reader_program(const struct dvmt_reader *r) { return r->program; }
size_t dvmt_reader_nsites(const struct dvmt_reader *r) { return r->nsites; }
const struct dvmt_site_def *dvmt_reader_site(const struct dvmt_reader *r, size_t n) { return &r->sites[n]; }
size_t dvmt_reader_ndefinitions(const struct dvmt_reader *r) { return r->nsites + r->nobjects; }
size_t dvmt_reader_nobjects(const struct dvmt_reader *r) { return r->nobjects; }
const struct dvmt_object_def *dvmt_reader_object(const struct dvmt_reader *r, size_t n) { return &r->objects[n]; }
const char *dvmt_reader_torn(const struct dvmt_reader *r) { return r->torn; }
const struct dvmt_block *dvmt_reader_block(const struct dvmt_reader *r) { return &r->block; }
void dvmt_reader_skip_block(struct dvmt_reader *r) { r->decoder.left = 0; }

/* ---- blocks ---------------------------------------------------------------------------------------------------------------- */

/* The header of the block at 'offset'.  1: there is one, whole; 0: none, then 'torn' says why. */
static int block_at(struct dvmt_reader *r, uint64_t offset, struct dvmt_block *b, const char **torn) {
  unsigned char header[DVMT_BLOCK_HEADER_BYTES];
  *torn = "its end is missing";
  int rc = read_at(r, offset, header, sizeof(header));
  if (rc)
    return rc == -ENODATA ? 0 : rc;
  *torn = "a block header is damaged";
  if (dvmt_block_get(b, header) || b->raw_bytes > DVMT_BLOCK_BYTES_MAX || b->packed_bytes > DVMT_BLOCK_BYTES_MAX)
    return 0;
  *torn = "its last block is truncated";
  return b->packed_bytes <= r->size - offset - DVMT_BLOCK_HEADER_BYTES;
}

static int unpack(struct dvmt_reader *r) {
  struct dvmt_block *b = &r->block;
  r->raw.n = r->packed.n = 0;
  if (!dvmt_bytes_reserve(&r->packed, b->packed_bytes + 1) || !dvmt_bytes_reserve(&r->raw, b->raw_bytes + 1))
    return -ENOMEM;
  int rc = read_at(r, r->offset + DVMT_BLOCK_HEADER_BYTES, r->packed.p, b->packed_bytes);
  if (!rc && dvmt_crc(0, r->packed.p, b->packed_bytes) != b->crc)
    rc = -EBADMSG;
  if (!rc)
    rc = dvmt_unpack(r->packer, b->codec, r->packed.p, b->packed_bytes, r->raw.p, b->raw_bytes);
  r->raw.n = b->raw_bytes;
  return rc;
}

static int lose(struct dvmt_reader *r, uint64_t n, struct dvmt_record *record) {
  r->lost[0] = n;
  r->decoder.left = 0;
  *record = (struct dvmt_record){.kind = DVMT_LOST, .nwords = 1, .words = r->lost};
  return 1;
}

/* The context, then the records. */
static int begin_records(struct dvmt_reader *r) {
  struct dvmt_cursor c = {r->raw.p, r->raw.p + r->raw.n, false};
  uint64_t n = dvmt_cursor_number(&c);
  if (c.bad || n > (size_t)(c.end - c.at))
    return -EBADMSG;
  r->context = (struct dvmt_cursor){c.at, c.at + n, false};
  return dvmt_decoder_begin(&r->decoder, c.at + n, (size_t)(c.end - c.at - (ptrdiff_t)n), r->block.nrecords, r->nsites, r->nobjects);
}

const unsigned char *dvmt_reader_start(const struct dvmt_reader *r, size_t *n) {
  *n = (size_t)(r->context.end - r->context.at);
  return r->context.at;
}

int dvmt_reader_context(const struct dvmt_reader *r, struct dvmt_context *context) {
  struct dvmt_cursor c = r->context;
  return dvmt_context_get(context, &c, r->nsites);
}

/* ---- damage ------------------------------------------------------------------------------------------------------------------ */

/* The index block's payload, by way of the trailer. */
static void load_index(struct dvmt_reader *r) {
  unsigned char trailer[DVMT_TRAILER_BYTES];
  struct dvmt_block b;
  const char *torn;
  r->index_tried = true;
  if (r->size < DVMT_TRAILER_BYTES || read_at(r, r->size - DVMT_TRAILER_BYTES, trailer, sizeof(trailer)) ||
      memcmp(trailer, DVMT_END_MAGIC, 8))
    return;
  const unsigned char *at = trailer + 8;
  uint64_t offset = dvmt_get(&at, 8);
  at = trailer + DVMT_TRAILER_BYTES - 4;
  if ((uint32_t)dvmt_get(&at, 4) != dvmt_crc(0, trailer, DVMT_TRAILER_BYTES - 4) || block_at(r, offset, &b, &torn) <= 0 ||
      b.kind != DVMT_BLOCK_INDEX || b.raw_bytes != (uint64_t)b.nrecords * DVMT_INDEX_ENTRY_BYTES)
    return;
  unsigned char *packed = malloc(b.packed_bytes + 1u);
  r->index = malloc(b.raw_bytes + 1u);
  if (packed && r->index && !read_at(r, offset + DVMT_BLOCK_HEADER_BYTES, packed, b.packed_bytes) &&
      dvmt_crc(0, packed, b.packed_bytes) == b.crc && !dvmt_unpack(r->packer, b.codec, packed, b.packed_bytes, r->index, b.raw_bytes))
    r->nindex = b.nrecords;
  free(packed);
}

/* Whether definitions were between the two places; without an index nobody knows. */
static bool lost_names(struct dvmt_reader *r, uint64_t from, uint64_t to) {
  for (size_t i = 0; i < r->nindex; i++) {
    const unsigned char *at = r->index + i * DVMT_INDEX_ENTRY_BYTES;
    uint64_t offset = dvmt_get(&at, 8), kind = dvmt_get(&at, 4);
    if (offset >= from && offset < to && kind == DVMT_BLOCK_DEFINITIONS)
      return true;
  }
  return false;
}

/* The next place behind 'from' where a whole block begins: by the index, else by looking for one. */
static bool find_block(struct dvmt_reader *r, uint64_t from, uint64_t *found) {
  unsigned char part[4096 + 3];
  struct dvmt_block b;
  const char *torn;
  if (!r->index_tried)
    load_index(r);
  for (size_t i = 0; i < r->nindex; i++) {
    const unsigned char *at = r->index + i * DVMT_INDEX_ENTRY_BYTES;
    *found = dvmt_get(&at, 8);
    if (*found >= from && block_at(r, *found, &b, &torn) > 0)
      return true;
  }
  for (; from + DVMT_BLOCK_HEADER_BYTES <= r->size; from += 4096) {
    size_t n = r->size - from < sizeof(part) ? (size_t)(r->size - from) : sizeof(part);
    if (read_at(r, from, part, n))
      return false;
    for (size_t i = 0; i + 4 <= n && i < 4096; i++)
      if (!memcmp(part + i, "DBLK", 4) && block_at(r, from + i, &b, &torn) > 0) {
        *found = from + i;
        return true;
      }
  }
  return false;
}

/* A header at r->offset is damaged: goes to the next whole block.  1: there is one; then 'record' tells how many were lost. */
static int pass_damage(struct dvmt_reader *r, struct dvmt_record *record) {
  struct dvmt_block b;
  const char *torn;
  uint64_t found;
  if (!find_block(r, r->offset + 1, &found) || block_at(r, found, &b, &torn) <= 0)
    return 0;
  uint64_t lost = b.first_record > r->passed ? b.first_record - r->passed : 0;
  r->nameless |= lost_names(r, r->offset, found) || !lost;
  r->offset = found;
  r->passed = b.first_record;
  r->unsure |= !r->nindex;
  return lose(r, lost ? lost : 1, record);
}

static int read_names(struct dvmt_reader *r, uint64_t at) {
  if (at < r->defined_to)
    return 0; /* read before */
  if (r->unsure || r->nameless || read_definitions(r))
    r->nameless = true;
  r->defined_to = at + 1;
  return 0;
}

void dvmt_reader_go_ahead(struct dvmt_reader *r) { r->goes_ahead = true; }

/* Whether the block of records, whose header has been read, has been decoded by the other thread. */
static bool take_ahead(struct dvmt_reader *r) {
  r->row = NULL;
  if (!r->goes_ahead || r->block.kind != DVMT_BLOCK_RECORDS_KIND || !r->block.first_record || r->nameless || r->unsure)
    return false;
  if (!r->ahead && !(r->ahead = dvmt_ahead_create(r))) {
    r->goes_ahead = false;
    return false;
  }
  const struct dvmt_decoded *d = dvmt_ahead_take(r->ahead, r->block.first_record, r->block.nrecords);
  if (!d || d->nsites > r->nsites || d->nobjects > r->nobjects)
    return false;
  r->row = d->rows.row;
  r->words = d->rows.words;
  r->decoder.left = r->block.nrecords;
  r->context = (struct dvmt_cursor){d->start.p, d->start.p + d->start.n, false};
  return true;
}

static int take_row(struct dvmt_reader *r, struct dvmt_record *record) {
  const struct dvmt_decoded_row *row = r->row++;
  r->decoder.left--;
  *record = dvmt_row_record(row, r->words);
  r->words += row->nwords;
  return 1;
}

uint32_t dvmt_reader_rows(const struct dvmt_reader *r, bool again, const struct dvmt_decoded_row **row, const uint64_t **words) {
  uint32_t left = r->decoder.left;
  if (!r->row || (again && left >= r->block.nrecords))
    return 0;
  *row = r->row - again;
  *words = r->words - (again ? r->row[-1].nwords : 0);
  return left + again;
}

void dvmt_reader_set_rows(struct dvmt_reader *r, const struct dvmt_decoded_row *row, const uint64_t *words) {
  r->decoder.left = (uint32_t)(r->decoder.left + (r->row - row));
  r->row = row;
  r->words = words;
}

int dvmt_reader_decode(struct dvmt_reader *r, struct dvmt_decoded_rows *rows) { return dvmt_decoder_rows(&r->decoder, rows); }

/* Blocks that are whole, but not those that were written one after another: some are missing, or stand here twice.  The number of records
 * that the reader is to be told of as lost; 0: all is in order. */
static uint64_t out_of_order(struct dvmt_reader *r) {
  const struct dvmt_block *b = &r->block;
  uint64_t missing = b->first_record > r->passed ? b->first_record - r->passed : 0;
  if (b->first_record == r->passed)
    return 0;
  if (!missing && b->kind != DVMT_BLOCK_INDEX) /* again: it is passed over */
    r->offset += DVMT_BLOCK_HEADER_BYTES + b->packed_bytes;
  else
    r->passed = b->first_record;
  return missing ? missing : 1;
}

/* Goes to the next block of records.  1: there is one; 2: 'record' tells of a lost one; 0: the end. */
static int next_block(struct dvmt_reader *r, struct dvmt_record *record, struct dvm_error *err) {
  for (;;) {
    int rc = block_at(r, r->offset, &r->block, &r->torn);
    if (rc < 0)
      return dvm_error_set(err, rc, "cannot read '%s': %s", r->name, strerror(-rc));
    if (!rc)
      return pass_damage(r, record) ? 2 : 0;
    r->torn = NULL;
    uint64_t start = r->offset, lost = out_of_order(r);
    if (lost)
      return lose(r, lost, record) + 1;
    if (r->block.kind == DVMT_BLOCK_INDEX)
      return 0;
    if (r->block.kind == DVMT_BLOCK_CONTENTS) {
      r->offset += DVMT_BLOCK_HEADER_BYTES + r->block.packed_bytes;
      continue;
    }
    const bool decoded = take_ahead(r);
    rc = decoded ? 0 : unpack(r);
    r->passed = r->block.first_record + r->block.nrecords;
    r->offset += DVMT_BLOCK_HEADER_BYTES + r->block.packed_bytes;
    if (r->block.kind == DVMT_BLOCK_DEFINITIONS) {
      r->passed = r->block.first_record;
      r->nameless |= rc == -EBADMSG;
      rc = rc && rc != -EBADMSG ? rc : rc ? 0 : read_names(r, start);
    } else if (!rc && !decoded && r->block.kind == DVMT_BLOCK_RECORDS_KIND) {
      rc = r->nameless ? -EBADMSG : begin_records(r);
    }
    if (rc == -ENOMEM)
      return dvm_error_set(err, rc, "out of memory");
    if (rc)
      return lose(r, r->block.nrecords, record) + 1;
    if (r->block.kind == DVMT_BLOCK_RECORDS_KIND)
      return 1;
  }
}

/* They come before the block that is there already. */
static int tell_lost(struct dvmt_reader *r, struct dvmt_record *record) {
  r->lost[0] = r->untold;
  r->untold = 0;
  *record = (struct dvmt_record){.kind = DVMT_LOST, .nwords = 1, .words = r->lost};
  return 1;
}

static int next_record(struct dvmt_reader *r, struct dvmt_record *record, struct dvm_error *err) {
  for (;;) {
    uint32_t left = r->decoder.left;
    if (r->untold)
      return tell_lost(r, record);
    if (left && r->row)
      return take_row(r, record);
    int rc = dvmt_decoder_next(&r->decoder, record);
    if (rc == -EBADMSG)
      return lose(r, left, record);
    if (rc < 0)
      return dvm_error_set(err, rc, "out of memory");
    if (rc)
      return 1;
    if (r->ended)
      return 0;
    rc = next_block(r, record, err);
    if (rc == 2)
      return 1;
    if (rc <= 0) {
      r->ended = true;
      return rc;
    }
  }
}

/* Sums of what an array held, not of values that were written: those are what they were. */
static bool has_old_sums(const struct dvmt_reader *r, const struct dvmt_record *record) {
  return r->version < DVMT_VERSION_SUMS && record->kind == DVMT_DIGEST && record->nwords > 2;
}

int dvmt_reader_next(struct dvmt_reader *r, struct dvmt_record *record, struct dvm_error *err) {
  int rc = next_record(r, record, err);
  if (rc == 1 && has_old_sums(r, record))
    return dvm_error_set(
        err, -EINVAL,
        "'%s' is a trace of format version %u, with sums of arrays, which version %d makes in another way: record it again, or "
        "use the older version of dvm",
        r->name, r->version, DVMT_VERSION);
  return rc;
}

/* Where blocks of records begin, in their order. */
static bool note_place(struct dvmt_reader *r, uint64_t offset, uint64_t record) {
  if (r->nplaces && r->places[r->nplaces - 1].offset >= offset)
    return true;
  struct place *rows = r->nplaces % 1024 ? r->places : realloc(r->places, (r->nplaces + 1024) * sizeof(*rows));
  if (!rows)
    return false;
  r->places = rows;
  r->places[r->nplaces++] = (struct place){offset, record};
  return true;
}

/* The payload at 'offset' in r->packed. */
static bool load(struct dvmt_reader *r, uint64_t offset, const struct dvmt_block *b) {
  r->packed.n = 0;
  return dvmt_bytes_reserve(&r->packed, b->packed_bytes + 1) &&
         !read_at(r, offset + DVMT_BLOCK_HEADER_BYTES, r->packed.p, b->packed_bytes) && dvmt_crc(0, r->packed.p, b->packed_bytes) == b->crc;
}

static bool same_block(const struct dvmt_block *x, const struct dvmt_block *y) {
  return x->kind == y->kind && x->codec == y->codec && x->flags == y->flags && x->raw_bytes == y->raw_bytes &&
         x->packed_bytes == y->packed_bytes && x->nrecords == y->nrecords && x->digest == y->digest && x->allocations == y->allocations &&
         x->crc == y->crc;
}

uint32_t dvmt_reader_left(const struct dvmt_reader *r) { return r->decoder.left; }

uint64_t dvmt_reader_position(const struct dvmt_reader *r) {
  return r->decoder.left ? r->block.first_record + r->block.nrecords - r->decoder.left : r->passed;
}

bool dvmt_reader_next_same(struct dvmt_reader *a, struct dvmt_reader *b) {
  struct dvmt_block x, y;
  const char *torn;
  return block_at(a, a->offset, &x, &torn) > 0 && block_at(b, b->offset, &y, &torn) > 0 && x.first_record == a->passed &&
         y.first_record == b->passed && x.kind == DVMT_BLOCK_RECORDS_KIND && same_block(&x, &y) && !(x.flags & DVMT_SAW_NAN) &&
         load(a, a->offset, &x) && load(b, b->offset, &y) && !memcmp(a->packed.p, b->packed.p, x.packed_bytes);
}

uint32_t dvmt_reader_pass_block(struct dvmt_reader *r) {
  struct dvmt_block b;
  const char *torn;
  if (block_at(r, r->offset, &b, &torn) <= 0)
    return 0;
  r->before_passed = r->offset;
  r->offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  r->passed = b.first_record + b.nrecords;
  return b.nrecords;
}

void dvmt_reader_pass_back(struct dvmt_reader *r) {
  struct dvmt_block b;
  const char *torn;
  if (block_at(r, r->before_passed, &b, &torn) <= 0)
    return;
  r->offset = r->before_passed;
  r->passed = b.first_record;
}

bool dvmt_reader_next_whole(struct dvmt_reader *r) {
  struct dvmt_block b;
  const char *torn;
  for (uint64_t offset = r->offset; block_at(r, offset, &b, &torn) > 0; offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes) {
    if (b.kind == DVMT_BLOCK_INDEX)
      return true;
    if (b.kind != DVMT_BLOCK_CONTENTS && (b.first_record != r->passed || !load(r, offset, &b)))
      return false;
    if (b.kind == DVMT_BLOCK_RECORDS_KIND)
      return true;
  }
  return false;
}

/* ---- contents of blocks ------------------------------------------------------------------------------------------------------------ */

/* Appends the rows of the block at 'offset'. */
static bool add_contents(struct dvmt_reader *r, uint64_t offset) {
  struct dvmt_block b;
  const char *torn;
  struct dvmt_bytes *c = &r->contents;
  if (block_at(r, offset, &b, &torn) <= 0 || b.kind != DVMT_BLOCK_CONTENTS ||
      b.raw_bytes > (uint64_t)r->nindex * DVMT_CONTENTS_BYTES - c->n || !load(r, offset, &b) || !dvmt_bytes_reserve(c, b.raw_bytes) ||
      dvmt_unpack(r->packer, b.codec, r->packed.p, b.packed_bytes, c->p + c->n, b.raw_bytes))
    return false;
  c->n += b.raw_bytes;
  return true;
}

static void load_contents(struct dvmt_reader *r) {
  bool known = true;
  uint64_t before = 0;
  if (!r->index_tried)
    load_index(r);
  r->contents_tried = true;
  r->content_offsets = calloc(r->nindex + 1, sizeof(*r->content_offsets));
  for (size_t i = 0; r->content_offsets && known && i < r->nindex; i++) {
    const unsigned char *at = r->index + i * DVMT_INDEX_ENTRY_BYTES;
    uint64_t offset = dvmt_get(&at, 8), kind = dvmt_get(&at, 4);
    known = offset > before; /* a small file must not name one block as often as it likes */
    before = offset;
    if (known && kind == DVMT_BLOCK_RECORDS_KIND)
      r->content_offsets[r->ncontents++] = offset;
    else if (known && kind == DVMT_BLOCK_CONTENTS)
      known = add_contents(r, offset);
  }
  if (!r->content_offsets || !known || r->contents.n != (uint64_t)r->ncontents * DVMT_CONTENTS_BYTES)
    r->ncontents = 0;
}

static bool meet(const uint64_t *a, const uint64_t *b) {
  bool any = false;
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    any |= (a[i] & b[i]) != 0;
  return any;
}

bool dvmt_reader_next_lacks(struct dvmt_reader *r, const struct dvmt_contents *alone, const struct dvmt_contents *with) {
  struct dvmt_block b;
  const char *torn;
  if (!r->contents_tried)
    load_contents(r);
  if (!r->ncontents || r->decoder.left || r->ended || r->nameless || block_at(r, r->offset, &b, &torn) <= 0 ||
      b.kind != DVMT_BLOCK_RECORDS_KIND || b.first_record != r->passed)
    return false;
  size_t low = 0, high = r->ncontents;
  while (high - low > 1) {
    size_t mid = (low + high) / 2;
    if (r->content_offsets[mid] <= r->offset)
      low = mid;
    else
      high = mid;
  }
  if (r->content_offsets[low] != r->offset)
    return false;
  struct dvmt_contents c;
  const unsigned char *at = r->contents.p + low * DVMT_CONTENTS_BYTES;
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    c.sites[i] = dvmt_get(&at, 8);
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    c.objects[i] = dvmt_get(&at, 8);
  return !meet(c.sites, alone->sites) && !(meet(c.sites, with->sites) && meet(c.objects, with->objects));
}

int dvmt_reader_load(struct dvmt_reader *r, struct dvm_error *err) {
  struct dvmt_record lost;
  int rc = 0;
  while (!rc && !r->decoder.left && !r->ended) {
    rc = next_block(r, &lost, err);
    r->untold += rc == 2 ? lost.words[0] : 0;
    r->ended = rc <= 0;
    rc = rc < 0 ? rc : 0;
  }
  return rc;
}

int dvmt_reader_check(struct dvmt_reader *r, struct dvmt_damage *d, struct dvm_error *err) {
  struct dvmt_block b;
  const char *torn;
  uint64_t offset = DVMT_HEADER_BYTES + strlen(r->meta), passed = 0, found;
  *d = (struct dvmt_damage){.blocks = 0};
  for (;;) {
    int rc = block_at(r, offset, &b, &torn);
    if (rc < 0)
      return dvm_error_set(err, rc, "cannot read '%s': %s", r->name, strerror(-rc));
    uint64_t lost = 0;
    if (rc && b.first_record != passed) { /* as out_of_order */
      lost = b.first_record > passed ? b.first_record - passed : 0;
      d->records += lost;
      if (!d->blocks++)
        d->first = passed;
      passed = lost || b.kind == DVMT_BLOCK_INDEX ? b.first_record : passed;
      if (!lost && b.kind != DVMT_BLOCK_INDEX) {
        offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
        continue;
      }
      lost = 0;
    }
    if (rc && b.kind == DVMT_BLOCK_INDEX) {
      d->index |= !load(r, offset, &b);
      return 0;
    }
    if (rc && b.kind == DVMT_BLOCK_CONTENTS)
      d->index |= !load(r, offset, &b);
    else if (rc && !load(r, offset, &b))
      lost = b.nrecords;
    else if (!rc && find_block(r, offset + 1, &found) && block_at(r, found, &b, &torn) > 0)
      lost = b.first_record > passed ? b.first_record - passed : 1;
    else if (!rc)
      return 0;
    if (lost && !d->blocks++)
      d->first = passed;
    d->records += b.kind == DVMT_BLOCK_RECORDS_KIND || !rc ? lost : 0;
    d->names |= rc && lost && b.kind == DVMT_BLOCK_DEFINITIONS;
    d->names |= !rc && lost_names(r, offset, found);
    if (!rc) {
      passed = b.first_record;
      offset = found;
      continue;
    }
    passed = b.kind == DVMT_BLOCK_RECORDS_KIND ? b.first_record + b.nrecords : passed;
    offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  }
}

int dvmt_reader_seek(struct dvmt_reader *r, uint64_t record, struct dvm_error *err) {
  struct dvmt_block b;
  const char *torn;
  uint64_t offset = DVMT_HEADER_BYTES + strlen(r->meta);
  size_t low = 0, high = r->nplaces;
  while (low < high) { /* the last known block of records that begins at or before it */
    size_t mid = (low + high) / 2;
    if (r->places[mid].record <= record)
      low = mid + 1;
    else
      high = mid;
  }
  if (low)
    offset = r->places[low - 1].offset;
  r->decoder.left = 0;
  r->ended = false;
  for (;;) {
    int rc = block_at(r, offset, &b, &torn);
    if (rc <= 0 || b.kind == DVMT_BLOCK_INDEX)
      return dvm_error_set(err, -ENODATA, "'%s' has no record %llu", r->name, (unsigned long long)record);
    if (b.kind == DVMT_BLOCK_DEFINITIONS && offset >= r->defined_to) {
      r->offset = offset;
      r->block = b;
      if ((rc = unpack(r)) || (rc = read_names(r, offset)))
        return dvm_error_set(err, rc, "the definitions of '%s' are damaged", r->name);
    }
    if (b.kind == DVMT_BLOCK_RECORDS_KIND && !note_place(r, offset, b.first_record))
      return dvm_error_set(err, -ENOMEM, "out of memory");
    if (b.kind == DVMT_BLOCK_RECORDS_KIND && record < b.first_record + b.nrecords)
      break;
    offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  }
  r->offset = offset;
  r->passed = b.first_record;
  r->untold = 0;
  return 0;
}

bool dvmt_reader_same(struct dvmt_reader *a, struct dvmt_reader *b) {
  struct dvmt_block x, y;
  const char *torn;
  uint64_t i = a->offset, j = b->offset;
  for (;;) {
    if (block_at(a, i, &x, &torn) <= 0 || block_at(b, j, &y, &torn) <= 0)
      return false;
    if (x.kind == DVMT_BLOCK_INDEX || y.kind == DVMT_BLOCK_INDEX)
      return x.kind == y.kind;
    if (!same_block(&x, &y) || x.flags & DVMT_SAW_NAN || !load(a, i, &x) || !load(b, j, &y) ||
        memcmp(a->packed.p, b->packed.p, x.packed_bytes) != 0)
      return false;
    i += DVMT_BLOCK_HEADER_BYTES + x.packed_bytes;
    j += DVMT_BLOCK_HEADER_BYTES + y.packed_bytes;
  }
}

int dvmt_reader_summary(struct dvmt_reader *r, struct dvmt_summary *s, struct dvm_error *err) {
  unsigned char trailer[DVMT_TRAILER_BYTES];
  struct dvmt_block b;
  const char *torn;
  uint64_t offset = DVMT_HEADER_BYTES + strlen(r->meta);
  int rc;
  *s = (struct dvmt_summary){.file_bytes = r->size, .status = -1};
  while ((rc = block_at(r, offset, &b, &torn)) >= 0 && (!rc || b.kind != DVMT_BLOCK_INDEX)) {
    if (!rc && find_block(r, offset + 1, &offset))
      continue;
    if (!rc)
      break;
    offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
    s->blocks += b.kind != DVMT_BLOCK_CONTENTS;
    s->codec = b.codec;
    s->raw_bytes += b.raw_bytes;
    if (b.kind == DVMT_BLOCK_RECORDS_KIND)
      s->records += b.nrecords;
  }
  if (rc < 0)
    return dvm_error_set(err, rc, "cannot read '%s': %s", r->name, strerror(-rc));
  s->lost_bytes = r->size - offset;
  if (!rc)
    return 0;
  s->enters = b.enters;
  offset += DVMT_BLOCK_HEADER_BYTES + b.packed_bytes;
  if (read_at(r, offset, trailer, sizeof(trailer)) || memcmp(trailer, DVMT_END_MAGIC, 8))
    return 0;
  const unsigned char *at = trailer + DVMT_TRAILER_BYTES - 8;
  const uint32_t end = (uint32_t)dvmt_get(&at, 4);
  s->whole = (uint32_t)dvmt_get(&at, 4) == dvmt_crc(0, trailer, DVMT_TRAILER_BYTES - 4);
  s->complete = end & s->whole;
  s->status = s->complete && end & DVMT_END_STATUS ? (int)(end >> 8 & 255) : -1;
  s->lost_bytes = s->whole ? 0 : s->lost_bytes;
  return 0;
}
