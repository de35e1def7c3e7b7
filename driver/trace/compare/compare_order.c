/* The order of constructs. */
#include "driver/trace/compare/compare_private.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRETCH_MAX = 4096 };

static void open_construct(struct dvmt_compare *c, uint32_t site, uint32_t key, uint32_t count, uint32_t reference_count) {
  const struct dvmt_site_def *def = &c->b_sites[site];
  c->enters++;
  if (c->depth == OPEN_MAX)
    return;
  struct open *o = &c->open[c->depth++];
  o->text = def->text;
  o->key = key;
  o->parallel = def->kind == DVMT_SITE_CONSTRUCT;
  o->execution = count;
  o->reference_execution = reference_count;
  o->has_iteration = false;
  o->nwords = 0;
}

void dvmt_cmp_open_iteration(struct dvmt_compare *c, const uint64_t *words, uint32_t nwords) {
  struct open *o = &c->open[c->depth - 1];
  o->has_iteration = true;
  o->nwords = nwords;
  copy_words(o->words, words, nwords);
}

static void begin_parallel(struct dvmt_compare *c, const struct item *it) {
  c->in_parallel = true;
  c->parallel_key = it->key;
  c->parallel_depth = 0;
  c->overflow = c->unpaired = c->b_in_iteration = c->halved = false;
  dvmt_cmp_clear_sums(c);
  dvmt_cmp_find_reductions(c, dvmt_cmp_b_text(c, it));
  c->may_drop = c->nreductions > 0;
}

/* Reads the reference to the end of the construct that it is in (one deeper than now). */
static void skip_construct(struct dvmt_compare *c) {
  for (int depth = 1; depth && dvmt_cmp_peek(c);) {
    depth += c->ahead.kind == DVMT_ENTER;
    depth -= c->ahead.kind == DVMT_LEAVE;
    dvmt_cmp_take(c);
    c->totals.skipped++;
  }
}

/* The executions of a construct are counted on both sides; after a difference of structure they meet at the same count. */
uint32_t *dvmt_cmp_count(struct dvmt_compare *c, struct counts *counts, uint32_t key) {
  if (key >= counts->n) {
    uint32_t *rows = realloc(counts->count, (c->nnames + 64) * sizeof(*rows));
    if (!rows) {
      c->rc = -ENOMEM;
      return &c->no_count;
    }
    memset(rows + counts->n, 0, (c->nnames + 64 - counts->n) * sizeof(*rows));
    counts->count = rows;
    counts->n = c->nnames + 64;
  }
  return &counts->count[key];
}

/* The two stand at the same place of files with different names: most likely the same one. */
static void add_rename(const struct dvmt_compare *c, const struct item *b, char *message, size_t size) {
  const struct dvmt_where of_a = dvmt_site_where(dvmt_cmp_a_text(c, &c->ahead)), of_b = dvmt_site_where(dvmt_cmp_b_text(c, b));
  const struct dvmt_span old = dvmt_span_base(of_a.file), new = dvmt_span_base(of_b.file);
  size_t n = strlen(message);
  if (of_a.line == of_b.line && of_a.column == of_b.column && old.s && new.s && (old.n != new.n || memcmp(old.s, new.s, old.n)))
    snprintf(message + n, size - n, "; if the file has only got another name: '--rename %.*s=%.*s'", (int)old.n, old.s, (int)new.n, new.s);
}

/* The number of the execution that begins there. */
static uint32_t next_number(struct dvmt_compare *c, struct counts *counts, const struct item *it) {
  return dvmt_next_number(*dvmt_cmp_count(c, counts, it->key), it->words);
}

static void lose_step(struct dvmt_compare *c, const struct item *b) {
  char x[400], y[400], message[1400];
  if (c->lost || c->over)
    return;
  c->lost = true;
  dvmt_cmp_describe(c, b, false, y, sizeof(y));
  if (dvmt_cmp_peek(c)) {
    snprintf(message, sizeof(message),
             "the %s happens where the reference has the %s; the comparison resumes at the next "
             "construct or loop that both execute",
             y, dvmt_cmp_describe(c, &c->ahead, true, x, sizeof(x)));
    add_rename(c, b, message, sizeof(message));
  } else
    snprintf(message, sizeof(message), "the %s happens after the end of the reference", y);
  dvmt_cmp_structure(c, "order", "", dvmt_cmp_b_text(c, b), message);
}

/* How often the reference executes each construct outside of others with iterations.  Another pass over it, but only once and only for programs that part. */
static void count_reference(struct dvmt_compare *c) {
  struct dvmt_record r;
  struct dvmt_reader *again = dvmt_reader_again(c->reference, &c->err);
  int more = again ? 0 : -1, inside = 0;
  c->counted = true;
  while (again && !c->rc && (more = dvmt_reader_next(again, &r, &c->err)) > 0)
    if (inside || r.kind != DVMT_ENTER) {
      inside += inside && r.kind == DVMT_ENTER;
      inside -= inside && r.kind == DVMT_LEAVE;
    } else {
      uint32_t key = r.site < c->a.sites.n ? c->a.sites.key[r.site] : dvmt_cmp_site_key(c, dvmt_reader_site(again, r.site)->text, true);
      uint32_t *count = dvmt_cmp_count(c, &c->a_totals, key);
      *count = dvmt_next_number(*count, r.words);
      inside = dvmt_reader_site(again, r.site)->kind == DVMT_SITE_CONSTRUCT;
    }
  dvmt_reader_close(again);
  if (more < 0 && !c->rc)
    c->rc = c->err.code;
}

/* Brings the reference to the execution of a construct or loop that the run begins now.  False: it has none such, or has it behind
 * it; then the reference stays where it is. */
static bool meet(struct dvmt_compare *c, const struct item *b, uint32_t count) {
  int inside = 0; /* constructs with iterations: what is in them is not counted */
  if (!c->counted && !c->totals.lost)
    count_reference(c);
  if (*dvmt_cmp_count(c, &c->a_counts, b->key) >= count || (!c->totals.lost && *dvmt_cmp_count(c, &c->a_totals, b->key) < count))
    return false;
  while (dvmt_cmp_peek(c)) {
    bool enters = c->ahead.kind == DVMT_ENTER;
    if (enters && !inside && c->ahead.key == b->key && next_number(c, &c->a_counts, &c->ahead) == count)
      return true;
    if (enters && !inside)
      *dvmt_cmp_count(c, &c->a_counts, c->ahead.key) = next_number(c, &c->a_counts, &c->ahead);
    if (enters && (inside || dvmt_cmp_a_parallel(c, &c->ahead)))
      inside++;
    inside -= inside && c->ahead.kind == DVMT_LEAVE;
    dvmt_cmp_take(c);
    c->totals.skipped++;
  }
  return false;
}

/* Values between two anchors: the run's are in b_items. */
void dvmt_cmp_stretch(struct dvmt_compare *c, bool whole) {
  c->a_items.n = 0;
  c->may_drop = true;
  while (!c->lost && (whole || c->a_items.n < c->b_items.n) && dvmt_cmp_peek(c) && !dvmt_cmp_is_anchor(&c->ahead))
    dvmt_cmp_add_item(c, &c->a_items, dvmt_cmp_take(c));
  if (!c->lost)
    dvmt_cmp_lists(c, &c->a_items, &c->b_items);
  c->b_items.n = 0;
}

/* An execution that the reference was not recorded to have: nothing of it is compared. */
static void leave_out(struct dvmt_compare *c, const struct item *b, uint32_t count) {
  *dvmt_cmp_count(c, &c->b_counts, b->key) = count;
  c->totals.left_out++;
  c->b_skip = 1;
}

static void enter(struct dvmt_compare *c, const struct item *b) {
  uint32_t count = next_number(c, &c->b_counts, b);
  bool parallel = dvmt_cmp_b_parallel(c, b);
  bool met = !c->lost && dvmt_cmp_peek(c) && c->ahead.kind == DVMT_ENTER && c->ahead.key == b->key;
  if (c->options.limited && met)
    met = next_number(c, &c->a_counts, &c->ahead) == count;
  if (c->options.limited && !met)
    return leave_out(c, b, count);
  if (!met && !c->lost)
    lose_step(c, b);
  if (!met && (met = meet(c, b, count)))
    c->lost = false;
  uint32_t reference_count = count;
  if (met) {
    const bool told = dvmt_enter_number(b->words), reference_told = dvmt_enter_number(c->ahead.words);
    if (reference_told || !told) /* else the run alone begins in the middle */
      reference_count = next_number(c, &c->a_counts, &c->ahead);
    if (reference_told && !told)
      count = reference_count;
    *dvmt_cmp_count(c, &c->a_counts, b->key) = reference_count;
    dvmt_cmp_take(c);
    dvmt_cmp_agree(c);
  }
  *dvmt_cmp_count(c, &c->b_counts, b->key) = count;
  open_construct(c, b->site, b->key, count, reference_count);
  if (parallel) {
    begin_parallel(c, b);
    c->unpaired = !met;
  }
}

void dvmt_cmp_open_loop(struct dvmt_compare *c, uint32_t site, uint32_t key) {
  const uint32_t reference_count = ++*dvmt_cmp_count(c, &c->a_counts, key);
  open_construct(c, site, key, ++*dvmt_cmp_count(c, &c->b_counts, key), reference_count);
}

static void leave(struct dvmt_compare *c, const struct item *b) {
  if (!c->lost) {
    if (dvmt_cmp_peek(c) && c->ahead.kind == DVMT_LEAVE && c->ahead.key == b->key) {
      dvmt_cmp_take(c);
      dvmt_cmp_agree(c);
    } else
      lose_step(c, b);
  }
  c->depth -= c->depth > 0;
}

/* Outside parallel constructs. */
void dvmt_cmp_in_order(struct dvmt_compare *c, const struct item *b) {
  if (!dvmt_cmp_is_anchor(b)) {
    dvmt_cmp_add_item(c, &c->b_items, b);
    if (c->b_items.n == STRETCH_MAX)
      dvmt_cmp_stretch(c, false);
    return;
  }
  dvmt_cmp_stretch(c, true);
  if (b->kind == DVMT_ENTER)
    return enter(c, b);
  if (b->kind == DVMT_LEAVE)
    return leave(c, b);
  if (c->depth)
    dvmt_cmp_open_iteration(c, b->words, b->nwords);
  if (c->lost)
    return;
  if (dvmt_cmp_peek(c) && dvmt_cmp_same_item(&c->ahead, b)) {
    dvmt_cmp_take(c);
    dvmt_cmp_agree(c);
  } else
    lose_step(c, b);
}

static uint64_t count_of(const struct dvmt_compare *c, const struct items *tail) {
  for (size_t i = 0; i < tail->n; i++)
    if (tail->row[i].kind == DVMT_DIGEST && !strcmp(dvmt_cmp_key_name(c, tail->row[i].key), DVMT_EXECUTED))
      return tail->row[i].words[0];
  return 0;
}

/* The end of a parallel construct: results and digests stand between the last iteration and it. */
static void end_parallel(struct dvmt_compare *c, const struct item *b) {
  dvmt_cmp_end_iteration(c);
  c->open[c->depth - 1].has_iteration = false;
  if (!c->unpaired)
    dvmt_cmp_finish_parallel(c);
  if (!c->unpaired) {
    c->a_items.n = 0;
    while (dvmt_cmp_peek(c) && !dvmt_cmp_is_anchor(&c->ahead))
      dvmt_cmp_add_item(c, &c->a_items, dvmt_cmp_take(c));
    dvmt_cmp_leave_partly(c);
    c->may_drop = false;
    c->iterations = count_of(c, &c->a_items);
    if (!c->unpaired)
      dvmt_cmp_lists(c, &c->a_items, &c->b_tail);
    if (c->unpaired || c->over)
      ;
    else if (dvmt_cmp_peek(c) && c->ahead.kind == DVMT_LEAVE && c->ahead.key == b->key) {
      dvmt_cmp_take(c);
      dvmt_cmp_agree(c);
    } else
      skip_construct(c);
  }
  c->b_tail.n = c->b_items.n = 0;
  c->in_parallel = false;
  c->depth -= c->depth > 0;
}

void dvmt_cmp_in_parallel(struct dvmt_compare *c, const struct item *b) {
  bool own = !c->parallel_depth && b->key == c->parallel_key;
  if (own && b->kind == DVMT_LEAVE)
    return end_parallel(c, b);
  if (own && b->kind == DVMT_ITER) {
    dvmt_cmp_end_iteration(c);
    c->b_iteration = *b;
    c->b_in_iteration = true;
    c->halved = false;
    c->b_items.n = 0;
    dvmt_cmp_open_iteration(c, b->words, b->nwords);
    return;
  }
  if (!c->parallel_depth && (b->kind == DVMT_RESULT || b->kind == DVMT_DIGEST)) {
    dvmt_cmp_add_item(c, &c->b_tail, b);
    return;
  }
  c->parallel_depth += b->kind == DVMT_ENTER;
  c->parallel_depth -= b->kind == DVMT_LEAVE && c->parallel_depth;
  if (!c->unpaired && c->b_in_iteration)
    dvmt_cmp_add_item(c, &c->b_items, b);
}
