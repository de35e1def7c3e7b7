/* Which construct of the reference one is that stands in a library which the program has loaded itself. */
#include "driver/trace/job/places.h"
#include "runtime/trace/inside.h"
#include "runtime/trace/results.h"
#include <stdlib.h>
#include <string.h>

static const struct dvmt_results_site *next(const struct dvmt_results_site *s) {
  return (const void *)((const char *)(s + 1) + (s->bytes | 7) + 1);
}

__attribute__((visibility("default"))) uint64_t dvmt_inside_place(const char *object, const struct dvmt_results_site *sites, uint64_t n,
                                                                  const char *file, unsigned line, unsigned column) {
  struct dvmt_job_places *p = dvmt_job_places_read_file(object);
  const struct dvmt_results_site *s = sites;
  const uint64_t wanted = dvmt_results_place(file, strlen(file), line, column);
  uint64_t place = 0;
  bool fine = p != NULL;
  for (uint64_t i = 0; fine && i < n; i++, s = next(s)) {
    const char *text = (const char *)(s + 1);
    fine = dvmt_job_places_add(p, text, dvmt_site_where(text).file);
  }
  s = sites;
  for (uint64_t i = 0; fine && i < n && !place; i++, s = next(s)) {
    struct dvmt_where w = dvmt_job_places_of(p, i);
    if (w.line && dvmt_results_place(w.file.s, w.file.n, w.line, w.column) == wanted)
      place = s->place;
  }
  dvmt_job_places_destroy(p);
  return place;
}
