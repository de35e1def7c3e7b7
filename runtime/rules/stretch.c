#include "runtime/rules/stretch.h"
#include "runtime/rules/check.h"
#include "runtime/rules/group.h"
#include "runtime/rules/region.h"
#include "runtime/data/mem.h"
#include "runtime/data/series.h"
#include "runtime/rules/task.h"
#include "runtime/rules/repeat.h"
#include <string.h>

enum { REFS_MAX = 64, PIECES_MAX = 1 << 13, TURNS_MAX = 1 << 28 };

uint64_t __dvmrt_stretch_least = 8;

/* One reference. */
struct line {
  /* While the nest is executed: */
  const struct dvmrt_stretch_ref *r;
  struct dvmrt_access *access;
  const struct dvmrt_use *use; /* NULL: ordinary data */
  struct dvmrt_array *array;   /* likewise */
  struct dvmrt_limits limits;
  unsigned shift;        /* log2 of the bytes of an access */
  bool writes;
  bool only_asks;        /* reads of what the nest only reads: its words need a value, and stay */
  bool placed;           /* that it is where it may be has been asked */
  bool misplaced;        /* in this execution none of its accesses is where it may be, which has been reported */
  uint32_t leader;       /* the first line in the same array, or in ordinary data */
  enum dvmrt_freshness fresh; /* which words are to be marked as read; before they are looked at: so it was the last time */
  /* In this stretch: */
  uint64_t valueless;    /* reads of what has no value, which are only counted */
  bool own;              /* all words say already that the present iteration has written them */
  uintptr_t at;          /* address in the first turn .. */
  uintptr_t low, high;   /* .. lowest, and behind the highest byte of all turns */
  uint64_t turns;        /* that are told apart: 1 if it does not move */
  uint32_t piece, npieces;
  /* In all stretches of the same shape: */
  uintptr_t away;        /* from its leader */
  bool reads;            /* its words need a value */
  bool done;             /* another line looks at the words */
  uint64_t before, count; /* of an 'only_asks': the words that it looks at too, and all */
};

struct state {
  uint32_t asked_in;     /* execution of the nest, its number + 1 */
  bool hopeless;         /* in all of that */
  uint64_t turns;        /* of the last stretch; 0: there is no shape yet */
  bool independent;
  uint32_t nlines;
  struct line line[];
};

/* Words of one reference that lie in a row. */
struct piece {
  struct dvmrt_series words;
  uint64_t turn;         /* of the first word */
};
static struct piece pieces[PIECES_MAX]; /* of the stretch that is judged, under the lock */
static uint32_t npieces;

/* ---- once in each execution of the nest ------------------------------------------------------------------------------------- */

static bool line_begin(const struct dvmrt_frame *f, struct line *x, const struct dvmrt_stretch_ref *r) {
  const struct dvmrt_now *now = &__dvmrt_now;
  *x = (struct line){.r = r, .access = dvmrt_site_access(r->site), .writes = r->flags & DVMRT_WRITE};
  uint64_t bytes = x->access->bytes;
  if (!bytes || (bytes & (bytes - 1)) || (uint64_t)r->step & (bytes - 1))
    return false;
  x->shift = (unsigned)__builtin_ctzll(bytes);
  x->limits = (struct dvmrt_limits){now->first_read, now->first_write, now->mask};
  x->only_asks = r->flags & DVMRT_STRETCH_ASKS;
  if (r->use == DVMRT_SUMMARY_DATA)
    return x->shift == 2 || x->shift == 3;
  if (r->use >= f->nuses)
    return false;
  x->use = &f->uses[r->use];
  x->array = x->use->array;
  const struct dvmrt_view *v = &x->use->view;
  if (!x->array || !v->words || bytes != x->array->element_bytes)
    return false;
  x->limits = (struct dvmrt_limits){v->first_read, v->first_write, v->mask};
  x->only_asks = !x->writes && !v->mask && v->first_read == DVMRT_W_FIRST;
  return true;
}

static struct state *state_of(struct dvmrt_stretch *s, const struct dvmrt_frame *f) {
  struct state *t = s->state;
  if (!t) {
    t = s->state = dvmrt_mem_alloc(sizeof(*t) + s->nrefs * sizeof(t->line[0]));
    t->nlines = s->nrefs;
  }
  if (t->asked_in == f->serial + 1)
    return t;
  t->asked_in = f->serial + 1;
  t->turns = 0;
  t->hopeless = s->nrefs > REFS_MAX || dvmrt_task_active() || f->d->rank < 1;
  for (uint32_t i = 0; !t->hopeless && i < s->nrefs; i++)
    t->hopeless = !line_begin(f, &t->line[i], &s->refs[i]);
  for (uint32_t i = 0; !t->hopeless && i < s->nrefs; i++)
    while (t->line[t->line[i].leader].array != t->line[i].array)
      t->line[i].leader++;
  return t;
}

/* ---- the words --------------------------------------------------------------------------------------------------------------- */

static bool add_piece(struct line *x, uint32_t *words, uint64_t count, uint64_t turn) {
  ptrdiff_t step = (ptrdiff_t)(x->r->step >> x->shift);
  struct piece *last = x->npieces ? &pieces[npieces - 1] : NULL;
  if (last && last->words.words + step * (ptrdiff_t)last->words.count == words) {
    last->words.count += count;
    return true;
  }
  if (npieces == PIECES_MAX)
    return false;
  pieces[npieces++] = (struct piece){{words, count, step}, turn};
  x->npieces++;
  return true;
}

static bool find_element(struct line *x) {
  uint32_t *words = x->use->view.words; /* NULL now: the array has ceased to be */
  return words && x->low >= x->array->region.base && x->high <= x->array->region.end &&
         add_piece(x, words + (x->at >> x->shift), x->turns, 0);
}

/* Makes words where there are none yet, as the first access would. */
static uintptr_t entry_at(uintptr_t a, uint64_t size) {
  uintptr_t e = dvmrt_shadow_entry(a);
  if (e)
    return e;
  struct dvmrt_span s;
  dvmrt_shadow_span(a, size, true, &s);
  return dvmrt_shadow_entry(a);
}

/* How many of the turns that are left stay in the page of 'a'. */
static uint64_t turns_in_page(uintptr_t a, int64_t step, uint64_t left) {
  uint64_t room = step > 0 ? (~a & 4095) / (uint64_t)step : (a & 4095) / (uint64_t)-step;
  return room + 1 < left ? room + 1 : left;
}

static bool find_data(struct line *x) {
  uintptr_t a = x->at;
  if (a & (x->access->bytes - 1))
    return false;
  for (uint64_t turn = 0, n; turn < x->turns; turn += n, a += n * (uint64_t)x->r->step) {
    uintptr_t e = x->only_asks ? dvmrt_shadow_entry(a) : entry_at(a, x->access->bytes);
    n = x->turns == 1 ? 1 : turns_in_page(a, x->r->step, x->turns - turn);
    if (!e && x->only_asks)
      continue; /* nothing is known: all has a value */
    if ((e & 3) != x->shift - 1)
      return false;
    if (!add_piece(x, dvmrt_shadow_at(e, a), n, turn))
      return false;
  }
  return true;
}

static bool find_words(struct line *x, uintptr_t at, uint64_t turns) {
  int64_t step = x->r->step;
  x->at = at;
  x->turns = step ? turns : 1;
  uint64_t way = (uint64_t)step * (x->turns - 1);
  x->low = step < 0 ? at + way : at;
  x->high = (step < 0 ? at : at + way) + ((uint64_t)1 << x->shift);
  x->piece = npieces;
  x->npieces = 0;
  if (x->use)
    return find_element(x);
  if (DVMRT_UNLIKELY(dvmrt_held_count) && !dvmrt_region_quiet(x->low, x->high - x->low, x->r->flags))
    return false;
  return !(dvmrt_group_nvars && dvmrt_group_var(x->low, x->high - x->low)) && find_data(x);
}

/* ---- places -------------------------------------------------------------------------------------------------------------------- */

static bool right_in_turn(struct dvmrt_event *ev, const struct line *x, uint64_t turn) {
  ev->at = x->at + turn * (uint64_t)x->r->step;
  dvmrt_array_indices(x->array, ev->at, ev->ix);
  return dvmrt_check_place_settled(ev);
}

/* Right at both ends, and the same between them. */
static bool right_at_ends(const struct dvmrt_stretch *s, struct dvmrt_frame *f, const struct line *x, uint64_t turns) {
  struct dvmrt_event ev = {.access = x->access,
                           .nest = f,
                           .array = x->array,
                           .flags = x->r->flags & (DVMRT_READ | DVMRT_WRITE),
                           .class = dvmrt_construct_array_class(f, x->array),
                           .now = __dvmrt_now.write,
                           .base = __dvmrt_now.base};
  int64_t *iv = &__dvmrt_now.iv[f->d->rank - 1], first = *iv;
  if (!right_in_turn(&ev, x, 0))
    return false;
  if (s->iterations)
    *iv += s->step * (int64_t)(turns - 1);
  bool right = right_in_turn(&ev, x, x->turns - 1);
  *iv = first;
  return right;
}

static bool placed(const struct dvmrt_stretch *s, struct dvmrt_frame *f, struct line *x, uint64_t turns) {
  if (!x->array || x->placed)
    return true;
  x->misplaced = !(x->r->flags & DVMRT_STRETCH_MAYBE) && dvmrt_repeat_known(x->access, DVMRT_REPEAT_PLACE);
  if (x->misplaced)
    return true;
  x->placed = dvmrt_check_view_settled(f, x->access);
  return x->placed || right_at_ends(s, f, x, turns);
}

/* What the first access does that asks for its place. */
static void note_place(const struct dvmrt_frame *f, struct line *x) {
  if (!x->array || x->placed || x->misplaced || (x->r->flags & DVMRT_STRETCH_MAYBE))
    return;
  x->placed = dvmrt_check_view_place(x->at, x->r->site, &f->uses[x->r->use].view, NULL, x->r->flags);
}

/* ---- two references ------------------------------------------------------------------------------------------------------------ */

/* 'y' looks at the words of 'x' with its own: the same iteration reads and writes them. */
static bool written_too(const struct line *x, struct line *y) {
  if (x->array != y->array || x->r->step != y->r->step || x->shift != y->shift || x->at != y->at || !y->writes)
    return false;
  y->reads |= x->reads;
  return true;
}

/* The same of neighbours that only ask for values. */
static bool take_over(const struct line *x, struct line *y) {
  uint64_t size = (uint64_t)1 << x->shift;
  if (x->array != y->array || x->r->step != y->r->step || x->shift != y->shift || !x->use || !x->only_asks || !y->only_asks ||
      x->r->step != (int64_t)size)
    return false;
  uintptr_t low = y->at - y->before * size, high = low + y->count * size;
  uintptr_t low_x = x->at - x->before * size, high_x = low_x + x->count * size;
  if (high_x < low || high < low_x)
    return false;
  if (low_x < low) {
    y->before += (low - low_x) / size;
    low = low_x;
  }
  y->count = ((high_x > high ? high_x : high) - low) / size;
  return true;
}

/* 'take' after 'written_too' for all: what a line has taken over it keeps. */
static void unite_by(struct state *t, bool (*take)(const struct line *, struct line *)) {
  for (uint32_t i = 0; i < t->nlines; i++)
    for (uint32_t k = 0; k < t->nlines && !t->line[i].done; k++)
      if (k != i && !t->line[k].done && !t->line[i].writes)
        t->line[i].done = take(&t->line[i], &t->line[k]);
}

static void unite(struct state *t) {
  for (uint32_t i = 0; i < t->nlines; i++) {
    struct line *x = &t->line[i];
    x->reads = x->r->flags & DVMRT_READ;
    x->done = false;
    x->before = 0;
    x->count = x->turns;
  }
  unite_by(t, written_too);
  unite_by(t, take_over);
}

/* May an element of one be touched by the other in another turn? */
static bool may_meet(const struct line *x, const struct line *y, uint64_t turns) {
  if (x->high <= y->low || y->high <= x->low)
    return false;
  if (x->r->step != y->r->step || !x->r->step || x->shift != y->shift)
    return true;
  int64_t away = (int64_t)(x->at - y->at), by = away / x->r->step;
  return away % x->r->step == 0 && by && by < (int64_t)turns && -by < (int64_t)turns;
}

/* Iterations must not meet where one writes, and of those that read it must be clear which is the first. */
static bool are_independent(const struct state *t, uint64_t turns) {
  for (uint32_t i = 0; i < t->nlines; i++) {
    const struct line *w = &t->line[i];
    for (uint32_t k = 0; k < t->nlines && !w->only_asks; k++) {
      const struct line *x = &t->line[k];
      if (x->only_asks || (!x->writes && !x->limits.mask) || (!w->writes && !x->writes && w->r->step == x->r->step))
        continue; /* only asks for a value; readers that are marked in the order of the turns */
      if ((k != i || w->writes) && may_meet(w, x, turns))
        return false;
    }
  }
  return true;
}

/* What follows from the distances between the references and from the number of turns is mostly the same in the next stretch. */
static void find_shape(struct state *t, uint64_t turns) {
  bool same = t->turns == turns;
  for (uint32_t i = 0; i < t->nlines; i++) {
    struct line *x = &t->line[i];
    uintptr_t away = x->at - t->line[x->leader].at;
    same &= away == x->away;
    x->away = away;
  }
  if (same)
    return;
  t->turns = turns;
  unite(t);
  t->independent = are_independent(t, turns);
}

/* ---- judging ------------------------------------------------------------------------------------------------------------------- */

static bool piece_right(struct line *x, const struct dvmrt_series *s, uint32_t now, enum dvmrt_freshness *fresh) {
  if (x->only_asks) {
    *fresh = DVMRT_NONE_FRESH;
    return dvmrt_series_assigned(x->use ? &(struct dvmrt_series){s->words - x->before, x->count, s->step} : s);
  }
  if (!x->writes)
    return dvmrt_series_readable(s, &x->limits, now, fresh);
  if (!now && x->limits.first_write && x->limits.first_write != UINT32_MAX)
    return dvmrt_series_between(s, x->reads ? DVMRT_W_FIRST : 0, x->limits.first_write);
  return (!x->reads || dvmrt_series_readable(s, &x->limits, now, fresh)) && dvmrt_series_writable(s, &x->limits, now);
}

static bool is_own(const struct line *x, uint32_t now) {
  for (uint32_t i = x->piece; i < x->piece + x->npieces; i++)
    if (!dvmrt_series_is(&pieces[i].words, now))
      return false;
  return true;
}

static bool words_right(struct line *x, uint32_t now) {
  x->own = now && x->writes && is_own(x, now);
  if (x->own)
    return true; /* nothing is to be marked either */
  for (uint32_t i = x->piece; i < x->piece + x->npieces; i++) {
    enum dvmrt_freshness fresh = x->fresh;
    if (!piece_right(x, &pieces[i].words, now, &fresh))
      return false;
    x->fresh = i == x->piece || x->fresh == fresh ? fresh : DVMRT_SOME_FRESH;
  }
  return true;
}

/* ---- what has been reported ---------------------------------------------------------------------------------------------------- */

static uint64_t valueless(const struct line *x, uint64_t turns) {
  uint64_t n = 0;
  for (uint32_t i = x->piece; i < x->piece + x->npieces; i++)
    n += dvmrt_series_valueless(&pieces[i].words);
  return x->turns == turns ? n : n * turns;
}

/* Reads without a value in these turns are only counted, where they leave the words as they are and the site has been reported:
 * whether one of them is there otherwise. */
static bool only_repeats(struct state *t, uint64_t turns) {
  for (uint32_t i = 0; i < t->nlines; i++) {
    struct line *x = &t->line[i];
    x->valueless = x->only_asks ? valueless(x, turns) : 0;
    if (x->only_asks)
      x->fresh = DVMRT_NONE_FRESH; /* the words stay as they are */
    if (x->valueless && (!x->use || (x->r->flags & DVMRT_STRETCH_MAYBE) || !dvmrt_repeat_known(x->access, (int)DVMRT_UNINIT)))
      return false;
  }
  return true;
}

static void count_repeats(const struct state *t, uint64_t turns) {
  for (uint32_t i = 0; i < t->nlines; i++) {
    const struct line *x = &t->line[i];
    if (x->misplaced)
      x->access->repeat.count[DVMRT_REPEAT_PLACE] += turns;
    if (x->valueless)
      x->access->repeat.count[DVMRT_UNINIT] += x->valueless;
  }
}

/* ---- marks ----------------------------------------------------------------------------------------------------------------------- */

/* Of those that move alike, the reference that is farthest ahead reads an element first; the others do not meet. */
static bool is_ahead(const struct line *x, const struct line *y) {
  if (x->r->step != y->r->step)
    return x->r->step < y->r->step;
  return x->r->step < 0 ? x->at < y->at : x->at > y->at;
}

static void mark_reads(struct state *t, uint32_t mark, uint32_t advance) {
  struct line *order[REFS_MAX];
  uint32_t count = 0;
  for (uint32_t i = 0; i < t->nlines; i++) {
    struct line *x = &t->line[i];
    if (x->done || x->fresh == DVMRT_NONE_FRESH || x->writes)
      continue;
    uint32_t k = count++;
    for (; k > 0 && is_ahead(x, order[k - 1]); k--)
      order[k] = order[k - 1];
    order[k] = x;
  }
  mark &= ~1u;
  for (uint32_t i = 0; i < count; i++) {
    bool all = order[i]->fresh == DVMRT_ALL_FRESH; /* unless another one has been marked that touches the same */
    for (uint32_t k = 0; k < i; k++)
      all &= order[k]->high <= order[i]->low || order[i]->high <= order[k]->low;
    for (uint32_t p = order[i]->piece; p < order[i]->piece + order[i]->npieces; p++) {
      uint32_t of_piece = mark + (uint32_t)pieces[p].turn * advance;
      if (all)
        dvmrt_series_mark(&pieces[p].words, of_piece, advance);
      else
        dvmrt_series_mark_read(&pieces[p].words, order[i]->limits.first_read, of_piece, advance);
    }
  }
}

static void mark_writes(struct state *t, uint32_t mark, uint32_t advance) {
  for (uint32_t i = 0; i < t->nlines; i++) {
    const struct line *x = &t->line[i];
    for (uint32_t p = x->piece; x->writes && !x->own && p < x->piece + x->npieces; p++)
      dvmrt_series_mark(&pieces[p].words, mark + (uint32_t)pieces[p].turn * advance, advance);
  }
}

bool dvmrt_stretch_prove(struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  struct dvmrt_frame *f = dvmrt_construct_nest();
  struct dvmrt_now *now = &__dvmrt_now;
  if (!f || f->d != dvmrt_directive_of(s->construct) || !dvmrt_construct_judges() || turns > TURNS_MAX)
    return false;
  struct state *t = state_of(s, f);
  if (t->hopeless)
    return false;
  npieces = 0;
  for (uint32_t i = 0; i < t->nlines; i++)
    if (!find_words(&t->line[i], first[i], turns) || !placed(s, f, &t->line[i], turns))
      return false;
  find_shape(t, turns);
  if (s->iterations && !t->independent)
    return false;
  bool asked = false;
  for (uint32_t i = 0; i < t->nlines; i++)
    t->line[i].valueless = 0;
  for (uint32_t i = 0; i < t->nlines; i++) {
    if (t->line[i].done || words_right(&t->line[i], s->iterations ? 0 : now->write))
      continue;
    if (!t->line[i].only_asks || (!asked && !only_repeats(t, turns)))
      return false;
    asked = true;
  }
  count_repeats(t, turns);
  for (uint32_t i = 0; i < t->nlines; i++)
    note_place(f, &t->line[i]);
  uint32_t advance = s->iterations ? 2 : 0;
  mark_reads(t, now->write + advance, advance);
  mark_writes(t, now->write + advance, advance);
  if (s->iterations == 1) {
    now->write += 2 * (uint32_t)turns;
    now->iv[f->d->rank - 1] += s->step * (int64_t)(turns - 1);
  }
  return true;
}
