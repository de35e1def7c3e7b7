#include "runtime/rules/recall.h"
#include "runtime/data/finding.h"
#include "runtime/data/mem.h"
#include "runtime/rules/repeat.h"
#include <string.h>

enum { KEPT = 4, FINDINGS_MAX = 16 };

struct dvmrt_recall {
  uint32_t generation;   /* of the findings */
  unsigned next;
  struct {
    uint64_t key;        /* 0: none */
    unsigned n;
    struct dvmrt_finding *finding[FINDINGS_MAX];
    uint64_t count[FINDINGS_MAX];
  } kept[KEPT];
};

static uint32_t generation = 1;

void dvmrt_recall_forget(void) { generation++; }

bool dvmrt_recall_find(struct dvmrt_directive *d, uint64_t key) {
  const struct dvmrt_recall *r = d->recall;
  if (!r || r->generation != generation)
    return false;
  for (int i = 0; i < KEPT; i++) {
    if (r->kept[i].key != key)
      continue;
    for (unsigned k = 0; k < r->kept[i].n; k++)
      dvmrt_finding_more(r->kept[i].finding[k], r->kept[i].count[k]);
    return true;
  }
  return false;
}

void dvmrt_recall_begin(struct dvmrt_frame *f, uint64_t key) {
  f->recall = dvmrt_repeat_wanted ? key : 0;
  for (struct dvmrt_finding *x = dvmrt_finding_first(); f->recall && x; x = x->next)
    x->mark = x->count;
}

/* Those that inserted code finds at the end of each execution come again by themselves. */
static bool comes_anyway(enum dvmrt_id id) { return id == DVMRT_ID_REDUCTION_MISMATCH; }

static bool follows(enum dvmrt_id id) {
  switch (id) {
  case DVMRT_ID_SHADOW_STALE:
  case DVMRT_ID_SHADOW_PENDING:
  case DVMRT_ID_SHADOW_WRITE:
  case DVMRT_ID_EXCHANGE_WRITE:
  case DVMRT_ID_NONLOCAL_ACCESS:
  case DVMRT_ID_REMOTE_WRITE:
  case DVMRT_ID_REMOTE_UNCOVERED:
  case DVMRT_ID_UNINITIALIZED:
  case DVMRT_ID_REDUCTION_PENDING:
  case DVMRT_ID_LOOP_DEPENDENCE:
  case DVMRT_ID_USAGE:
  case DVMRT_ID_ACROSS_DISTANCE: return true;
  default: return false;
  }
}

void dvmrt_recall_over(struct dvmrt_frame *f) {
  if (!f->recall)
    return;
  struct dvmrt_recall *r = f->d->recall;
  if (!r)
    r = f->d->recall = dvmrt_mem_alloc(sizeof(*r));
  if (r->generation != generation)
    memset(r, 0, sizeof(*r));
  r->generation = generation;
  unsigned at = r->next, n = 0;
  r->kept[at].key = 0;
  for (struct dvmrt_finding *x = dvmrt_finding_first(); x; x = x->next) {
    if (x->count == x->mark || comes_anyway(x->id))
      continue;
    if (x->construct != f->d || !follows(x->id) || n == FINDINGS_MAX)
      return;
    r->kept[at].finding[n] = x;
    r->kept[at].count[n++] = x->count - x->mark;
  }
  r->kept[at].n = n;
  r->kept[at].key = f->recall;
  r->next = (at + 1) % KEPT;
}
