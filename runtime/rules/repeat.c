#include "runtime/rules/repeat.h"
#include "runtime/rules/across.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/task.h"
#include <string.h>

bool dvmrt_repeat_wanted = true;

enum { DVMRT_REPEAT_WIDEST = 16 }; /* words of one access */

struct dvmrt_access *dvmrt_repeat_first;
static struct dvmrt_finding silent; /* of what the options do not want to know */

/* ---- beginning and end -------------------------------------------------------------------------------------------------------- */

/* The finding that the report of the last access went to; NULL: there were several. */
static struct dvmrt_finding *finding_since(uint64_t hits) {
  uint64_t n = dvmrt_finding_hits() - hits;
  return n == 0 ? &silent : n == 1 ? dvmrt_finding_last() : NULL;
}

bool dvmrt_repeat_one(uint64_t hits, struct dvmrt_finding **f) {
  struct dvmrt_finding *found = finding_since(hits);
  *f = found == &silent ? NULL : found;
  return found;
}

static void forget_row(struct dvmrt_repeat *r) {
  r->row = false;
  memset(r->edge, DVMRT_EDGE_ASK, sizeof(r->edge));
}

static bool note(struct dvmrt_access *x, int kind, uint64_t hits) {
  struct dvmrt_repeat *r = &x->repeat;
  struct dvmrt_finding *f = finding_since(hits);
  if (!f || !dvmrt_repeat_wanted || dvmrt_task_active())
    return false;
  if (!r->thread) {
    r->next = dvmrt_repeat_first;
    dvmrt_repeat_first = x;
  }
  r->thread = &__dvmrt_now;
  forget_row(r);
  r->finding[kind] = f;
  return true;
}

/* It stays in the list. */
static void clear(struct dvmrt_access *x, bool counts) {
  struct dvmrt_repeat *r = &x->repeat;
  r->across = NULL;
  r->array = r->written = NULL;
  forget_row(r);
  for (int k = 0; k < DVMRT_REPEAT_KINDS; k++) {
    if (counts && r->finding[k] && r->count[k] && r->finding[k] != &silent)
      dvmrt_finding_more(r->finding[k], r->count[k]);
    r->finding[k] = NULL;
    r->count[k] = 0;
  }
}

static void end_all(bool counts) {
  for (struct dvmrt_access *x = dvmrt_repeat_first; x; x = x->repeat.next) {
    clear(x, counts);
    x->repeat.thread = NULL;
  }
  dvmrt_repeat_first = NULL;
}

void dvmrt_repeat_end_all(void) { end_all(true); }
void dvmrt_repeat_forget(void) {
  end_all(false);
  dvmrt_offsets_end_all(false);
}

/* ---- places, bounds, escapes -------------------------------------------------------------------------------------------------- */

/* Reads that a subscript of any kind leads here and there: each is one of few cases. */
static void note_wandering(const struct dvmrt_event *ev, uint64_t hits) {
  const struct dvmrt_access *x = ev->access;
  const struct dvmrt_frame *f = ev->nest;
  const struct dvmrt_finding *found = finding_since(hits);
  if (ev->flags != DVMRT_READ || !found || found == &silent || x->varies || x->ndims != ev->array->ndims || ev->array->named_edges ||
      !f->mapped || !f->on || !f->layout.root || dvmrt_construct_clause(f, DVMRT_DIRECTIVE_ACROSS, ev->array) ||
      dvmrt_group_pending(ev->array))
    return;
  if (!note(ev->access, found->id == DVMRT_ID_SHADOW_STALE ? DVMRT_REPEAT_STALE : DVMRT_REPEAT_AWAY, hits))
    return;
  ev->access->repeat.array = ev->array;
  ev->access->repeat.nest = f;
  ev->access->repeat.iteration = 0;
}

void dvmrt_repeat_note_place(const struct dvmrt_event *ev, uint64_t hits) {
  if (dvmrt_remote_holds(ev->array, NULL, NULL) || (ev->nest && ev->nest->beyond.any))
    return; /* some of its elements may be written; others may have been, by this iteration */
  if (dvmrt_check_place_constant(ev)) {
    if (note(ev->access, DVMRT_REPEAT_PLACE, hits))
      ev->access->repeat.written = ev->flags & DVMRT_WRITE ? ev->array : NULL;
  } else if (ev->nest)
    note_wandering(ev, hits);
}

void dvmrt_repeat_note_across(const struct dvmrt_event *ev, struct dvmrt_clause_array *c, bool covered, uint64_t hits) {
  struct dvmrt_repeat *r = &ev->access->repeat;
  const struct dvmrt_finding *found = finding_since(hits);
  if (!found || (found != &silent && found->id != DVMRT_ID_ACROSS_DISTANCE) || (ev->array->ordinary && dvmrt_group_nvars))
    return;
  struct dvmrt_finding *before = r->finding[DVMRT_REPEAT_ACROSS];
  if (!note(ev->access, DVMRT_REPEAT_ACROSS, hits))
    return;
  if (found == &silent)
    r->finding[DVMRT_REPEAT_ACROSS] = before; /* this one was right */
  r->array = ev->array;
  r->across = c;
  r->covered = covered;
}

void dvmrt_repeat_note_sequential(const struct dvmrt_event *ev, uint64_t hits) {
  if (note(ev->access, DVMRT_REPEAT_SEQUENTIAL, hits))
    dvmrt_repeat_note_turns(ev, hits);
}

void dvmrt_repeat_note_waits(const struct dvmrt_event *ev) {
  const struct dvmrt_array *a = ev->array;
  if (ev->access->buffered || ev->access->varies || ev->copied || ev->access->ndims != a->ndims || a->ordinary ||
      !note(ev->access, DVMRT_REPEAT_WAITS, dvmrt_finding_hits()))
    return;
  ev->access->repeat.array = ev->array;
}

void dvmrt_repeat_note_turns(const struct dvmrt_event *ev, uint64_t hits) {
  if (note(ev->access, DVMRT_REPEAT_TURNS, hits))
    ev->access->repeat.array = ev->array;
}

/* Does the clause hold these widths already? */
static bool holds(const struct dvmrt_clause *c, const struct dvmrt_place *p) {
  bool all = c->never || c->corner || p->naway <= 1;
  for (int d = 0; d < c->ndims; d++)
    all &= -p->away[d] <= c->low[d] && p->away[d] <= c->high[d];
  return all;
}

/* What blocks of two would have is judged anew (place.c, near). */
static bool between_pairs(const struct dvmrt_repeat *r, const int64_t *ix, struct dvmrt_place p) {
  return dvmrt_layout_place_pairs(&r->array->layout, &r->nest->layout, __dvmrt_now.iv, ix, r->array->extent, &p);
}

static void find_own(struct dvmrt_repeat *r) {
  const struct dvmrt_array *a = r->array;
  r->iteration = __dvmrt_now.write;
  r->apart = dvmrt_layout_own(&a->layout, &r->nest->layout, __dvmrt_now.iv, r->own, r->has_own);
  r->part = true;
  for (int d = 0; d < a->ndims && r->apart; d++)
    r->part &= !r->has_own[d] || (r->own[d] >= 0 && r->own[d] < a->extent[d]);
  r->row = r->finding[DVMRT_REPEAT_AWAY] && r->apart && r->part && a->ndims == 1 && r->has_own[0] && a->stride[0] == 1;
  r->near = r->own[0] - a->low[0];
  r->width = (uint64_t)(a->low[0] + a->high[0]);
  r->unit = a->element_bytes;
  r->first = a->region.base;
}

/* Is the element certainly outside of the iteration's part and of its declared edge? */
static bool is_far(struct dvmrt_repeat *r, const int64_t *ix) {
  const struct dvmrt_array *a = r->array;
  if (r->iteration != __dvmrt_now.write)
    find_own(r);
  if (!r->apart || !r->part)
    return false;
  bool far = false;
  for (int d = 0; d < a->ndims; d++)
    far |= r->has_own[d] && (ix[d] - r->own[d] < -a->low[d] || ix[d] - r->own[d] > a->high[d]);
  return far;
}

/* Of a row the answer depends on how far away the element is, alone, as long as nothing is exchanged. */
static bool remember_edge(struct dvmrt_repeat *r, int64_t ix, enum dvmrt_repeat_edge answer) {
  const uint64_t at = (uint64_t)(ix - r->near);
  if (r->row && at < DVMRT_REPEAT_EDGE)
    r->edge[at] = (uint8_t)answer;
  return true;
}

static bool wanders_again(struct dvmrt_repeat *r, uintptr_t a, const int64_t *ix) {
  struct dvmrt_array *array = r->array;
  struct dvmrt_place p;
  if (a != dvmrt_array_leads_to(array, ix))
    return false;
  enum dvmrt_repeat_kind kind = DVMRT_REPEAT_AWAY;
  if (r->finding[kind] && is_far(r, ix)) {
    r->count[kind]++;
    return true;
  }
  dvmrt_layout_place(&array->layout, &r->nest->layout, __dvmrt_now.iv, ix, array->ndims, &p);
  if (p.kind == DVMRT_PLACE_OWN)
    return true;
  bool part = dvmrt_check_place_part(array, &p);
  if (p.kind == DVMRT_PLACE_NEAR && !part && between_pairs(r, ix, p))
    return false;
  if (p.kind == DVMRT_PLACE_NEAR && part && dvmrt_check_place_edge(array, &p)) {
    if (dvmrt_check_place_valid(array, &p))
      return remember_edge(r, ix[0], DVMRT_EDGE_VALID);
    kind = DVMRT_REPEAT_STALE;
    if (!r->finding[kind] || !holds(&r->finding[kind]->clause, &p))
      return false;
    remember_edge(r, ix[0], DVMRT_EDGE_STALE);
  }
  r->count[kind] += r->finding[kind] != NULL;
  return r->finding[kind];
}

bool dvmrt_repeat_place(struct dvmrt_access *x, uintptr_t a, const int64_t *ix, uint32_t flags) {
  struct dvmrt_repeat *r = &x->repeat;
  if (r->finding[DVMRT_REPEAT_PLACE]) {
    r->count[DVMRT_REPEAT_PLACE]++;
    if (r->written)
      r->written->writer = x->site;
    return true;
  }
  if (r->across)
    return dvmrt_across_again(r, a, flags);
  return r->array && ix && flags == DVMRT_READ && wanders_again(r, a, ix);
}

/* Where the name of what is accessed is that of the declaration, whatever the address. */
static bool is_named(const struct dvmrt_access *x) { return x->root == 'g' || x->root == 'l' || x->root == 's'; }

void dvmrt_repeat_note_bounds(const struct dvmrt_event *ev, uint64_t hits) {
  if (is_named(ev->access) || (ev->nest && ev->access->use >= 0 && ev->access->cid == ev->nest->d->cid))
    note(ev->access, DVMRT_REPEAT_BOUNDS, hits);
}

void dvmrt_repeat_note_escape(struct dvmrt_access *x, uint64_t hits) { note(x, DVMRT_REPEAT_ESCAPE, hits); }

/* ---- words -------------------------------------------------------------------------------------------------------------------- */

void dvmrt_repeat_note_word(const struct dvmrt_event *ev, enum dvmrt_verdict v, uint64_t hits) {
  struct dvmrt_access *x = ev->access;
  bool local = !ev->array && !ev->at;
  bool more = v == DVMRT_UNDECLARED || (v == DVMRT_UNINIT && ev->word == DVMRT_W_NEVER); /* these do more than count */
  if (!ev->nest || ev->copied || ev->class == DVMRT_CLASS_ACROSS || ev->class == DVMRT_CLASS_BUFFER)
    return;
  if (ev->array && (v == DVMRT_UNDECLARED || (ev->array->ordinary && dvmrt_group_nvars)))
    return; /* what is written without a clause loses its value when the loop is over */
  if (!ev->array && !local && (more || !is_named(x)))
    return;
  if (v >= DVMRT_FLOW && ev->array && ev->nest->mapped && !dvmrt_across_complete(ev))
    return;
  struct dvmrt_region *region = ev->array ? &ev->array->region : NULL;
  if (x->repeat.thread && (x->repeat.region != region || x->repeat.class != (int)ev->class))
    clear(x, true);
  note(x, (int)v, hits);
  x->repeat.region = region;
  x->repeat.class = ev->class;
}

/* Of the elements or the ordinary data at 'a'; NULL: not one word, or it must be looked up under the lock. */
static uint32_t *word_at(const struct dvmrt_repeat *r, uintptr_t a, uint64_t size) {
  const struct dvmrt_region *region = r->region;
  if (region)
    return a - region->base < region->end - region->base && size == (uint64_t)1 << region->shift && !(a & (size - 1))
               ? &region->words[(a - region->base) >> region->shift]
               : NULL;
  uintptr_t e = dvmrt_shadow_entry(a);
  unsigned code = e & 3;
  return (code == 1 || code == 2) && size == 4u * code && !(a & (size - 1)) ? dvmrt_shadow_at(e, a) : NULL;
}

/* The word after the access.  False: the site has not given this verdict yet, and nothing has changed. */
static bool next_word(struct dvmrt_repeat *r, uint32_t *word, uint32_t flags, uint32_t now) {
  enum dvmrt_verdict v;
  enum dvmrt_class class = (enum dvmrt_class)r->class;
  if (*word < DVMRT_W_FIRST && class == DVMRT_CLASS_FIRST)
    return false; /* it may have been born in this execution */
  uint32_t new = dvmrt_check_word(class, *word, flags & (DVMRT_READ | DVMRT_WRITE), now, __dvmrt_now.base, false, &v);
  if (v != DVMRT_FINE) {
    if (!r->finding[v])
      return false;
    r->count[v]++;
  }
  *word = new;
  return true;
}

/* All of the access is to the variable, and nothing else is wrong with it. */
static bool pends_again(struct dvmrt_repeat *r, uintptr_t a, uint64_t size, uint32_t flags) {
  const struct dvmrt_now *now = &__dvmrt_now;
  uint32_t count, *words, new[DVMRT_REPEAT_WIDEST];
  if (a < r->low || a + size > r->high || (flags & ~(DVMRT_READ | DVMRT_WRITE)))
    return false;
  words = dvmrt_shadow_peek(a, size, &count);
  if (!words || count > DVMRT_REPEAT_WIDEST)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    enum dvmrt_verdict v;
    if (words[i] < DVMRT_W_FIRST)
      return false;
    new[i] = dvmrt_check_word((enum dvmrt_class)r->class, words[i], flags, now->write, now->base, false, &v);
    if (v != DVMRT_FINE)
      return false;
  }
  memcpy(words, new, count * sizeof(*words));
  r->count[DVMRT_REPEAT_PENDING]++;
  return true;
}

void dvmrt_repeat_note_pending(const struct dvmrt_event *ev, const struct dvmrt_pending_var *v, uint64_t hits) {
  struct dvmrt_repeat *r = &ev->access->repeat;
  if (ev->array || ev->copied || (r->thread && r->finding[DVMRT_REPEAT_PENDING] && r->class != (int)ev->class) ||
      !note(ev->access, DVMRT_REPEAT_PENDING, hits))
    return;
  r->class = ev->class;
  r->low = v->low;
  r->high = v->high;
}

/* In the sequential part. */
static bool reads_again(struct dvmrt_repeat *r, uintptr_t a, uint64_t size, uint32_t flags) {
  const struct dvmrt_region *region = &r->array->region;
  if (flags != DVMRT_READ || a - region->base >= region->end - region->base || size != r->array->element_bytes ||
      size != (uint64_t)1 << region->shift || region->words[(a - region->base) >> region->shift] < DVMRT_W_FIRST)
    return false;
  r->count[DVMRT_REPEAT_SEQUENTIAL]++;
  return true;
}

bool dvmrt_repeat_touch(struct dvmrt_access *x, uintptr_t a, uint64_t size, uint32_t flags) {
  struct dvmrt_repeat *r = &x->repeat;
  const struct dvmrt_now *now = &__dvmrt_now;
  if (r->finding[DVMRT_REPEAT_SEQUENTIAL])
    return reads_again(r, a, size, flags);
  if (DVMRT_UNLIKELY(dvmrt_group_nvars) && !r->region && dvmrt_group_var(a, size))
    return r->finding[DVMRT_REPEAT_PENDING] && pends_again(r, a, size, flags);
  if ((flags & DVMRT_COPIED) || !now->base || (r->region ? !(flags & DVMRT_PLACED) : flags & DVMRT_NAMED))
    return false;
  uint32_t *w = word_at(r, a, size);
  if (!w || !next_word(r, w, flags, now->write))
    return false;
  if (r->region && (flags & DVMRT_WRITE))
    ((struct dvmrt_array *)r->region)->writer = x->site;
  return true;
}

bool dvmrt_repeat_local(struct dvmrt_access *x, uint32_t *word, uint32_t kind, uint32_t flags) {
  bool plain = kind == DVMRT_L_PLAIN || kind == DVMRT_L_INDEX;
  return __dvmrt_now.base && next_word(&x->repeat, word, flags, plain ? DVMRT_W_ASSIGNED : __dvmrt_now.write);
}
