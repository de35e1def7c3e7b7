/* Where an element may be touched: the own part and the shadow edges in a nest, the owner's statement outside. */
#include "runtime/rules/across.h"
#include "runtime/rules/beyond.h"
#include "runtime/rules/check.h"
#include "runtime/rules/repeat.h"
#include "runtime/rules/group.h"
#include "runtime/rules/lent.h"
#include "runtime/rules/named.h"
#include "runtime/rules/offsets.h"
#include "runtime/rules/outdated.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/rule.h"
#include <string.h>

static bool edge_declared(const struct dvmrt_array *a, const struct dvmrt_place *p) {
  for (int d = 0; d < a->ndims; d++)
    if (p->away[d] < -a->low[d] || p->away[d] > a->high[d])
      return false;
  return true;
}

static enum dvmrt_misplaced why_stale(const struct dvmrt_array *a, const struct dvmrt_place *p) {
  if (!a->nboxes)
    return !a->ever_renewed ? DVMRT_NEVER_RENEWED : a->moved ? DVMRT_MOVED_SINCE : DVMRT_WRITTEN_SINCE;
  for (int i = 0; i < a->nboxes; i++) {
    struct dvmrt_box b = a->boxes[i];
    b.corner = true;
    if (dvmrt_box_covers(&b, p, a->ndims))
      return DVMRT_NO_CORNER;
  }
  return DVMRT_NARROW_RENEWAL;
}

static bool edge_valid(const struct dvmrt_array *a, const struct dvmrt_place *p) {
  for (int i = 0; i < a->nboxes; i++)
    if (dvmrt_box_covers(&a->boxes[i], p, a->ndims))
      return true;
  return false;
}

/* Edges surround an own part: an iteration without one has none either. */
static bool has_part(const struct dvmrt_array *a, const struct dvmrt_place *p) {
  for (int d = 0; d < a->ndims; d++)
    if (!p->has_own[d] || p->own[d] < 0 || p->own[d] >= a->extent[d])
      return false;
  return true;
}

/* The clause brings its own edge values, for an array that the nest writes with the corners that its dependences pass. */
static bool brought(const struct dvmrt_event *ev, const struct dvmrt_place *p) {
  const struct dvmrt_clause_array *across = dvmrt_construct_clause(ev->nest, DVMRT_DIRECTIVE_ACROSS, ev->array);
  if (!across || ((ev->flags & DVMRT_WRITE) && !across->item->out))
    return false; /* what is written in the edge reaches its owner by 'out:' alone */
  struct dvmrt_box box = across->box;
  box.corner |= !(ev->flags & DVMRT_WRITE) && !dvmrt_construct_only_reads(ev->nest, ev->array);
  return dvmrt_box_covers(&box, p, ev->array->ndims);
}

static bool in_text(const struct dvmrt_frame *f, const struct dvmrt_array *a) {
  for (uint32_t i = 0; i < f->nuses; i++)
    if (f->uses[i].array == a)
      return true;
  return false;
}

/* A dependence may be what is wrong, and is known of at the end only, if the nest writes an array under 'across'.  What the text does not
 * name, functions may write. */
static void not_brought(struct dvmrt_event *ev, const struct dvmrt_place *p, enum dvmrt_id id, enum dvmrt_misplaced why) {
  struct dvmrt_clause_array *across = dvmrt_construct_clause(ev->nest, DVMRT_DIRECTIVE_ACROSS, ev->array);
  if (across && !(in_text(ev->nest, ev->array) && dvmrt_construct_only_reads(ev->nest, ev->array)))
    dvmrt_across_stale(ev, across, p, id, why);
  else
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = ev, .place = {p, id, why}});
}

/* Are the fixed subscripts of the section, with the values from the entry, those of the element? */
static bool fixed_at(const struct dvmrt_item *section, const struct dvmrt_frame *f, const int64_t *ix) {
  for (int d = 0; d < section->naxes; d++) {
    const struct dvmrt_axis *x = &section->axis[d];
    int64_t add = x->kind == 'c' || x->kind == 'a' ? dvmrt_num_value(x->add, f->args) : ix[d];
    if (ix[d] != (x->kind == 'a' ? dvmrt_num_value(x->coef, f->args) * __dvmrt_now.iv[x->index] + add : add))
      return false;
  }
  return true;
}

bool dvmrt_check_buffered(const struct dvmrt_event *ev) {
  if (!ev->access->buffered)
    return ev->at && dvmrt_lent_has(ev->at);
  if (!ev->access->varies)
    return true;
  for (const struct dvmrt_frame *f = ev->nest ? ev->nest : dvmrt_construct_top(); f; f = f->outer)
    for (uint32_t i = 0; i < f->nclauses && !f->left; i++)
      if (f->clauses[i].key == DVMRT_DIRECTIVE_REMOTE && f->clauses[i].array == ev->array && fixed_at(f->clauses[i].item, f, ev->ix))
        return true;
  return false;
}

/* What an element that is not here is an error of. */
static enum dvmrt_id absent_id(const struct dvmrt_event *ev) {
  if (ev->flags & DVMRT_WRITE)
    return dvmrt_check_buffered(ev) ? DVMRT_ID_REMOTE_WRITE : DVMRT_ID_NONLOCAL_ACCESS;
  return dvmrt_construct_clause(ev->nest, DVMRT_DIRECTIVE_REMOTE, ev->array) ? DVMRT_ID_REMOTE_UNCOVERED : DVMRT_ID_NONLOCAL_ACCESS;
}

static bool stale_named(struct dvmrt_event *ev, const struct dvmrt_place *p) {
  const bool pending = dvmrt_group_exchanging(ev->array, NULL);
  not_brought(ev, p, pending ? DVMRT_ID_SHADOW_PENDING : DVMRT_ID_SHADOW_STALE, pending ? DVMRT_PENDING : DVMRT_NAMED_STALE);
  return false;
}

/* The edge holds the element. */
static bool near_right(const struct dvmrt_event *ev, const struct dvmrt_place *p) {
  if (!has_part(ev->array, p))
    return false;
  return brought(ev, p) || (edge_declared(ev->array, p) && !(ev->flags & DVMRT_WRITE) && edge_valid(ev->array, p));
}

/* The element is displaced: edge or beyond. */
static bool near(struct dvmrt_event *ev, const struct dvmrt_place *p) {
  struct dvmrt_array *a = ev->array;
  int named = dvmrt_named_decides(ev, p);
  if (named)
    return named > 0 || near_right(ev, p) || stale_named(ev, p);
  struct dvmrt_place between = *p;
  if (!has_part(a, p) && !(ev->flags & DVMRT_WRITE) &&
      dvmrt_layout_place_pairs(dvmrt_array_layout(a), &ev->nest->layout, __dvmrt_now.iv, ev->ix, a->extent, &between))
    p = &between;
  if (!has_part(a, p)) {
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = ev, .place = {p, absent_id(ev), DVMRT_NO_PART}});
    return false;
  }
  if (!p->naway || brought(ev, p))
    return true; /* of blocks of two points the element is each one's own */
  if (!edge_declared(a, p)) {
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = ev, .place = {p, absent_id(ev), DVMRT_BEYOND_EDGE}});
    return false;
  }
  if (ev->flags & DVMRT_WRITE) {
    dvmrt_verdict_give(
        &(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = ev,
                               .place = {p, dvmrt_check_buffered(ev) ? DVMRT_ID_REMOTE_WRITE : DVMRT_ID_SHADOW_WRITE, DVMRT_EDGE_WRITE}});
    return false;
  }
  if (edge_valid(a, p))
    return true;
  if (dvmrt_group_exchanging(a, p)) {
    not_brought(ev, p, DVMRT_ID_SHADOW_PENDING, DVMRT_PENDING);
    return false;
  }
  if (ev->access->carried_in != ev->nest->serial + 1)
    not_brought(ev, p, DVMRT_ID_SHADOW_STALE, why_stale(a, p));
  return false;
}

static bool absent(struct dvmrt_event *ev, const struct dvmrt_place *p, enum dvmrt_misplaced why) {
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = ev, .place = {p, absent_id(ev), why}});
  return false;
}

/* What lies apart from the nest may be in an edge all the same: of what lies where the nest's elements do. */
static bool unrelated(struct dvmrt_event *ev, const struct dvmrt_place *p) {
  int named = dvmrt_named_decides(ev, p);
  return named ? named > 0 || stale_named(ev, p) : absent(ev, p, DVMRT_NO_RELATION);
}

static bool placed_so(struct dvmrt_event *ev, const struct dvmrt_place *p) {
  switch (p->kind) {
  case DVMRT_PLACE_OWN: return true;
  case DVMRT_PLACE_NEAR: return near(ev, p);
  case DVMRT_PLACE_UNRELATED: return unrelated(ev, p);
  case DVMRT_PLACE_REPLICATED: return absent(ev, p, DVMRT_REPLICATED);
  case DVMRT_PLACE_FIXED: return absent(ev, p, DVMRT_FIXED);
  }
  return true;
}

/* A processor that has no part of the array may have none because blocks are of one element here. */
static bool placed_beyond(struct dvmrt_event *ev, const struct dvmrt_place *p) {
  ev->beyond = true;
  bool right = (p->kind == DVMRT_PLACE_NEAR && !has_part(ev->array, p)) || placed_so(ev, p);
  ev->beyond = false;
  return right;
}

/* Likewise for corners that the clause does not name. */
static bool quietly_beyond(struct dvmrt_event *ev, const struct dvmrt_place *p) {
  return p->kind == DVMRT_PLACE_OWN ||
         (p->kind == DVMRT_PLACE_NEAR && (!has_part(ev->array, p) || !p->naway || brought(ev, p) || dvmrt_named_decides(ev, p) > 0 ||
                                          (edge_declared(ev->array, p) && edge_valid(ev->array, p))));
}

/* Has the present iteration written the element? */
static bool is_fresh(const struct dvmrt_event *ev) {
  const struct dvmrt_array *a = ev->array;
  return ev->at >= a->region.base && ev->at < a->region.end &&
         (a->region.words[(ev->at - a->region.base) >> a->region.shift] & ~DVMRT_W_FILLED) == __dvmrt_now.write;
}

/* Judges an access in a nest; true: nothing to report. */
static bool placed_right(struct dvmrt_event *ev, const struct dvmrt_layout *l) {
  struct dvmrt_frame *f = ev->nest;
  struct dvmrt_place p;
  if (dvmrt_layout_everywhere(l) || (!(ev->flags & DVMRT_WRITE) && dvmrt_check_buffered(ev)))
    return true;
  if (!f->mapped) {
    memset(&p, 0, sizeof(p));
    return absent(ev, &p, DVMRT_UNMAPPED);
  }
  if (!f->on || !f->layout.root)
    return true; /* the target is not known, or nothing is divided */
  dvmrt_layout_place(l, &f->layout, __dvmrt_now.iv, ev->ix, ev->array->ndims, &p);
  if (!placed_so(ev, &p))
    return false;
  ev->fresh = f->beyond.any && is_fresh(ev);
  return !dvmrt_beyond_concerns(ev) || dvmrt_beyond_each(ev, l, false, placed_beyond, quietly_beyond);
}

/* ---- the sequential part -------------------------------------------------------------------------------------------------------- */

/* Reads that wait for the target of their expression: it is evaluated after them. */
enum { WAITING_MAX = 64 };
static struct waiting {
  struct dvmrt_access *access;
  struct dvmrt_array *array;
  int64_t ix[DVMRT_NDIMS_MAX];
  uintptr_t at;
  const struct dvmrt_directive *asked; /* the block may be over when it is told of */
  bool outdated;
} waiting[WAITING_MAX];
static unsigned nwaiting;

/* The last target, if it is one that compilers evaluate before what it is assigned: a struct.  'access' NULL: it is none.  Under the lock. */
static struct dvmrt_event ahead;

static bool is_told(const struct waiting *w) {
  return dvmrt_repeat_known(w->access, DVMRT_REPEAT_TURNS) && w->access->repeat.array == w->array;
}

static void explain_waiting(const struct waiting *w, const struct dvmrt_event *target) {
  if (is_told(w)) {
    w->access->repeat.count[DVMRT_REPEAT_TURNS]++;
    return;
  }
  struct dvmrt_event ev = {
      .access = w->access, .array = w->array, .at = w->at, .flags = DVMRT_READ, .asked = w->asked, .outdated = w->outdated};
  memcpy(ev.ix, w->ix, sizeof(ev.ix));
  if (w->access->ndims == w->array->ndims)
    ev.subscripts = w->ix;
  uint64_t hits = dvmrt_finding_hits();
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_SEQUENTIAL, .event = &ev, .assigned = target});
  dvmrt_repeat_note_turns(&ev, hits);
}

static void take_out(unsigned i) {
  if (i == --nwaiting)
    return;
  memmove(&waiting[i], &waiting[i + 1], (nwaiting - i) * sizeof(waiting[0]));
}

/* NULL: of whatever access, of whatever array.  Their target was no distributed element: everybody needed the value. */
static void close_those(const struct dvmrt_access *x, const struct dvmrt_array *a) {
  for (unsigned i = 0; i < nwaiting; i++) {
    if ((x && waiting[i].access != x) || (a && waiting[i].array != a))
      continue;
    explain_waiting(&waiting[i], NULL);
    take_out(i--);
  }
}

void dvmrt_check_close_waiting_of(const struct dvmrt_access *x) { close_those(x, NULL); }

static void wait_for_target(struct dvmrt_access *x, struct dvmrt_array *array, uintptr_t at, const int64_t *ix, bool outdated) {
  dvmrt_check_close_waiting_of(x);
  if (nwaiting == WAITING_MAX) {
    if (!dvmrt_site_same_expression(waiting[0].access, x)) /* over long ago */
      explain_waiting(&waiting[0], NULL);
    take_out(0);
  }
  struct waiting *w = &waiting[nwaiting++];
  w->access = x;
  w->array = array;
  w->at = at;
  w->asked = dvmrt_construct_asked(array);
  w->outdated = outdated;
  for (int d = 0; d < array->ndims; d++)
    w->ix[d] = ix[d];
}

static void judge_waiting(const struct dvmrt_event *target) {
  const struct dvmrt_layout *of_target = dvmrt_array_layout(target->array);
  unsigned kept = 0;
  for (unsigned i = 0; i < nwaiting; i++) {
    const struct waiting *w = &waiting[i];
    const bool concerned = dvmrt_site_same_expression(w->access, target->access);
    const bool right = !concerned || dvmrt_layout_beside(dvmrt_array_layout(w->array), w->ix, of_target, target->ix);
    if (!right)
      explain_waiting(w, target);
    if (concerned && !(right && target->access->role == 'v'))
      continue;
    if (kept != i)
      waiting[kept] = *w;
    kept++;
  }
  nwaiting = kept;
  ahead.access = target->access->whole ? target->access : NULL;
  if (!ahead.access)
    return;
  ahead.array = target->array;
  memcpy(ahead.ix, target->ix, sizeof(ahead.ix));
}

void dvmrt_check_target(uintptr_t p, struct dvmrt_site *site) {
  struct dvmrt_array *a = (struct dvmrt_array *)dvmrt_shadow_region_in(p, 1);
  ahead.access = NULL; /* no distributed element: everybody needs what is read for it */
  if (!a)
    return;
  ahead.access = dvmrt_site_access(site);
  ahead.array = a;
  ahead.at = p;
  dvmrt_array_indices(a, p, ahead.ix);
}

bool dvmrt_check_has_target(const struct dvmrt_access *x) { return ahead.access && dvmrt_site_same_expression(ahead.access, x); }

/* Judges a read whose target has been; false: it is still to come. */
static bool judge_behind(const struct dvmrt_event *ev) {
  if (!dvmrt_check_has_target(ev->access))
    return false;
  if (dvmrt_layout_beside(dvmrt_array_layout(ev->array), ev->ix, dvmrt_array_layout(ahead.array), ahead.ix))
    return true;
  struct waiting w = {
      .access = ev->access, .array = ev->array, .at = ev->at, .asked = dvmrt_construct_asked(ev->array), .outdated = ev->outdated};
  memcpy(w.ix, ev->ix, sizeof(w.ix));
  explain_waiting(&w, &ahead);
  return true;
}

/* Has each read that waits for the target, and that its owner does not have, been told of before? */
static bool all_told(const struct dvmrt_access *target, struct dvmrt_array *array, const int64_t *ix) {
  for (unsigned i = 0; i < nwaiting; i++)
    if (dvmrt_site_same_expression(waiting[i].access, target) && !is_told(&waiting[i]) &&
        !dvmrt_layout_beside(dvmrt_array_layout(waiting[i].array), waiting[i].ix, dvmrt_array_layout(array), ix))
      return false;
  return true;
}

bool dvmrt_check_assigns_again(struct dvmrt_access *x, uintptr_t p, const int64_t *ix, uint32_t flags) {
  struct dvmrt_array *a = x->repeat.array;
  if (!ix || !dvmrt_repeat_known(x, DVMRT_REPEAT_WAITS) || dvmrt_construct_nest() || x->bytes != a->element_bytes ||
      x->bytes != (uint64_t)1 << a->region.shift || !dvmrt_array_holds(a, ix) || p != dvmrt_array_leads_to(a, ix) ||
      (a->aligned && !a->judged) || dvmrt_outdated_concerns(a))
    return false;
  uint32_t *word = &a->region.words[(p - a->region.base) >> a->region.shift];
  if (flags == DVMRT_READ && x->role == 'r' && *word >= DVMRT_W_FIRST && !dvmrt_check_has_target(x)) {
    wait_for_target(x, a, p, ix, false);
    return true;
  }
  if (flags != DVMRT_WRITE || (x->role != 'l' && x->role != 'v') || dvmrt_group_pending(a) || !all_told(x, a, ix))
    return false;
  static struct dvmrt_event target; /* under the lock; what nobody reads stays */
  target.access = x;
  target.array = a;
  for (int d = 0; d < a->ndims; d++)
    target.ix[d] = ix[d];
  judge_waiting(&target);
  dvmrt_construct_written(a, x->site);
  *word = DVMRT_W_ASSIGNED;
  return true;
}

void dvmrt_check_before(struct dvmrt_frame *f) {
  if (f->d->parallel)
    dvmrt_check_close_waiting();
}

void dvmrt_check_close_waiting(void) { close_those(NULL, NULL); }

void dvmrt_check_close_waiting_in(const struct dvmrt_array *a) {
  if (ahead.array == a)
    ahead.access = NULL;
  close_those(NULL, a);
}

/* Reads in the sequential part: the next one of the site would be reported as this one was. */
static void note_sequential(const struct dvmrt_event *ev, uint64_t hits) {
  if (ev->flags == DVMRT_READ && ev->access->role != 'r' && !ev->access->varies)
    dvmrt_repeat_note_sequential(ev, hits);
}

static void sequential(struct dvmrt_event *ev, const struct dvmrt_layout *l) {
  const struct dvmrt_access *x = ev->access;
  const bool named = dvmrt_outdated_concerns(ev->array);
  if (named && ev->flags & DVMRT_WRITE)
    dvmrt_outdated_assigned(ev);
  if (x->role == 'l' || x->role == 'v') {
    judge_waiting(ev);
    dvmrt_repeat_note_waits(ev);
    return;
  }
  ev->outdated = named && !(ev->flags & DVMRT_WRITE) && dvmrt_outdated_has(ev);
  if (dvmrt_site_printed(x) || (ev->flags & DVMRT_WRITE && x->role != 'a') || dvmrt_layout_everywhere(l) ||
      (!ev->outdated && dvmrt_check_buffered(ev)))
    return;
  if (x->role == 'r') {
    if (judge_behind(ev))
      return;
    wait_for_target(ev->access, ev->array, ev->at, ev->ix, ev->outdated);
    dvmrt_repeat_note_waits(ev);
  } else if (!dvmrt_construct_top() || !dvmrt_construct_opaque()) {
    uint64_t hits = dvmrt_finding_hits();
    ev->asked = dvmrt_construct_asked(ev->array);
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_SEQUENTIAL, .event = ev, .assigned = NULL});
    note_sequential(ev, hits);
  }
}

static bool own_element(const struct dvmrt_event *ev, const struct dvmrt_layout *l) {
  struct dvmrt_place p;
  dvmrt_layout_place(l, &ev->nest->layout, __dvmrt_now.iv, ev->ix, ev->array->ndims, &p);
  return p.kind == DVMRT_PLACE_OWN;
}

/* ---- both ------------------------------------------------------------------------------------------------------------------------- */

/* Any element may lie at the border of somebody's part: all of the array is the source of its exchange. */
static bool source_free(struct dvmrt_event *ev) {
  struct dvmrt_place none = {0};
  if (!(ev->flags & DVMRT_WRITE) || !dvmrt_group_pending(ev->array))
    return true;
  const bool edges = dvmrt_group_exchanging(ev->array, NULL);
  if (!edges && !dvmrt_remote_holds(ev->array, ev->ix, NULL))
    return true;
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PLACE, .event = ev,
                                            .place = {&none, DVMRT_ID_EXCHANGE_WRITE, edges ? DVMRT_IN_FLIGHT : DVMRT_FETCHED}});
  return false;
}

/* Others of the site that go the same way are right, too, or as wrong. */
static void note_offset(const struct dvmrt_event *ev, bool right, uint64_t hits) {
  struct dvmrt_finding *found = NULL;
  if (right || (ev->flags == DVMRT_READ && dvmrt_repeat_one(hits, &found)))
    dvmrt_offsets_note(ev, found);
}

/* The text of the access does, or the call of a function that has been put inline there, or a pointer is read that leads to an array of the nest. */
static bool stands_in(const struct dvmrt_access *x, const struct dvmrt_frame *f) { return x->cid ? x->cid == f->d->cid : x->use >= 0; }

bool dvmrt_check_place(struct dvmrt_event *ev) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  const struct dvmrt_access *x = ev->access;
  const uint64_t hits = dvmrt_finding_hits();
  bool free = source_free(ev);
  if (DVMRT_UNLIKELY(ev->array->aligned && !ev->array->judged))
    dvmrt_rule_alignment(ev->array);
  if (!ev->nest) {
    sequential(ev, l);
    return false;
  }
  struct dvmrt_clause_array *across = dvmrt_construct_clause(ev->nest, DVMRT_DIRECTIVE_ACROSS, ev->array);
  bool carried = !across || dvmrt_across_access(ev, across);
  bool right = placed_right(ev, l);
  if (!across && free)
    note_offset(ev, right, hits);
  ev->lost = !right && (ev->flags & DVMRT_WRITE) && dvmrt_check_buffered(ev);
  if (!right || !carried || !free || x->varies || ev->nest->beyond.any || ((ev->flags & DVMRT_WRITE) && dvmrt_group_pending(ev->array)))
    return false;
  if (!ev->nest->mapped || dvmrt_layout_everywhere(l) || (x->buffered && !(ev->flags & DVMRT_WRITE)))
    return true;
  return stands_in(x, ev->nest) && x->ndims == ev->array->ndims &&
         (own_element(ev, l) || (dvmrt_layout_covers(l, ev->array->extent) && !ev->array->named_renewed)) &&
         dvmrt_layout_settled(l, &ev->nest->layout, x->axis, x->ndims);
}

bool dvmrt_check_place_constant(const struct dvmrt_event *ev) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  const struct dvmrt_access *x = ev->access;
  const struct dvmrt_frame *f = ev->nest;
  struct dvmrt_place p;
  if (!f || x->varies || f->beyond.any || ev->array->named_edges || dvmrt_construct_clause(f, DVMRT_DIRECTIVE_ACROSS, ev->array))
    return false;
  if (!f->mapped || !f->on || !f->layout.root || dvmrt_layout_everywhere(l))
    return true;
  if (!stands_in(x, f) || (x->cid && x->pos.file != f->d->pos.file) || x->ndims != ev->array->ndims ||
      !dvmrt_layout_settled(l, &f->layout, x->axis, x->ndims))
    return false;
  dvmrt_layout_place(l, &f->layout, __dvmrt_now.iv, ev->ix, ev->array->ndims, &p);
  return p.kind != DVMRT_PLACE_NEAR || dvmrt_layout_covers(l, ev->array->extent); /* else some iterations own nothing */
}

bool dvmrt_check_place_part(const struct dvmrt_array *a, const struct dvmrt_place *p) { return has_part(a, p); }
bool dvmrt_check_place_edge(const struct dvmrt_array *a, const struct dvmrt_place *p) { return has_part(a, p) && edge_declared(a, p); }
bool dvmrt_check_place_valid(const struct dvmrt_array *a, const struct dvmrt_place *p) { return edge_valid(a, p); }

bool dvmrt_check_place_carried(const struct dvmrt_event *ev, const struct dvmrt_clause_array *across) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  const struct dvmrt_frame *f = ev->nest;
  const struct dvmrt_access *x = ev->access;
  struct dvmrt_place p;
  if (x->varies || x->buffered || dvmrt_group_pending(ev->array))
    return false;
  if (dvmrt_layout_everywhere(l))
    return true;
  if (!f->mapped || !f->on || !f->layout.root || !stands_in(x, f) || (x->cid && x->pos.file != f->d->pos.file) ||
      x->ndims != ev->array->ndims || !dvmrt_layout_settled(l, &f->layout, x->axis, x->ndims) || across->array != ev->array)
    return false;
  dvmrt_layout_place(l, &f->layout, __dvmrt_now.iv, ev->ix, ev->array->ndims, &p);
  if (p.kind == DVMRT_PLACE_OWN)
    return true;
  return p.kind == DVMRT_PLACE_NEAR && dvmrt_layout_covers(l, ev->array->extent) && !ev->array->named_renewed &&
         (brought(ev, &p) || (edge_declared(ev->array, &p) && !(ev->flags & DVMRT_WRITE) &&
                              (edge_valid(ev->array, &p) || !dvmrt_construct_only_reads(f, ev->array))));
}

/* ---- without reports ------------------------------------------------------------------------------------------------------------- */

static bool beyond_right(struct dvmrt_event *ev, const struct dvmrt_place *p) {
  return p->kind == DVMRT_PLACE_OWN || (p->kind == DVMRT_PLACE_NEAR && edge_declared(ev->array, p) && edge_valid(ev->array, p));
}

/* Own, or in an edge that holds it, for all who execute the iteration. */
static bool here(const struct dvmrt_event *ev, const struct dvmrt_layout *l, const int64_t *ix) {
  struct dvmrt_place p;
  dvmrt_layout_place(l, &ev->nest->layout, __dvmrt_now.iv, ix, ev->array->ndims, &p);
  if (p.kind != DVMRT_PLACE_OWN && (p.kind != DVMRT_PLACE_NEAR || !near_right(ev, &p)))
    return false;
  if (!dvmrt_beyond_concerns(ev))
    return true;
  struct dvmrt_event at = *ev;
  memcpy(at.ix, ix, (size_t)ev->array->ndims * sizeof(*ix));
  return dvmrt_beyond_each(&at, l, true, beyond_right, beyond_right);
}

bool dvmrt_check_place_run(const struct dvmrt_event *ev, const int64_t *last) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  const struct dvmrt_frame *f = ev->nest;
  if ((ev->flags & DVMRT_WRITE && dvmrt_group_pending(ev->array)) || (ev->array->aligned && !ev->array->judged))
    return false;
  if (!f)
    return ev->flags == DVMRT_WRITE || dvmrt_site_printed(ev->access) || dvmrt_layout_everywhere(l);
  if (dvmrt_construct_clause(f, DVMRT_DIRECTIVE_ACROSS, ev->array) || (ev->access->buffered && ev->access->varies))
    return false;
  if (ev->access->buffered)
    return ev->flags == DVMRT_READ;
  /* What is near lies on both sides of what is own: between two such elements all are. */
  return dvmrt_layout_everywhere(l) || (f->mapped && f->on && f->layout.root && here(ev, l, ev->ix) && here(ev, l, last));
}

bool dvmrt_check_place_settled(const struct dvmrt_event *ev) {
  const struct dvmrt_layout *l = dvmrt_array_layout(ev->array);
  const struct dvmrt_access *x = ev->access;
  const struct dvmrt_frame *f = ev->nest;
  bool writes = ev->flags & DVMRT_WRITE;
  if (writes && dvmrt_group_pending(ev->array))
    return false;
  struct dvmrt_clause_array *across = dvmrt_construct_clause(f, DVMRT_DIRECTIVE_ACROSS, ev->array);
  if (x->varies || (across && !dvmrt_across_settled(ev, across)))
    return false;
  if (dvmrt_layout_everywhere(l) || (x->buffered && !writes))
    return true;
  if (!f->mapped)
    return false;
  if (!f->on || !f->layout.root)
    return true;
  if (!here(ev, l, ev->ix))
    return false;
  return stands_in(x, f) && x->ndims == ev->array->ndims && dvmrt_layout_settled(l, &f->layout, x->axis, x->ndims);
}
