/* How large the values are among which a difference is rounding.  Of what a statement computes they are its operands, where the level
 * says them; else the values that the reference gave this element lately at this place of the source (if it is the first time there, at
 * any; if it is the first time at all, those of the whole variable), and those of the other variables that are added in the statement.  Never what was long ago or in another declaration, and never one value
 * alone: the start of a minimum, DBL_MAX, says nothing of the minimum. */
#include "driver/trace/compare/compare_private.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 1100, LEAST_WINDOW = 64, UNKNOWN_WINDOW = 4096, STATEMENT_LINES = 10 };

/* Magnitudes by their binary exponent, two in a bin; halved when the window is full, so that old ones fade. */
struct scale {
  uint32_t bin[BINS], total, window;
};

static int bin_of(double magnitude) {
  int exponent = ilogb(magnitude);
  return exponent < -BINS + 2 ? 0 : exponent >= BINS ? BINS - 1 : (exponent + BINS) / 2;
}

static uint32_t window_of(const struct dvmt_object_def *o) {
  uint64_t n = 1;
  if (o->flags & DVMT_OBJECT_POINTED)
    return UNKNOWN_WINDOW;
  for (int d = 0; d < o->ndims; d++)
    n *= o->extent[d] > 0 ? (uint64_t)o->extent[d] : UNKNOWN_WINDOW;
  n = n < 1u << 28 ? 4 * n : 1u << 30;
  return n < LEAST_WINDOW ? LEAST_WINDOW : (uint32_t)n;
}

static void add_magnitude(struct scale *s, double magnitude) {
  if (magnitude > 0)
    s->bin[bin_of(magnitude)]++;
  if (++s->total < s->window)
    return;
  s->total = 0;
  for (int i = 0; i < BINS; i++)
    s->total += s->bin[i] /= 2;
}

/* Magnitude that more than a few of the recent values have. */
static double magnitude_of(const struct scale *s) {
  uint32_t above = 0, few = 2 + s->total / 256;
  for (int i = BINS; i-- > 0;)
    if ((above += s->bin[i]) >= few)
      return ldexp(1, 2 * i - BINS + 2);
  return 0;
}

static struct scale **row_of(struct dvmt_compare *c, size_t n) {
  if (n >= c->nscales) {
    struct scale **rows = realloc(c->scales, (n + 256) * sizeof(*rows));
    if (!rows)
      return NULL;
    memset(rows + c->nscales, 0, (n + 256 - c->nscales) * sizeof(*rows));
    c->scales = rows;
    c->nscales = n + 256;
  }
  return &c->scales[n];
}

/* Rows are by site and kind of access, and by variable. */
static size_t by_site(const struct item *it) { return 3 * (size_t)it->site + (it->kind == DVMT_READ); }
static size_t by_variable(uint32_t key) { return 3 * (size_t)key + 2; }

static bool note_at(struct dvmt_compare *c, size_t n, const struct dvmt_object_def *o, double magnitude) {
  struct scale **row = row_of(c, n);
  if (row && !*row && (*row = calloc(1, sizeof(**row))))
    (*row)->window = window_of(o);
  if (!row || !*row)
    return false;
  add_magnitude(*row, magnitude);
  return true;
}

/* ---- elements ------------------------------------------------------------------------------------------------------------------ */

/* An array may hold numbers of many magnitudes (a state of densities and temperatures): what its element has got at this
 * place of the source says how large they are.  Of
 * the two largest lately the smaller one counts; both fade, as fields decay. */
struct element {
  uint64_t key; /* hash of site, object and place; a newer element takes the place of an older one of the same slot */
  float first, second; /* second < 0: there has been one value */
};
enum { ELEMENTS = 1 << 20 };
static const float fade = 0.95f;

static struct element *slot_of(struct dvmt_compare *c, uint32_t site, uint32_t object, int64_t offset, uint64_t *key) {
  if (!c->elements && !(c->elements = calloc(ELEMENTS, sizeof(*c->elements))))
    return NULL;
  *key = dvmt_mix(dvmt_mix((uint64_t)site << 32 | object) ^ (uint64_t)offset) | 1;
  return &c->elements[*key >> 1 & (ELEMENTS - 1)];
}

static bool note_element(struct dvmt_compare *c, uint32_t site, uint32_t object, int64_t offset, double magnitude) {
  uint64_t key;
  struct element *e = slot_of(c, site, object, offset, &key);
  if (!e)
    return false;
  if (e->key != key) {
    *e = (struct element){key, (float)magnitude, -1};
    return true;
  }
  e->first *= fade;
  e->second *= e->second > 0 ? fade : 1;
  float now = (float)magnitude;
  if (now >= e->first) {
    e->second = e->first;
    e->first = now;
  } else if (now > e->second) {
    e->second = now;
  }
  return true;
}

static uint32_t any_site(uint32_t variable) { return 1u << 31 | variable; }

/* Negative: too little is known of it. */
static double magnitude_in(struct dvmt_compare *c, uint32_t site, const struct item *a) {
  uint64_t key;
  const struct element *e = slot_of(c, site, a->object, a->offset, &key);
  return e && e->key == key ? (double)e->second : -1;
}

static double element_magnitude(struct dvmt_compare *c, const struct item *a) {
  const struct dvmt_object_def *o = dvmt_reader_object(c->reference, a->object);
  if (!o->ndims && !(o->flags & DVMT_OBJECT_POINTED)) /* a scalar goes through the values of many elements */
    return -1;
  double here = magnitude_in(c, a->site, a);
  return here < 0 ? magnitude_in(c, any_site(c->a.members.row[a->site].variable), a) : here;
}

static bool note(struct dvmt_compare *c, const struct dvmt_record *r) {
  struct dvmt_type type = c->a_types[r->site];
  const struct item it = {.kind = r->kind, .site = r->site};
  const struct dvmt_object_def *o = dvmt_reader_object(c->scaling, r->object);
  if (!type.part_bytes)
    return true;
  double magnitude = dvmt_value_magnitude(type, r->words);
  const uint32_t variable = c->a.members.row[r->site].variable;
  return note_element(c, r->site, r->object, r->offset, magnitude) &&
         note_element(c, any_site(variable), r->object, r->offset, magnitude) && note_at(c, by_site(&it), o, magnitude) &&
         note_at(c, by_variable(variable), o, magnitude);
}

/* Reads again what the reference had until now: only here, as runs that agree never ask. */
static void catch_up(struct dvmt_compare *c) {
  struct dvmt_record r;
  uint64_t to = dvmt_reader_position(c->reference);
  if (!c->scaling)
    c->scaling = dvmt_reader_again(c->reference, &c->err);
  if (!c->scaling)
    c->rc = c->err.code;
  while (!c->rc && dvmt_reader_position(c->scaling) < to) {
    int more = dvmt_reader_next(c->scaling, &r, &c->err);
    if (more < 0)
      c->rc = more;
    if (more <= 0)
      break;
    if ((r.kind == DVMT_WRITE || r.kind == DVMT_READ) && r.site < c->a.sites.n && !note(c, &r))
      c->rc = -ENOMEM;
  }
}

static double magnitude_at(struct dvmt_compare *c, size_t n) {
  struct scale **row = row_of(c, n);
  return row && *row ? magnitude_of(*row) : 0;
}

double dvmt_cmp_site_magnitude(struct dvmt_compare *c, const struct item *a) {
  const struct member *m = &c->a.members.row[a->site];
  catch_up(c);
  struct scale **row = c->rc ? NULL : row_of(c, by_site(a));
  bool first = !row || !*row || (*row)->total < 2;
  double own = element_magnitude(c, a), most = own;
  if (own < 0)
    most = first ? magnitude_at(c, by_variable(m->variable)) : magnitude_of(*row);
  for (int i = 0; i < m->nterms; i++)
    if (own < 0 || m->term[i] != m->variable)
      most = fmax(most, magnitude_at(c, by_variable(m->term[i])));
  return most;
}

void dvmt_cmp_clear_scales(struct dvmt_compare *c) {
  for (size_t i = 0; i < c->nscales; i++)
    free(c->scales[i]);
  free(c->scales);
  free(c->elements);
  dvmt_reader_close(c->scaling);
}

/* ---- operands ------------------------------------------------------------------------------------------------------------------ */

void dvmt_cmp_note_operand(struct dvmt_compare *c, const struct item *b, double magnitude, double away) {
  c->operands[c->noperands++ % OPERANDS] = (struct operand){b->site, b->kind == DVMT_WRITE, magnitude, away};
}

/* Reads since this site wrote last, on its lines. */
bool dvmt_cmp_operands(const struct dvmt_compare *c, const struct item *b, double *magnitude, double *away) {
  const struct dvmt_where *w = &c->b_places[b->site];
  bool any = false;
  *magnitude = *away = 0;
  for (size_t i = 0; i < OPERANDS && i < c->noperands; i++) {
    const struct operand *o = &c->operands[(c->noperands - 1 - i) % OPERANDS];
    const struct dvmt_where *at = &c->b_places[o->site];
    if (o->write && o->site == b->site)
      break;
    if (o->write || at->line < w->line || at->line > w->line + STATEMENT_LINES || at->file.n != w->file.n ||
        memcmp(at->file.s, w->file.s, w->file.n) != 0)
      continue;
    any = true;
    *magnitude = fmax(*magnitude, o->magnitude);
    *away += o->away;
  }
  return any;
}

/* ---- rounding that has been accepted --------------------------------------------------------------------------------------------- */

/* A pair of values, whatever variable has them: what is assigned further is the same rounding. */
static uint64_t hash_of(const struct item *a, const struct item *b) {
  uint64_t h = dvmt_digest_value(0, a->words, a->nwords);
  return dvmt_digest_value(h, b->words, b->nwords) | 1;
}

void dvmt_cmp_accept(struct dvmt_compare *c, const struct item *a, const struct item *b) {
  if (!c->accepted && !(c->accepted = calloc(ACCEPTED_MAX, sizeof(*c->accepted)))) {
    c->rc = -ENOMEM;
    return;
  }
  uint64_t h = hash_of(a, b);
  c->accepted[h >> 1 & (ACCEPTED_MAX - 1)] = h; /* the newer one stays */
}

bool dvmt_cmp_is_accepted(const struct dvmt_compare *c, const struct item *a, const struct item *b) {
  uint64_t h = hash_of(a, b);
  return c->accepted && c->accepted[h >> 1 & (ACCEPTED_MAX - 1)] == h;
}
