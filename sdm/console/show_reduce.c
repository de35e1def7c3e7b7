/* How a value is spread over the ranks: statistics, histogram, extremes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/reduce.h"
#include "sdm/console/show_private.h"

#define BAR 40 /* characters of the longest bar */

void sdm_show_class_error(const struct sdm_show *w, const struct sdm_class *c) {
  sdm_show_head(w, c->set);
  fprintf(w->out, "error: %.*s\n", (int)c->body.len, (const char *)c->body.p);
}

/* Integers of 64 bits with all their digits, others as people read them. */
static const char *number_text(long double v, char text[64]) {
  bool whole = v == floorl(v) && fabsl(v) < 18446744073709551616.0L;
  snprintf(text, 64, whole ? "%.0Lf" : fabsl(v) >= 1e6L && fabsl(v) < 1e18L ? "%.2Lf" : "%Lg", v);
  return text;
}

/* JSON's integers have 63 bits; what is larger is text, so that no digit is lost. */
static json_t *number_json(long double v) {
  char text[64];
  if (v != floorl(v) || fabsl(v) >= 18446744073709551616.0L)
    return json_real((double)v);
  return fabsl(v) < 9223372036854775808.0L ? json_integer((json_int_t)v) : json_string(number_text(v, text));
}

void sdm_show_stats(const struct sdm_show *w, const char *what, const struct sdm_answer *a) {
  struct sdm_stats s;
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    if (c->kind != SDM_CLASS_OK || sdm_stats_decode(&s, c->body.p, c->body.len)) {
      sdm_show_class_error(w, c);
      continue;
    }
    long double sd = s.squares > 0 ? sqrtl(s.squares / (long double)s.count) : 0;
    char mean[64], min[64], max[64];
    if (w->json)
      sdm_show_json(w, json_pack("{s:s, s:I, s:f, s:f, s:o, s:o, s:I, s:I}", "statistics", what, "count", (json_int_t)s.count, "mean",
                                 (double)s.mean, "deviation", (double)sd, "min", number_json(s.min), "max", number_json(s.max), "min_rank",
                                 (json_int_t)s.min_id, "max_rank", (json_int_t)s.max_id));
    else
      fprintf(w->out, "%llu values: mean %s, deviation %Lg, min %s (rank %u), max %s (rank %u)\n", (unsigned long long)s.count,
              number_text(s.mean, mean), sd, number_text(s.min, min), s.min_id, number_text(s.max, max), s.max_id);
  }
  sdm_show_missing(w, a);
  fflush(w->out);
}

static void histogram_json(const struct sdm_show *w, const char *what, const struct sdm_histogram *h, const struct sdm_answer *a) {
  json_t *bins = json_array();
  for (uint32_t i = 0; i < h->n; i++) {
    json_t *one =
        json_pack("{s:o, s:I}", "low", number_json(h->low + (h->high - h->low) * i / h->n), "count", (json_int_t)sdm_set_size(h->bins[i]));
    sdm_show_ranks(one, "ranks", h->bins[i]);
    json_array_append_new(bins, one);
  }
  sdm_show_json(w, json_pack("{s:s, s:o, s:o, s:o, s:o}", "histogram", what, "low", number_json(h->low), "high", number_json(h->high),
                             "bins", bins, "missing", sdm_show_missing_json(a)));
}

static void histogram_text(const struct sdm_show *w, const struct sdm_histogram *h) {
  uint32_t most = 1;
  char low[64];
  for (uint32_t i = 0; i < h->n; i++)
    most = (uint32_t)sdm_set_size(h->bins[i]) > most ? (uint32_t)sdm_set_size(h->bins[i]) : most;
  for (uint32_t i = 0; i < h->n; i++) {
    uint32_t n = (uint32_t)sdm_set_size(h->bins[i]);
    int bar = (int)((uint64_t)n * BAR / most);
    fprintf(w->out, "%12s  %-*.*s ", number_text(h->low + (h->high - h->low) * i / h->n, low), BAR, n && !bar ? 1 : bar,
            "########################################");
    if (n)
      sdm_show_head(w, h->bins[i]);
    fprintf(w->out, "\n");
  }
}

void sdm_show_histogram(const struct sdm_show *w, const char *what, const struct sdm_answer *a) {
  struct sdm_histogram h;
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    if (c->kind != SDM_CLASS_OK || sdm_histogram_decode(&h, c->body.p, c->body.len)) {
      sdm_show_class_error(w, c);
      continue;
    }
    if (w->json)
      histogram_json(w, what, &h, a);
    else
      histogram_text(w, &h);
    sdm_histogram_fini(&h);
  }
  if (!w->json)
    sdm_show_missing(w, a);
  fflush(w->out);
}

static void top_text(const struct sdm_show *w, sdm_id id, long double v) {
  char text[64];
  bool whole = v == floorl(v) && fabsl(v) < 18446744073709551616.0L;
  if (whole)
    fprintf(w->out, "{%u} %s\n", id, number_text(v, text));
  else
    fprintf(w->out, "{%u} %.17Lg\n", id, v);
}

void sdm_show_top(const struct sdm_show *w, const char *what, const struct sdm_answer *a) {
  struct sdm_top t;
  for (size_t i = 0; i < a->n; i++) {
    const struct sdm_class *c = &a->classes[i];
    json_t *list = json_array();
    bool good = c->kind == SDM_CLASS_OK && !sdm_top_decode(&t, c->body.p, c->body.len);
    for (uint32_t k = 0; good && k < t.n; k++)
      if (w->json)
        json_array_append_new(list, json_pack("{s:I, s:o}", "rank", (json_int_t)t.entries[k].id, "value", number_json(t.entries[k].value)));
      else
        top_text(w, t.entries[k].id, t.entries[k].value);
    if (good && w->json)
      sdm_show_json(
          w, json_pack("{s:s, s:b, s:O, s:o}", "top", what, "smallest", t.smallest, "values", list, "missing", sdm_show_missing_json(a)));
    else if (!good)
      sdm_show_class_error(w, c);
    json_decref(list);
  }
  if (!w->json)
    sdm_show_missing(w, a);
  fflush(w->out);
}
