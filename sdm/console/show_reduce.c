/* How a value is spread over the ranks: statistics, histogram, extremes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/reduce.h"
#include "sdm/console/show_private.h"

#define BAR 40 /* characters of the longest bar */

void show_class_error(const struct sdm_show *w, const struct sdm_class *c) {
  show_head(w, c->set);
  fprintf(w->out, "error: %.*s\n", (int)c->body.len, (const char *)c->body.p);
}

void sdm_show_stats(const struct sdm_show *w, const char *what, const struct sdm_answer *a) {
  struct sdm_stats s;
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    if (c->kind != SDM_CLASS_OK || sdm_stats_decode(&s, c->body.p, c->body.len)) {
      show_class_error(w, c);
      continue;
    }
    double mean = s.sum / (double)s.count, variance = s.sum_squares / (double)s.count - mean * mean;
    double sd = variance > 0 ? sqrt(variance) : 0;
    if (w->json)
      show_json(w, json_pack("{s:s, s:I, s:f, s:f, s:f, s:f, s:I, s:I}", "statistics", what, "count",
                            (json_int_t)s.count, "mean", mean, "deviation", sd, "min", s.min, "max", s.max, "min_rank",
                            (json_int_t)s.min_id, "max_rank", (json_int_t)s.max_id));
    else
      fprintf(w->out, "%llu values: mean %g, deviation %g, min %g (rank %u), max %g (rank %u)\n",
              (unsigned long long)s.count, mean, sd, s.min, s.min_id, s.max, s.max_id);
  }
  show_missing(w, a);
  fflush(w->out);
}

static void histogram_json(const struct sdm_show *w, const char *what, const struct sdm_histogram *h, const struct sdm_answer *a) {
  json_t *bins = json_array();
  for (uint32_t i = 0; i < h->n; i++) {
    json_t *one = json_pack("{s:f, s:I}", "low", h->low + (h->high - h->low) * i / h->n, "count",
                            (json_int_t)sdm_set_size(h->bins[i]));
    show_ranks(one, "ranks", h->bins[i]);
    json_array_append_new(bins, one);
  }
  show_json(w, json_pack("{s:s, s:f, s:f, s:o, s:o}", "histogram", what, "low", h->low, "high", h->high, "bins", bins, "missing",
                         show_missing_json(a)));
}

static void histogram_text(const struct sdm_show *w, const struct sdm_histogram *h) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < h->n; i++)
    most = (uint32_t)sdm_set_size(h->bins[i]) > most ? (uint32_t)sdm_set_size(h->bins[i]) : most;
  for (uint32_t i = 0; i < h->n; i++) {
    uint32_t n = (uint32_t)sdm_set_size(h->bins[i]);
    int bar = (int)((uint64_t)n * BAR / most);
    fprintf(w->out, "%12g  %-*.*s ", h->low + (h->high - h->low) * i / h->n, BAR, n && !bar ? 1 : bar,
            "########################################");
    if (n)
      show_head(w, h->bins[i]);
    fprintf(w->out, "\n");
  }
}

void sdm_show_histogram(const struct sdm_show *w, const char *what, const struct sdm_answer *a) {
  struct sdm_histogram h;
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    if (c->kind != SDM_CLASS_OK || sdm_histogram_decode(&h, c->body.p, c->body.len)) {
      show_class_error(w, c);
      continue;
    }
    if (w->json)
      histogram_json(w, what, &h, a);
    else
      histogram_text(w, &h);
    sdm_histogram_fini(&h);
  }
  if (!w->json)
    show_missing(w, a);
  fflush(w->out);
}

void sdm_show_top(const struct sdm_show *w, const char *what, const struct sdm_answer *a) {
  struct sdm_top t;
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    json_t *list = json_array();
    bool good = c->kind == SDM_CLASS_OK && !sdm_top_decode(&t, c->body.p, c->body.len);
    for (uint32_t k = 0; good && k < t.n; k++)
      if (w->json)
        json_array_append_new(list, json_pack("{s:I, s:f}", "rank", (json_int_t)t.entries[k].id, "value", t.entries[k].value));
      else
        fprintf(w->out, "{%u} %.17g\n", t.entries[k].id, t.entries[k].value);
    if (good && w->json)
      show_json(w, json_pack("{s:s, s:b, s:O, s:o}", "top", what, "smallest", t.smallest, "values", list, "missing", show_missing_json(a)));
    else if (!good)
      show_class_error(w, c);
    json_decref(list);
  }
  if (!w->json)
    show_missing(w, a);
  fflush(w->out);
}
