#include "driver/trace/command/job_again.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/writer.h"
#include "driver/trace/job/project.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the run ----------------------------------------------------------------------------------------------------------------------- */

static int launch(const struct job_again *a, const char *spec, const char *run, struct dvm_error *err) {
  struct dvmt_writer *nowhere = dvmt_writer_create(NULL, "", DVMT_CODEC_NONE, err);
  struct dvm_error ignored = DVM_ERROR_INIT;
  char said[4200];
  int status = 0;
  bool recorded = false;
  snprintf(said, sizeof(said), "%s/said", a->folder);
  const struct dvmt_launch launch = {.command = a->command,
                                     .level = "checksum",
                                     .quiet = true,
                                     .job = run,
                                     .meta = "level checksum\n",
                                     .results = a->results,
                                     .elements = spec,
                                     .other_options = a->reference,
                                     .said = said};
  int rc = nowhere ? dvmt_launch(&launch, dvmt_writer_sink(nowhere), &status, &recorded, err) : err->code;
  if (nowhere)
    dvmt_writer_close(nowhere, true, NULL, &ignored);
  return rc;
}

static int check_program(const struct job_again *a, const struct dvmt_job *job, struct dvm_error *err) {
  const char *program = a->program ? dvmt_reader_program(job->rank[0]) : NULL;
  if (!program || !strcmp(program, a->program))
    return 0;
  return dvm_error_set(err, -EINVAL, "the reference's program has been rebuilt since: keep a copy of it for '--bisect' (%s)",
                       a->command[2]);
}

struct dvmt_images *job_again_run(const struct job_again *a, const char *text, uint64_t execution, struct dvm_error *err) {
  struct dvmt_where w = dvmt_site_where(text);
  struct dvmt_images *images = NULL;
  struct dvmt_job job = {0};
  char spec[600], run[4200];
  snprintf(spec, sizeof(spec), "%llu@%.*s:%u", (unsigned long long)execution, (int)w.file.n, w.file.s, w.line);
  snprintf(run, sizeof(run), "%s/again", a->folder);
  int rc = launch(a, spec, run, err), found = rc ? rc : dvmt_job_open_streams(&job, run, err);
  if (!rc && found > 0)
    images = dvmt_images_read(&job, err);
  if (images && check_program(a, &job, err)) {
    dvmt_images_destroy(images);
    images = NULL;
  }
  if (!err->code && (found <= 0 || !images || !dvmt_images_told(images))) {
    dvm_error_set(err, -EPROTO, "run again, '%s' does not come to execution %llu of the construct at %.*s:%u",
                  a->command[a->reference ? 2 : 0], (unsigned long long)execution, (int)w.file.n, w.file.s, w.line);
    dvmt_images_destroy(images);
    images = NULL;
  }
  dvmt_job_close(&job);
  dvmt_job_sweep(run);
  return images;
}

/* ---- its trace --------------------------------------------------------------------------------------------------------------------- */

struct writing {
  struct dvmt_sink *out;
  struct dvmt_shape *shape;
  struct dvmt_where where;
};

/* Of what the parts of a struct are nobody has told: words that may be floating numbers, or bytes. */
static uint64_t type_of(const struct dvmt_image *m, char *kind) {
  uint64_t bytes = m->def.element_bytes;
  *kind = strchr("fiuc", m->kind) && bytes <= 32 ? m->kind : bytes % 8 ? 'u' : 'w';
  return *kind == m->kind ? bytes : bytes % 8 ? 1 : 8;
}

static int64_t site_of(const struct writing *x, const struct dvmt_image *m, char kind, uint64_t bytes) {
  char text[1600];
  snprintf(text, sizeof(text), "K w\nF %.*s\nP %u %u\nT %.400s\nV %.400s\ny %c%llu", (int)x->where.file.n, x->where.file.s, x->where.line,
           x->where.column, m->def.name, m->def.name, kind, (unsigned long long)bytes);
  const struct dvmt_site_def def = {
      .text = text, .kind = DVMT_SITE_ACCESS, .words = (uint8_t)((bytes + 7) / 8), .bytes = (uint8_t)bytes, .where = DVMT_WHERE_ADDRESS};
  return dvmt_shape_site(x->shape, &def);
}

static bool is_of_interest(const struct dvmt_image *a, const struct dvmt_image *b, uint64_t at, uint64_t n) {
  return memcmp(a->before + at, a->after + at, n) || memcmp(b->before + at, b->after + at, n) || memcmp(a->after + at, b->after + at, n);
}

static int write_image(const struct writing *x, const struct dvmt_image *a, const struct dvmt_image *b) {
  char kind;
  uint64_t bytes = type_of(a, &kind), words[4];
  int64_t site = site_of(x, a, kind, bytes), object = dvmt_shape_object(x->shape, &a->def);
  int rc = site < 0 ? (int)site : object < 0 ? (int)object : 0;
  for (uint64_t at = 0; at < a->bytes && !rc; at += bytes) {
    uint64_t element = at / a->def.element_bytes;
    if (a->owner[element] == DVMT_NOBODY || b->owner[element] == DVMT_NOBODY || !is_of_interest(a, b, at, bytes))
      continue;
    memset(words, 0, sizeof(words));
    memcpy(words, a->after + at, bytes);
    rc = x->out->record(x->out, &(struct dvmt_record){.kind = DVMT_WRITE,
                                                      .site = (uint32_t)site,
                                                      .object = (uint32_t)object,
                                                      .offset = (int64_t)at,
                                                      .nwords = (uint32_t)((bytes + 7) / 8),
                                                      .words = words});
  }
  return rc;
}

static int write_all(struct writing *x, const struct dvmt_images *reference, const struct dvmt_images *run, const struct dvmt_step *step) {
  /* Inside of a construct with iterations values count in these alone. */
  int64_t construct = dvmt_shape_site(x->shape, &(struct dvmt_site_def){.text = step->in_reference, .kind = DVMT_SITE_LOOP});
  int rc = construct < 0 ? (int)construct : dvmt_shape_enter(x->shape, construct, DVMT_LEVEL_MODIFY, (uint32_t)step->reference_execution);
  for (size_t i = 0; !rc && dvmt_images_at(reference, i); i++) {
    const struct dvmt_image *a = dvmt_images_at(reference, i), *b = dvmt_images_of(run, a->def.name);
    if (b && b->bytes == a->bytes && b->def.element_bytes == a->def.element_bytes)
      rc = write_image(x, a, b);
  }
  return rc ? rc : dvmt_shape_leave(x->shape, construct);
}

int job_again_write(const char *path, const struct dvmt_images *reference, const struct dvmt_images *run, const struct dvmt_step *step,
                    struct dvm_error *err) {
  struct dvmt_writer *w = dvmt_writer_create(path, "level modify\n", DVMT_CODEC_NONE, err);
  if (!w)
    return err->code;
  struct writing x = {dvmt_writer_sink(w), NULL, dvmt_site_where(step->in_reference)};
  int rc = (x.shape = dvmt_shape_create(x.out)) ? write_all(&x, reference, run, step) : -ENOMEM;
  dvmt_shape_destroy(x.shape);
  int closed = dvmt_writer_close(w, !rc, NULL, err);
  return rc ? dvm_error_set(err, rc, "cannot write '%s': %s", path, strerror(-rc)) : closed;
}
