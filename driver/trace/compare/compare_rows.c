/* The bulk of what two files say alike: iterations and values of one word, both sides decoded.  Whatever is not as plain as that is left to
 * compare_alike.c, which takes it record by record. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/format/ahead.h"

struct rows {
  const struct dvmt_decoded_row *row, *end;
  const uint64_t *words;
};

static inline bool is_finite(struct dvmt_type t, uint64_t word) {
  return t.part_bytes == 8 ? (word >> 52 & 0x7ff) != 0x7ff : !dvmt_value_special(t, &word);
}

static inline bool is_plain(const struct dvmt_compare *c, const struct dvmt_decoded_row *row, uint64_t word) {
  const struct alike *k = &c->alike;
  const unsigned meaning = k->sites.row[row->site];
  return row->object < k->objects.n && k->objects.row[row->object] && meaning & PLAIN &&
         ((meaning & MEANING) == SAME || is_finite(c->b_types[row->site], word));
}

/* Whether the next record of both is the same and one of those. */
static inline bool is_bulk(const struct dvmt_compare *c, const struct rows *b) {
  const struct alike *k = &c->alike;
  if (b->row == b->end || k->row == k->end || memcmp(b->row, k->row, sizeof(*b->row)) != 0 || b->row->site >= k->sites.n ||
      !k->sites.row[b->row->site] || !same_words(b->words, k->words, b->row->nwords))
    return false;
  return b->row->kind == DVMT_WRITE ? is_plain(c, b->row, *b->words) : b->row->kind == DVMT_ITER && b->row->nwords <= ITEM_WORDS;
}

static inline void pass(struct alike *k, struct rows *b) {
  k->words += b->row->nwords;
  b->words += b->row->nwords;
  k->row++;
  b->row++;
}

static void take_in_parallel(struct dvmt_compare *c, struct rows *b) {
  struct alike *k = &c->alike;
  for (; is_bulk(c, b); pass(k, b))
    if (b->row->kind == DVMT_ITER && !k->depth) {
      if (k->first)
        dvmt_cmp_alike_end(c);
      dvmt_cmp_alike_begin(c);
    } else if (b->row->kind == DVMT_WRITE && dvmt_cmp_is_reduction(c, c->b.objects.key[b->row->object])) {
      k->reductions++;
    } else {
      k->values += b->row->kind == DVMT_WRITE;
    }
}

static void take_in_order(struct dvmt_compare *c, struct rows *b) {
  struct alike *k = &c->alike;
  const struct dvmt_decoded_row *first = b->row, *iteration = NULL;
  const uint64_t *iteration_words = NULL;
  uint64_t values = 0;
  for (; (b->row == b->end || b->row->kind != DVMT_ITER || c->depth) && is_bulk(c, b); pass(k, b))
    if (b->row->kind == DVMT_ITER) {
      iteration = b->row;
      iteration_words = b->words;
    } else {
      values++;
    }
  const uint64_t n = (uint64_t)(b->row - first);
  c->totals.values += values;
  c->totals.reference += n;
  c->totals.compared += n;
  c->totals.identical += n;
  if (iteration)
    dvmt_cmp_open_iteration(c, iteration_words, iteration->nwords);
}

void dvmt_compare_alike(struct dvmt_compare *c, struct dvmt_reader *run) {
  struct rows b;
  const uint32_t left = c->alike.on ? dvmt_reader_rows(run, false, &b.row, &b.words) : 0;
  if (!left)
    return;
  const struct dvmt_decoded_row *const first = b.row;
  b.end = first + left;
  if (c->in_parallel)
    take_in_parallel(c, &b);
  else
    take_in_order(c, &b);
  if (b.row == first)
    return;
  c->alike.taken += (uint64_t)(b.row - first);
  c->totals.records += (uint64_t)(b.row - first);
  c->last_site = b.row[-1].site;
  dvmt_reader_set_rows(run, b.row, b.words);
}
