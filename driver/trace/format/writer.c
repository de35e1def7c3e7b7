#include "driver/trace/format/writer.h"
#include "driver/trace/format/codec.h"
#include "driver/trace/format/context.h"
#include "driver/trace/format/pack.h"
#include "driver/trace/format/value.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { QUEUE = 4 };

struct job {
  struct dvmt_block block;
  struct dvmt_bytes raw;
};

struct dvmt_writer {
  struct dvmt_sink sink;
  char *path, *part;           /* owned; NULL: only counting */
  bool renamed;                /* 'path' is for a trace that is whole */
  int fd;
  enum dvmt_codec codec;
  struct dvmt_encoder encoder;
  struct dvmt_bytes definitions;
  struct dvmt_context context; /* where the program is */
  struct dvmt_bytes begin;     /* where it was when the block began */
  struct dvmt_bytes contents;  /* of the blocks that have not been told of */
  uint32_t ndefinitions;
  uint8_t *float_bytes;        /* of each site's values; owned */
  bool *iterates;              /* of each site: a construct with iterations; owned */
  size_t nsites, nsites_cap;
  struct dvmt_totals totals;
  uint64_t enters, first_record, first_enters;
  uint32_t first_allocations, status; /* status: bits of the trailer */
  int rc;                      /* of this side */
  atomic_bool cut;             /* the file may be longer than what was written */
  /* Shared with the second thread, under the lock: */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  struct job queue[QUEUE];
  unsigned head, tail;         /* jobs put in, jobs done */
  bool ending;
  int write_rc;
  /* The second thread's alone until it has ended: */
  struct dvmt_packer *packer;
  struct dvmt_bytes packed, index;
  uint64_t offset;
};

/* ---- the second thread --------------------------------------------------------------------------------------------------- */

static int write_all(struct dvmt_writer *w, const void *p, size_t n) {
  const char *at = p;
  w->offset += n;
  while (n && w->fd >= 0) {
    ssize_t done = write(w->fd, at, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done ? -errno : -EIO;
    at += done;
    n -= (size_t)done;
  }
  return 0;
}

static int write_block(struct dvmt_writer *w, struct dvmt_block *b, const struct dvmt_bytes *raw) {
  unsigned char header[DVMT_BLOCK_HEADER_BYTES], entry[DVMT_INDEX_ENTRY_BYTES], *to = entry;
  uint64_t start = w->offset;
  if (atomic_exchange(&w->cut, false) && w->fd >= 0 && ftruncate(w->fd, (off_t)start))
    return -errno;
  int rc = dvmt_pack(w->packer, w->codec, raw->p, raw->n, &w->packed);
  if (rc)
    return rc;
  b->codec = (uint8_t)w->codec;
  b->raw_bytes = (uint32_t)raw->n;
  b->packed_bytes = (uint32_t)w->packed.n;
  b->crc = dvmt_crc(0, w->packed.p, w->packed.n);
  dvmt_block_put(header, b);
  rc = write_all(w, header, sizeof(header));
  if (!rc)
    rc = write_all(w, w->packed.p, w->packed.n);
  if (rc) { /* whole blocks only */
    if (w->fd >= 0 && ftruncate(w->fd, (off_t)start))
      rc = -errno;
    return rc;
  }
  dvmt_put(&to, start, 8);
  dvmt_put(&to, b->kind, 4);
  dvmt_put(&to, b->nrecords, 4);
  dvmt_put(&to, b->first_record, 8);
  dvmt_put(&to, b->enters, 8);
  dvmt_put(&to, b->digest, 8);
  dvmt_bytes_add(&w->index, entry, sizeof(entry));
  return 0;
}

static void *work(void *arg) {
  struct dvmt_writer *w = arg;
  pthread_mutex_lock(&w->lock);
  for (;;) {
    while (w->head == w->tail && !w->ending)
      pthread_cond_wait(&w->changed, &w->lock);
    if (w->head == w->tail)
      break;
    struct job *j = &w->queue[w->tail % QUEUE];
    int rc = w->write_rc;
    pthread_mutex_unlock(&w->lock);
    if (!rc)
      rc = write_block(w, &j->block, &j->raw);
    pthread_mutex_lock(&w->lock);
    w->write_rc = rc;
    w->tail++;
    pthread_cond_broadcast(&w->changed);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

/* ---- the caller's side ----------------------------------------------------------------------------------------------------- */

/* The next free job, its payload empty. */
static struct job *new_job(struct dvmt_writer *w) {
  pthread_mutex_lock(&w->lock);
  while (w->head - w->tail == QUEUE)
    pthread_cond_wait(&w->changed, &w->lock);
  if (w->write_rc && !w->rc)
    w->rc = w->write_rc;
  pthread_mutex_unlock(&w->lock);
  struct job *j = &w->queue[w->head % QUEUE];
  j->raw.n = 0;
  return j;
}

static void put_job(struct dvmt_writer *w, struct job *j) {
  if (j->raw.failed && !w->rc)
    w->rc = -ENOMEM;
  w->totals.raw_bytes += j->raw.n;
  pthread_mutex_lock(&w->lock);
  w->head++;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
}

static void note_contents(struct dvmt_writer *w) {
  const struct dvmt_contents *c = &w->encoder.predict.contents;
  unsigned char row[DVMT_CONTENTS_BYTES], *to = row;
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    dvmt_put(&to, c->sites[i], 8);
  for (int i = 0; i < DVMT_CONTENTS_WORDS; i++)
    dvmt_put(&to, c->objects[i], 8);
  dvmt_bytes_add(&w->contents, row, sizeof(row));
}

/* Counts as no record. */
static void put_contents(struct dvmt_writer *w) {
  if (!w->contents.n || w->contents.failed)
    return;
  struct job *j = new_job(w);
  dvmt_bytes_add(&j->raw, w->contents.p, w->contents.n);
  j->block = (struct dvmt_block){.kind = DVMT_BLOCK_CONTENTS, .first_record = w->first_record, .enters = w->first_enters};
  put_job(w, j);
  w->contents.n = 0;
}

/* Definitions go before the records that use them. */
static void end_block(struct dvmt_writer *w) {
  if (w->definitions.n) {
    struct job *j = new_job(w);
    dvmt_bytes_add(&j->raw, w->definitions.p, w->definitions.n);
    j->block = (struct dvmt_block){
        .kind = DVMT_BLOCK_DEFINITIONS, .nrecords = w->ndefinitions, .first_record = w->first_record, .enters = w->first_enters};
    put_job(w, j);
    w->definitions.n = w->ndefinitions = 0;
  }
  if (w->encoder.nrecords) {
    struct job *j = new_job(w);
    j->block = (struct dvmt_block){.kind = DVMT_BLOCK_RECORDS_KIND,
                                   .nrecords = w->encoder.nrecords,
                                   .first_record = w->first_record,
                                   .enters = w->first_enters,
                                   .digest = w->encoder.digest,
                                   .allocations = w->first_allocations,
                                   .flags = w->encoder.saw_nan ? DVMT_SAW_NAN : 0};
    dvmt_bytes_number(&j->raw, w->begin.n);
    dvmt_bytes_add(&j->raw, w->begin.p, w->begin.n);
    note_contents(w);
    dvmt_encoder_finish(&w->encoder, &j->raw);
    put_job(w, j);
  }
  w->begin.n = 0;
  dvmt_context_put(&w->context, &w->begin);
  w->first_record = w->totals.records;
  w->first_enters = w->enters;
  w->first_allocations = w->sink.allocations < UINT32_MAX ? (uint32_t)w->sink.allocations : UINT32_MAX;
  if (w->contents.n >= (size_t)DVMT_CONTENTS_ROWS * DVMT_CONTENTS_BYTES)
    put_contents(w);
}

static void add_string(struct dvmt_bytes *b, const char *s) {
  dvmt_bytes_number(b, strlen(s));
  dvmt_bytes_add(b, s, strlen(s));
}

static int add_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct dvmt_writer *w = (struct dvmt_writer *)sink;
  struct dvmt_bytes *b = &w->definitions;
  if (w->nsites == w->nsites_cap) {
    size_t cap = w->nsites_cap ? 2 * w->nsites_cap : 256;
    uint8_t *p = realloc(w->float_bytes, cap);
    if (!p)
      return w->rc = -ENOMEM;
    w->float_bytes = p;
    bool *q = realloc(w->iterates, cap * sizeof(*q));
    if (!q)
      return w->rc = -ENOMEM;
    w->iterates = q;
    w->nsites_cap = cap;
  }
  w->iterates[w->nsites] = def->kind == DVMT_SITE_CONSTRUCT;
  w->float_bytes[w->nsites++] = (uint8_t)dvmt_type_of(def->text).part_bytes;
  dvmt_bytes_number(b, 1);
  dvmt_bytes_number(b, def->kind);
  dvmt_bytes_number(b, def->words);
  dvmt_bytes_number(b, def->bytes);
  dvmt_bytes_number(b, def->where);
  dvmt_bytes_number(b, def->nargs);
  add_string(b, def->text);
  w->ndefinitions++;
  return w->rc;
}

static int add_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct dvmt_writer *w = (struct dvmt_writer *)sink;
  struct dvmt_bytes *b = &w->definitions;
  dvmt_bytes_number(b, 2);
  dvmt_bytes_number(b, def->flags);
  dvmt_bytes_number(b, def->element_bytes);
  dvmt_bytes_number(b, def->ndims);
  for (int d = 0; d < def->ndims; d++)
    dvmt_bytes_number(b, dvmt_zigzag(def->extent[d]));
  for (int d = 0; def->flags & DVMT_OBJECT_FORTRAN && d < def->ndims; d++)
    dvmt_bytes_number(b, dvmt_zigzag(def->lower[d]));
  add_string(b, def->name);
  w->ndefinitions++;
  return w->rc;
}

static int add_program(struct dvmt_sink *sink, const char *build_id) {
  struct dvmt_writer *w = (struct dvmt_writer *)sink;
  dvmt_bytes_number(&w->definitions, 3);
  add_string(&w->definitions, build_id);
  w->ndefinitions++;
  return w->rc;
}

static int add_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct dvmt_writer *w = (struct dvmt_writer *)sink;
  dvmt_encoder_add(&w->encoder, r, w->float_bytes[r->site]);
  w->totals.records++;
  w->totals.values += r->kind <= DVMT_WRITE;
  w->enters += r->kind == DVMT_ENTER;
  if (r->kind == DVMT_ITER)
    dvmt_context_iterate(&w->context, r);
  else if (r->kind == DVMT_ENTER || r->kind == DVMT_LEAVE)
    dvmt_context_follow(&w->context, r, w->iterates[r->site]);
  if (w->encoder.nrecords == DVMT_BLOCK_RECORDS || w->encoder.extra.n > 4 << 20)
    end_block(w);
  if (w->encoder.failed && !w->rc)
    w->rc = -ENOMEM;
  return w->rc;
}

/* ---- beginning and end ----------------------------------------------------------------------------------------------------- */

static int write_header(struct dvmt_writer *w, const char *meta) {
  unsigned char header[DVMT_HEADER_BYTES] = DVMT_MAGIC, *to = header + 8;
  size_t n = strlen(meta);
  dvmt_put(&to, DVMT_VERSION, 2);
  dvmt_put(&to, 0, 2);
  dvmt_put(&to, 0x01020304, 4);
  dvmt_put(&to, n, 4);
  dvmt_put(&to, dvmt_crc(0, meta, n), 4);
  dvmt_put(&to, 0, 4);
  dvmt_put(&to, dvmt_crc(0, header, DVMT_HEADER_BYTES - 4), 4);
  int rc = write_all(w, header, sizeof(header));
  return rc ? rc : write_all(w, meta, n);
}

static void destroy(struct dvmt_writer *w) {
  for (int i = 0; i < QUEUE; i++)
    free(w->queue[i].raw.p);
  dvmt_encoder_fini(&w->encoder);
  dvmt_packer_destroy(w->packer);
  free(w->definitions.p);
  free(w->packed.p);
  free(w->index.p);
  dvmt_context_fini(&w->context);
  free(w->begin.p);
  free(w->contents.p);
  free(w->iterates);
  free(w->float_bytes);
  free(w->path);
  free(w->part);
  if (w->fd >= 0)
    close(w->fd);
  free(w);
}

/* Opens 'part' for this recorder alone; what one that was killed has left there goes. */
static int lock_file(struct dvmt_writer *w, struct dvm_error *err) {
  struct stat ours, named;
  for (;;) {
    w->fd = open(w->part, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (w->fd < 0 || fstat(w->fd, &ours))
      return dvm_error_errno(err, "cannot write '%s'", w->part);
    if (flock(w->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
      return dvm_error_set(err, -EBUSY, "cannot write '%s': another recorder is writing it; name another file with '-o'", w->part);
    if (!stat(w->part, &named) && named.st_ino == ours.st_ino && named.st_dev == ours.st_dev)
      break;
    close(w->fd); /* another one has just given it its name */
  }
  return S_ISREG(ours.st_mode) && ftruncate(w->fd, 0) ? dvm_error_errno(err, "cannot write '%s'", w->part) : 0;
}

static int open_file(struct dvmt_writer *w, const char *path, bool in_place, struct dvm_error *err) {
  w->path = strdup(path);
  if (!w->path || asprintf(&w->part, "%s%s", path, in_place ? "" : ".part") < 0)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  return lock_file(w, err);
}

static struct dvmt_writer *create(const char *path, bool in_place, const char *meta, enum dvmt_codec codec, struct dvm_error *err) {
  struct dvmt_writer *w = calloc(1, sizeof(*w));
  int rc = w ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  if (rc)
    return NULL;
  w->fd = -1;
  w->codec = codec;
  w->sink = (struct dvmt_sink){add_site, add_object, add_record, add_program, 0};
  dvmt_encoder_init(&w->encoder);
  dvmt_context_init(&w->context);
  dvmt_context_put(&w->context, &w->begin);
  w->packer = dvmt_packer_create();
  if (!w->packer || w->encoder.failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc && path)
    rc = open_file(w, path, in_place, err);
  if (!rc && (rc = write_header(w, meta)))
    dvm_error_set(err, rc, "cannot write '%s': %s", w->part, strerror(-rc));
  pthread_mutex_init(&w->lock, NULL);
  pthread_cond_init(&w->changed, NULL);
  if (!rc && pthread_create(&w->thread, NULL, work, w))
    rc = dvm_error_set(err, -EAGAIN, "cannot start a thread");
  if (!rc)
    return w;
  destroy(w);
  return NULL;
}

struct dvmt_writer *dvmt_writer_create(const char *path, const char *meta, enum dvmt_codec codec, struct dvm_error *err) {
  return create(path, false, meta, codec, err);
}

struct dvmt_writer *dvmt_writer_create_in_place(const char *path, const char *meta, enum dvmt_codec codec, struct dvm_error *err) {
  return create(path, true, meta, codec, err);
}

void dvmt_writer_flush(struct dvmt_writer *w) {
  if (w->encoder.nrecords)
    end_block(w);
}

void dvmt_writer_settle(struct dvmt_writer *w) {
  pthread_mutex_lock(&w->lock);
  while (w->head != w->tail)
    pthread_cond_wait(&w->changed, &w->lock);
  pthread_mutex_unlock(&w->lock);
}

void dvmt_writer_sync(struct dvmt_writer *w) { fdatasync(w->fd); }
void dvmt_writer_cut(struct dvmt_writer *w) { atomic_store(&w->cut, true); }

int dvmt_writer_rename(struct dvmt_writer *w, const char *path) {
  char *copy = strdup(path);
  if (!copy)
    return -ENOMEM;
  free(w->path);
  w->path = copy;
  w->renamed = true;
  return 0;
}

struct dvmt_sink *dvmt_writer_sink(struct dvmt_writer *w) { return &w->sink; }

void dvmt_writer_status(struct dvmt_writer *w, int status) { w->status = DVMT_END_STATUS | (uint32_t)(status & 255) << 8; }

/* Index block and trailer. */
static int write_end(struct dvmt_writer *w, bool complete) {
  unsigned char trailer[DVMT_TRAILER_BYTES], *to = trailer;
  struct dvmt_block b = {.kind = DVMT_BLOCK_INDEX,
                         .nrecords = (uint32_t)(w->index.n / DVMT_INDEX_ENTRY_BYTES),
                         .first_record = w->totals.records,
                         .enters = w->enters};
  struct dvmt_bytes index = w->index;
  uint64_t start = w->offset;
  w->index = (struct dvmt_bytes){NULL, 0, 0, false};
  int rc = index.failed ? -ENOMEM : write_block(w, &b, &index);
  free(index.p);
  if (rc)
    return rc;
  memcpy(to, DVMT_END_MAGIC, 8);
  to += 8;
  dvmt_put(&to, start, 8);
  dvmt_put(&to, w->totals.records, 8);
  dvmt_put(&to, w->enters, 8);
  dvmt_put(&to, complete ? 1 | w->status : 0, 4);
  dvmt_put(&to, dvmt_crc(0, trailer, DVMT_TRAILER_BYTES - 4), 4);
  rc = write_all(w, trailer, sizeof(trailer));
  if (!rc && w->fd >= 0 && ftruncate(w->fd, (off_t)w->offset)) /* written in place: there may be more */
    rc = -errno;
  if (rc && w->fd >= 0 && ftruncate(w->fd, (off_t)start))
    rc = -errno;
  return rc;
}

int dvmt_writer_close(struct dvmt_writer *w, bool complete, struct dvmt_totals *totals, struct dvm_error *err) {
  end_block(w);
  put_contents(w);
  pthread_mutex_lock(&w->lock);
  w->ending = true;
  pthread_cond_broadcast(&w->changed);
  pthread_mutex_unlock(&w->lock);
  pthread_join(w->thread, NULL);
  int rc = w->rc ? w->rc : w->write_rc;
  if (!rc)
    rc = write_end(w, complete);
  w->totals.file_bytes = w->offset;
  if (totals)
    *totals = w->totals;
  if (w->fd >= 0) {
    int held = dup(w->fd); /* the lock, until the file has its name */
    if (close(w->fd) && !rc)
      rc = -errno;
    if (rc)
      dvm_error_set(err, rc, "cannot write '%s': %s", w->part, strerror(-rc));
    if (!(rc && w->renamed) && rename(w->part, w->path) && !rc) /* before it is open to others */
      rc = dvm_error_errno(err, "cannot rename '%s' to '%s'", w->part, w->path);
    if (held >= 0)
      close(held);
    w->fd = -1;
  } else if (rc) {
    dvm_error_set(err, rc, "%s", strerror(-rc));
  }
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  destroy(w);
  return rc;
}
