#include "driver/trace/command/steps.h"
#include "driver/trace/compare/name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dvmt_steps_spot(void *arg, const struct dvmt_spot *s) {
  struct dvmt_steps *b = arg;
  if (s->object || !s->construct)
    return;
  if (b->n && b->row[b->n - 1].execution == s->execution && !strcmp(b->row[b->n - 1].construct, s->construct))
    return; /* another array of the same construct */
  struct dvmt_step *rows = realloc(b->row, (b->n + 1) * sizeof(*rows));
  char *text = strdup(s->construct), *there = strdup(s->in_reference ? s->in_reference : s->construct);
  if (rows)
    b->row = rows;
  if (!rows || !text || !there) {
    free(text);
    free(there);
    b->failed = true;
    return;
  }
  rows[b->n++] = (struct dvmt_step){text, there, s->execution, s->reference_execution};
}

void dvmt_steps_fini(struct dvmt_steps *s) {
  for (size_t i = 0; i < s->n; i++) {
    free(s->row[i].construct);
    free(s->row[i].in_reference);
  }
  free(s->row);
}

/* The first that is beyond the tolerance lies in [low, high]. */
static int search_between(const struct dvmt_steps *s, size_t low, size_t high,
                          int (*attempt)(void *arg, const struct dvmt_step *step, bool report, struct dvm_error *err), void *arg,
                          struct dvm_error *err) {
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    int bad = attempt(arg, &s->row[mid], false, err);
    if (bad < 0)
      return bad;
    if (bad)
      high = mid;
    else
      low = mid + 1;
  }
  struct dvmt_where w = dvmt_site_where(s->row[low].construct);
  char place[600];
  dvmt_where_text(&w, place, sizeof(place));
  fprintf(stderr, "dvm: execution %llu of the construct at %s is the first beyond the tolerance\n",
          (unsigned long long)s->row[low].execution, place);
  return attempt(arg, &s->row[low], true, err);
}

/* Most differences are beyond the tolerance at once; others grow, and the first that has grown lies between one that has not and one that
 * has.  One may also be gone before the run is over: so more of them are looked at, at distances that grow. */
int dvmt_steps_search(const struct dvmt_steps *s,
                      int (*attempt)(void *arg, const struct dvmt_step *step, bool report, struct dvm_error *err), void *arg,
                      struct dvm_error *err) {
  const size_t last = s->n - 1;
  fprintf(stderr, "dvm: sums differ after %zu executions of constructs; running both programs again\n", s->n);
  int bad = attempt(arg, &s->row[0], false, err);
  if (bad > 0)
    return search_between(s, 0, 0, attempt, arg, err);
  if (!bad && last)
    bad = attempt(arg, &s->row[last], false, err);
  if (bad > 0)
    return search_between(s, 1, last, attempt, arg, err);
  for (size_t at = 1, before = 1; !bad && at < last; before = at + 1, at *= 2) {
    bad = attempt(arg, &s->row[at], false, err);
    if (bad > 0)
      return search_between(s, before, at, attempt, arg, err);
  }
  if (bad < 0 || s->parted)
    return bad;
  fprintf(stderr, "dvm: all differences are within the tolerance\n");
  return attempt(arg, &s->row[last], true, err);
}
