#include "runtime/rules/onto.h"
#include "runtime/data/mem.h"
#include <string.h>

struct dvmrt_onto {
  struct dvmrt_onto *next;
  uintptr_t processors;
  int ndims;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
};
static struct dvmrt_onto *all; /* programs have few */

static bool same(const struct dvmrt_onto *s, const struct dvmrt_onto *t) {
  const size_t n = (size_t)s->ndims * sizeof(int64_t);
  return s->processors == t->processors && s->ndims == t->ndims && !memcmp(s->low, t->low, n) && !memcmp(s->high, t->high, n);
}

const struct dvmrt_onto *dvmrt_onto_section(uintptr_t processors, int ndims, const int64_t *extent, const int64_t *low,
                                            const int64_t *high) {
  struct dvmrt_onto one = {.next = all, .processors = processors, .ndims = ndims}, *s = all;
  bool whole = true;
  for (int i = 0; i < ndims; i++) {
    one.low[i] = low[i];
    one.high[i] = high[i];
    whole = whole && low[i] <= 0 && high[i] >= extent[i] - 1;
  }
  if (whole)
    return NULL;
  while (s && !same(s, &one))
    s = s->next;
  if (s)
    return s;
  all = s = dvmrt_mem_alloc(sizeof(*s));
  *s = one;
  return s;
}

bool dvmrt_onto_holds(const struct dvmrt_onto *task, const struct dvmrt_onto *data) {
  if (!task || task == data)
    return true;
  if (!data)
    return false;
  for (int i = 0; i < task->ndims && task->processors == data->processors; i++)
    if (data->low[i] < task->low[i] || data->high[i] > task->high[i])
      return false;
  return true;
}
