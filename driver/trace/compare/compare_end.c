/* What keeps a comparison from being a whole one: damage, an early end, code that is not recorded, nothing at all. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/format/context.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[DVMT_NDOUBTS] = {"nothing", "torn", "damaged", "end", "unrecorded"};

const char *dvmt_doubt_name(enum dvmt_doubt doubt) { return names[doubt]; }

void dvmt_cmp_doubt(struct dvmt_compare *c, enum dvmt_doubt doubt, const char *text, const char *message) {
  bool silent = c->options.silent[DVMT_FOUND_STRUCTURE];
  c->options.silent[DVMT_FOUND_STRUCTURE] = false;
  struct dvmt_finding *f = dvmt_cmp_finding(c, DVMT_FOUND_STRUCTURE, names[doubt], text);
  c->options.silent[DVMT_FOUND_STRUCTURE] = silent;
  if (!f || f->count > 1)
    return;
  f->warning = c->options.accept[doubt];
  f->doubt = true;
  dvmt_cmp_tell(c, f, "", message);
}

void dvmt_cmp_unrecorded(struct dvmt_compare *c, const char *text, uint64_t why, bool of_reference) {
  char message[500];
  const char *run = of_reference ? "in the reference " : "";
  struct dvmt_span what = dvmt_text_line(text, DVMRT_ACCESS_TEXT), variable = dvmt_text_line(text, DVMRT_ACCESS_VARIABLE);
  if (why == DVMT_WHY_THREAD)
    snprintf(message, sizeof(message),
             "%sanother thread does this%s%.*s%s: only the thread that starts the program is recorded, so what "
             "others compute is not compared",
             run, what.s ? " ('" : "", (int)what.n, what.s ? what.s : "", what.s ? "')" : "");
  else if (why == DVMT_WHY_OPENMP && what.s)
    snprintf(message, sizeof(message), "%s'%.*s' is executed: what it writes is not recorded and not compared", run, (int)what.n, what.s);
  else if (why == DVMT_WHY_OPENMP && dvmt_span_is(dvmt_text_line(text, DVMRT_ANY_KIND), "array_copy"))
    snprintf(message, sizeof(message), "%s'array_copy' is executed: what it writes is not recorded and not compared", run);
  else if (why == DVMT_WHY_OPENMP)
    snprintf(message, sizeof(message), "%sthis OpenMP construct is executed: what it computes is not recorded and not compared", run);
  else if (why == DVMT_WHY_FOREIGN)
    snprintf(message, sizeof(message), "%s'%.*s' is not recorded and changes '%.*s' here, which is not compared", run, (int)what.n,
             what.s ? what.s : "", (int)variable.n, variable.s ? variable.s : "");
  else
    snprintf(message, sizeof(message),
             "%s'%.*s' is not recorded and is called here so often, or could change so much%s%.*s%s, that its effects were not "
             "checked: whether it writes recorded data is unknown",
             run, (int)what.n, what.s ? what.s : "", variable.n ? " ('" : "", (int)variable.n, variable.s ? variable.s : "",
             variable.n ? "')" : "");
  dvmt_cmp_doubt(c, DVMT_DOUBT_UNRECORDED, text, message);
}

/* ---- damage -------------------------------------------------------------------------------------------------------------------- */

static void set_counts(struct dvmt_compare *c, struct counts *counts, const struct keys *sites, const struct dvmt_context *x) {
  if (counts->n)
    memset(counts->count, 0, counts->n * sizeof(*counts->count));
  for (size_t site = 0; site < x->ncounts && site < sites->n; site++)
    *dvmt_cmp_count(c, counts, sites->key[site]) += x->counts[site];
}

static void tell_lost(struct dvmt_compare *c, bool of_reference) {
  char message[300];
  snprintf(message, sizeof(message),
           "records of %s are lost in a damaged block; the comparison resumes at the next construct or loop "
           "that both execute after it",
           of_reference ? "the reference" : "the run");
  dvmt_cmp_doubt(c, DVMT_DOUBT_DAMAGED, NULL, message);
}

static void part(struct dvmt_compare *c) {
  c->lost = true;
  c->b_items.n = c->a_items.n = 0;
  if (c->in_parallel)
    c->unpaired = true;
  dvmt_cmp_clear_window(c);
}

void dvmt_cmp_lose_reference(struct dvmt_compare *c) {
  tell_lost(c, true);
  part(c);
  c->relocate = true;
}

/* Levels that are open from the outermost construct with iterations on: inside them nothing can be met. */
static int to_skip(const struct dvmt_context *x, const struct dvmt_compare *c, bool of_reference) {
  for (int d = 0; d < x->depth; d++) {
    uint32_t site = x->open[d].site;
    if ((of_reference ? dvmt_reader_site(c->reference, site)->kind : c->b_sites[site].kind) == DVMT_SITE_CONSTRUCT)
      return x->depth - d;
  }
  return 0;
}

/* The first record behind the damage has been read. */
void dvmt_cmp_relocate(struct dvmt_compare *c) {
  static struct dvmt_context x;
  dvmt_context_init(&x);
  c->relocate = false;
  if (!dvmt_reader_context(c->reference, &x)) {
    set_counts(c, &c->a_counts, &c->a.sites, &x);
    c->a_skip = to_skip(&x, c, true);
  }
  dvmt_context_fini(&x);
}

void dvmt_compare_lose(struct dvmt_compare *c, uint64_t records, const struct dvmt_context *x) {
  dvmt_cmp_part(c);
  c->totals.run_lost += records;
  c->chain = 0;
  tell_lost(c, false);
  part(c);
  if (!x)
    return;
  set_counts(c, &c->b_counts, &c->b.sites, x);
  c->b_skip = to_skip(x, c, false);
  c->in_parallel = c->b_in_iteration = c->halved = false;
  c->b_tail.n = 0;
  c->depth = 0;
  for (int d = 0; d < x->depth - c->b_skip; d++)
    c->open[c->depth++] =
        (struct open){.text = c->b_sites[x->open[d].site].text, .key = c->b.sites.key[x->open[d].site], .execution = x->open[d].execution};
}

/* Whether the record is of what is skipped; 'left': open levels yet. */
bool dvmt_cmp_skip_more(int *left, uint8_t kind) {
  *left += kind == DVMT_ENTER;
  *left -= kind == DVMT_LEAVE;
  return true;
}

/* ---- the end ------------------------------------------------------------------------------------------------------------------- */

/* The run ends where the reference has more. */
static void goes_on(struct dvmt_compare *c, const char *cut, bool torn, const struct item *next) {
  char what[400], message[800];
  snprintf(message, sizeof(message), "the run %s here; the reference continues with the %s", cut ? cut : "ends",
           dvmt_cmp_describe(c, next, true, what, sizeof(what)));
  if (c->totals.records && c->last_site < c->b.sites.n) {
    size_t n = strlen(message);
    char place[300];
    struct dvmt_where w = dvmt_site_where(c->b_sites[c->last_site].text);
    dvmt_where_text(&w, place, sizeof(place));
    if (w.file.s)
      snprintf(message + n, sizeof(message) - n, "; the last record of the run, %llu, is of %s", (unsigned long long)c->totals.records - 1,
               place);
  }
  if (torn)
    return dvmt_cmp_doubt(c, DVMT_DOUBT_TORN, dvmt_cmp_place_text(c, next), message);
  dvmt_cmp_doubt(c, DVMT_DOUBT_END, dvmt_cmp_place_text(c, next), message);
}

/* What of the run's present construct is complete has been compared; the rest as far as it goes. */
static void compare_rest(struct dvmt_compare *c) {
  c->ending = true;
  if (!c->in_parallel)
    return dvmt_cmp_stretch(c, true);
  dvmt_cmp_end_iteration(c);
  if (c->unpaired || c->has_beyond || (c->has_beyond = dvmt_cmp_window_first(c, &c->beyond)))
    return;
  c->a_items.n = 0;
  while (c->a_items.n < c->b_tail.n && dvmt_cmp_peek(c) && !dvmt_cmp_is_anchor(&c->ahead))
    dvmt_cmp_add_item(c, &c->a_items, dvmt_cmp_take(c));
  dvmt_cmp_lists(c, &c->a_items, &c->b_tail);
}

void dvmt_compare_statuses(struct dvmt_compare *c, int reference, int run) {
  c->a_status = reference;
  c->b_status = run;
}

static void compare_statuses(struct dvmt_compare *c) {
  char message[200];
  if (c->a_status < 0 || c->b_status < 0 || c->a_status == c->b_status)
    return;
  snprintf(message, sizeof(message), "the program ends with status %d here, in the reference with %d", c->b_status, c->a_status);
  dvmt_cmp_doubt(c, DVMT_DOUBT_END, NULL, message);
}

int dvmt_compare_end(struct dvmt_compare *c, const char *cut, bool torn, struct dvm_error *err) {
  char message[600];
  bool torn_reference = c->options.cut && strstr(c->options.cut, "torn");
  uint64_t beyond = c->over ? c->totals.records - c->over_at : 0;
  dvmt_cmp_part(c);
  if (!c->rc && !c->over)
    compare_rest(c);
  while (!c->rc && c->lost && dvmt_cmp_peek(c))
    dvmt_cmp_take(c); /* so that its totals are those of the whole */
  if (!c->rc && !c->lost && !c->over && (c->has_beyond || dvmt_cmp_peek(c)))
    goes_on(c, cut, torn, c->has_beyond ? &c->beyond : &c->ahead);
  else if (!c->rc && (cut || c->options.cut)) {
    snprintf(message, sizeof(message), "the %s %s", c->options.cut ? "reference" : "run", c->options.cut ? c->options.cut : cut);
    size_t n = strlen(message);
    if (beyond)
      snprintf(message + n, sizeof(message) - n, ": %llu records of the run after its end are not compared", (unsigned long long)beyond);
    else
      snprintf(message + n, sizeof(message) - n, "; both end here, and what would have followed is unknown");
    dvmt_cmp_doubt(c, torn || torn_reference ? DVMT_DOUBT_TORN : DVMT_DOUBT_END, NULL, message);
  }
  if (!c->rc)
    compare_statuses(c);
  if (!c->rc && c->totals.compared <= c->directives)
    dvmt_cmp_doubt(c, DVMT_DOUBT_NOTHING, NULL, "nothing was compared: the two have no record of computed values in common");
  else if (!c->rc && c->options.by_sums && !(c->totals.alone ? c->totals.sums > c->counted_sums : c->totals.sums))
    dvmt_cmp_doubt(c, DVMT_DOUBT_NOTHING, NULL, "no values were compared: the two have no sum of an array and no result in common");
  uint64_t calls = c->totals.calls < c->totals.reference_calls ? c->totals.calls : c->totals.reference_calls;
  c->totals.compared += calls;
  c->totals.identical += calls;
  if (c->rc && c->err.code)
    *err = c->err;
  else if (c->rc)
    dvm_error_set(err, c->rc, "%s", strerror(-c->rc));
  return c->rc;
}
