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
  rows[b->n++] = (struct dvmt_step){text, there, s->execution};
}

void dvmt_steps_fini(struct dvmt_steps *s) {
  for (size_t i = 0; i < s->n; i++) {
    free(s->row[i].construct);
    free(s->row[i].in_reference);
  }
  free(s->row);
}

/* Differences grow: what is beyond the tolerance once stays so.  So if the last step is within it, all are; else the first that is
 * not lies between. */
int dvmt_steps_search(const struct dvmt_steps *s,
                      int (*attempt)(void *arg, const struct dvmt_step *step, bool report, struct dvm_error *err), void *arg,
                      struct dvm_error *err) {
  size_t low = 0, high = s->n - 1; /* the first bad one is in [low, high] */
  fprintf(stderr, "dvm: sums differ after %zu executions of constructs; running both programs again\n", s->n);
  int bad = attempt(arg, &s->row[high], false, err);
  if (bad <= 0) {
    if (bad)
      return bad;
    fprintf(stderr, "dvm: all differences are within the tolerance\n");
    return attempt(arg, &s->row[high], true, err);
  }
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    bad = attempt(arg, &s->row[mid], false, err);
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
