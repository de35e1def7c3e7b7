#include "runtime/rules/summary.h"
#include "runtime/rules/across.h"
#include "runtime/rules/group.h"
#include "runtime/data/finding.h"
#include "runtime/rules/recall.h"
#include "runtime/rules/region_box.h"
#include <stdlib.h>
#include <string.h>

enum { VARS_MAX = 2 * DVMRT_NDIMS_MAX, REFS_MAX = 64 };

bool dvmrt_summary_wanted = true;

struct form {
  int64_t coef[VARS_MAX], add;
};

struct range {
  int64_t low, high;
};

struct ref {
  const struct dvmrt_summary_ref *r;
  struct dvmrt_access *access;
  struct dvmrt_array *array; /* NULL: ordinary data */
  int ndims;
  struct form at[DVMRT_NDIMS_MAX];
  struct range range[DVMRT_NDIMS_MAX];
  struct form address;       /* ordinary data */
  enum dvmrt_class class;
};

struct proof {
  struct dvmrt_frame *f;
  const struct dvmrt_summary *s;
  const int64_t *values;
  uint32_t nvars;
  struct range var[VARS_MAX];
  bool full;                 /* the iterations fill their range */
  bool exact[VARS_MAX];      /* of an inner variable: it takes each value of its range in each iteration */
  bool one_parity;
  bool held;                 /* refused for its region alone */
  uint64_t key;              /* of all that has been read */
  uint32_t nrefs;
  struct ref ref[REFS_MAX];
};

/* ---- linear forms --------------------------------------------------------------------------------------------------------------- */

static const int64_t *read_form(struct proof *p, const int64_t *at, struct form *f) {
  memset(f, 0, sizeof(*f));
  memcpy(f->coef, at, p->nvars * sizeof(*at));
  at += p->nvars;
  f->add = at[0];
  if (at[1] >= 0)
    f->add = (int64_t)((uint64_t)f->add + (uint64_t)p->values[at[1]]);
  p->key = dvmrt_key_mix(p->key, (uint64_t)f->add);
  return at + 2;
}

/* False: too large to be said. */
static bool range_of(const struct proof *p, const struct form *f, struct range *r) {
  r->low = r->high = f->add;
  for (uint32_t v = 0; v < p->nvars; v++) {
    int64_t a, b, c = f->coef[v];
    if (!c)
      continue;
    if (__builtin_mul_overflow(c, p->var[v].low, &a) || __builtin_mul_overflow(c, p->var[v].high, &b) ||
        __builtin_add_overflow(r->low, c > 0 ? a : b, &r->low) || __builtin_add_overflow(r->high, c > 0 ? b : a, &r->high))
      return false;
  }
  return true;
}

static const char *read_variables(struct proof *p, const int64_t *box) {
  const struct dvmrt_summary *s = p->s;
  const int64_t *at = s->numbers;
  uint64_t n = 1;
  p->nvars = s->rank + s->ninner;
  for (uint32_t v = 0; v < s->rank; v++) {
    p->var[v] = (struct range){box[2 + 2 * v], box[3 + 2 * v]};
    uint64_t width = (uint64_t)p->var[v].high - (uint64_t)p->var[v].low;
    if (width > INT32_MAX)
      return "its range is too large";
    n *= width + 1; /* a step of another size leaves holes: then the count is smaller */
  }
  p->full = n == (uint64_t)box[0];
  p->one_parity = box[1] != 3;
  for (uint32_t i = 0; i < s->ninner; i++) {
    struct form low, high;
    struct range l, h;
    at = read_form(p, at, &low);
    at = read_form(p, at, &high);
    for (uint32_t v = s->rank + i; v < p->nvars; v++)
      if (low.coef[v] || high.coef[v])
        return "a loop in its body depends on a loop nested in it";
    if (!range_of(p, &low, &l) || !range_of(p, &high, &h))
      return "its range is too large";
    p->var[s->rank + i] = (struct range){l.low, h.high};
    if (l.low > h.high)
      return "a loop in its body has no iterations";
    p->exact[s->rank + i] = l.low == l.high && h.low == h.high && (s->steps[i] == 1 || s->steps[i] == -1);
    p->full &= p->exact[s->rank + i];
  }
  return NULL;
}

/* ---- what each reference touches -------------------------------------------------------------------------------------------------- */

static const char *read_element(struct proof *p, struct ref *x) {
  struct dvmrt_frame *f = p->f;
  if (x->r->use >= f->nuses)
    return "its arrays are not known";
  struct dvmrt_use *u = &f->uses[x->r->use];
  uintptr_t address = (uintptr_t)dvmrt_num_value(u->item->ref.address, f->args);
  if (!u->array || (!u->view.words && !u->held))
    return "an array in it is not distributed";
  if (u->array->address != address || u->array->ndims != x->ndims || u->array->element_bytes != x->access->bytes)
    return "an array in it has a different shape from that in its directive";
  x->array = u->array;
  x->class = dvmrt_construct_array_class(f, x->array);
  return NULL;
}

static const char *read_ref(struct proof *p, struct ref *x, const struct dvmrt_summary_ref *r) {
  *x = (struct ref){.r = r, .access = dvmrt_site_access(r->site), .ndims = (int)r->ndims};
  const int64_t *at = p->s->numbers + r->first;
  bool data = r->use == DVMRT_SUMMARY_DATA;
  if (data)
    at = read_form(p, at, &x->address);
  for (int d = 0; d < x->ndims; d++) {
    at = read_form(p, at, &x->at[d]);
    if (!range_of(p, &x->at[d], &x->range[d]))
      return "its range is too large";
  }
  const char *why = data ? NULL : read_element(p, x);
  if (why)
    return why;
  for (int d = 0; d < x->ndims; d++) {
    struct form limit;
    struct range l;
    at = read_form(p, at, &limit);
    if (!range_of(p, &limit, &l) || x->range[d].low < 0 || x->range[d].high >= l.low ||
        (x->array && x->range[d].high >= x->array->extent[d]))
      return "a subscript may leave its bounds";
  }
  return NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------------------------ */

static bool words_assigned(const uint32_t *w, size_t n) {
  uint32_t least = UINT32_MAX;
  for (size_t i = 0; i < n; i++)
    least = w[i] < least ? w[i] : least;
  return least >= DVMRT_W_FIRST;
}

/* Calls f for each row of the elements in the ranges; false as soon as f says so. */
static bool each_row(const struct ref *x, bool (*f)(uint32_t *words, size_t n)) {
  const struct dvmrt_array *a = x->array;
  int last = a->ndims - 1;
  int64_t ix[DVMRT_NDIMS_MAX];
  for (int d = 0; d <= last; d++)
    ix[d] = x->range[d].low;
  for (;;) {
    if (!f(a->region.words + dvmrt_array_number(a, ix), (size_t)(x->range[last].high - x->range[last].low + 1)))
      return false;
    int d = last - 1;
    while (d >= 0 && ix[d] == x->range[d].high) {
      ix[d] = x->range[d].low;
      d--;
    }
    if (d < 0)
      return true;
    ix[d]++;
  }
}

static bool row_assigned(uint32_t *w, size_t n) { return words_assigned(w, n); }

static bool row_assign(uint32_t *w, size_t n) {
  for (size_t i = 0; i < n; i++)
    w[i] = DVMRT_W_ASSIGNED;
  return true;
}

/* Ranges that are known to have values are kept with the array, until a word of it loses its value. */
static bool known(struct dvmrt_array *a, const struct ref *x) {
  if (a->known_losses != a->region.losses) {
    a->nknown = 0;
    a->known_losses = a->region.losses;
  }
  for (int i = 0; i < a->nknown; i++) {
    bool inside = true;
    for (int d = 0; d < a->ndims; d++)
      inside &= a->known[i].low[d] <= x->range[d].low && x->range[d].high <= a->known[i].high[d];
    if (inside)
      return true;
  }
  return false;
}

static void remember(struct dvmrt_array *a, const struct ref *x) {
  int at = 0;
  for (; at < a->nknown; at++) {
    bool holds = true; /* the new one holds the old one */
    for (int d = 0; d < a->ndims; d++)
      holds &= x->range[d].low <= a->known[at].low[d] && a->known[at].high[d] <= x->range[d].high;
    if (holds)
      break;
  }
  if (at == DVMRT_KNOWN_MAX)
    at = a->next_known++ % DVMRT_KNOWN_MAX;
  else if (at == a->nknown)
    a->nknown++;
  for (int d = 0; d < a->ndims; d++) {
    a->known[at].low[d] = x->range[d].low;
    a->known[at].high[d] = x->range[d].high;
  }
}

static bool elements_assigned(const struct ref *x) {
  if (known(x->array, x))
    return true;
  if (!each_row(x, row_assigned))
    return false;
  remember(x->array, x);
  return true;
}

/* Each element of the ranges exactly by one combination of the variables that move it, which all take place. */
static bool dense(const struct proof *p, const struct ref *x) {
  uint32_t used = 0;
  for (int d = 0; d < x->ndims; d++)
    for (uint32_t v = 0, n = 0; v < p->nvars; v++) {
      int64_t c = x->at[d].coef[v];
      if (!c)
        continue;
      if ((c != 1 && c != -1) || n++ || used & 1u << v)
        return false;
      used |= 1u << v;
    }
  return p->full;
}

/* What the form can be when the index variables are zero; 'whole': is it each value of that range? */
static bool inner_range(const struct proof *p, const struct form *f, struct range *r, uint32_t *used, bool *whole) {
  struct form inner = *f;
  uint32_t movers = 0;
  memset(inner.coef, 0, p->s->rank * sizeof(*inner.coef));
  for (uint32_t v = p->s->rank; v < p->nvars; v++) {
    if (!inner.coef[v])
      continue;
    if (movers++ || *used & 1u << v || !p->exact[v] || (inner.coef[v] != 1 && inner.coef[v] != -1))
      *whole = false;
    *used |= 1u << v;
  }
  return range_of(p, &inner, r);
}

/* Has 'w' written, in the same iteration, each element that 'x' reads there? */
static bool covers(const struct proof *p, const struct ref *w, const struct ref *x) {
  uint32_t used = 0, ignored = 0;
  bool whole = true, any;
  for (int d = 0; d < x->ndims; d++) {
    struct range of_w, of_x;
    if (memcmp(w->at[d].coef, x->at[d].coef, p->s->rank * sizeof(int64_t)) || !inner_range(p, &w->at[d], &of_w, &used, &whole) ||
        !inner_range(p, &x->at[d], &of_x, &ignored, &any) || of_x.low < of_w.low || of_x.high > of_w.high)
      return false;
  }
  return whole;
}

static bool written_before(const struct proof *p, const struct ref *x) {
  for (uint32_t i = 0; i < p->nrefs; i++)
    if (x->r->after >> i & 1 && p->ref[i].array == x->array && covers(p, &p->ref[i], x))
      return true;
  return false;
}

/* '*work': words that may be looked at before it is given up; what is left of them. */
static bool data_assigned(uintptr_t low, uintptr_t end, uint64_t *work) {
  while (low < end) {
    struct dvmrt_span s;
    if (!dvmrt_shadow_entry(low)) {
      low = (low | 4095) + 1;
      continue;
    }
    dvmrt_shadow_span(low, end - low, false, &s);
    if (s.region || s.count > *work || (s.words && !words_assigned(s.words, s.count)))
      return false;
    *work -= s.count;
    low = s.end;
  }
  return true;
}

/* All but reductions that are under way. */
static const char *judge_values(const struct proof *p, const struct ref *x) {
  const struct dvmrt_var *var;
  struct range r;
  uint64_t bytes = x->access->bytes;
  if (!range_of(p, &x->address, &r) || (uint64_t)(r.high - r.low) > (uint64_t)1 << 40)
    return "its range is too large";
  enum dvmrt_class class = dvmrt_construct_class(p->f, (uintptr_t)r.low, &var);
  if (class == DVMRT_CLASS_PRIVATE || ((x->r->flags & DVMRT_WRITE) && class != DVMRT_CLASS_REDUCTION))
    return "it uses private data whose address is taken";
  if (class == DVMRT_CLASS_REDUCTION && !(x->r->flags & DVMRT_SUMMARY_RESULT))
    return "it reads the result of a reduction by another name"; /* the body without checks keeps that in a register */
  if (!data_assigned((uintptr_t)r.low, (uintptr_t)r.high + bytes, &(uint64_t){UINT64_MAX}))
    return "data that are not distributed may be read before they have a value";
  return NULL;
}

static const struct dvmrt_pending_var *pending_in(const struct proof *p, const struct ref *x) {
  struct range r;
  if (!dvmrt_group_nvars || !range_of(p, &x->address, &r))
    return NULL;
  return dvmrt_group_var((uintptr_t)r.low, (uint64_t)(r.high - r.low) + x->access->bytes);
}

static const char *judge_data(const struct proof *p, const struct ref *x) {
  const char *why = judge_values(p, x);
  return why || !pending_in(p, x) ? why : "it uses a variable whose asynchronous reduction is under way";
}

/* ---- places -------------------------------------------------------------------------------------------------------------------------- */

static bool placed_at(const struct proof *p, const struct ref *x, bool high) {
  struct dvmrt_event ev = {
      .access = x->access, .nest = p->f, .array = x->array, .flags = x->r->flags & (DVMRT_READ | DVMRT_WRITE), .class = x->class};
  ev.fresh = p->f->beyond.any && written_before(p, x);
  int64_t var[VARS_MAX];
  for (uint32_t v = 0; v < p->nvars; v++)
    var[v] = high ? p->var[v].high : p->var[v].low;
  memcpy(__dvmrt_now.iv, var, p->s->rank * sizeof(*var));
  for (int d = 0; d < x->ndims; d++) {
    ev.ix[d] = x->at[d].add;
    for (uint32_t v = 0; v < p->nvars; v++)
      ev.ix[d] += x->at[d].coef[v] * var[v];
  }
  ev.at = dvmrt_array_leads_to(x->array, ev.ix);
  return dvmrt_check_place_settled(&ev);
}

static bool placed(const struct proof *p, const struct ref *x) {
  struct dvmrt_now keep = __dvmrt_now;
  bool right = placed_at(p, x, false) && placed_at(p, x, true);
  __dvmrt_now = keep;
  return right;
}

/* ---- dependences ----------------------------------------------------------------------------------------------------------------------- */

/* The only variable with more than one value that moves dimension d, or -1: several, or none. */
static int mover(const struct proof *p, const struct form *f) {
  int mover = -1;
  for (uint32_t v = 0; v < p->nvars; v++) {
    if (!f->coef[v] || p->var[v].low == p->var[v].high)
      continue;
    if (mover >= 0)
      return -1;
    mover = (int)v;
  }
  return mover;
}

/* Value of the form with the variables that have one value only. */
static int64_t fixed_part(const struct proof *p, const struct form *f) {
  int64_t n = f->add;
  for (uint32_t v = 0; v < p->nvars; v++)
    if (p->var[v].low == p->var[v].high)
      n += f->coef[v] * p->var[v].low;
  return n;
}

/* May an element that 'w' touches in one iteration be touched by 'x' in another? */
static bool may_meet(const struct proof *p, const struct ref *w, const struct ref *x) {
  int64_t away[DVMRT_NDIMS_MAX];
  bool set[DVMRT_NDIMS_MAX] = {false};
  for (int d = 0; d < w->ndims; d++) {
    if (w->range[d].high < x->range[d].low || x->range[d].high < w->range[d].low)
      return false;
    int v = mover(p, &w->at[d]);
    if (v < 0 || v >= (int)p->s->rank || v != mover(p, &x->at[d]) || w->at[d].coef[v] != x->at[d].coef[v])
      continue;
    int64_t delta = fixed_part(p, &w->at[d]) - fixed_part(p, &x->at[d]), coef = w->at[d].coef[v];
    int64_t by = delta / coef;
    if (delta % coef || by > p->var[v].high - p->var[v].low || -by > p->var[v].high - p->var[v].low)
      return false;
    if (set[v] && away[v] != by)
      return false;
    set[v] = true;
    away[v] = by;
  }
  int64_t sum = 0;
  bool same = true;
  for (uint32_t v = 0; v < p->s->rank; v++) {
    if (p->var[v].low == p->var[v].high)
      continue;
    if (!set[v])
      return true;
    sum += away[v];
    same &= away[v] == 0;
  }
  return !same && (sum % 2 == 0 || !p->one_parity);
}

/* The only variable that moves dimension d, -1: none, -2: several. */
static int only_mover(const struct proof *p, const struct form *f) {
  int found = -1;
  for (uint32_t v = 0; v < p->nvars; v++)
    if (f->coef[v] && p->var[v].low != p->var[v].high)
      found = found == -1 ? (int)v : -2;
  return found;
}

/* Is an element that 'w' writes in one iteration certainly touched by 'x' in another, of those that there are? */
static bool must_meet(const struct proof *p, const struct ref *w, const struct ref *x) {
  int64_t away[DVMRT_NDIMS_MAX];
  bool set[DVMRT_NDIMS_MAX] = {false}, same = true;
  for (int d = 0; d < w->ndims; d++) {
    int v = only_mover(p, &w->at[d]);
    int64_t delta = fixed_part(p, &w->at[d]) - fixed_part(p, &x->at[d]);
    if (v != only_mover(p, &x->at[d]) || v == -2 || v >= (int)p->s->rank || (v < 0 && delta))
      return false;
    if (v < 0)
      continue;
    int64_t coef = w->at[d].coef[v], by = delta / coef;
    if (coef != x->at[d].coef[v] || delta % coef || llabs(by) > p->var[v].high - p->var[v].low || (set[v] && away[v] != by))
      return false;
    set[v] = true;
    away[v] = by;
    same &= !by;
  }
  for (uint32_t v = 0; v < p->s->rank; v++)
    if (!set[v] && p->var[v].low != p->var[v].high)
      return false;
  return !same && p->full;
}

/* Reads of edges that the loop itself writes: what is wrong with them is the dependence, which will be reported. */
static void note_carried(const struct proof *p) {
  if (p->nrefs < p->s->nrefs || !dvmrt_finding_wanted(DVMRT_ID_LOOP_DEPENDENCE) || !dvmrt_finding_wanted(DVMRT_CHECK_ANTI) || !p->f->mapped)
    return;
  for (uint32_t i = 0; i < p->nrefs; i++) {
    const struct ref *w = &p->ref[i];
    for (uint32_t k = 0; k < p->nrefs; k++) {
      const struct ref *x = &p->ref[k];
      if (w->array && (w->r->flags & DVMRT_WRITE) && x->array == w->array && w->class == DVMRT_CLASS_SHARED && !w->access->buffered &&
          !x->access->buffered && !((w->r->flags | x->r->flags) & DVMRT_SUMMARY_MAYBE) && must_meet(p, w, x))
        x->access->carried_in = p->f->serial + 1;
    }
  }
}

static const char *judge_dependences(const struct proof *p, const struct ref *w) {
  for (uint32_t i = 0; i < p->nrefs; i++) {
    const struct ref *x = &p->ref[i];
    if (x->array == w->array && may_meet(p, w, x))
      return "iterations may access the same element";
  }
  return NULL;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------------------------- */

static const char *judge_element(const struct proof *p, const struct ref *x) {
  bool writes = x->r->flags & DVMRT_WRITE;
  if (!placed(p, x))
    return "an element is not where its iteration is, or across is narrower than a dependence";
  if (writes && x->class != DVMRT_CLASS_SHARED && x->class != DVMRT_CLASS_ACROSS)
    return "it writes an array that all processors hold";
  if (writes && x->class == DVMRT_CLASS_SHARED) {
    const char *why = judge_dependences(p, x);
    if (why)
      return why;
  }
  if ((x->r->flags & DVMRT_READ) && !written_before(p, x) && !elements_assigned(x))
    return "elements may be read before they have a value";
  if (writes && !dense(p, x) && !elements_assigned(x))
    return "it gives elements their first value, but not all of a rectangle";
  return NULL;
}

/* Regions: what is read is newest on its side, and what is written is so already, or will be as a whole. */
static const char *judge_held(const struct proof *p, const struct ref *x) {
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  struct range r;
  bool right;
  if (!dvmrt_held_count)
    return NULL;
  if (x->array) {
    for (int d = 0; d < x->ndims; d++)
      low[d] = x->range[d].low, high[d] = x->range[d].high;
    uint32_t flags = written_before(p, x) ? x->r->flags & ~(uint32_t)DVMRT_READ : x->r->flags;
    right = dvmrt_region_right(x->array, low, high, flags, dense(p, x));
  } else {
    const struct dvmrt_var *var;
    right =
        range_of(p, &x->address, &r) && (dvmrt_construct_class(p->f, (uintptr_t)r.low, &var) == DVMRT_CLASS_REDUCTION ||
                                         dvmrt_region_quiet((uintptr_t)r.low, (uint64_t)(r.high - r.low) + x->access->bytes, x->r->flags));
  }
  return right ? NULL : "what it reads or writes is to be followed for its region";
}

/* ---- what is wrong for the region alone ------------------------------------------------------------------------------------------ */

struct place_of {
  const struct proof *p;
  const struct ref *x;
};

/* Index variables of the first iteration that accesses the element. */
static void iteration_of(const struct place_of *at, const int64_t *ix, int64_t *iv) {
  const struct proof *p = at->p;
  for (uint32_t v = 0; v < p->s->rank; v++)
    iv[v] = dvmrt_num_value(p->f->d->step[v], p->f->args) < 0 ? p->var[v].high : p->var[v].low;
  for (int d = 0; d < at->x->ndims; d++)
    for (uint32_t v = 0; v < p->s->rank; v++)
      if (at->x->at[d].coef[v])
        iv[v] = (ix[d] - at->x->at[d].add) * at->x->at[d].coef[v]; /* 1 or -1 (dense) */
}

static void go_to(const void *arg, const int64_t *ix) { iteration_of(arg, ix, __dvmrt_now.iv); }

/* Is iteration 'a' executed before 'b'? */
static bool precedes(const struct proof *p, const int64_t *a, const int64_t *b) {
  for (uint32_t v = 0; v < p->s->rank; v++)
    if (a[v] != b[v])
      return (a[v] < b[v]) == (dvmrt_num_value(p->f->d->step[v], p->f->args) >= 0);
  return false;
}

static bool is_before(const void *arg, const int64_t *a, const int64_t *b) {
  const struct place_of *at = arg;
  int64_t of_a[VARS_MAX], of_b[VARS_MAX];
  iteration_of(at, a, of_a);
  iteration_of(at, b, of_b);
  return precedes(at->p, of_a, of_b);
}

static void make_box(const struct proof *p, const struct ref *x, struct dvmrt_region_box *b) {
  *b = (struct dvmrt_region_box){.array = x->array, .site = x->r->site, .times = 1, .go_to = go_to, .is_before = is_before};
  b->flags = x->r->flags & (DVMRT_READ | DVMRT_WRITE);
  for (int d = 0; d < x->ndims; d++)
    b->low[d] = x->range[d].low, b->high[d] = x->range[d].high;
  for (uint32_t v = 0; v < p->nvars; v++) {
    bool moves = false;
    for (int d = 0; d < x->ndims; d++)
      moves |= x->at[d].coef[v] != 0;
    b->times *= moves ? 1 : (uint64_t)(p->var[v].high - p->var[v].low + 1);
  }
  if (written_before(p, x))
    b->flags &= ~(uint32_t)DVMRT_READ;
}

static bool is_written(const struct proof *p, const struct dvmrt_array *a) {
  for (uint32_t i = 0; i < p->nrefs; i++)
    if (p->ref[i].array == a && (p->ref[i].r->flags & DVMRT_WRITE))
      return true;
  return false;
}

/* What is wrong with one reference; 'at' is what the box refers to. */
struct faults {
  struct place_of at;
  struct dvmrt_region_box box;
  struct dvmrt_region_fault of[DVMRT_STALE_KINDS];
};

/* Each access takes place, once an element, and no other one changes what is wrong with it. */
static bool count_held(const struct proof *p, const struct ref *x, struct faults *f) {
  bool reads_wrong;
  if (!x->array || (x->r->flags & DVMRT_SUMMARY_MAYBE) || x->access->buffered || !dense(p, x))
    return false;
  make_box(p, x, &f->box);
  f->at = (struct place_of){p, x};
  f->box.arg = &f->at;
  return dvmrt_region_box_count(&f->box, f->of, &reads_wrong) && !(reads_wrong && is_written(p, x->array));
}

/* The fault whose first access is the first of those that are left, or NULL. */
static struct dvmrt_region_fault *next_fault(struct faults *all, uint32_t n, struct faults **of) {
  struct dvmrt_region_fault *first = NULL;
  int64_t at[VARS_MAX], best[VARS_MAX];
  for (uint32_t i = 0; i < n; i++)
    for (int k = 0; k < DVMRT_STALE_KINDS; k++) {
      struct dvmrt_region_fault *f = &all[i].of[k];
      if (!f->n)
        continue;
      iteration_of(&all[i].at, f->first, at);
      if (first && !precedes(all[i].at.p, at, best))
        continue;
      memcpy(best, at, sizeof(at));
      first = f;
      *of = &all[i];
    }
  return first;
}

/* True: all that is wrong with the nest is known and told. */
static bool tell_held(const struct proof *p) {
  static struct faults all[REFS_MAX]; /* under the lock */
  uint32_t n = 0;
  for (uint32_t i = 0; i < p->nrefs; i++)
    if (judge_held(p, &p->ref[i]) && !count_held(p, &p->ref[i], &all[n++]))
      return false;
  struct dvmrt_now keep = __dvmrt_now;
  struct faults *of = NULL;
  for (struct dvmrt_region_fault *f; (f = next_fault(all, n, &of)); f->n = 0)
    dvmrt_region_box_tell(&of->box, f);
  __dvmrt_now = keep;
  return true;
}

/* Who touches what is kept by task then. */
static bool in_task(const struct dvmrt_frame *f) {
  for (; f; f = f->outer)
    if (!f->left && f->task)
      return true;
  return false;
}

static const char *judge(struct proof *p, const int64_t *box) {
  if (box[0] < 0)
    return "a variable that it reads has no value";
  if (box[0] == 0)
    return "it has no iterations";
  if (p->s->rank != (uint32_t)p->f->d->rank || p->s->rank + p->s->ninner > VARS_MAX || p->s->nrefs > REFS_MAX)
    return "it is too large";
  if (in_task(p->f))
    return "a task executes it";
  const char *why = read_variables(p, box);
  for (; !why && p->nrefs < p->s->nrefs; p->nrefs++)
    why = read_ref(p, &p->ref[p->nrefs], &p->s->refs[p->nrefs]);
  if (!why && !dvmrt_summary_wanted)
    return "summaries=0"; /* what is carried is noted all the same */
  for (uint32_t i = 0; !why && i < p->nrefs; i++)
    why = p->ref[i].array ? judge_element(p, &p->ref[i]) : judge_data(p, &p->ref[i]);
  p->held = false;
  for (uint32_t i = 0; !why && i < p->nrefs; i++)
    p->held = (why = judge_held(p, &p->ref[i])) != NULL;
  return why;
}

/* ---- executions that were followed -------------------------------------------------------------------------------------------- */

/* The access takes place in each iteration, or is right whatever it meets. */
static bool is_regular(const struct proof *p, const struct ref *x) {
  if (!(x->r->flags & DVMRT_SUMMARY_MAYBE))
    return true;
  for (uint32_t i = 0; i < p->nrefs; i++)
    if ((p->ref[i].r->flags & DVMRT_WRITE) && p->ref[i].array == x->array)
      return false;
  return !judge_element(p, x);
}

/* Elements without a value, of which the nest leaves all as they are, in each iteration: as often as the last time, as long as nobody has
 * given or taken one. */
static bool stay_valueless(struct proof *p, const struct ref *x) {
  if ((x->r->flags & DVMRT_SUMMARY_MAYBE) || x->class != DVMRT_CLASS_SHARED || !dvmrt_construct_only_reads(p->f, x->array))
    return false;
  for (uint32_t i = 0; i < p->nrefs; i++)
    if ((p->ref[i].r->flags & DVMRT_WRITE) && p->ref[i].array == x->array)
      return false;
  p->key = dvmrt_key_mix(p->key, (uint64_t)x->array->region.gains << 32 | x->array->region.losses);
  return true;
}

/* Does it follow from 'p->key' what the references to the array give? */
static bool is_determined(struct proof *p, const struct ref *x) {
  const struct dvmrt_clause_array *remote = dvmrt_construct_clause(p->f, DVMRT_DIRECTIVE_REMOTE, x->array);
  if (x->access->varies || (x->class != DVMRT_CLASS_SHARED && x->class != DVMRT_CLASS_ACROSS) || !is_regular(p, x) ||
      (!elements_assigned(x) && !stay_valueless(p, x)))
    return false;
  p->key = dvmrt_array_key(x->array, p->key);
  p->key = dvmrt_key_mix(p->key, (uint64_t)x->class);
  p->key = dvmrt_key_mix(p->key, remote ? (uintptr_t)remote->item : 0);
  p->key = dvmrt_key_mix(p->key, (uintptr_t)dvmrt_group_pending(x->array));
  return true;
}

/* The same for ordinary data: they have values, and are all of a variable that is being reduced, in each iteration, or none. */
static bool is_data_determined(struct proof *p, const struct ref *x) {
  struct range r;
  if (judge_values(p, x))
    return false;
  const struct dvmrt_pending_var *v = pending_in(p, x);
  if (!v)
    return true;
  if ((x->r->flags & DVMRT_SUMMARY_MAYBE) || !range_of(p, &x->address, &r) || (uintptr_t)r.low < v->low ||
      (uintptr_t)r.high + x->access->bytes > v->high)
    return false;
  p->key = dvmrt_key_mix(p->key, (uintptr_t)v->computed);
  p->key = dvmrt_key_mix(p->key, (uintptr_t)v->started);
  return true;
}

/* 0: the verdict does not follow from what is known at the entry. */
static uint64_t key_of(struct proof *p, const int64_t *box) {
  const struct dvmrt_frame *f = p->f;
  if (p->nrefs < p->s->nrefs)
    return 0;
  for (int i = 0; i < f->d->rank; i++)
    if (!dvmrt_num_value(f->d->step[i], f->args))
      return 0;
  for (uint32_t i = 0; i < p->nrefs; i++)
    if (p->ref[i].array ? !is_determined(p, &p->ref[i]) : !is_data_determined(p, &p->ref[i]))
      return 0;
  for (uint32_t i = 0; i < 3 + 2 * p->s->rank; i++)
    p->key = dvmrt_key_mix(p->key, (uint64_t)box[i]);
  for (uint32_t i = 0; i < f->nargs; i++)
    p->key = dvmrt_key_mix(p->key, (uint64_t)f->args[i]);
  p->key = dvmrt_key_mix(p->key, (uintptr_t)f->on);
  return p->key | 1;
}

static void note_held(const struct ref *x) {
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  for (int d = 0; d < x->ndims; d++)
    low[d] = x->range[d].low, high[d] = x->range[d].high;
  dvmrt_region_wrote(x->array, low, high, x->r->site);
}

/* 'recalled': what the ranges of the index variables give is among what is recalled. */
static void take_note(struct proof *p, const int64_t *box, bool recalled) {
  for (uint32_t i = 0; i < p->nrefs; i++) {
    struct ref *x = &p->ref[i];
    if (!x->array || !(x->r->flags & DVMRT_WRITE))
      continue;
    dvmrt_construct_written(x->array, x->r->site);
    if (DVMRT_UNLIKELY(dvmrt_held_count))
      note_held(x);
    if (!known(x->array, x)) {
      each_row(x, row_assign);
      remember(x->array, x);
    }
  }
  /* The iterations take place, as far as numbers go. */
  __dvmrt_now.write += 2 * (uint32_t)(box[0] < 1 << 29 ? box[0] : 1 << 29);
  p->f->proved = true;
  p->f->rows.any = !recalled;
  for (uint32_t v = 0; v < p->s->rank; v++)
    p->f->rows.low[v] = box[2 + 2 * v], p->f->rows.high[v] = box[3 + 2 * v];
}

bool dvmrt_summary_prove(struct dvmrt_directive *d, const struct dvmrt_summary *s, const int64_t *box, const int64_t *values) {
  static struct proof p; /* under the lock */
  p.f = dvmrt_construct_nest();
  if (!p.f || p.f->d != d || !dvmrt_construct_judges())
    return false;
  p.s = s;
  p.values = values;
  p.nrefs = 0;
  p.key = (uintptr_t)s;
  p.held = false;
  const char *why = judge(&p, box);
  if (why)
    note_carried(&p);
  why = dvmrt_summary_wanted ? why : "summaries=0";
  if (p.held && dvmrt_summary_wanted && tell_held(&p))
    why = NULL;
  uint64_t key = why && dvmrt_summary_wanted && !p.held && !dvmrt_held_count ? key_of(&p, box) : 0;
  bool recalled = key && dvmrt_recall_find(d, key);
  if (recalled)
    why = NULL;
  else if (key)
    dvmrt_recall_begin(p.f, key);
  dvmrt_construct_judged(d, why);
  if (why)
    return false;
  take_note(&p, box, recalled);
  return true;
}

/* Once per entry of a nest that may be short: what would have to be looked at word by word is better judged as it is read, but for what
 * the entries so far have saved up.  It need not be done again until something in it loses its value. */
bool dvmrt_summary_data(struct dvmrt_directive *d, uintptr_t a, uint64_t n) {
  enum { WORK_MAX = 1 << 14, WORK_AT_FIRST = 1 << 20 };
  const struct dvmrt_frame *f = dvmrt_construct_nest();
  const struct dvmrt_var *var;
  if (!dvmrt_summary_wanted || !f || f->d != d || !dvmrt_construct_judges() || in_task(f) || (dvmrt_group_nvars && dvmrt_group_var(a, n)))
    return false;
  if (dvmrt_construct_class(f, a, &var) == DVMRT_CLASS_PRIVATE)
    return false;
  if (DVMRT_UNLIKELY(dvmrt_held_count) && !dvmrt_region_quiet(a, n, DVMRT_READ))
    return false;
  if (dvmrt_shadow_settled(a, n))
    return true;
  d->data_work += d->data_work ? WORK_MAX : WORK_AT_FIRST;
  if (!data_assigned(a, a + n, &d->data_work))
    return false;
  dvmrt_shadow_settle(a, n, DVMRT_W_ASSIGNED);
  return true;
}
