#include "driver/trace/command/feed.h"
#include "driver/trace/format/context.h"

struct feeding {
  struct dvmt_reader *r;
  struct dvmt_sink *sink;
  size_t nsites, nobjects;    /* sent so far */
};

static int send_definitions(struct feeding *f) {
  int rc = 0;
  while (!rc && f->nsites < dvmt_reader_nsites(f->r))
    rc = f->sink->site(f->sink, dvmt_reader_site(f->r, f->nsites++));
  while (!rc && f->nobjects < dvmt_reader_nobjects(f->r))
    rc = f->sink->object(f->sink, dvmt_reader_object(f->r, f->nobjects++));
  return rc;
}

/* A damaged block: the comparison goes on behind it. */
static int lose(struct dvmt_reader *r, struct dvmt_compare *c, struct feeding *f, uint64_t records, struct dvm_error *err) {
  struct dvmt_context x;
  int rc = dvmt_reader_load(r, err);
  dvmt_context_init(&x);
  if (!rc)
    rc = send_definitions(f);
  if (!rc)
    dvmt_compare_lose(c, records, dvmt_reader_left(r) && !dvmt_reader_context(r, &x) ? &x : NULL);
  dvmt_context_fini(&x);
  return rc;
}

int dvmt_feed(struct dvmt_reader *r, struct dvmt_compare *c, struct dvm_error *err) {
  struct feeding f = {r, dvmt_compare_sink(c), 0, 0};
  struct dvmt_record rec;
  int more = 1, rc = 0;
  while (!rc && more > 0) {
    if (!dvmt_reader_left(r) && dvmt_compare_skip(c, r)) {
      rc = dvmt_reader_load(r, err);
      if (!rc)
        rc = send_definitions(&f);
      if (!rc)
        dvmt_compare_resume(c, r);
    }
    if (!rc && (more = dvmt_reader_next(r, &rec, err)) > 0) {
      if (dvmt_reader_ndefinitions(r) != f.nsites + f.nobjects)
        rc = send_definitions(&f);
      if (rec.kind == DVMT_LOST && !rc)
        rc = lose(r, c, &f, rec.words[0], err);
      else if (!rc)
        rc = f.sink->record(f.sink, &rec);
      if (!rc)
        dvmt_compare_alike(c, r);
    }
  }
  return rc ? rc : more < 0 ? more : 0;
}

int dvmt_feed_sink(struct dvmt_reader *r, struct dvmt_sink *sink, struct dvm_error *err) {
  struct feeding f = {r, sink, 0, 0};
  struct dvmt_record rec;
  int more = 1, rc = 0;
  while (!rc && (more = dvmt_reader_next(r, &rec, err)) > 0) {
    if (dvmt_reader_ndefinitions(r) != f.nsites + f.nobjects)
      rc = send_definitions(&f);
    if (!rc && rec.kind != DVMT_LOST)
      rc = sink->record(sink, &rec);
  }
  return rc ? rc : more < 0 ? more : 0;
}
