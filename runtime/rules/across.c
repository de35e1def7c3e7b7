#include "runtime/rules/across.h"
#include "runtime/rules/across_reach.h"
#include "runtime/rules/repeat.h"
#include "runtime/data/mem.h"
#include <string.h>

static bool inside(const struct dvmrt_box *b, const int64_t *reach, int d) { return reach[d] >= -b->low[d] && reach[d] <= b->high[d]; }

/* Mapped: each dimension must be wide enough.  Not mapped: one declared dimension that carries it is enough. */
static bool covered(const struct dvmrt_event *ev, const struct dvmrt_box *b, const int64_t *reach) {
  bool all = true, carried = false, out = false;
  for (int d = 0; d < ev->array->ndims; d++) {
    all &= inside(b, reach, d);
    carried |= reach[d] && inside(b, reach, d);
    out |= reach[d] != 0;
  }
  return ev->nest->mapped ? all : carried || !out;
}

bool dvmrt_across_clause(const struct dvmrt_event *ev, struct dvmrt_clause *c) {
  bool any = false;
  *c = (struct dvmrt_clause){.name = "across", .array = dvmrt_check_array_name(ev), .ndims = ev->array->ndims};
  for (const struct dvmrt_access *x = dvmrt_across_reach_sites(ev); x; x = x->next) {
    int64_t ix[DVMRT_NDIMS_MAX], reach[DVMRT_NDIMS_MAX];
    if (!(x->flags & DVMRT_READ) || !dvmrt_across_reach_same_array(ev, x) || !dvmrt_across_reach_subscripts(ev, x, __dvmrt_now.iv, ix) ||
        !dvmrt_across_reach(ev, __dvmrt_now.iv, ix, reach))
      continue;
    for (int d = 0; d < c->ndims; d++) {
      any |= reach[d] != 0;
      dvmrt_clause_widen(c, d, reach[d]);
    }
  }
  return any;
}

/* Functions that read many elements of it. */
static bool range_of_array(const struct dvmrt_event *ev, const struct dvmrt_access *x) {
  return x->range && (x->flags & DVMRT_READ) && x->name && ev->access->name && !strcmp(x->name, ev->access->name);
}

bool dvmrt_across_complete(const struct dvmrt_event *ev) {
  if (ev->nest->d->calls)
    return false;
  for (uint32_t i = 0; i < ev->nest->nuses; i++)
    if (ev->nest->uses[i].item->use == '?')
      return false;
  for (const struct dvmrt_access *x = dvmrt_across_reach_sites(ev); x; x = x->next) {
    if (range_of_array(ev, x))
      return false;
    for (int d = 0; (x->flags & DVMRT_READ) && dvmrt_across_reach_same_array(ev, x) && d < x->ndims; d++)
      if (!dvmrt_across_reach_readable(ev, x, d) || !dvmrt_across_reach_settled(ev, x))
        return false;
  }
  return true;
}

/* ---- judging ------------------------------------------------------------------------------------------------------------------- */

static size_t words_of(const struct dvmrt_array *a) { return (a->region.end - a->region.base) >> a->region.shift; }

static uint32_t *kept_reader(const struct dvmrt_event *ev, struct dvmrt_clause_array *c, bool create) {
  if (!c->readers && create)
    c->readers = dvmrt_mem_map(words_of(c->array) * sizeof(uint32_t));
  return c->readers ? &c->readers[(ev->at - c->array->region.base) >> c->array->region.shift] : NULL;
}

/* May any access of the nest reach farther than the clause says?  Then every write must look for the readers. */
static bool must_watch(const struct dvmrt_event *ev, struct dvmrt_clause_array *c) {
  if (c->watch)
    return c->watch == 1;
  c->watch = ev->nest->d->calls ? 1 : 2;
  for (uint32_t i = 0; i < ev->nest->nuses; i++)
    if (ev->nest->uses[i].item->use == '?')
      c->watch = 1;
  for (const struct dvmrt_access *x = dvmrt_across_reach_sites(ev); x; x = x->next) {
    int64_t ix[DVMRT_NDIMS_MAX], reach[DVMRT_NDIMS_MAX];
    if (range_of_array(ev, x))
      c->watch = 1;
    if (!(x->flags & DVMRT_READ) || !dvmrt_across_reach_same_array(ev, x))
      continue;
    if (!dvmrt_across_reach_settled(ev, x) || !dvmrt_across_reach_subscripts(ev, x, __dvmrt_now.iv, ix) ||
        !dvmrt_across_reach(ev, __dvmrt_now.iv, ix, reach) || !covered(ev, &c->box, reach))
      c->watch = 1;
  }
  return c->watch == 1;
}

static uint32_t word_at(const struct dvmrt_event *ev) {
  const struct dvmrt_region *r = &ev->array->region;
  return r->words[(ev->at - r->base) >> r->shift];
}

static void widen(struct dvmrt_box *b, const int64_t *reach, int ndims) {
  for (int d = 0; d < ndims; d++) {
    b->low[d] = -reach[d] > b->low[d] ? -reach[d] : b->low[d];
    b->high[d] = reach[d] > b->high[d] ? reach[d] : b->high[d];
  }
}

static void blame(const struct dvmrt_event *ev, enum dvmrt_verdict v, struct dvmrt_clause_array *c, const int64_t *reach) {
  c->blamed |= v != DVMRT_ANTI || dvmrt_finding_wanted(DVMRT_CHECK_ANTI);
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_ACROSS, .event = ev, .across = {v, c, reach}});
}

/* These two: false: a dependence, which is told of. */
static bool judge_read(struct dvmrt_event *ev, struct dvmrt_clause_array *c, const int64_t *reach) {
  uint32_t w = word_at(ev);
  if (covered(ev, &c->box, reach)) {
    widen(&c->used, reach, ev->array->ndims);
    return true;
  }
  if (w >= ev->base && (w & 1) && w != ev->now) {
    ev->word = w;
    blame(ev, DVMRT_FLOW, c, reach);
    return false;
  }
  if (w < DVMRT_W_FIRST)
    return true; /* what has no value depends on nothing: that is the mistake */
  uint32_t *reader = kept_reader(ev, c, true);
  if (reader && *reader < ev->base)
    *reader = ev->now;
  return true;
}

static bool judge_write(struct dvmrt_event *ev, struct dvmrt_clause_array *c, const int64_t *reach) {
  uint32_t *reader = kept_reader(ev, c, false);
  int64_t iv[DVMRT_NDIMS_MAX], of_reader[DVMRT_NDIMS_MAX];
  if (reader && *reader >= ev->base && *reader != ev->now) {
    ev->word = *reader;
    *reader = 0;
    bool known = dvmrt_construct_iteration(ev->nest, ev->word, iv) && dvmrt_across_reach(ev, iv, ev->ix, of_reader);
    blame(ev, DVMRT_ANTI, c, known ? of_reader : NULL);
    return false;
  }
  uint32_t w = word_at(ev);
  if (w < ev->base || !(w & 1) || w == ev->now || covered(ev, &c->box, reach))
    return true;
  ev->word = w;
  blame(ev, DVMRT_OUTPUT, c, reach);
  return false;
}

/* Is everything that dvmrt_across_access says of this site known but for what the words say? */
static void note_again(const struct dvmrt_event *ev, struct dvmrt_clause_array *c, const int64_t *reach, uint64_t hits) {
  const struct dvmrt_array *a = ev->array;
  if (c->blamed && !ev->copied && a->element_bytes == (uint64_t)1 << a->region.shift && dvmrt_across_reach_settled(ev, ev->access) &&
      dvmrt_across_complete(ev) && dvmrt_check_place_carried(ev, c))
    dvmrt_repeat_note_across(ev, c, covered(ev, &c->box, reach), hits);
}

bool dvmrt_across_access(const struct dvmrt_event *ev, struct dvmrt_clause_array *c) {
  struct dvmrt_event e = *ev;
  int64_t reach[DVMRT_NDIMS_MAX] = {0};
  if (!dvmrt_across_reach(ev, __dvmrt_now.iv, ev->ix, reach))
    return true; /* what the nest calls its own element is not known */
  bool watch = must_watch(ev, c);
  uint64_t hits = dvmrt_finding_hits();
  /* Of a struct that is copied as a whole any member may be what depends. */
  uint64_t granule = (uint64_t)1 << ev->array->region.shift, bytes = ev->copied ? ev->access->bytes : 1;
  bool right = true;
  for (uint64_t at = 0; right && at < bytes; at += granule) {
    e.at = ev->at + at;
    if (ev->flags & DVMRT_READ)
      right &= judge_read(&e, c, reach);
    if (ev->flags & DVMRT_WRITE)
      right &= judge_write(&e, c, reach);
  }
  if (watch)
    note_again(ev, c, reach, hits);
  return !watch && dvmrt_across_reach_settled(ev, ev->access) && covered(ev, &c->box, reach);
}

bool dvmrt_across_again(struct dvmrt_repeat *r, uintptr_t a, uint32_t flags) {
  const struct dvmrt_region *region = &r->array->region;
  const struct dvmrt_now *now = &__dvmrt_now;
  if (a - region->base >= region->end - region->base || flags == (DVMRT_READ | DVMRT_WRITE))
    return false;
  uint64_t i = (a - region->base) >> region->shift;
  uint32_t w = region->words[i], *reader = r->across->readers ? &r->across->readers[i] : NULL;
  bool written = w >= now->base && (w & 1) && w != now->write;
  bool read = (flags & DVMRT_WRITE) && reader && *reader >= now->base && *reader != now->write;
  bool conflict = read || (written && !r->covered);
  if (read && !dvmrt_finding_wanted(DVMRT_CHECK_ANTI))
    conflict = false;
  if (conflict && !r->finding[DVMRT_REPEAT_ACROSS])
    return false;
  if ((flags & DVMRT_READ) && !r->covered && !written && w >= DVMRT_W_FIRST) {
    if (!reader)
      return false;
    if (*reader < now->base)
      *reader = now->write;
  }
  if (read)
    *reader = 0;
  r->count[DVMRT_REPEAT_ACROSS] += conflict;
  return true;
}

bool dvmrt_across_settled(const struct dvmrt_event *ev, struct dvmrt_clause_array *c) {
  int64_t reach[DVMRT_NDIMS_MAX] = {0};
  return dvmrt_across_reach(ev, __dvmrt_now.iv, ev->ix, reach) && !must_watch(ev, c) && dvmrt_across_reach_settled(ev, ev->access) &&
         covered(ev, &c->box, reach);
}

/* ---- edges that nothing brings ------------------------------------------------------------------------------------------------ */

/* Reads of one site at one displacement: the first, and how many. */
struct dvmrt_across_stale {
  struct dvmrt_across_stale *next;
  struct dvmrt_event ev;
  int64_t iv[DVMRT_NDIMS_MAX], subscripts[DVMRT_NDIMS_MAX];
  struct dvmrt_place place;
  enum dvmrt_id id;
  enum dvmrt_misplaced why;
  uint64_t count;
};

void dvmrt_across_stale(const struct dvmrt_event *ev, struct dvmrt_clause_array *c, const struct dvmrt_place *p, enum dvmrt_id id,
                        enum dvmrt_misplaced why) {
  if (c->blamed)
    return;
  struct dvmrt_across_stale **l = &c->stale;
  for (; *l; l = &(*l)->next)
    if ((*l)->ev.access == ev->access && (*l)->why == why && !memcmp((*l)->place.away, p->away, sizeof(p->away))) {
      (*l)->count++;
      return;
    }
  struct dvmrt_across_stale *s = *l = dvmrt_mem_alloc(sizeof(*s));
  *s = (struct dvmrt_across_stale){.ev = *ev, .place = *p, .id = id, .why = why, .count = 1};
  memcpy(s->iv, __dvmrt_now.iv, sizeof(s->iv));
  if (ev->subscripts) {
    memcpy(s->subscripts, ev->subscripts, (size_t)ev->access->ndims * sizeof(int64_t));
    s->ev.subscripts = s->subscripts;
  }
}

static void forget_stale(struct dvmrt_clause_array *c) {
  while (c->stale) {
    struct dvmrt_across_stale *s = c->stale;
    c->stale = s->next;
    dvmrt_mem_free(s, sizeof(*s));
  }
}

static void report_waiting(struct dvmrt_clause_array *c) {
  int64_t iv[DVMRT_NDIMS_MAX];
  memcpy(iv, __dvmrt_now.iv, sizeof(iv));
  for (const struct dvmrt_across_stale *s = c->blamed ? NULL : c->stale; s; s = s->next) {
    memcpy(__dvmrt_now.iv, s->iv, sizeof(iv));
    for (uint64_t i = 0; i < s->count; i++)
      dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = &s->ev, .place = {&s->place, s->id, s->why}});
  }
  memcpy(__dvmrt_now.iv, iv, sizeof(iv));
  forget_stale(c);
}

void dvmrt_across_end(struct dvmrt_clause_array *c) {
  forget_stale(c);
  if (c->readers && c->array)
    dvmrt_mem_unmap(c->readers, words_of(c->array) * sizeof(uint32_t));
  c->readers = NULL;
}

void dvmrt_across_over(struct dvmrt_frame *f) {
  for (uint32_t i = 0; f->nest && i < f->nclauses; i++) {
    report_waiting(&f->clauses[i]);
    dvmrt_across_end(&f->clauses[i]);
  }
}
