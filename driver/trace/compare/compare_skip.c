/* Stretches of two files that are the same, block for block: they are not decoded.  Both sides then go on where the context of the
 * next block says that the program is. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/format/context.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Same numbers mean the same in both files: constructs and objects; of accesses the values say all. */
static bool same_numbers(struct dvmt_compare *c) {
  if (c->a.objects.n != c->b.objects.n || c->a.sites.n != c->b.sites.n)
    return false;
  for (; c->same_objects < c->b.objects.n; c->same_objects++)
    if (c->a.objects.key[c->same_objects] != c->b.objects.key[c->same_objects])
      return false;
  for (; c->same_sites < c->b.sites.n; c->same_sites++) {
    const struct dvmt_site_def *a = dvmt_reader_site(c->reference, c->same_sites), *b = &c->b_sites[c->same_sites];
    bool access = b->kind == DVMT_SITE_ACCESS;
    if (a->kind != b->kind || (!access && c->a.sites.key[c->same_sites] != c->b.sites.key[c->same_sites]))
      return false;
  }
  return true;
}

/* Records of the run that wait for their partners. */
static size_t pending(const struct dvmt_compare *c) { return c->b_items.n + (c->in_parallel && c->b_in_iteration && !c->halved); }

/* What both have before the next block, compared now. */
static void flush(struct dvmt_compare *c) {
  struct item first;
  bool begins = c->in_parallel && c->b_in_iteration && !c->halved;
  c->a_items.n = 0;
  if (begins && dvmt_cmp_peek(c))
    first = *dvmt_cmp_take(c);
  while (!c->rc && (c->has_ahead || dvmt_reader_left(c->reference)) && dvmt_cmp_peek(c))
    dvmt_cmp_add_item(c, &c->a_items, dvmt_cmp_take(c));
  if (begins && !dvmt_cmp_same_item(&first, &c->b_iteration))
    return; /* another one, or the end of the construct: what follows is the same again */
  if (begins)
    dvmt_cmp_agree(c);
  if (!c->in_parallel)
    c->may_drop = true;
  dvmt_cmp_lists(c, &c->a_items, &c->b_items);
}

static void count_same(struct dvmt_compare *c, uint64_t records) {
  c->totals.records += records;
  c->totals.same += records;
  c->totals.reference += records;
  c->totals.compared += records;
  c->totals.identical += records;
}

bool dvmt_compare_skip(struct dvmt_compare *c, struct dvmt_reader *run) {
  struct dvmt_reader *a = c->reference;
  uint64_t records = 0;
  dvmt_cmp_part(c);
  if (c->rc || !c->matched || c->a_levels || c->options.digits || (c->options.ignore && c->options.ignore->n) || c->over || c->lost ||
      dvmt_reader_left(run) || c->b_tail.n || (c->in_parallel && (c->unpaired || c->overflow || c->nwaiting)) ||
      dvmt_reader_left(a) + c->has_ahead != pending(c) || !same_numbers(c) || !dvmt_reader_next_same(a, run))
    return false;
  flush(c);
  c->b_items.n = 0;
  while (!c->rc && dvmt_reader_next_same(a, run)) {
    records = dvmt_reader_pass_block(a);
    dvmt_reader_pass_block(run);
    count_same(c, records);
  }
  if (c->rc || dvmt_reader_next_whole(run))
    return true;
  /* Where the run is must be told by a block that is whole. */
  dvmt_reader_pass_back(a);
  dvmt_reader_pass_back(run);
  count_same(c, -records);
  return true;
}

static void restore_open(struct dvmt_compare *c, const struct dvmt_context_open *from, bool parallel) {
  struct open *to = &c->open[c->depth++];
  *to = (struct open){.text = c->b_sites[from->site].text,
                      .key = c->b.sites.key[from->site],
                      .nwords = from->nwords,
                      .execution = from->execution,
                      .reference_execution = from->execution,
                      .parallel = parallel,
                      .has_iteration = from->has_iteration};
  memcpy(to->words, from->words, from->nwords * 8u);
}

static void restore_parallel(struct dvmt_compare *c, const struct dvmt_context *x) {
  const struct open *o = &c->open[c->depth - 1];
  c->in_parallel = true;
  c->parallel_key = o->key;
  c->parallel_depth = x->depth - c->depth;
  c->overflow = c->unpaired = false;
  dvmt_cmp_clear_sums(c);
  dvmt_cmp_find_reductions(c, o->text);
  c->may_drop = c->nreductions > 0;
  c->b_in_iteration = c->halved = o->has_iteration;
  c->halved_depth = c->parallel_depth;
  c->b_iteration = (struct item){.kind = DVMT_ITER, .nwords = (uint8_t)o->nwords, .site = x->open[c->depth - 1].site, .key = o->key};
  memcpy(c->b_iteration.words, o->words, o->nwords * 8u);
}

static void set_counts(struct dvmt_compare *c, const struct dvmt_context *x) {
  if (c->a_counts.n)
    memset(c->a_counts.count, 0, c->a_counts.n * sizeof(*c->a_counts.count));
  if (c->b_counts.n)
    memset(c->b_counts.count, 0, c->b_counts.n * sizeof(*c->b_counts.count));
  c->enters = 0;
  for (size_t site = 0; site < x->ncounts && site < c->b.sites.n; site++) {
    *dvmt_cmp_count(c, &c->a_counts, c->b.sites.key[site]) += x->counts[site];
    *dvmt_cmp_count(c, &c->b_counts, c->b.sites.key[site]) += x->counts[site];
    c->enters += x->counts[site];
  }
}

void dvmt_compare_resume(struct dvmt_compare *c, struct dvmt_reader *run) {
  static struct dvmt_context x;
  dvmt_cmp_leads_passed(c, dvmt_reader_block(run)->allocations);
  c->in_parallel = c->halved = c->b_in_iteration = false;
  c->depth = 0;
  c->chain = 0;
  if (!dvmt_reader_left(run))
    return; /* nothing follows */
  dvmt_context_init(&x);
  int rc = dvmt_reader_context(run, &x);
  for (int d = 0; !rc && d < x.depth && !c->in_parallel; d++) {
    bool parallel = c->b_sites[x.open[d].site].kind == DVMT_SITE_CONSTRUCT;
    restore_open(c, &x.open[d], parallel);
    if (parallel)
      restore_parallel(c, &x);
  }
  if (!rc)
    set_counts(c, &x);
  else if (!c->rc)
    c->rc = rc == -ENOMEM ? rc : 0; /* not told: as a program that begins here */
  dvmt_context_fini(&x);
}
