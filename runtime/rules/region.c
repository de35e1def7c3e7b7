#include "runtime/rules/region.h"
#include "runtime/data/doubt.h"
#include "runtime/rules/region_box.h"
#include "runtime/rules/region_reach.h"
#include "runtime/rules/verdict.h"
#include <string.h>

enum { MAY = DVMRT_MAY_READ | DVMRT_MAY_WRITE };

static unsigned depth, host_depth; /* regions, and host sections in them, that are being executed */
static const struct dvmrt_directive *current; /* the outermost region */

static bool on_device(void) { return depth && !host_depth; }
bool dvmrt_region_on_device(void) { return on_device(); }

static bool is_kind(const struct dvmrt_frame *f, const char *kind) { return !strcmp(f->d->kind, kind); }

/* ---- verdicts ------------------------------------------------------------------------------------------------------------------- */

static uint64_t element_at(const struct dvmrt_held *h, uintptr_t a) { return (a - h->base) / h->unit; }

static void report(struct dvmrt_event *ev, struct dvmrt_held *h, uint64_t element, enum dvmrt_stale why) {
  struct dvmrt_region *r = dvmrt_shadow_region_in(h->base + element * h->unit, 1);
  ev->at = h->base + element * h->unit;
  ev->array = (struct dvmrt_array *)r;
  if (ev->array)
    dvmrt_array_indices(ev->array, ev->at, ev->ix);
  const bool later = why == DVMRT_CLAUSE_LOCAL_AFTER || why == DVMRT_CLAUSE_OUT_AFTER;
  dvmrt_verdict_give(&(struct dvmrt_record){DVMRT_RECORD_REGION, .event = ev,
                                            .directive = later   ? h->undefined
                                                         : depth ? current
                                                                 : h->region,
                                            .region = {h, element, why}});
}

/* What is wrong with reading an element in that state; false: nothing. */
bool dvmrt_region_read_fault(const struct dvmrt_held *h, uint8_t s, enum dvmrt_stale *why) {
  const bool device = on_device();
  if (device && !((s | h->allowed) & MAY)) {
    *why = DVMRT_CLAUSE_OUTSIDE;
    return true;
  }
  if (s & (device ? DVMRT_DEV_NEWEST : DVMRT_HOST_NEWEST))
    return false;
  if (s & DVMRT_WAS_LOCAL)
    *why = device && h->undefined == current ? DVMRT_CLAUSE_LOCAL_UNSET : DVMRT_CLAUSE_LOCAL_AFTER;
  else if (s & DVMRT_UNWRITTEN)
    *why = device && h->undefined == current ? DVMRT_CLAUSE_OUT_UNSET : DVMRT_CLAUSE_OUT_AFTER;
  else if (device)
    *why = s & DVMRT_HOST_NEWEST ? DVMRT_STALE_DEVICE : DVMRT_STALE_DEVICE_LOST;
  else
    *why = s & DVMRT_DEV_NEWEST ? DVMRT_STALE_HOST : DVMRT_STALE_HOST_LOST;
  return true;
}

bool dvmrt_region_write_fault(const struct dvmrt_held *h, uint8_t s, enum dvmrt_stale *why) {
  if (!on_device() || ((s | h->allowed) & DVMRT_MAY_WRITE))
    return false;
  *why = (s | h->allowed) & MAY ? DVMRT_CLAUSE_WRITTEN : DVMRT_CLAUSE_OUTSIDE;
  return true;
}

/* ---- writes --------------------------------------------------------------------------------------------------------------------- */

static void note_writer(struct dvmrt_held *h, struct dvmrt_site *site, const struct dvmrt_directive *in) {
  if (on_device()) {
    h->dev_writer = site, h->dev_in = in, h->region = current;
    h->written = true;
  } else {
    h->host_writer = site, h->host_in = in;
  }
}

/* Under a wrong clause the copies do not meet again: an execution with copies shows it. */
static void write_elements(struct dvmrt_held *h, uint64_t first, uint64_t n, bool wrong) {
  if (!on_device()) {
    dvmrt_held_move(h, first, n, DVMRT_MOVE_HOST_WRITE);
    return;
  }
  bool host_told = wrong && dvmrt_held_emulates && (h->state[first] & DVMRT_HOST_TOLD);
  dvmrt_held_move(h, first, n, DVMRT_MOVE_DEV_WRITE);
  if (host_told)
    h->state[first] |= DVMRT_HOST_TOLD, h->unsure = true, h->nseen = 0;
}

/* ---- what regions use ----------------------------------------------------------------------------------------------------------- */

static void begin_inside(struct dvmrt_held *h) {
  if (h->inside)
    return;
  h->inside = true;
  h->written = false;
  dvmrt_held_swap(h);
}

/* What no clause names: all of it, as the region uses it. */
static void use_unlisted(struct dvmrt_held *h) {
  if (h->inside || h->listed)
    return;
  dvmrt_held_move(h, 0, h->count, DVMRT_MOVE_IN);
  dvmrt_held_allow(h, NULL, MAY);
}

/* What each state must have, must not have, for an access to be right and to change nothing. */
static void needs(const struct dvmrt_held *h, uint32_t flags, uint8_t *must, uint8_t *mustnt) {
  const bool device = on_device();
  *must = *mustnt = 0;
  if (device && !h->inside && !(flags & DVMRT_WRITE))
    return;
  if (flags & DVMRT_READ)
    *must |= device ? DVMRT_DEV_NEWEST : DVMRT_HOST_NEWEST;
  if ((flags & DVMRT_READ) && device && !(h->allowed & MAY))
    *must |= DVMRT_MAY_READ;
  if ((flags & DVMRT_WRITE) && device) {
    *must |= DVMRT_DEV_NEWEST | DVMRT_DEV_TOLD | (h->allowed & DVMRT_MAY_WRITE ? 0 : DVMRT_MAY_WRITE);
    *mustnt |= DVMRT_HOST_NEWEST | DVMRT_HOST_TOLD | DVMRT_UNWRITTEN | DVMRT_WAS_LOCAL;
  } else if (flags & DVMRT_WRITE) {
    *must |= DVMRT_HOST_NEWEST;
    *mustnt |= DVMRT_DEV_NEWEST | DVMRT_UNWRITTEN | DVMRT_WAS_LOCAL;
  }
}

struct wanted {
  uint8_t must, mustnt;
};

/* ---- accesses ------------------------------------------------------------------------------------------------------------------- */

/* The place of a variable of the stack that is no more, and whose end nobody has told, may be another one's now. */
static bool is_another(const struct dvmrt_held *h, const struct dvmrt_access *x) {
  return h->ordinary && h->direct && x->name && x->root && x->root != 'h' && x->root != 'p' && strcmp(x->name, h->name) != 0;
}

static void judge(struct dvmrt_event *ev, struct dvmrt_held *h, uintptr_t a, uintptr_t end, bool reads, bool writes) {
  uint64_t from = element_at(h, a < h->base ? h->base : a), to = element_at(h, (end > h->end ? h->end : end) - 1);
  bool told = false;
  if (on_device() && !h->inside) { /* a scalar that the region only reads comes by value */
    reads = false;
    if (!writes)
      return;
    use_unlisted(h);
    begin_inside(h);
  }
  for (uint64_t i = from; i <= to; i++) {
    enum dvmrt_stale why;
    const uint8_t s = h->state[i];
    bool wrong = reads && dvmrt_region_read_fault(h, s, &why);
    const bool outside = wrong && why == DVMRT_CLAUSE_OUTSIDE;
    if (wrong && !told)
      report(ev, h, i, why);
    told |= wrong;
    wrong = writes && dvmrt_region_write_fault(h, s, &why);
    if (wrong && !outside)
      report(ev, h, i, why);
    if (writes)
      write_elements(h, i, 1, wrong);
  }
  if (writes)
    note_writer(h, ev->access->site, ev->nest ? ev->nest->d : NULL);
}

void dvmrt_region_touch(uintptr_t a, uint64_t size, struct dvmrt_site *site, const int64_t *ix, uint32_t flags) {
  struct dvmrt_event ev;
  bool reads = flags & DVMRT_READ, writes = flags & DVMRT_WRITE;
  struct dvmrt_held *h = dvmrt_held_in(a, size);
  if (!h)
    return;
  if (!dvmrt_construct_judges()) {
    if (writes)
      dvmrt_region_writes(a, size, NULL);
    return;
  }
  dvmrt_check_event(&ev, site, ix, flags);
  if (is_another(h, ev.access)) {
    dvmrt_held_forget(h->base, h->end - h->base);
    return;
  }
  ev.at = a;
  ev.array = (struct dvmrt_array *)dvmrt_shadow_region_in(a, 1);
  if (ev.array)
    dvmrt_array_indices(ev.array, a, ev.ix);
  dvmrt_check_classify(&ev);
  if (ev.class == DVMRT_CLASS_PRIVATE || ev.class == DVMRT_CLASS_REDUCTION || ev.access->index >= 0)
    return;
  if (reads && (dvmrt_check_buffered(&ev) || dvmrt_shadow_word(a) < DVMRT_W_FIRST))
    reads = false; /* from a buffer, which the run-time system fills with what is newest; what has no value at all is told of as that */
  for (; h; h = h->end < a + size ? dvmrt_held_in(h->end, a + size - h->end) : NULL)
    judge(&ev, h, a, a + size, reads, writes);
}

bool dvmrt_region_unchanged(uintptr_t a, uint64_t size, const struct dvmrt_site *site, uint32_t flags) {
  static struct dvmrt_held *last; /* the one that was asked about */
  static uint32_t known;
  if (known != dvmrt_held_changes || a < last->base || a + size > last->end) {
    last = dvmrt_held_in(a, size);
    known = last && a >= last->base && a + size <= last->end ? dvmrt_held_changes : 0;
    if (!known)
      return !last;
  }
  const struct dvmrt_held *h = last;
  struct wanted w;
  if (h->ordinary || (on_device() && !h->inside))
    return false;
  if ((flags & DVMRT_WRITE) && (on_device() ? h->dev_writer != site || h->region != current : h->host_writer != site))
    return false;
  needs(h, flags, &w.must, &w.mustnt);
  for (uint64_t i = element_at(h, a), to = element_at(h, a + size - 1); i <= to; i++)
    if ((h->state[i] & w.must) != w.must || (h->state[i] & w.mustnt))
      return false;
  return true;
}

void dvmrt_region_reads(uintptr_t a, uint64_t size, struct dvmrt_site *site, bool printed) {
  struct dvmrt_event ev;
  if (!dvmrt_construct_judges() || !site)
    return;
  dvmrt_check_event(&ev, site, NULL, DVMRT_READ);
  for (struct dvmrt_held *h = dvmrt_held_in(a, size); h; h = h->end < a + size ? dvmrt_held_in(h->end, a + size - h->end) : NULL) {
    if (printed && !h->ordinary)
      dvmrt_held_fetch(h);
    else
      judge(&ev, h, a, a + size, true, false);
  }
}

void dvmrt_region_writes(uintptr_t a, uint64_t size, struct dvmrt_site *site) {
  for (struct dvmrt_held *h = dvmrt_held_in(a, size); h; h = h->end < a + size ? dvmrt_held_in(h->end, a + size - h->end) : NULL) {
    uint64_t from = element_at(h, a < h->base ? h->base : a), to = element_at(h, (a + size > h->end ? h->end : a + size) - 1);
    write_elements(h, from, to - from + 1, false);
    note_writer(h, site, NULL);
  }
}

void dvmrt_region_given(uintptr_t a) {
  struct dvmrt_held *h = dvmrt_held_at(a);
  if (h && !depth)
    dvmrt_held_move(h, 0, h->count, DVMRT_MOVE_BOTH);
}

void dvmrt_region_keep(uintptr_t a, uint64_t size) {
  for (struct dvmrt_held *h = dvmrt_held_in(a, size); h; h = h->end < a + size ? dvmrt_held_in(h->end, a + size - h->end) : NULL) {
    uintptr_t low = a < h->base ? h->base : a, high = a + size > h->end ? h->end : a + size;
    if (h->ordinary && !dvmrt_region_quiet(low, high - low, DVMRT_READ | DVMRT_WRITE))
      dvmrt_doubt_set(low, high - low);
  }
}

/* ---- whole nests ---------------------------------------------------------------------------------------------------------------- */

bool dvmrt_region_quiet(uintptr_t a, uint64_t n, uint32_t flags) {
  for (struct dvmrt_held *h = dvmrt_held_in(a, n); h; h = h->end < a + n ? dvmrt_held_in(h->end, a + n - h->end) : NULL) {
    uint64_t from = element_at(h, a < h->base ? h->base : a), to = element_at(h, (a + n > h->end ? h->end : a + n) - 1);
    struct wanted w;
    needs(h, flags, &w.must, &w.mustnt);
    if (!dvmrt_held_run(h, from, to - from + 1, w.must, w.mustnt))
      return false;
  }
  return true;
}

static struct dvmrt_held *held_of_array(const struct dvmrt_array *a) { return dvmrt_held_in(a->region.base, 1); }

static void section_of(const struct dvmrt_array *a, const int64_t *low, const int64_t *high, struct dvmrt_section *s) {
  memcpy(s->low, low, (size_t)a->ndims * sizeof(*low));
  memcpy(s->high, high, (size_t)a->ndims * sizeof(*high));
}

bool dvmrt_region_right(const struct dvmrt_array *a, const int64_t *low, const int64_t *high, uint32_t flags, bool dense) {
  struct dvmrt_held *h = held_of_array(a);
  struct dvmrt_section s;
  struct wanted w = {0, 0};
  if (!h || h->ndims != a->ndims)
    return !h;
  section_of(a, low, high, &s);
  needs(h, dense ? flags & ~(uint32_t)DVMRT_WRITE : flags, &w.must, &w.mustnt);
  if (dense && (flags & DVMRT_WRITE) && on_device() && !(h->allowed & DVMRT_MAY_WRITE))
    w.must |= DVMRT_MAY_WRITE;
  return dvmrt_held_all(h, &s, w.must, w.mustnt);
}

void dvmrt_region_wrote(const struct dvmrt_array *a, const int64_t *low, const int64_t *high, struct dvmrt_site *site) {
  struct dvmrt_held *h = held_of_array(a);
  struct dvmrt_section s;
  struct wanted w;
  const struct dvmrt_frame *nest = dvmrt_construct_nest();
  if (!h || h->ndims != a->ndims)
    return;
  section_of(a, low, high, &s);
  needs(h, DVMRT_WRITE, &w.must, &w.mustnt);
  if (!dvmrt_held_all(h, &s, w.must, w.mustnt))
    dvmrt_held_move_section(h, &s, on_device() ? DVMRT_MOVE_DEV_WRITE : DVMRT_MOVE_HOST_WRITE);
  note_writer(h, site, nest ? nest->d : NULL);
}

bool dvmrt_region_watches(const struct dvmrt_array *a, char use) {
  struct dvmrt_held *h = held_of_array(a);
  struct wanted w;
  if (!h)
    return false;
  dvmrt_held_look(h);
  needs(h, DVMRT_READ, &w.must, &w.mustnt);
  if (use != 'r' && on_device() && !(h->allowed & DVMRT_MAY_WRITE))
    w.must |= DVMRT_MAY_WRITE;
  return (h->all & w.must) != w.must;
}

bool dvmrt_region_watches_data(void) {
  for (uint32_t i = 0; i < dvmrt_held_count; i++) {
    struct dvmrt_held *h = dvmrt_held_number(i);
    struct wanted w;
    if (!h->ordinary || (on_device() && !h->inside))
      continue;
    dvmrt_held_look(h);
    needs(h, DVMRT_READ, &w.must, &w.mustnt);
    if (on_device() && !(h->allowed & DVMRT_MAY_WRITE))
      w.must |= DVMRT_MAY_WRITE;
    if ((h->all & w.must) != w.must)
      return true;
  }
  return false;
}

static struct dvmrt_site *writer_in(const struct dvmrt_held *h, const struct dvmrt_frame *f) {
  const struct dvmrt_array *a = (struct dvmrt_array *)dvmrt_shadow_region_in(h->base, 1);
  return a && a->writer_in == f->d ? a->writer : NULL;
}

/* What the iterations have written of it, as the words tell. */
static void scan_words(struct dvmrt_held *h, const struct dvmrt_frame *f) {
  const uint32_t base = __dvmrt_now.base;
  struct dvmrt_span s;
  bool wrote = false;
  uint64_t from = 0, to = 0; /* elements that are written rightly, and not noted yet */
  for (uintptr_t a = h->base; a < h->end; a = s.end) {
    dvmrt_shadow_span(a, h->end - a, false, &s);
    const uint64_t bytes = s.count ? (s.end - a) / s.count : 0, at = element_at(h, a);
    const bool whole = bytes == h->unit && (a - h->base) % h->unit == 0; /* a word an element */
    for (uint32_t i = 0; s.words && i < s.count; i++) {
      if (s.words[i] < base || !(s.words[i] & 1))
        continue;
      const uint64_t first = whole ? at + i : element_at(h, a + i * bytes);
      const uint64_t last = whole || !bytes ? first : element_at(h, a + (i + 1) * bytes - 1);
      enum dvmrt_stale why;
      const bool wrong = dvmrt_region_write_fault(h, h->state[first], &why);
      const uint64_t end = (last < h->count ? last : h->count - 1) + 1;
      wrote = true;
      if (!wrong && first == to) {
        to = end;
        continue;
      }
      if (to > from)
        write_elements(h, from, to - from, false);
      from = to = end;
      if (wrong)
        write_elements(h, first, end - first, true);
      else
        from = first;
    }
  }
  if (to > from)
    write_elements(h, from, to - from, false);
  if (wrote)
    note_writer(h, writer_in(h, f), f->d);
}

static void nest_wrote(struct dvmrt_frame *f) {
  const enum dvmrt_move m = on_device() ? DVMRT_MOVE_DEV_WRITE : DVMRT_MOVE_HOST_WRITE;
  for (uint32_t i = 0; i < dvmrt_held_count && !f->proved; i++) {
    struct dvmrt_held *h = dvmrt_held_number(i);
    bool used = h->ordinary && (h->inside || !on_device());
    for (uint32_t k = 0; k < f->nuses && !used; k++)
      used = f->uses[k].item->use != 'r' && f->uses[k].array && f->uses[k].array->region.base == h->base;
    struct wanted w;
    needs(h, DVMRT_WRITE, &w.must, &w.mustnt);
    dvmrt_held_look(h);
    if (used && ((h->all & w.must) != w.must || (h->any & w.mustnt)))
      scan_words(h, f);
    else if (used && !h->ordinary)
      note_writer(h, writer_in(h, f), f->d);
  }
  for (const struct dvmrt_item *i = dvmrt_directive_find(f->d->items, DVMRT_DIRECTIVE_REDUCTION); i;
       i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_REDUCTION)) {
    struct dvmrt_held *h = dvmrt_held_in((uintptr_t)dvmrt_num_value(i->ref.address, f->args), 1);
    struct dvmrt_held *loc = i->loc_name ? dvmrt_held_in((uintptr_t)dvmrt_num_value(i->loc_address, f->args), 1) : NULL;
    for (struct dvmrt_held *one = h; one; one = one == h && loc != h ? loc : NULL) {
      dvmrt_held_move(one, 0, one->count, m);
      note_writer(one, NULL, f->d);
      dvmrt_region_keep(one->base, one->end - one->base);
    }
  }
}

/* ---- regions -------------------------------------------------------------------------------------------------------------------- */

static bool is_word(const struct dvmrt_item *i, const char *a, const char *b, const char *c) {
  return !strcmp(i->word, a) || (b && !strcmp(i->word, b)) || (c && !strcmp(i->word, c));
}

static void name_in_clause(const struct dvmrt_item *i, const int64_t *args, uint8_t bits, enum dvmrt_move m) {
  struct dvmrt_held *h = dvmrt_held_of(&i->ref, args);
  struct dvmrt_section s;
  if (!h)
    return;
  h->listed = true;
  if (m != DVMRT_MOVE_IN || is_word(i, "inlocal", NULL, NULL))
    h->undefined = current;
  dvmrt_held_section(h, i, args, &s);
  dvmrt_held_move_section(h, &s, m);
  dvmrt_held_allow(h, &s, bits);
}

static struct dvmrt_item *next_clause(struct dvmrt_item *i) { return dvmrt_directive_find(i, DVMRT_DIRECTIVE_REGION); }

static void use_reached(const struct dvmrt_ref *ref, const int64_t *args) {
  struct dvmrt_held *h = dvmrt_held_of(ref, args);
  if (!h)
    return;
  use_unlisted(h);
  begin_inside(h);
}

static void region_begin(const struct dvmrt_frame *f) {
  current = f->d;
  for (struct dvmrt_item *i = next_clause(f->d->items); i; i = next_clause(i->next))
    if (is_word(i, "in", "inout", "inlocal"))
      name_in_clause(i, f->args, is_word(i, "in", NULL, NULL) ? DVMRT_MAY_READ : MAY, DVMRT_MOVE_IN);
  for (struct dvmrt_item *i = next_clause(f->d->items); i; i = next_clause(i->next))
    if (is_word(i, "out", "local", NULL))
      name_in_clause(i, f->args, is_word(i, "out", NULL, NULL) ? DVMRT_MAY_WRITE : MAY,
                     is_word(i, "out", NULL, NULL) ? DVMRT_MOVE_OUT : DVMRT_MOVE_LOCAL);
  for (struct dvmrt_item *i = next_clause(f->d->items); i; i = next_clause(i->next)) {
    struct dvmrt_held *h = is_word(i, "uses", NULL, NULL) ? dvmrt_held_of(&i->ref, f->args) : NULL;
    if (h)
      use_unlisted(h);
  }
  for (struct dvmrt_item *i = next_clause(f->d->items); i; i = next_clause(i->next)) {
    struct dvmrt_held *h = dvmrt_held_find(&i->ref, f->args);
    if (h)
      begin_inside(h);
  }
  dvmrt_region_reach_each(f->d, use_reached);
}

static void region_end(const struct dvmrt_frame *f) {
  for (struct dvmrt_item *i = next_clause(f->d->items); i; i = next_clause(i->next)) {
    struct dvmrt_held *h = dvmrt_held_find(&i->ref, f->args);
    struct dvmrt_section s;
    if (!h || !h->inside || is_word(i, "in", "uses", NULL))
      continue;
    dvmrt_held_section(h, i, f->args, &s);
    dvmrt_held_move_section(h, &s, is_word(i, "out", "inout", NULL) ? DVMRT_MOVE_END : DVMRT_MOVE_END_LOCAL);
  }
  for (uint32_t n = 0; n < dvmrt_held_count; n++) {
    struct dvmrt_held *h = dvmrt_held_number(n);
    if (!h->inside)
      continue;
    if (!h->listed && h->written)
      dvmrt_held_move(h, 0, h->count, DVMRT_MOVE_END);
    dvmrt_held_swap(h);
    dvmrt_held_disallow(h);
    h->inside = h->listed = false;
    dvmrt_region_keep(h->base, h->end - h->base);
  }
  current = NULL;
}

/* A part of the region that the host executes, with its own copies. */
static void swap_all(void) {
  for (uint32_t n = 0; n < dvmrt_held_count; n++)
    if (dvmrt_held_number(n)->inside)
      dvmrt_held_swap(dvmrt_held_number(n));
}

/* The value from before the loop enters once. */
static void use_result(struct dvmrt_frame *f, const char *name, uintptr_t a, uint64_t bytes, uint64_t unit) {
  struct dvmrt_held *h = dvmrt_held_range(name, a, bytes, unit);
  enum dvmrt_stale why;
  if (!h)
    return;
  use_unlisted(h);
  begin_inside(h);
  if (!dvmrt_region_read_fault(h, h->state[0], &why))
    return;
  for (struct dvmrt_access *x = dvmrt_site_of_construct(f->d->site, f->d->pos.file, f->d->cid); x; x = x->next) {
    if (!x->name || strcmp(x->name, name) != 0)
      continue;
    struct dvmrt_event ev;
    dvmrt_check_event(&ev, x->site, NULL, DVMRT_READ);
    report(&ev, h, 0, why);
    break;
  }
}

static void nest_begin_inside(struct dvmrt_frame *f) {
  for (struct dvmrt_item *i = f->d->items; i; i = i->next) {
    if (i->key == DVMRT_DIRECTIVE_USE) {
      struct dvmrt_held *h = dvmrt_array_of(&i->ref, f->args) ? dvmrt_held_of(&i->ref, f->args) : NULL;
      if (h) {
        use_unlisted(h);
        begin_inside(h);
      }
    } else if (i->key == DVMRT_DIRECTIVE_REDUCTION) {
      uint64_t bytes = dvmrt_directive_reduction_bytes(i, f->args), n = (uint64_t)dvmrt_num_value(i->bytes, f->args);
      uint64_t unit = (uint64_t)dvmrt_num_value(i->ref.element_bytes, f->args);
      use_result(f, i->ref.name, (uintptr_t)dvmrt_num_value(i->ref.address, f->args), bytes, unit ? unit : bytes);
      unit = (uint64_t)dvmrt_num_value(i->loc_bytes, f->args);
      if (i->loc_name)
        use_result(f, i->loc_name, (uintptr_t)dvmrt_num_value(i->loc_address, f->args), unit * (n ? n : 1), unit);
    }
  }
}

/* Directives between regions act where the newest value is. */
static void fetch_for(const struct dvmrt_frame *f) {
  for (struct dvmrt_item *i = f->d->items; dvmrt_held_emulates && i; i = i->next) {
    struct dvmrt_held *h = i->key == DVMRT_DIRECTIVE_REMOTE ? dvmrt_held_find(&i->ref, f->args) : NULL;
    if (h && !h->inside)
      dvmrt_held_fetch(h);
  }
}

void dvmrt_region_before(struct dvmrt_frame *f) {
  if (!dvmrt_construct_judges())
    return;
  if (is_kind(f, "region")) {
    if (!depth++)
      region_begin(f);
  } else if (is_kind(f, "host_section")) {
    if (depth && !host_depth++)
      swap_all();
  } else if (on_device() && f->d->parallel) {
    nest_begin_inside(f);
  } else if (dvmrt_held_count) {
    fetch_for(f);
  }
}

void dvmrt_region_over(struct dvmrt_frame *f) {
  if (!dvmrt_held_count && !depth)
    return;
  if (is_kind(f, "region")) {
    if (depth && !--depth)
      region_end(f);
  } else if (is_kind(f, "host_section")) {
    if (host_depth && !--host_depth)
      swap_all();
  } else if (f->nest) {
    nest_wrote(f);
  }
}

/* ---- directives that stand alone ------------------------------------------------------------------------------------------------ */

static void tell(struct dvmrt_directive *d, const int64_t *args, enum dvmrt_move m) {
  for (uint32_t n = 0; n < dvmrt_held_count; n++) {
    struct dvmrt_held *h = dvmrt_held_number(n);
    if (!d->items) {
      dvmrt_held_look(h);
      dvmrt_held_move(h, 0, h->count, m);
      h->told = d;
      dvmrt_region_keep(h->base, h->end - h->base);
    }
  }
  for (struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY); i;
       i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_ARRAY)) {
    struct dvmrt_held *h = dvmrt_held_find(&i->ref, args);
    struct dvmrt_section s;
    if (!h)
      continue;
    dvmrt_held_section(h, i, args, &s);
    dvmrt_held_move_section(h, &s, m);
    h->told = d;
    dvmrt_region_keep(h->base, h->end - h->base);
  }
}

void dvmrt_region_actual(struct dvmrt_directive *d, const int64_t *args) { tell(d, args, DVMRT_MOVE_ACTUAL); }
void dvmrt_region_get_actual(struct dvmrt_directive *d, const int64_t *args) { tell(d, args, DVMRT_MOVE_GET_ACTUAL); }

/* array_copy: the target comes first. */
void dvmrt_region_copies(struct dvmrt_directive *d, const int64_t *args) {
  struct dvmrt_item *to = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_ARRAY);
  struct dvmrt_item *from = to ? dvmrt_directive_find(to->next, DVMRT_DIRECTIVE_ARRAY) : NULL;
  struct dvmrt_held *h = from && dvmrt_held_count ? dvmrt_held_find(&from->ref, args) : NULL;
  struct dvmrt_section s;
  if (h && !depth)
    dvmrt_held_fetch(h);
  h = to && dvmrt_held_count ? dvmrt_held_find(&to->ref, args) : NULL;
  if (!h || depth)
    return;
  dvmrt_held_section(h, to, args, &s);
  dvmrt_held_move_section(h, &s, DVMRT_MOVE_HOST_WRITE);
  dvmrt_held_move_section(h, &s, DVMRT_MOVE_ACTUAL);
}
