#include "driver/trace/command/live_pairs.h"
#include "driver/trace/compare/name.h"
#include <string.h>

static bool same_place(struct dvmt_where a, struct dvmt_where b) {
  struct dvmt_span x = dvmt_span_base(a.file), y = dvmt_span_base(b.file);
  return a.line == b.line && a.column == b.column && x.s && y.s && x.n == y.n && !memcmp(x.s, y.s, x.n);
}

/* What the reference has announced, beside what lies in the run's files. */
static void read_places(struct live_pairs *p, const struct live_reference *of) {
  char program[4096];
  const char *path = dvmt_job_program(p->command, program, sizeof(program));
  p->tried = true;
  p->places = path ? dvmt_job_places_read(path, p->command) : NULL;
  for (p->n = 0; p->places && p->n < of->nknown; p->n++)
    if (!dvmt_job_places_add(p->places, of->known[p->n], dvmt_site_where(of->known[p->n]).file))
      live_pairs_fini(p);
}

static bool is_same(struct live_pairs *p, const struct live_reference *of, const char *reference, const char *run) {
  struct dvmt_where was = dvmt_site_where(reference);
  if (!p->tried)
    read_places(p, of);
  for (size_t i = 0; p->places && i < p->n; i++)
    if (same_place(dvmt_site_where(of->known[i]), was)) {
      struct dvmt_where now = dvmt_job_places_of(p->places, i);
      return now.line ? same_place(now, dvmt_site_where(run)) : !strcmp(reference, run);
    }
  return !strcmp(reference, run);
}

bool live_pairs_same(struct live_pairs *p, const struct live_reference *of, const char *reference, const char *run) {
  if (p->reference != reference || p->run != run) {
    p->same = is_same(p, of, reference, run);
    p->reference = reference;
    p->run = run;
  }
  return p->same;
}

void live_pairs_fini(struct live_pairs *p) {
  dvmt_job_places_destroy(p->places);
  p->places = NULL;
  p->n = 0;
}
