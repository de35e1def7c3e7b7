/* Definitions of sites and objects. */
#include "driver/trace/format/reader_inside.h"
#include <errno.h>
#include <string.h>

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

int dvmt_reader_read_definitions(struct dvmt_reader *r) {
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
