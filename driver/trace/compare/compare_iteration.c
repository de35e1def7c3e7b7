/* Iterations of a parallel construct, in any order. */
#include "driver/trace/compare/compare_private.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dvmt_cmp_clear_sums(struct dvmt_compare *c) {
  if (c->a_sums.n)
    memset(c->a_sums.sum, 0, c->a_sums.n * sizeof(*c->a_sums.sum));
  if (c->b_sums.n)
    memset(c->b_sums.sum, 0, c->b_sums.n * sizeof(*c->b_sums.sum));
  c->summed = 0;
}

static uint64_t *sum_of(struct dvmt_compare *c, struct sums *s, uint32_t key) {
  if (key >= s->n) {
    uint64_t *rows = realloc(s->sum, (c->nnames + 64) * sizeof(*rows));
    if (!rows) {
      c->rc = -ENOMEM;
      return NULL;
    }
    memset(rows + s->n, 0, (c->nnames + 64 - s->n) * sizeof(*rows));
    s->sum = rows;
    s->n = c->nnames + 64;
  }
  return &s->sum[key];
}

/* Sums are of what has not been compared one by one. */
static void sum_items(struct dvmt_compare *c, struct sums *s, const struct item *iteration, const struct items *l) {
  uint64_t h = dvmt_cmp_hash(iteration);
  for (size_t i = 0; i < l->n; i++) {
    const struct item *it = &l->row[i];
    uint64_t *sum = it->kind == DVMT_WRITE && !dvmt_cmp_is_optional(c, it) ? sum_of(c, s, it->key) : NULL;
    if (sum)
      *sum += dvmt_mix(h ^ dvmt_digest_value((uint64_t)it->place, it->words, it->nwords));
  }
}

/* Equal sums are the same bits; of others nothing is known. */
static void compare_sums(struct dvmt_compare *c) {
  char message[500];
  size_t n = c->a_sums.n > c->b_sums.n ? c->a_sums.n : c->b_sums.n;
  for (uint32_t key = 0; key < n && key < c->nnames; key++) {
    uint64_t a = key < c->a_sums.n ? c->a_sums.sum[key] : 0, b = key < c->b_sums.n ? c->b_sums.sum[key] : 0;
    if (a == b)
      continue;
    snprintf(message, sizeof(message),
             "%llu iterations come in an order too different from the reference's to fit in this window, and the "
             "sums of what they assign to '%s' differ: what they compute is not compared; '--window' enlarges it",
             (unsigned long long)c->summed, dvmt_cmp_key_name(c, key));
    dvmt_cmp_structure(c, dvmt_cmp_key_name(c, key), "", c->open[c->depth - 1].text, message);
  }
}

/* What the reference's present iteration has yet, into c->a_items; 'depth': constructs inside it that are open. */
static void read_rest(struct dvmt_compare *c, int depth) {
  c->a_items.n = 0;
  while (dvmt_cmp_peek(c)) {
    if (!depth && c->ahead.key == c->parallel_key && (c->ahead.kind == DVMT_ITER || c->ahead.kind == DVMT_LEAVE))
      break;
    if (!depth && (c->ahead.kind == DVMT_RESULT || c->ahead.kind == DVMT_DIGEST))
      break;
    depth += c->ahead.kind == DVMT_ENTER;
    depth -= c->ahead.kind == DVMT_LEAVE;
    dvmt_cmp_add_item(c, &c->a_items, dvmt_cmp_take(c));
  }
}

/* Reads one iteration of the reference's present construct into c->a_items; false when there is none left. */
static bool read_iteration(struct dvmt_compare *c, struct item *iteration) {
  c->a_items.n = 0;
  while (dvmt_cmp_peek(c) && (c->ahead.kind <= DVMT_WRITE || c->ahead.kind == DVMT_DIRECT)) /* bounds of the loops */
    dvmt_cmp_take(c);
  if (!dvmt_cmp_peek(c) || c->ahead.kind != DVMT_ITER || c->ahead.key != c->parallel_key || c->unpaired)
    return false;
  c->iteration_record = c->ahead_record;
  *iteration = *dvmt_cmp_take(c);
  read_rest(c, 0);
  return !c->unpaired;
}

/* Not even where they are can be kept any more. */
static void overflow(struct dvmt_compare *c, const struct item *iteration) {
  struct item first;
  c->overflow = true;
  sum_items(c, &c->a_sums, iteration, &c->a_items);
  while (!c->rc && dvmt_cmp_window_any(c, &first, &c->a_items))
    sum_items(c, &c->a_sums, &first, &c->a_items);
  dvmt_cmp_clear_window(c);
}

/* Neighbours lie side by side, so that a loop in order stays in the cache; the execution's number saves clearing. */
bool dvmt_cmp_note_executed(struct dvmt_compare *c, const uint64_t *words, uint32_t nwords) {
  uint64_t h = dvmt_mix(dvmt_cmp_hash_words(words, nwords) ^ c->enters) | 1, place = 0;
  for (uint32_t i = 0; i < nwords; i++)
    place = place * 4099 + words[i];
  if (c->nseen++ == SEEN_MAX / 2) {
    memset(c->seen, 0, sizeof(c->seen[0]) * SEEN_MAX);
    c->nseen = 1;
  }
  for (size_t i = place % SEEN_MAX, n = 0; n < 64; i = (i + 1) % SEEN_MAX, n++) {
    if (c->seen[i] == h)
      return true;
    if (!c->seen[i]) {
      c->seen[i] = h;
      return false;
    }
  }
  return false;
}

static void compare_iteration(struct dvmt_compare *c) {
  dvmt_cmp_agree(c);
  dvmt_cmp_lists(c, &c->a_items, &c->b_items);
}

/* Compares the run's iteration with the same one of the reference, which is waiting or ahead; false if there is none, or when the
 * window is full.  One that is executed again is only looked for at the same place: the reference may repeat it too. */
static bool meet_iteration(struct dvmt_compare *c, bool again) {
  struct item iteration;
  if (c->halved) { /* the reference is in it */
    c->halved = false;
    read_rest(c, c->halved_depth);
    dvmt_cmp_lists(c, &c->a_items, &c->b_items);
    return true;
  }
  if (dvmt_cmp_window_take(c, &c->b_iteration, &c->a_items)) {
    compare_iteration(c);
    return true;
  }
  while (!c->overflow && read_iteration(c, &iteration)) {
    if (dvmt_cmp_same_item(&iteration, &c->b_iteration)) {
      compare_iteration(c);
      return true;
    }
    if (!dvmt_cmp_window_keep(c, &iteration, &c->a_items))
      overflow(c, &iteration);
    if (again)
      return false;
  }
  return c->unpaired; /* damaged: nothing is known */
}

/* The run has finished an iteration: c->b_iteration, c->b_items. */
void dvmt_cmp_end_iteration(struct dvmt_compare *c) {
  if (!c->b_in_iteration)
    return;
  c->b_in_iteration = false;
  c->totals.iterations++;
  bool again = !c->halved && dvmt_cmp_note_executed(c, c->b_iteration.words, c->b_iteration.nwords);
  if (c->unpaired || (!c->overflow && meet_iteration(c, again)))
    return;
  if (c->overflow) {
    c->summed++;
    sum_items(c, &c->b_sums, &c->b_iteration, &c->b_items);
    return;
  }
  char at[256], message[400];
  dvmt_iteration_text(dvmt_cmp_b_text(c, &c->b_iteration), c->b_iteration.words, c->b_iteration.nwords, at, sizeof(at));
  snprintf(message, sizeof(message), again ? "iteration (%s) is executed a second time" : "iteration (%s) is not in the reference", at);
  dvmt_cmp_structure(c, again ? "repeated iteration" : "unknown iteration", "", dvmt_cmp_b_text(c, &c->b_iteration), message);
}

/* The reference's construct to its end; what was not executed is missing. */
void dvmt_cmp_finish_parallel(struct dvmt_compare *c) {
  struct item iteration, first;
  uint64_t missing = c->nwaiting;
  char at[256], message[500];
  bool has_first = missing && dvmt_cmp_window_first(c, &first);
  while (read_iteration(c, &iteration)) {
    if (c->overflow)
      sum_items(c, &c->a_sums, &iteration, &c->a_items);
    if (!has_first)
      first = iteration;
    has_first = true;
    missing++;
  }
  dvmt_cmp_clear_window(c);
  if (c->unpaired)
    return;
  if (c->overflow) {
    compare_sums(c);
  } else if (missing && !c->options.partial) {
    c->totals.missing += missing;
    dvmt_iteration_text(dvmt_cmp_a_text(c, &first), first.words, first.nwords, at, sizeof(at));
    snprintf(message, sizeof(message),
             missing == 1 ? "%llu iteration of the reference is not executed: (%s)"
                          : "%llu iterations of the reference are not executed; the first is (%s)",
             (unsigned long long)missing, at);
    dvmt_cmp_structure(c, "missing iterations", "", c->open[c->depth - 1].text, message);
  }
}
