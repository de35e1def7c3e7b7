#include "runtime/rules/turns.h"
#include "runtime/data/doubt.h"
#include "runtime/data/few.h"
#include "runtime/data/series.h"
#include "runtime/rules/check.h"
#include "runtime/rules/group.h"
#include "runtime/rules/region.h"
#include "runtime/rules/repeat.h"
#include "runtime/rules/task.h"

enum { REFS_MAX = 32, REFS_NESTED = 8, TURNS_MAX = 1 << 28 };

/* One reference. */
struct line {
  const struct dvmrt_stretch_ref *r;
  struct dvmrt_access *access;
  struct dvmrt_array *array; /* NULL: ordinary data */
  uintptr_t at, low, high;   /* in the first turn; all turns */
  uint64_t turns;            /* that differ: 1 if it does not move */
  bool doubtful;             /* some of it is in doubt */
  bool wrong;                /* in each turn, which has been reported before */
};

static uint64_t way_of(const struct dvmrt_stretch_ref *r, uint64_t turns) {
  return (uint64_t)(r->step < 0 ? -r->step : r->step) * (turns - 1);
}

/* 'bytes': of an access. */
static struct line line_of(const struct dvmrt_stretch_ref *r, uint64_t bytes, uint64_t turns, uintptr_t at) {
  uint64_t way = way_of(r, turns);
  uintptr_t low = r->step < 0 ? at - way : at;
  return (struct line){.r = r, .at = at, .low = low, .high = low + way + bytes, .turns = r->step ? turns : 1};
}

bool dvmrt_turns_certain(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  for (uint32_t i = 0; i < s->nrefs; i++) {
    struct line x = line_of(&s->refs[i], s->refs[i].use, turns, first[i]);
    if ((x.r->flags & DVMRT_STRETCH_NAMED) || dvmrt_doubt_any(x.low, x.high - x.low))
      return false;
  }
  return true;
}

/* ---- in an iteration: functions that it calls ------------------------------------------------------------------------------------- */

/* The words of a line, page by page. */
struct walk {
  uintptr_t at;
  int64_t step;
  uint64_t left;
  uint32_t *word; /* of the turn at 'at' */
  ptrdiff_t by;
  uint64_t here;  /* turns whose words lie on this page */
};

/* False: there are no words that inserted code would read itself. */
static bool walk_page(struct walk *w, uint64_t bytes) {
  uintptr_t e = dvmrt_shadow_entry(w->at);
  const unsigned shift = (e & 3) + 1;
  if (((e & 3) != 1 && (e & 3) != 2) || bytes != (uint64_t)1 << shift || ((w->at | (uint64_t)w->step) & (bytes - 1)))
    return false;
  w->word = dvmrt_shadow_at(e, w->at);
  w->by = (ptrdiff_t)w->step >> shift;
  w->here = w->left;
  uintptr_t last = w->at + (uintptr_t)w->step * (w->left - 1), begin = w->at & ~(uintptr_t)4095;
  if (last - begin >= 4096) /* as far as this page goes */
    w->here = (w->step > 0 ? (begin + 4095 - w->at) / (uint64_t)w->step : (w->at - begin) / (uint64_t)-w->step) + 1;
  return true;
}

static void walk_on(struct walk *w) {
  w->at += (uintptr_t)(w->step * (int64_t)w->here);
  w->left -= w->here;
}

/* Calls 'each' for the words of a page; stops at the first "no". */
static bool walk_all(const struct line *x, uint32_t born, bool (*each)(const struct walk *w, bool writes, uint32_t born)) {
  for (struct walk w = {.at = x->at, .step = x->r->step, .left = x->turns}; w.left; walk_on(&w))
    if (!walk_page(&w, x->r->use) || !each(&w, x->r->flags & DVMRT_WRITE, born))
      return false;
  return true;
}

/* Beside each other: the compiler looks at several at a time. */
static bool all_own_written(const uint32_t *p, uint64_t n, uint32_t write, uint32_t born) {
  uint32_t other = 0;
  for (uint64_t i = 0; i < n; i++)
    other |= (uint32_t)(p[i] != write) & (uint32_t)(p[i] != born);
  return !other;
}

static bool all_own(const uint32_t *p, uint64_t n, uint32_t write) {
  uint32_t other = 0;
  for (uint64_t i = 0; i < n; i++)
    other |= p[i] ^ write;
  return !other;
}

/* What is read has a value and is nobody else's; what is written is the iteration's own, or began to live in this nest. */
static bool are_own(const struct walk *w, bool writes, uint32_t born) {
  const struct dvmrt_now now = {.write = __dvmrt_now.write, .first_read = __dvmrt_now.first_read, .mask = __dvmrt_now.mask};
  const uint32_t *p = w->word;
  bool own = true;
  if (w->by == 1 && (writes ? all_own_written(p, w->here, now.write, born) : all_own(p, w->here, now.write)))
    return true;
  for (uint64_t i = 0; i < w->here; i++, p += w->by)
    own &= *p == now.write || (writes ? *p == born : *p >= DVMRT_W_FIRST && (*p < now.first_read || !(*p & now.mask)));
  return own;
}

static bool mark(const struct walk *w, bool writes, uint32_t born) {
  const uint32_t write = __dvmrt_now.write, first_read = __dvmrt_now.first_read;
  uint32_t *p = w->word;
  (void)born;
  if (writes && w->by == 1)
    for (uint64_t i = 0; i < w->here; i++)
      p[i] = write;
  else
    for (uint64_t i = 0; i < w->here; i++, p += w->by)
      if (writes)
        *p = write;
      else if (*p != write && *p < first_read)
        *p = write & ~1u;
  return true;
}

/* All of a line whose words lie on one page, as most do: looked up once. */
static bool is_short(const struct line *x, struct walk *w) {
  *w = (struct walk){.at = x->at, .step = x->r->step, .left = x->turns};
  return walk_page(w, x->r->use) && w->here == w->left;
}

/* ---- .. one reference to few data beside each other ---------------------------------------------------------------------------- */

enum { ROW_MAX = 32 };

/* The words of 'turns' data from 'at' on, which lie on one page; NULL: they are not so simple. */
static inline uint32_t *row_of(const struct dvmrt_stretch_ref *r, uint64_t turns, uintptr_t at) {
  const uintptr_t e = dvmrt_shadow_entry(at);
  const uint64_t bytes = (uint64_t)2 << (e & 3);
  if (((e & 3) != 1 && (e & 3) != 2) || r->use != bytes || r->step != (int64_t)bytes || (at & (bytes - 1)) || turns < DVMRT_FEW_LEAST ||
      turns > ROW_MAX || (at & 4095) + turns * bytes > 4096)
    return NULL;
  return dvmrt_shadow_at(e, at);
}

/* All of it is the iteration's own, or is written and has just begun to live. */
static inline bool own_row(const struct dvmrt_stretch *s, uint64_t turns, uintptr_t at) {
  const struct dvmrt_stretch_ref *r = s->refs;
  const uint32_t write = __dvmrt_now.write;
  uint32_t *p = row_of(r, turns, at);
  if (!p || (r->flags != DVMRT_WRITE && r->flags != DVMRT_READ) || DVMRT_UNLIKELY(dvmrt_held_count))
    return false;
  const bool writes = r->flags == DVMRT_WRITE;
  const int are = dvmrt_few_are(p, turns, write, writes ? dvmrt_construct_born_word() : write);
  if (are == 2)
    dvmrt_few_set(p, turns, write);
  return are;
}

/* ---- .. any ----------------------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) bool own_lines(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  struct line lines[REFS_NESTED];
  struct walk walks[REFS_NESTED];
  if (s->nrefs > REFS_NESTED || turns > TURNS_MAX)
    return false;
  uint32_t born = dvmrt_construct_born_word();
  for (uint32_t i = 0; i < s->nrefs; i++) {
    const struct dvmrt_stretch_ref *r = &s->refs[i];
    lines[i] = line_of(r, r->use, turns, first[i]);
    bool both = (r->flags & DVMRT_WRITE) && (r->flags & (DVMRT_READ | DVMRT_STRETCH_MAYBE));
    if (DVMRT_UNLIKELY(dvmrt_held_count) && !dvmrt_region_quiet(lines[i].low, lines[i].high - lines[i].low, r->flags))
      return false;
    if ((r->flags & DVMRT_STRETCH_NAMED) || both)
      return false;
    if (!is_short(&lines[i], &walks[i]))
      walks[i].word = NULL;
    if (!(walks[i].word ? are_own(&walks[i], r->flags & DVMRT_WRITE, born) : walk_all(&lines[i], born, are_own)))
      return false;
  }
  for (uint32_t i = 0; i < s->nrefs; i++)
    walks[i].word ? mark(&walks[i], s->refs[i].flags & DVMRT_WRITE, born) : walk_all(&lines[i], born, mark);
  return true;
}

bool dvmrt_turns_own(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  if (dvmrt_group_nvars || dvmrt_task_remembers() || !dvmrt_construct_judges())
    return false;
  return (s->nrefs == 1 && own_row(s, turns, first[0])) || own_lines(s, turns, first);
}

/* ---- elements of distributed arrays --------------------------------------------------------------------------------------------- */

static bool is_element(const struct line *x) {
  const struct dvmrt_array *a = x->array;
  uint64_t bytes = x->access->bytes;
  return x->high <= a->region.end && bytes == a->element_bytes && bytes == (uint64_t)1 << a->region.shift &&
         !((x->at - a->region.base | (uint64_t)x->r->step) & (bytes - 1)) && !a->ordinary;
}

static bool have_values(const struct line *x) {
  const struct dvmrt_region *r = &x->array->region;
  if (dvmrt_array_has_values(x->array))
    return true;
  struct dvmrt_series words = {r->words + ((x->at - r->base) >> r->shift), x->turns, (ptrdiff_t)x->r->step >> r->shift};
  return dvmrt_series_assigned(&words);
}

static void ends_of(const struct line *x, int64_t (*ix)[DVMRT_NDIMS_MAX]) {
  dvmrt_array_indices(x->array, x->at, ix[0]);
  dvmrt_array_indices(x->array, x->at + (uint64_t)x->r->step * (x->turns - 1), ix[1]);
}

/* The target of the expression that a read belongs to, where that is an element; NULL: it is none, and everybody needs the value. */
static const struct line *target_of(const struct line *x, const struct line *lines, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const struct dvmrt_access *of = lines[i].access;
    if (lines[i].array && of->role == 'l' && dvmrt_site_same_expression(of, x->access))
      return &lines[i];
  }
  return NULL;
}

/* 1: the owners of the targets have what is read, in each turn; 0: in none; -1: it changes. */
static int is_beside(const struct line *x, const struct line *target) {
  int64_t read[2][DVMRT_NDIMS_MAX], written[2][DVMRT_NDIMS_MAX];
  if (x->access->ndims != x->array->ndims || target->access->ndims != target->array->ndims)
    return -1; /* indices that an address gives need not move as it does */
  ends_of(x, read);
  ends_of(target, written);
  return dvmrt_layout_beside_along(dvmrt_array_layout(x->array), read, dvmrt_array_layout(target->array), written);
}

/* A read is right in each turn, or wrong in each, which has been told. */
static bool judge_read(struct line *x, const struct line *lines, uint32_t n) {
  if (x->access->buffered || !have_values(x))
    return false;
  if (dvmrt_site_printed(x->access) || dvmrt_layout_everywhere(dvmrt_array_layout(x->array)))
    return true;
  const struct line *target = x->access->role == 'r' ? target_of(x, lines, n) : NULL;
  int beside = target ? is_beside(x, target) : 0;
  x->wrong = beside == 0;
  return beside >= 0 && (!x->wrong || (dvmrt_repeat_known(x->access, DVMRT_REPEAT_TURNS) && x->access->repeat.array == x->array));
}

static bool judge_element(struct line *x, const struct line *lines, uint32_t n) {
  bool writes = x->r->flags & DVMRT_WRITE, reads = x->r->flags & DVMRT_READ;
  if ((x->r->flags & DVMRT_STRETCH_MAYBE) || !is_element(x) || (writes && (reads || x->access->buffered || dvmrt_group_pending(x->array))))
    return false;
  if (DVMRT_UNLIKELY(x->array->aligned && !x->array->judged))
    return false;
  if (x->access->role == 'v') /* what is read has more than one target */
    return false;
  return writes || judge_read(x, lines, n);
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------- */

/* Ordinary data that get a value as a whole. */
static bool is_filled(const struct line *x) {
  int64_t step = x->r->step;
  return (x->r->flags & (DVMRT_READ | DVMRT_WRITE | DVMRT_STRETCH_MAYBE)) == DVMRT_WRITE &&
         (uint64_t)(step < 0 ? -step : step) == x->access->bytes && !dvmrt_shadow_region_in(x->low, x->high - x->low);
}

static bool find_lines(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first, struct line *lines) {
  for (uint32_t i = 0; i < s->nrefs; i++) {
    struct line *x = &lines[i];
    struct dvmrt_access *access = dvmrt_site_access(s->refs[i].site);
    *x = line_of(&s->refs[i], access->bytes, turns, first[i]);
    x->access = access;
    x->doubtful = dvmrt_doubt_any(x->low, x->high - x->low);
    if (DVMRT_UNLIKELY(dvmrt_held_count) && !dvmrt_region_quiet(x->low, x->high - x->low, x->r->flags))
      return false;
    struct dvmrt_region *r = x->doubtful ? dvmrt_shadow_region_in(x->low, 1) : NULL;
    x->array = (struct dvmrt_array *)r;
    if (!x->array && ((x->r->flags & DVMRT_STRETCH_NAMED) || (x->doubtful && !is_filled(x))))
      return false;
  }
  return true;
}

static void carry_out(const struct line *x, uint64_t turns) {
  struct dvmrt_array *a = x->array;
  if (x->wrong)
    x->access->repeat.count[DVMRT_REPEAT_TURNS] += turns;
  if (!(x->r->flags & DVMRT_WRITE))
    return;
  if (!a) {
    dvmrt_shadow_fill(x->low, x->high - x->low, DVMRT_W_ASSIGNED);
    return;
  }
  dvmrt_construct_written(a, x->r->site);
  if (dvmrt_array_has_values(a))
    return; /* who gave them is of no interest: no loop is being executed */
  struct dvmrt_series words = {a->region.words + ((x->at - a->region.base) >> a->region.shift), x->turns,
                               (ptrdiff_t)x->r->step >> a->region.shift};
  dvmrt_series_mark(&words, DVMRT_W_ASSIGNED, 0);
}

bool dvmrt_turns_prove(const struct dvmrt_stretch *s, uint64_t turns, const uintptr_t *first) {
  static struct line lines[REFS_MAX]; /* under the lock */
  if (s->nrefs > REFS_MAX || turns > TURNS_MAX || dvmrt_group_nvars || dvmrt_task_remembers() || !dvmrt_construct_judges() ||
      dvmrt_construct_nest() || dvmrt_construct_opaque() || !find_lines(s, turns, first, lines))
    return false;
  for (uint32_t i = 0; i < s->nrefs; i++)
    if (lines[i].array && !judge_element(&lines[i], lines, s->nrefs))
      return false;
  for (uint32_t i = 0; i < s->nrefs; i++) {
    if (lines[i].array)
      dvmrt_check_close_waiting_of(lines[i].access);
    if (lines[i].doubtful)
      carry_out(&lines[i], turns);
  }
  return true;
}
