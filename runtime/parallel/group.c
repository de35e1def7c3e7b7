#include "runtime/parallel/group.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include <stdlib.h>

static struct dvmp_group *groups;

static bool is(const struct dvmp_group *g, const bool *in) {
  for (int q = 0; q < dvmp_job.size; q++)
    if (in[q] != (g->at[q] >= 0))
      return false;
  return true;
}

struct dvmp_group *dvmp_group_of(const bool *in) {
  int n = 0;
  for (int q = 0; q < dvmp_job.size; q++)
    n += in[q];
  if (n == dvmp_job.size)
    return NULL;
  for (struct dvmp_group *g = groups; g; g = g->next)
    if (is(g, in))
      return g;
  struct dvmp_group *g = calloc(1, sizeof(*g));
  int *ranks = calloc((size_t)dvmp_job.size * 2, sizeof(*ranks));
  if (!g || !ranks)
    dvmp_out_of_memory();
  *g = (struct dvmp_group){.next = groups, .rank = ranks, .at = ranks + dvmp_job.size};
  for (int q = 0; q < dvmp_job.size; q++) {
    g->at[q] = in[q] ? g->n : -1;
    if (in[q])
      g->rank[g->n++] = q;
  }
  return groups = g;
}

int dvmp_group_size(const struct dvmp_group *g) { return g ? g->n : dvmp_job.size; }

int dvmp_group_place(const struct dvmp_group *g, int rank) { return g ? g->at[rank] : rank; }

bool dvmp_group_holds(const struct dvmp_group *g, const struct dvmp_group *some) {
  if (!g || g == some)
    return true;
  for (int i = 0; some && i < some->n; i++)
    if (g->at[some->rank[i]] < 0)
      return false;
  return some != NULL;
}
