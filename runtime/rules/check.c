#include "runtime/rules/check.h"
#include "runtime/rules/verdict.h"
#include "runtime/data/doubt.h"
#include "runtime/rules/handed.h"
#include "runtime/rules/named.h"
#include "runtime/rules/object.h"
#include "runtime/rules/replicas.h"
#include "runtime/rules/task.h"
#include "runtime/rules/repeat.h"
#include <string.h>

/* ---- words ------------------------------------------------------------------------------------------------------------------- */

static uint32_t read_word(enum dvmrt_class class, uint32_t w, uint32_t now, uint32_t base, bool born_here, enum dvmrt_verdict *verdict) {
  if (w < DVMRT_W_FIRST) {
    *verdict = class == DVMRT_CLASS_PRIVATE || w == DVMRT_W_PRIVATE ? DVMRT_PRIVATE_UNINIT : DVMRT_UNINIT;
    return class == DVMRT_CLASS_FIRST && !born_here ? now & ~1u : w; /* the construct has read it: that decides the class */
  }
  switch (class) {
  case DVMRT_CLASS_PLAIN:
  case DVMRT_CLASS_REDUCTION:
  case DVMRT_CLASS_ACROSS: return w;
  case DVMRT_CLASS_PRIVATE:
    if (w != now)
      *verdict = DVMRT_PRIVATE_UNINIT;
    return w;
  case DVMRT_CLASS_FIRST:
  case DVMRT_CLASS_SHARED:
    if (w < base)
      return now & ~1u;
    if ((w & 1) && (w & ~DVMRT_W_FILLED) != now)
      *verdict = class == DVMRT_CLASS_FIRST ? DVMRT_PRIVATE_UNINIT : DVMRT_FLOW;
    return w;
  case DVMRT_CLASS_BUFFER: /* the values from before the loop: not those of another iteration, and reading early is no harm */
    if (w >= base && (w & 1) && w != now)
      *verdict = DVMRT_FLOW;
    return w;
  }
  return w;
}

static uint32_t write_first(uint32_t w, uint32_t now, uint32_t base, bool born_here, enum dvmrt_verdict *verdict) {
  if (w < base || (w & DVMRT_W_FILLED)) {
    if (!born_here)
      *verdict = DVMRT_UNDECLARED;
  } else if (!(w & 1)) {
    *verdict = DVMRT_READONLY_WRITE;
    return w; /* stays a datum that the construct reads: one cause, not one more at each read */
  }
  return now;
}

static uint32_t write_word(enum dvmrt_class class, uint32_t w, uint32_t now, uint32_t base, bool born_here, enum dvmrt_verdict *verdict) {
  switch (class) {
  case DVMRT_CLASS_REDUCTION: return DVMRT_W_ASSIGNED; /* below the base: every iteration may read and write it */
  case DVMRT_CLASS_FIRST: return write_first(w, now, base, born_here, verdict);
  case DVMRT_CLASS_SHARED:
    if (w >= base && (w ^ now) > 1)
      *verdict = w & 1 ? DVMRT_OUTPUT : DVMRT_ANTI;
    return now;
  default: return now;
  }
}

uint32_t dvmrt_check_word(enum dvmrt_class class, uint32_t word, uint32_t flags, uint32_t now, uint32_t base, bool born_here,
                          enum dvmrt_verdict *verdict) {
  *verdict = DVMRT_FINE;
  if (flags & DVMRT_READ)
    word = read_word(class, word, now, base, born_here, verdict);
  if (!(flags & DVMRT_WRITE))
    return word;
  enum dvmrt_verdict of_write = DVMRT_FINE;
  word = write_word(class, word, now, base, born_here, &of_write);
  if (*verdict == DVMRT_FINE)
    *verdict = of_write;
  return word;
}

/* ---- events ------------------------------------------------------------------------------------------------------------------ */

void dvmrt_check_event(struct dvmrt_event *ev, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
  memset(ev, 0, sizeof(*ev));
  ev->access = dvmrt_site_access(site);
  ev->nest = dvmrt_construct_nest();
  ev->subscripts = ix;
  ev->flags = flags & (DVMRT_READ | DVMRT_WRITE);
  ev->now = __dvmrt_now.write;
  ev->base = __dvmrt_now.base;
}

static void event_array(struct dvmrt_event *ev, struct dvmrt_array *a, uintptr_t at) {
  ev->array = a;
  ev->at = at;
  dvmrt_array_indices(a, at, ev->ix);
}

/* The root is an index variable of the nest that is being executed. */
static bool is_index_variable(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  if (!ev->nest || x->cid != ev->nest->d->cid || x->pos.file != ev->nest->d->pos.file)
    return false;
  if (x->index >= 0)
    return true;
  for (int i = 0; x->name && !x->ndims && i < ev->nest->d->rank; i++)
    if (!strcmp(x->name, ev->nest->d->names[i]))
      return true;
  return false;
}

void dvmrt_check_classify(struct dvmrt_event *ev) {
  if (ev->array)
    ev->class = dvmrt_construct_array_class(ev->nest, ev->array);
  else
    ev->class = dvmrt_construct_class(ev->nest, ev->at, &ev->var);
  if (ev->class == DVMRT_CLASS_SHARED && ev->nest->nclauses && dvmrt_construct_across_named(ev->nest, ev->access->name))
    ev->class = DVMRT_CLASS_ACROSS;
  bool buffer = !(ev->flags & DVMRT_WRITE) && dvmrt_check_buffered(ev); /* a write that comes here is one of an own element */
  if (ev->array && ev->nest && buffer && !dvmrt_layout_everywhere(dvmrt_array_layout(ev->array)))
    ev->class = DVMRT_CLASS_BUFFER;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------------------ */

/* Do the subscripts name the element of the array that the address is in, or would they if they were in range? */
static bool of_array(const struct dvmrt_array *a, uintptr_t p, const int64_t *ix) {
  return p - dvmrt_array_leads_to(a, ix) < a->element_bytes;
}

/* The first subscript that is out of range.  -1: none. */
static int bad_subscript(const struct dvmrt_array *a, uintptr_t p, const int64_t *ix) {
  if (!of_array(a, p, ix))
    return -1; /* subscripts of something else */
  for (int d = 0; d < a->ndims; d++)
    if (ix[d] < 0 || ix[d] >= a->extent[d])
      return d;
  return -1;
}

/* The array that the reference is one to, also where its address, 'p', is outside of it; NULL: none. */
static struct dvmrt_array *array_meant(const struct dvmrt_event *ev, uintptr_t p) {
  for (struct dvmrt_array *a = dvmrt_array_first(); a; a = a->next)
    if (a->ndims == ev->access->ndims && of_array(a, p, ev->subscripts))
      return a;
  return NULL;
}

/* Of a distributed array whose outermost dimension only the allocation tells: did the reference leave it, for 'r' or for what is no
 * array?  Reports that it did. */
static bool left_its_array(struct dvmrt_event *ev, const struct dvmrt_array *r, uintptr_t p) {
  const struct dvmrt_access *x = ev->access;
  if (!x->distributed || !ev->subscripts || (r && r->ndims == x->ndims && of_array(r, p, ev->subscripts)))
    return false;
  struct dvmrt_array *a = array_meant(ev, p);
  int bad = a ? bad_subscript(a, p, ev->subscripts) : -1;
  if (bad < 0)
    return false;
  ev->array = a;
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_BOUNDS, .event = ev, .bounds = {bad, ev->subscripts[bad], a->extent[bad]}});
  return true;
}

/* Other threads' accesses, and those of code that interrupted us: what they write has a value. */
static void assign_only(uintptr_t p, uint64_t size, uint32_t flags) {
  if (flags & DVMRT_WRITE)
    dvmrt_shadow_fill(p, size, DVMRT_W_ASSIGNED);
}

/* An array at the end of a struct that a pointer leads to: its object may have been made longer.  Of static data and memory that others
 * have allocated nobody knows the end. */
static bool longer_here(const struct dvmrt_access *x, uintptr_t p, const int64_t *ix, uint32_t dim, int64_t extent) {
  int64_t step = (int)dim >= x->ndims && (int)dim - x->ndims < x->ninner ? x->inner[(int)dim - x->ndims].longer : 0;
  if (!step || !ix || ix[dim] < extent)
    return false;
  uintptr_t last = p - (uint64_t)(ix[dim] - extent + 1) * (uint64_t)step; /* in the last element that is declared */
  struct dvmrt_extent object;
  if (dvmrt_shadow_region_in(last, 1))
    return false; /* an element of a distributed array */
  return !dvmrt_object_find(last, &object) || (p >= object.start && p - object.start + x->bytes <= object.size);
}

void dvmrt_check_bounds(uintptr_t p, struct dvmrt_site *site, const int64_t *ix, uint32_t dim, int64_t extent, uint32_t flags) {
  if (!dvmrt_construct_judges()) {
    if (longer_here(dvmrt_site_access(site), p, ix, dim, extent))
      assign_only(p, dvmrt_site_access(site)->bytes, flags);
    return;
  }
  const struct dvmrt_access *x = dvmrt_site_access(site);
  if (longer_here(x, p, ix, dim, extent)) {
    if (__dvmrt_now.mask || dvmrt_doubt_any(p, x->bytes))
      dvmrt_check_touch(p, x->bytes, site, ix, flags);
    return;
  }
  struct dvmrt_event ev;
  dvmrt_check_event(&ev, site, ix, flags);
  ev.at = p;
  if (ix)
    ev.array = array_meant(&ev, p); /* one parameter may stand for several arrays */
  uint64_t hits = dvmrt_finding_hits();
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_BOUNDS, .event = &ev, .bounds = {(int)dim, ix ? ix[dim] : 0, extent}});
  dvmrt_repeat_note_bounds(&ev, hits);
}

/* ---- ordinary data ------------------------------------------------------------------------------------------------------------ */

/* Where a struct would go whose copy changes no words, until the copy is asked for; 0: none. */
static uintptr_t copied_nowhere;

/* A struct is copied of which this iteration has given a value to some part: others may be of no interest. */
static bool partly_own(const struct dvmrt_event *ev, uintptr_t a, uintptr_t end) {
  for (struct dvmrt_span s; a < end; a = s.end) {
    dvmrt_shadow_span(a, end - a, true, &s);
    for (uint32_t i = 0; i < s.count; i++) {
      uint32_t w = s.words[i] & ~DVMRT_W_FILLED;
      if (w >= DVMRT_W_FIRST && (w < ev->base || !(w & 1) || w == ev->now))
        return true;
    }
  }
  return false;
}

static void touch_words(struct dvmrt_event *ev, const struct dvmrt_span *s, uintptr_t a) {
  enum dvmrt_verdict worst = DVMRT_FINE;
  bool index = is_index_variable(ev);
  enum dvmrt_class class = index ? DVMRT_CLASS_PLAIN : ev->class;
  bool own = class == DVMRT_CLASS_PRIVATE || class == DVMRT_CLASS_FIRST;
  bool lenient = own && ev->partly_own;
  for (uint32_t i = 0; i < s->count; i++) {
    enum dvmrt_verdict v;
    uint32_t old = s->words[i];
    if (ev->copied && old < DVMRT_W_FIRST && !(ev->flags & DVMRT_WRITE))
      continue;
    bool born_here = ev->nest && dvmrt_construct_born_here(ev->nest, old);
    s->words[i] = dvmrt_check_word(class, old, ev->flags, index ? DVMRT_W_ASSIGNED : ev->now, ev->base, born_here, &v);
    if (lenient || (v == DVMRT_UNDECLARED && ev->replicas))
      v = DVMRT_FINE;
    if (v && (!worst || worst == DVMRT_UNDECLARED)) {
      worst = v;
      ev->word = old;
    }
  }
  if (ev->nest && (worst == DVMRT_UNDECLARED || (index && (ev->flags & DVMRT_WRITE))))
    dvmrt_construct_undeclared(ev->nest, a, s->end);
  if (worst == DVMRT_UNINIT && !ev->array && ev->word == DVMRT_W_NEVER && !dvmrt_object_judged(ev->access, a)) {
    dvmrt_shadow_settle(a, s->end - a, DVMRT_W_ASSIGNED);
    return;
  }
  if ((worst == DVMRT_UNINIT || worst == DVMRT_PRIVATE_UNINIT) && dvmrt_handed_wrote(a))
    return;
  if (worst && !ev->told) {
    uint64_t hits = dvmrt_finding_hits();
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_VALUE, .event = ev, .value = worst});
    if (s->count == 1 && !index && !ev->lost)
      dvmrt_repeat_note_word(ev, worst, hits);
  }
  ev->told |= worst != DVMRT_FINE;
  ev->kept |= worst == DVMRT_READONLY_WRITE;
  /* 's += x' of what has no value: the construct has read it and writes it, which is a mistake of its own. */
  if (class == DVMRT_CLASS_FIRST && ev->flags == (DVMRT_READ | DVMRT_WRITE) && ev->word < DVMRT_W_FIRST &&
      (worst == DVMRT_UNINIT || worst == DVMRT_PRIVATE_UNINIT) && !dvmrt_construct_born_here(ev->nest, ev->word)) {
    ev->flags = DVMRT_WRITE;
    ev->kept = true;
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_VALUE, .event = ev, .value = DVMRT_READONLY_WRITE});
  }
}

static void pending(const struct dvmrt_event *ev, uintptr_t a, uint64_t n) {
  const struct dvmrt_pending_var *v = dvmrt_group_nvars ? dvmrt_group_var(a, n) : NULL;
  if (!v || (v->copied && !(ev->flags & DVMRT_WRITE))) /* of the target's elements the words say it */
    return;
  uint64_t hits = dvmrt_finding_hits();
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_PENDING, .event = ev, .pending = v});
  if (!is_index_variable(ev))
    dvmrt_repeat_note_pending(ev, v, hits);
}

void dvmrt_check_memory(struct dvmrt_event *ev, uintptr_t a, uintptr_t end) {
  uintptr_t begin = a;
  ev->partly_own = ev->nest && ev->copied && !(ev->flags & DVMRT_WRITE) && partly_own(ev, a, end);
  while (a < end) {
    struct dvmrt_span s;
    dvmrt_shadow_span(a, end - a, ev->nest != NULL, &s);
    if (s.region)
      return; /* a wide access that runs into an array: it was judged by its first byte */
    ev->at = a;
    dvmrt_check_classify(ev);
    pending(ev, a, s.end - a);
    dvmrt_task_access(ev, a, s.end - a);
    if (s.words)
      touch_words(ev, &s, a);
    a = s.end;
  }
  if (ev->kept && ev->copied)
    copied_nowhere = begin;
}

/* ---- distributed arrays --------------------------------------------------------------------------------------------------------- */

/* It has been told that the write is none of the element: to tell that the element has no value would be the same again. */
static void give_value(uintptr_t p, uint64_t size) {
  struct dvmrt_span s;
  dvmrt_shadow_span(p, size, true, &s);
  for (uint32_t i = 0; i < s.count; i++)
    if (s.words[i] < DVMRT_W_FIRST)
      s.words[i] = DVMRT_W_ASSIGNED;
}

bool dvmrt_check_copied_nowhere(uintptr_t dst) {
  bool nowhere = copied_nowhere == dst;
  copied_nowhere = 0;
  return nowhere;
}

void dvmrt_check_element(struct dvmrt_event *ev, struct dvmrt_array *a, uintptr_t p, uint64_t size, bool placed) {
  const struct dvmrt_access *x = ev->access;
  event_array(ev, a, p);
  int bad = !placed && ev->subscripts && x->ndims == a->ndims ? bad_subscript(a, p, ev->subscripts) : -1;
  if (bad >= 0) {
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_BOUNDS, .event = ev, .bounds = {bad, ev->subscripts[bad], a->extent[bad]}});
    return;
  }
  pending(ev, p, size); /* ordinary data under 'across' are here too */
  if (ev->flags & DVMRT_WRITE)
    dvmrt_construct_written(a, x->site);
  if (!placed)
    dvmrt_check_place(ev);
  bool lost = ev->lost;
  if (lost)
    ev->flags &= ~(uint32_t)DVMRT_WRITE; /* 'b[i] += x' has read it all the same */
  if (ev->flags) {
    dvmrt_check_classify(ev);
    dvmrt_task_access(ev, p, size);
    ev->replicas = ev->class == DVMRT_CLASS_FIRST && (ev->flags & DVMRT_WRITE) && dvmrt_replicas_follow(ev);
    struct dvmrt_span s;
    dvmrt_shadow_span(p, size, true, &s);
    touch_words(ev, &s, p);
    if (ev->replicas && !ev->kept)
      dvmrt_replicas_write(ev, p, size);
  }
  if (lost)
    give_value(p, size);
  if ((lost || ev->kept) && ev->copied)
    copied_nowhere = p;
}

void dvmrt_check_touch(uintptr_t p, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
  if (!size)
    return;
  if (!dvmrt_construct_judges()) {
    assign_only(p, size, flags);
    return;
  }
  struct dvmrt_event ev;
  dvmrt_check_event(&ev, site, ix, flags);
  ev.copied = flags & DVMRT_COPIED;
  struct dvmrt_region *r = (dvmrt_shadow_entry(p) & 3) == 3 ? dvmrt_shadow_region_in(p, 1) : NULL;
  if (!(flags & DVMRT_PLACED) && left_its_array(&ev, (struct dvmrt_array *)r, p))
    return;
  if (r)
    dvmrt_check_element(&ev, (struct dvmrt_array *)r, p, size, flags & DVMRT_PLACED);
  else
    dvmrt_check_memory(&ev, p, p + size);
}

/* ---- what functions fill --------------------------------------------------------------------------------------------------------- */

/* The first thing that the nest does with the datum: a write of it by the program is one of data that are in no 'private'. */
static bool fill_word(const struct dvmrt_frame *nest, uint32_t *w) {
  const struct dvmrt_now *now = &__dvmrt_now;
  bool first = (*w & DVMRT_W_FILLED) || (*w < now->base && !dvmrt_construct_born_here(nest, *w));
  *w = now->write | (first ? DVMRT_W_FILLED : 0);
  return first;
}

void dvmrt_check_filled(uintptr_t p, uint64_t size) {
  struct dvmrt_frame *nest = dvmrt_construct_nest();
  const struct dvmrt_var *var;
  if (!nest || dvmrt_construct_class(nest, p, &var) != DVMRT_CLASS_FIRST) {
    dvmrt_shadow_fill(p, size, __dvmrt_now.write);
    return;
  }
  struct dvmrt_span s;
  for (uintptr_t end = p + size; p < end; p = s.end) {
    bool any = false;
    dvmrt_shadow_span(p, end - p, true, &s);
    if (s.region)
      dvmrt_shadow_fill(p, s.end - p, __dvmrt_now.write);
    for (uint32_t i = 0; i < s.count && !s.region; i++)
      any |= fill_word(nest, &s.words[i]);
    if (any)
      dvmrt_construct_filled(nest, p, s.end);
  }
}

/* ---- views ------------------------------------------------------------------------------------------------------------------- */

bool dvmrt_check_view_place(uintptr_t p, struct dvmrt_site *site, const struct dvmrt_view *view, const int64_t *ix, uint32_t flags) {
  struct dvmrt_frame *nest = dvmrt_construct_nest();
  const struct dvmrt_use *u = nest ? dvmrt_construct_use(nest, view) : NULL;
  if (!u || !u->array || !dvmrt_construct_judges())
    return true;
  if (p < u->array->region.base || p >= u->array->region.end)
    return false;
  if (dvmrt_check_view_settled(nest, dvmrt_site_access(site)))
    return true;
  if (u->array->named_renewed && flags == DVMRT_READ && dvmrt_named_reads(nest, u->array, p))
    return false; /* right, and to be asked again */
  struct dvmrt_event ev;
  dvmrt_check_event(&ev, site, ix, flags);
  event_array(&ev, u->array, p);
  if (flags & DVMRT_WRITE)
    dvmrt_construct_written(u->array, site);
  uint64_t hits = dvmrt_finding_hits();
  if (!dvmrt_check_place(&ev)) {
    dvmrt_repeat_note_place(&ev, hits);
    return false;
  }
  ev.access->settled_in = ev.nest->serial + 1;
  return true;
}

/* ---- locals -------------------------------------------------------------------------------------------------------------------- */

uint32_t dvmrt_check_local(struct dvmrt_site *site, uint32_t word, uint32_t kind, uint32_t flags, const int64_t *ix) {
  static const enum dvmrt_class classes[] = {
      [DVMRT_L_PLAIN] = DVMRT_CLASS_PLAIN,   [DVMRT_L_PRIVATE] = DVMRT_CLASS_PRIVATE,     [DVMRT_L_FIRST] = DVMRT_CLASS_FIRST,
      [DVMRT_L_SHARED] = DVMRT_CLASS_SHARED, [DVMRT_L_REDUCTION] = DVMRT_CLASS_REDUCTION, [DVMRT_L_INDEX] = DVMRT_CLASS_PLAIN,
  };
  struct dvmrt_event ev;
  dvmrt_check_event(&ev, site, ix, flags);
  if (!dvmrt_construct_judges())
    return flags & DVMRT_WRITE ? DVMRT_W_ASSIGNED : word;
  ev.class = kind < sizeof(classes) / sizeof(classes[0]) && ev.nest ? classes[kind] : DVMRT_CLASS_PLAIN;
  ev.word = word;
  uint32_t now = kind == DVMRT_L_PLAIN || kind == DVMRT_L_INDEX ? DVMRT_W_ASSIGNED : ev.now;
  if (!ev.nest && kind != DVMRT_L_REDUCTION)
    dvmrt_task_local(&ev);
  enum dvmrt_verdict v;
  uint32_t w = dvmrt_check_word(ev.class, word, ev.flags, now, ev.base, false, &v);
  if (v) {
    uint64_t hits = dvmrt_finding_hits();
    dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_VALUE, .event = &ev, .value = v});
    dvmrt_repeat_note_word(&ev, v, hits);
  }
  return w;
}

const char *dvmrt_check_array_name(const struct dvmrt_event *ev) {
  for (const struct dvmrt_item *i = ev->nest ? ev->nest->d->items : NULL; i; i = i->next) {
    bool names = i->key == DVMRT_DIRECTIVE_USE || i->key == DVMRT_DIRECTIVE_ON || i->key == DVMRT_DIRECTIVE_RENEW ||
                 i->key == DVMRT_DIRECTIVE_ACROSS || i->key == DVMRT_DIRECTIVE_REMOTE;
    if (names && (uintptr_t)dvmrt_num_value(i->ref.address, ev->nest->args) == ev->array->address)
      return i->ref.name;
  }
  return ev->array->name;
}
