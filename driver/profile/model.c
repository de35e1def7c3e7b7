#define _GNU_SOURCE
#include "driver/profile/model.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ----------------------------------------------------------------------------------------------------------------- */

static int load_rank(struct prof_model *m, const char *folder, int rank, struct dvm_error *err) {
  char *path;
  struct prof_rank *r = &m->ranks[rank];
  if (asprintf(&path, "%s/rank.%d", folder, rank) < 0)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  int rc = prof_read_file(path, r, err);
  if (!rc && (r->rank != rank || (rank && (r->size != m->ranks[0].size || r->stamp != m->ranks[0].stamp))))
    rc = dvm_error_set(err, -EPROTO, "'%s' is of another run than the others in this folder", path);
  free(path);
  return rc;
}

/* Ranges of ranks that have left none: "1-3,7". */
static int missing(const struct prof_model *m, const bool *there, struct dvm_error *err) {
  char text[256];
  size_t n = 0;
  for (int q = 0, to; q < m->nranks && n + 32 < sizeof(text); q = to + 1) {
    for (to = q; to + 1 < m->nranks && there[to + 1] == there[q];)
      to++;
    if (!there[q])
      n += (size_t)snprintf(text + n, sizeof(text) - n, to > q ? "%s%d-%d" : "%s%d", n ? "," : "", q, to);
  }
  return dvm_error_set(
      err, -EPROTO,
      "there is no profile of rank %s of %d: it ended before the program did, or writes into another folder of that name (on another host)",
      text, m->nranks);
}

static int load_ranks(struct prof_model *m, const char *folder, struct dvm_error *err) {
  bool *there = NULL, all = true;
  m->ranks = calloc(1, sizeof(*m->ranks));
  if (!m->ranks)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  m->nranks = 1;
  int rc = load_rank(m, folder, 0, err), size = m->ranks[0].size;
  struct prof_rank *ranks = rc ? NULL : realloc(m->ranks, (size_t)size * sizeof(*ranks));
  if (!rc && !(there = calloc((size_t)size, sizeof(*there))))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (ranks) {
    m->ranks = ranks;
    memset(ranks + 1, 0, (size_t)(size - 1) * sizeof(*ranks));
    m->nranks = size;
  }
  for (int q = 0; !rc && q < m->nranks; q++) {
    struct dvm_error gone = DVM_ERROR_INIT;
    int got = q ? load_rank(m, folder, q, &gone) : 0;
    there[q] = !got;
    all &= there[q];
    if (got && got != -ENOENT)
      rc = dvm_error_set(err, got, "%s", gone.text);
  }
  if (!rc && !all)
    rc = missing(m, there, err);
  free(there);
  return rc;
}

/* ---- sums ------------------------------------------------------------------------------------------------------------------ */

static double most(double a, double b) { return a > b ? a : b; }

static void add_entry(struct prof_sum *s, const struct prof_entry *e) {
  for (int t = 0; t < PROF_TIMES; t++)
    s->time_s[t] += (double)e->time_ns[t] * 1e-9;
  for (int w = 0; w < PROF_WHYS; w++) {
    s->wait_s[w] += (double)e->why[w].wait_ns * 1e-9;
    s->transfer_s[w] += (double)e->why[w].transfer_ns * 1e-9;
    s->messages[w] += (double)e->why[w].messages;
    s->bytes[w] += (double)e->why[w].bytes;
  }
}

static void add_sum(struct prof_sum *s, const struct prof_sum *x) {
  for (int t = 0; t < PROF_TIMES; t++)
    s->time_s[t] += x->time_s[t];
  for (int w = 0; w < PROF_WHYS; w++) {
    s->wait_s[w] += x->wait_s[w];
    s->transfer_s[w] += x->transfer_s[w];
    s->messages[w] += x->messages[w];
    s->bytes[w] += x->bytes[w];
    s->count[w] += x->count[w];
  }
}

double prof_sum_wait(const struct prof_sum *s) {
  double all = 0;
  for (int w = 0; w < PROF_WHYS; w++)
    all += s->wait_s[w];
  return all;
}

double prof_sum_transfer(const struct prof_sum *s) {
  double all = 0;
  for (int w = 0; w < PROF_WHYS; w++)
    all += s->transfer_s[w];
  return all;
}

double prof_sum_all(const struct prof_sum *s) {
  double all = prof_sum_wait(s) + prof_sum_transfer(s);
  for (int t = 0; t < PROF_TIMES; t++)
    all += s->time_s[t];
  return all;
}

static struct prof_spread spread_of(const double *v, int n) {
  struct prof_spread s = {v[0], v[0], 0, 0, 0};
  for (int q = 0; q < n; q++) {
    s.mean += v[q] / n;
    if (v[q] < s.least)
      s.least = v[q], s.least_rank = q;
    if (v[q] > s.greatest)
      s.greatest = v[q], s.greatest_rank = q;
  }
  return s;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------ */

static bool same_place(const struct prof_place *a, const struct prof_place *b) {
  return a->line == b->line && a->column == b->column && !strcmp(a->file, b->file);
}

/* The model's number of an interval of a rank, which may be new; its parents are known.  -1: no memory. */
static int find_interval(struct prof_model *m, const struct prof_interval *v, int parent) {
  for (size_t i = 0; i < m->nintervals; i++) {
    const struct prof_interval *x = m->intervals[i].is;
    if (m->intervals[i].parent == parent && x->has_number == v->has_number && x->number == v->number && same_place(&x->at, &v->at))
      return (int)i;
  }
  struct prof_interval_sum *more = realloc(m->intervals, (m->nintervals + 1) * sizeof(*more));
  if (!more)
    return -1;
  m->intervals = more;
  more[m->nintervals] = (struct prof_interval_sum){.parent = parent, .is = v};
  return (int)m->nintervals++;
}

static struct prof_row *find_row(struct prof_model *m, const struct prof_entry *e, int interval) {
  for (size_t i = 0; i < m->nrows; i++) {
    const struct prof_entry *x = m->rows[i].is;
    if (m->rows[i].interval == interval && x->behind == e->behind && same_place(&x->at, &e->at) && !strcmp(x->kind, e->kind))
      return &m->rows[i];
  }
  struct prof_row *more = realloc(m->rows, (m->nrows + 1) * sizeof(*more));
  if (!more)
    return NULL;
  m->rows = more;
  more[m->nrows] = (struct prof_row){.is = e, .interval = interval, .of = calloc((size_t)m->nranks, sizeof(*more->of))};
  if (!more[m->nrows].of)
    return NULL;
  return &m->rows[m->nrows++];
}

static bool take_rank(struct prof_model *m, int q) {
  const struct prof_rank *r = &m->ranks[q];
  int *is = calloc(r->nintervals, sizeof(*is));
  bool ok = is != NULL;
  for (size_t i = 0; ok && i < r->nintervals; i++) {
    const struct prof_interval *v = &r->intervals[i];
    is[i] = find_interval(m, v, i ? is[v->parent] : -1);
    ok = is[i] >= 0;
    if (ok && v->executions > m->intervals[is[i]].executions)
      m->intervals[is[i]].executions = v->executions;
  }
  for (size_t i = 0; ok && i < r->nentries; i++) {
    struct prof_row *row = find_row(m, &r->entries[i], is[r->entries[i].interval]);
    ok = row != NULL;
    if (ok)
      row->of[q] = &r->entries[i];
  }
  free(is);
  return ok;
}

static double waited(const struct prof_entry *e) {
  uint64_t ns = 0;
  for (int w = 0; e && w < PROF_WHYS; w++)
    ns += e->why[w].wait_ns;
  return (double)ns * 1e-9;
}

static bool sum_row(const struct prof_model *m, struct prof_row *row) {
  double *v = calloc(3 * (size_t)m->nranks, sizeof(*v)), *wait = v + m->nranks, *late = wait + m->nranks;
  if (!v)
    return false;
  for (int q = 0; q < m->nranks; q++) {
    const struct prof_entry *e = row->of[q];
    if (!e)
      continue;
    add_entry(&row->sum, e);
    row->executions = e->executions > row->executions ? e->executions : row->executions;
    for (int w = 0; w < PROF_WHYS; w++)
      row->sum.count[w] = most(row->sum.count[w], (double)e->why[w].count);
    v[q] = (double)(e->time_ns[PROF_PART] + e->time_ns[PROF_ALL]) * 1e-9;
    wait[q] = waited(e);
    for (size_t i = 0; i < e->nlate; i++)
      late[e->late[i].rank] += (double)e->late[i].ns * 1e-9;
  }
  row->all_s = prof_sum_all(&row->sum);
  row->compute = spread_of(v, m->nranks);
  row->wait = spread_of(wait, m->nranks);
  row->late = spread_of(late, m->nranks);
  free(v);
  return true;
}

/* ---- intervals ------------------------------------------------------------------------------------------------------------- */

static bool is_in(const struct prof_model *m, int inner, int outer) {
  while (inner >= 0 && inner != outer)
    inner = m->intervals[inner].parent;
  return inner == outer;
}

/* DVM's terms: what one processor had to do is productive, what several do alike is so once; all else of what the processors had is lost. */
static bool sum_interval(struct prof_model *m, int n) {
  struct prof_interval_sum *v = &m->intervals[n];
  double *all = calloc(2 * (size_t)m->nranks, sizeof(*all)), *part = all + m->nranks;
  if (!all)
    return false;
  for (size_t i = 0; i < m->nrows; i++) {
    const struct prof_row *row = &m->rows[i];
    if (!is_in(m, row->interval, n))
      continue;
    add_sum(&v->sum, &row->sum);
    for (int q = 0; q < m->nranks; q++) {
      struct prof_sum s = {.count = {0}};
      if (!row->of[q])
        continue;
      add_entry(&s, row->of[q]);
      all[q] += prof_sum_all(&s);
      part[q] += s.time_s[PROF_PART];
    }
  }
  struct prof_spread s = spread_of(all, m->nranks), p = spread_of(part, m->nranks);
  v->execution_s = s.greatest;
  v->idle_s = (s.greatest - s.mean) * m->nranks;
  v->imbalance_s = (p.greatest - p.mean) * m->nranks;
  double once = v->sum.time_s[PROF_ALL] / m->nranks;
  v->productive_s = v->sum.time_s[PROF_PART] + once + v->sum.time_s[PROF_IO];
  v->sequential_s = v->sum.time_s[PROF_ALL] - once;
  v->lost_s = v->execution_s * m->nranks - v->productive_s;
  v->efficiency = v->execution_s > 0 ? v->productive_s / (v->execution_s * m->nranks) : 1;
  free(all);
  return true;
}

static int by_time(const void *a, const void *b) {
  double x = ((const struct prof_row *)a)->all_s, y = ((const struct prof_row *)b)->all_s;
  return (x < y) - (x > y);
}

int prof_model_load(struct prof_model *m, const char *folder, struct dvm_error *err) {
  *m = (struct prof_model){.nranks = 0};
  int rc = load_ranks(m, folder, err);
  return rc ? rc : prof_model_build(m, err);
}

int prof_model_build(struct prof_model *m, struct dvm_error *err) {
  bool ok = true;
  for (int q = 0; ok && q < m->nranks; q++)
    ok = take_rank(m, q);
  for (size_t i = 0; ok && i < m->nrows; i++)
    ok = sum_row(m, &m->rows[i]);
  for (size_t i = 0; ok && i < m->nintervals; i++)
    ok = sum_interval(m, (int)i);
  if (m->nrows)
    qsort(m->rows, m->nrows, sizeof(*m->rows), by_time);
  return ok ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
}

void prof_model_fini(struct prof_model *m) {
  for (int q = 0; q < m->nranks; q++)
    prof_rank_fini(&m->ranks[q]);
  for (size_t i = 0; i < m->nrows; i++)
    free(m->rows[i].of);
  free(m->ranks);
  free(m->rows);
  free(m->intervals);
  *m = (struct prof_model){.nranks = 0};
}
