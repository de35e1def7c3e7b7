/* Where both sides say the same, record for record: nothing is kept, and only counted what has agreed.  Of a parallel construct whole
 * iterations are taken; one that parts in its middle is gone through again as any other.  What needs more than equal bits - values that
 * are read, NaN, results, directives - is not taken here. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/format/ahead.h"
#include "driver/trace/format/lead.h"
#include <errno.h>
#include <stdlib.h>

/* What equal words of a record of that site say, whose numbers are the same on both sides. */
static unsigned meaning_of_access(const struct dvmt_compare *c, size_t n) {
  const struct dvmt_type *x = &c->a_types[n], *y = &c->b_types[n];
  const struct member *a = &c->a.members.row[n], *b = &c->b.members.row[n];
  bool same = x->kind == y->kind && x->bytes == y->bytes && x->part_bytes == y->part_bytes && a->known == b->known && a->path == b->path &&
              a->nstrides == b->nstrides && a->offset == b->offset && a->bytes == b->bytes;
  for (int i = 0; same && i < a->nstrides; i++)
    same = a->stride[i] == b->stride[i];
  if (!same || c->b_sites[n].where != dvmt_reader_site(c->reference, n)->where)
    return NOTHING;
  const bool plain = y->kind != 'p' && !(c->b_sites[n].where & DVMT_SITE_LEADS) && y->bytes <= 8;
  return (y->part_bytes ? SAME_BUT_NAN : SAME) | (plain ? PLAIN : 0);
}

static unsigned meaning_of(const struct dvmt_compare *c, size_t n) {
  const struct dvmt_site_def *a = dvmt_reader_site(c->reference, n), *b = &c->b_sites[n];
  if (a->kind != b->kind)
    return NOTHING;
  if (b->kind == DVMT_SITE_ACCESS)
    return meaning_of_access(c, n);
  return c->a.sites.key[n] == c->b.sites.key[n] ? SAME : NOTHING;
}

static unsigned meaning_of_object(const struct dvmt_compare *c, size_t n) {
  const struct dvmt_object_def *a = dvmt_reader_object(c->reference, n), *b = &c->b_objects[n];
  return c->a.objects.key[n] == c->b.objects.key[n] && a->element_bytes == b->element_bytes && a->ndims == b->ndims && a->flags == b->flags
             ? SAME
             : NOTHING;
}

/* Of all sites and objects that both sides know. */
static bool learn(struct dvmt_compare *c, struct meanings *m, size_t n, unsigned (*of)(const struct dvmt_compare *, size_t)) {
  if (n <= m->n)
    return true;
  uint8_t *rows = realloc(m->row, n);
  if (!rows) {
    c->rc = -ENOMEM;
    return false;
  }
  m->row = rows;
  for (; m->n < n; m->n++)
    m->row[m->n] = (uint8_t)of(c, m->n);
  return true;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static bool is_same(const struct alike *k, const struct dvmt_record *r) {
  const struct dvmt_decoded_row *row = k->row;
  if (row == k->end || row->kind != r->kind || row->site != r->site || row->nwords != r->nwords || row->site >= k->sites.n ||
      !k->sites.row[row->site])
    return false;
  if (row->kind == DVMT_WRITE &&
      (row->object != r->object || row->offset != r->offset || row->object >= k->objects.n || !k->objects.row[row->object]))
    return false;
  return same_words(k->words, r->words, row->nwords);
}

/* A value of which equal bits say all, and that leads to partners. */
static bool is_agreed(struct dvmt_compare *c, const struct dvmt_record *r) {
  struct dvmt_type t = c->b_types[r->site];
  unsigned n = (t.bytes + 7u) / 8;
  if (r->nwords < n || (t.kind == 'p' && !dvmt_cmp_leads_agree(c, r->words[0], r->words[0])))
    return false;
  if (r->nwords == n + 1 && c->b_sites[r->site].where & DVMT_SITE_LEADS && !dvmt_cmp_leads_agree(c, r->words[n], r->words[n]))
    return false;
  return (c->alike.sites.row[r->site] & MEANING) == SAME ||
         (t.part_bytes == 8 && t.bytes == 8 ? (r->words[0] >> 52 & 0x7ff) != 0x7ff : !dvmt_value_special(t, r->words));
}

static void pass(struct alike *k) {
  k->words += k->row->nwords;
  k->row++;
}

/* ---- parallel constructs ----------------------------------------------------------------------------------------------------------- */

/* What ends an iteration, outside of the constructs in it. */
static bool is_end(unsigned kind) { return kind == DVMT_ITER || kind == DVMT_LEAVE || kind == DVMT_RESULT || kind == DVMT_DIGEST; }

void dvmt_cmp_alike_end(struct dvmt_compare *c) {
  struct alike *k = &c->alike;
  uint64_t n = (uint64_t)(k->row - k->first) - k->calls - k->reductions;
  c->totals.reference += (uint64_t)(k->row - k->first);
  c->totals.reference_calls += k->calls;
  c->totals.compared += n;
  c->totals.identical += n;
  c->totals.values += k->values;
  c->totals.reductions += k->reductions;
  c->totals.iterations++;
  dvmt_cmp_note_executed(c, k->first_words, k->first->nwords);
  k->first = NULL;
}

void dvmt_cmp_alike_begin(struct dvmt_compare *c) {
  struct alike *k = &c->alike;
  k->first = k->row;
  k->first_words = k->words;
  k->chain = c->chain;
  k->calls = k->values = k->reductions = 0;
  dvmt_cmp_open_iteration(c, k->words, k->row->nwords);
}

static bool take_in_parallel(struct dvmt_compare *c, const struct dvmt_record *r) {
  struct alike *k = &c->alike;
  if (!k->depth && is_end(r->kind)) {
    if (k->row == k->end || !is_end(k->row->kind))
      return false;
    if (k->first)
      dvmt_cmp_alike_end(c);
    if (r->kind != DVMT_ITER || r->nwords > ITEM_WORDS || !is_same(k, r))
      return false;
    dvmt_cmp_alike_begin(c);
    return true;
  }
  if (!is_same(k, r))
    return false;
  switch (r->kind) {
  case DVMT_WRITE:
    if (!is_agreed(c, r))
      return false;
    if (dvmt_cmp_is_reduction(c, c->b.objects.key[r->object]))
      k->reductions++;
    else
      k->values++;
    return true;
  case DVMT_ITER: return true;
  case DVMT_ENTER: k->depth++; return true;
  case DVMT_LEAVE: k->depth--; return true;
  case DVMT_CALL:
  case DVMT_RETURN:
    dvmt_cmp_follow_call(c, r);
    k->calls++;
    return true;
  default: return false;
  }
}

/* ---- elsewhere -------------------------------------------------------------------------------------------------------------------- */

static bool take_in_order(struct dvmt_compare *c, const struct dvmt_record *r) {
  if (!is_same(&c->alike, r))
    return false;
  uint32_t key = c->b.sites.key[r->site];
  switch (r->kind) {
  case DVMT_WRITE:
    if (!is_agreed(c, r))
      return false;
    c->totals.values++;
    break;
  case DVMT_ITER:
    if (!c->depth || r->nwords > ITEM_WORDS)
      return false;
    dvmt_cmp_open_iteration(c, r->words, r->nwords);
    break;
  case DVMT_ENTER:
    if (c->b_sites[r->site].kind == DVMT_SITE_CONSTRUCT || dvmt_enter_number(r->words))
      return false;
    dvmt_cmp_open_loop(c, r->site, key);
    break;
  case DVMT_LEAVE: c->depth -= c->depth > 0; break;
  case DVMT_CALL:
  case DVMT_RETURN:
    dvmt_cmp_follow_call(c, r);
    c->totals.calls++;
    c->totals.reference_calls++;
    c->totals.reference++;
    return true;
  default: return false;
  }
  c->totals.reference++;
  dvmt_cmp_agree(c);
  return true;
}

/* ---- begin and end ------------------------------------------------------------------------------------------------------------------ */

void dvmt_cmp_part(struct dvmt_compare *c) {
  struct alike *k = &c->alike;
  if (!k->on)
    return;
  k->on = false;
  if (!k->first) {
    dvmt_reader_set_rows(c->reference, k->row, k->words);
    return;
  }
  dvmt_reader_set_rows(c->reference, k->first, k->first_words);
  c->chain = k->chain;
  c->totals.calls -= k->calls;
  c->totals.records -= (uint64_t)(k->row - k->first);
  const uint64_t *words = k->first_words;
  for (const struct dvmt_decoded_row *row = k->first; row < k->row; words += row++->nwords) {
    struct dvmt_record r = dvmt_row_record(row, words);
    dvmt_cmp_record(c, &r);
  }
}

/* Nothing of either side waits, and the next record of both is the same. */
void dvmt_cmp_join(struct dvmt_compare *c, const struct dvmt_record *r) {
  struct alike *k = &c->alike;
  if (k->wait) {
    k->wait--;
    return;
  }
  if (c->rc || c->masks || c->b_levels || c->options.digits || c->full || c->over || c->lost || c->relocate || c->a_skip || c->b_skip ||
      dvmt_reader_ndefinitions(c->reference) != c->a_defined)
    return;
  size_t left = dvmt_reader_rows(c->reference, c->has_ahead, &k->row, &k->words);
  if (!left || !learn(c, &k->sites, least(c->a.sites.n, c->b.sites.n), meaning_of) ||
      !learn(c, &k->objects, least(c->a.objects.n, c->b.objects.n), meaning_of_object))
    return;
  k->end = k->row + left;
  if (!is_same(k, r))
    return;
  c->totals.reference -= c->has_ahead;
  c->has_ahead = c->halved = false;
  c->b_items.n = 0;
  k->on = true;
  k->first = NULL;
  k->depth = 0;
  k->taken = 0;
}

/* Values that differ are likely to be followed by others. */
static void pause_after(struct alike *k, bool differs) {
  enum { SHORT = 64, PAUSE_MAX = 255 };
  if (k->taken >= SHORT)
    k->pause = 0;
  else if (differs)
    k->pause = k->pause < PAUSE_MAX / 2 ? 2 * k->pause + 1 : PAUSE_MAX;
  k->wait = differs ? k->pause : 0;
}

bool dvmt_cmp_alike(struct dvmt_compare *c, const struct dvmt_record *r) {
  struct alike *k = &c->alike;
  c->totals.records++;
  if (!(c->in_parallel ? take_in_parallel(c, r) : take_in_order(c, r))) {
    c->totals.records--;
    pause_after(k, k->row < k->end && (k->first || r->kind == DVMT_WRITE));
    dvmt_cmp_part(c);
    return false;
  }
  k->taken++;
  c->totals.calls += c->in_parallel && dvmt_is_call(r->kind);
  c->last_site = r->site;
  pass(k);
  return true;
}
