#define _GNU_SOURCE
#include "base/text.h"
#include "driver/profile/show.h"
#include "driver/profile/why.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Names of files need not be UTF-8: what is not becomes U+FFFD. */
static json_t *text_of(const char *s) {
  struct dvm_text t = DVM_TEXT_INIT;
  for (const char *at = s; *at;) {
    unsigned n = dvm_text_utf8_length(at);
    dvm_text_add_n(&t, n ? at : "\xef\xbf\xbd", n ? n : 3);
    at += n ? n : 1;
  }
  json_t *j = json_string(dvm_text_str(&t));
  dvm_text_fini(&t);
  return j;
}

static json_t *list_of(struct dvm_list *l) {
  json_t *a = json_array();
  for (size_t i = 0; i < l->n; i++)
    json_array_append_new(a, text_of(l->v[i]));
  dvm_list_fini(l);
  return a;
}

static void add_place(json_t *j, const struct prof_place *at) {
  if (!at->line)
    return;
  json_object_set_new(j, "file", text_of(at->file));
  json_object_set_new(j, "line", json_integer(at->line));
  json_object_set_new(j, "column", json_integer(at->column));
}

/* 'of': the clauses' names; or NULL. */
static json_t *exchanges_of(const struct prof_sum *s, const struct prof_entry *of) {
  json_t *a = json_array();
  for (int w = 0; w < PROF_WHYS; w++) {
    const char *names = of && of->why[w].names && *of->why[w].names != '-' ? of->why[w].names : NULL;
    if (s->count[w] + s->messages[w] + s->wait_s[w] + s->transfer_s[w] <= 0)
      continue;
    json_t *x = json_pack("{s:s,s:f,s:f,s:f,s:f,s:f}", "kind", prof_why_word(w), "operations", s->count[w], "messages", s->messages[w],
                          "bytes", s->bytes[w], "wait_s", s->wait_s[w], "transfer_s", s->transfer_s[w]);
    if (names)
      json_object_set_new(x, "names", text_of(names));
    json_array_append_new(a, x);
  }
  return a;
}

static json_t *spread_of(const struct prof_spread *s) {
  return json_pack("{s:f,s:i,s:f,s:i,s:f}", "least_s", s->least, "least_rank", s->least_rank, "greatest_s", s->greatest, "greatest_rank",
                   s->greatest_rank, "mean_s", s->mean);
}

static json_t *interval_of(const struct prof_interval_sum *v, int id) {
  json_t *j = json_pack("{s:i,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "id", id, "executions", (json_int_t)v->executions,
                        "efficiency", v->efficiency, "execution_s", v->execution_s, "productive_s", v->productive_s, "lost_s", v->lost_s,
                        "sequential_s", v->sequential_s, "system_s", v->sum.time_s[PROF_SYSTEM], "io_s", v->sum.time_s[PROF_IO], "wait_s",
                        prof_sum_wait(&v->sum), "transfer_s", prof_sum_transfer(&v->sum), "idle_s", v->idle_s);
  json_object_set_new(j, "imbalance_s", json_real(v->imbalance_s));
  json_object_set_new(j, "parallel_s", json_real(v->sum.time_s[PROF_PART]));
  if (v->parent >= 0)
    json_object_set_new(j, "parent", json_integer(v->parent));
  if (v->is->has_number)
    json_object_set_new(j, "number", json_integer(v->is->number));
  add_place(j, &v->is->at);
  json_object_set_new(j, "exchanges", exchanges_of(&v->sum, NULL));
  return j;
}

/* [compute, wait, transfer, system, io] of each rank, in seconds. */
static json_t *ranks_of(const struct prof_model *m, const struct prof_row *row) {
  json_t *a = json_array();
  for (int q = 0; q < m->nranks; q++) {
    const struct prof_entry *e = row->of[q];
    double v[5] = {0};
    if (e) {
      v[0] = (double)(e->time_ns[PROF_PART] + e->time_ns[PROF_ALL]) * 1e-9;
      v[3] = (double)e->time_ns[PROF_SYSTEM] * 1e-9;
      v[4] = (double)e->time_ns[PROF_IO] * 1e-9;
    }
    for (int w = 0; e && w < PROF_WHYS; w++) {
      v[1] += (double)e->why[w].wait_ns * 1e-9;
      v[2] += (double)e->why[w].transfer_ns * 1e-9;
    }
    json_array_append_new(a, json_pack("[f,f,f,f,f]", v[0], v[1], v[2], v[3], v[4]));
  }
  return a;
}

static json_t *row_of(const struct prof_model *m, const struct prof_row *row) {
  struct dvm_list why = DVM_LIST_INIT;
  const struct prof_entry *e = row->is;
  prof_why_row(m, row, &why);
  json_t *j = json_pack("{s:o,s:b,s:i,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:o,s:o,s:o,s:o,s:o}", "kind", text_of(e->kind), "sequential", e->behind,
                        "interval", row->interval, "executions", (json_int_t)row->executions, "time_s", row->all_s, "compute_s",
                        row->sum.time_s[PROF_PART] + row->sum.time_s[PROF_ALL], "wait_s", prof_sum_wait(&row->sum), "transfer_s",
                        prof_sum_transfer(&row->sum), "system_s", row->sum.time_s[PROF_SYSTEM], "io_s", row->sum.time_s[PROF_IO], "compute",
                        spread_of(&row->compute), "wait", spread_of(&row->wait), "exchanges", exchanges_of(&row->sum, e), "why",
                        list_of(&why), "ranks", ranks_of(m, row));
  add_place(j, &e->at);
  if (e->until)
    json_object_set_new(j, "until", json_integer(e->until));
  if (e->line > 1) {
    json_object_set_new(j, "pipeline", json_integer((json_int_t)e->line));
    json_object_set_new(j, "stages", json_integer((json_int_t)e->stages));
  }
  return j;
}

static json_t *rank_of(const struct prof_rank *r) {
  return json_pack("{s:i,s:o,s:f,s:f,s:I}", "rank", r->rank, "host", text_of(r->host), "wall_s", (double)r->wall_ns * 1e-9, "cpu_s",
                   (double)r->cpu_ns * 1e-9, "memory_kb", (json_int_t)r->rss_kb);
}

static json_t *json_of(const struct prof_model *m) {
  struct dvm_list why = DVM_LIST_INIT;
  json_t *intervals = json_array(), *rows = json_array(), *ranks = json_array();
  for (size_t i = 0; i < m->nintervals; i++)
    json_array_append_new(intervals, interval_of(&m->intervals[i], (int)i));
  for (size_t i = 0; i < m->nrows; i++)
    json_array_append_new(rows, row_of(m, &m->rows[i]));
  for (int q = 0; q < m->nranks; q++)
    json_array_append_new(ranks, rank_of(&m->ranks[q]));
  prof_why_program(m, &why);
  return json_pack("{s:i,s:i,s:o,s:o,s:o,s:o}", "dvm-profile", 1, "size", m->nranks, "why", list_of(&why), "intervals", intervals,
                   "directives", rows, "ranks", ranks);
}

int prof_show_json(const struct prof_model *m, FILE *f) {
  json_t *j = json_of(m);
  int rc = !j || json_dumpf(j, f, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) ? -ENOMEM : 0;
  json_decref(j);
  fputc('\n', f);
  return ferror(f) ? 0 : rc;
}

int prof_show_html(const struct prof_model *m, FILE *f) {
  json_t *j = json_of(m);
  char *data = j ? json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
  json_decref(j);
  if (!data)
    return -ENOMEM;
  fputs(prof_html_head, f);
  for (const char *p = data; *p; p++) /* no text of the program's ends the script */
    fputs(*p == '<' ? "\\u003c" : (char[]){*p, 0}, f);
  fputs(prof_html_tail, f);
  free(data);
  return 0;
}
