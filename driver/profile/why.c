#include "driver/profile/why.h"
#include "driver/profile/show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What is less than this share of the whole is not worth a word. */
static const double WORTH = 0.01;
static const double PAGE = 4096;

static double whole_s(const struct prof_model *m) { return m->intervals[0].execution_s * m->nranks; }
static bool counts(const struct prof_model *m, double s) { return s > WORTH * whole_s(m); }

/* ---- who is waited for ------------------------------------------------------------------------------------------------------ */

/* The mean of the ranks, and what the rank has above it: 0.2 is 20 %. */
static double above(double own, double mean) { return mean > 0 ? own / mean - 1 : 0; }

static double iterations_above(const struct prof_model *m, const struct prof_row *row, int rank) {
  double all = 0;
  for (int q = 0; q < m->nranks; q++)
    all += row->of[q] ? (double)row->of[q]->iterations : 0;
  return row->of[rank] ? above((double)row->of[rank]->iterations, all / m->nranks) : 0;
}

static double compute_above(const struct prof_row *row, int rank) {
  const struct prof_entry *e = row->of[rank];
  return e ? above((double)(e->time_ns[PROF_PART] + e->time_ns[PROF_ALL]) * 1e-9, row->compute.mean) : 0;
}

static void add_waiting(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to) {
  double wait = prof_sum_wait(&row->sum);
  bool told = row->late.mean * m->nranks > wait / 2;
  int rank = told ? row->late.greatest_rank : row->wait.least_rank;
  double most = told ? row->late.greatest : row->wait.greatest - row->wait.least;
  double part = iterations_above(m, row, rank), time = compute_above(row, rank);
  bool slower = time * row->compute.mean > 0.25 * wait / m->nranks; /* enough to be waited for */
  if (m->nranks == 1 || !counts(m, wait))
    return;
  if (!told && most < wait / m->nranks / 2)
    dvm_list_printf(to, "all ranks wait alike: they come here at different times, each in its turn late");
  else if (part > 0.05 && slower)
    dvm_list_printf(to, "waits for rank %d, whose part has %.0f %% more iterations than the mean", rank, 100 * part);
  else if (time > 0.05 && slower)
    dvm_list_printf(to, "waits for rank %d, whose iterations take %.0f %% longer than the mean of all", rank, 100 * time);
  else
    dvm_list_printf(to, "waits for rank %d, which comes later than the others: what is before takes it longer", rank);
}

/* ---- pipelines --------------------------------------------------------------------------------------------------------------- */

/* With K stages the last of P ranks begins after (P - 1) / K of a part's time; each stage costs a message. */
static double pipeline_s(double part_s, double message_s, double ranks, double stages) {
  return (ranks - 1) * part_s / stages + (stages + ranks - 1) * message_s;
}

static void add_pipeline(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to) {
  double ranks = (double)row->is->line, stages = (double)row->is->stages, times = (double)row->executions;
  double part_s = row->compute.mean / times, sent = row->sum.messages[PROF_ACROSS];
  if (ranks < 2 || stages < 1 || !counts(m, prof_sum_wait(&row->sum)))
    return;
  double message_s = (row->sum.transfer_s[PROF_ACROSS] + row->sum.time_s[PROF_SYSTEM]) / (sent > 0 ? 2 * sent : 1);
  double best = message_s > 0 ? round(sqrt((ranks - 1) * part_s / message_s)) : stages;
  best = best < 1 ? 1 : best > 4096 ? 4096 : best;
  double saved = times * (pipeline_s(part_s, message_s, ranks, stages) - pipeline_s(part_s, message_s, ranks, best));
  double waited = prof_sum_wait(&row->sum) / m->nranks;
  saved = saved < 0.9 * waited ? saved : 0.9 * waited;
  if (stages == 1)
    dvm_list_printf(to, "its %.0f ranks work one after another: there is no loop inside that could be cut into stages", ranks);
  else
    dvm_list_printf(to, "its %.0f ranks begin one after another, in %.0f stages", ranks, stages);
  if (stages > 1 && saved > 0.1 * waited && counts(m, saved * m->nranks) && best != stages)
    dvm_list_printf(to, "stage(%.0f) would save about %s of %s", best, prof_show_seconds(saved).text,
                    prof_show_seconds(row->all_s / m->nranks).text);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------------------- */

static void add_small(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to) {
  double times = (double)row->executions * m->nranks, compute = row->sum.time_s[PROF_PART] + row->sum.time_s[PROF_ALL];
  double around = row->sum.time_s[PROF_SYSTEM] + prof_sum_transfer(&row->sum);
  if (row->is->behind || !row->executions || !counts(m, around) || around < 0.3 * (compute + around))
    return;
  dvm_list_printf(to, "an execution computes for %s on each rank, and what is around it costs %s: too little work for %d ranks",
                  prof_show_seconds(compute / times).text, prof_show_seconds(around / times).text, m->nranks);
}

static void add_replicated(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to) {
  if (m->nranks == 1 || !counts(m, row->sum.time_s[PROF_ALL]))
    return;
  double share = 100 * row->sum.time_s[PROF_ALL] / whole_s(m);
  if (!row->is->behind && !strcmp(row->is->kind, "parallel"))
    dvm_list_printf(to, "each rank executes all iterations: the directive has no 'on', or what it names is not divided");
  else if (row->is->behind && row->is->until && row->is->at.line)
    dvm_list_printf(to, "%.0f %% of the time each rank does the same between lines %u and %u: what takes long there needs a directive",
                    share, row->is->at.line, row->is->until);
  else
    dvm_list_printf(to, "%.0f %% of the time each rank does the same here: what takes long needs a directive", share);
}

static void add_io(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to) {
  double io = row->sum.time_s[PROF_IO] + row->sum.wait_s[PROF_WHY_IO] + row->sum.transfer_s[PROF_WHY_IO];
  if (m->nranks > 1 && counts(m, io))
    dvm_list_printf(to, "rank 0 reads and writes for all: %s, while the others wait", prof_show_seconds(io / m->nranks).text);
}

static void add_other(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to) {
  double s = row->sum.wait_s[PROF_OTHER] + row->sum.transfer_s[PROF_OTHER];
  if (m->nranks > 1 && counts(m, s) && row->sum.messages[PROF_OTHER] > 0)
    dvm_list_printf(to, "values of one rank (printed elements, the time) go to all: %.0f time%s", row->sum.messages[PROF_OTHER],
                    row->sum.messages[PROF_OTHER] == 1 ? "" : "s");
}

void prof_why_row(const struct prof_model *m, const struct prof_row *row, struct dvm_list *to) {
  if (row->is->line > 1)
    add_pipeline(m, row, to);
  else if (!row->is->behind)
    add_waiting(m, row, to);
  add_replicated(m, row, to);
  add_small(m, row, to);
  add_io(m, row, to);
  if (row->is->behind)
    add_other(m, row, to);
}

/* Bytes of a rank's part that lie together, and how many dimensions are cut: the innermost that is. */
static double run_bytes(const struct prof_array *a, int *cut) {
  double bytes = (double)a->element_bytes;
  *cut = -1;
  for (int d = a->ndims - 1; d >= 0; d--) {
    bytes *= (double)a->span[d];
    if (a->span[d] < a->extent[d]) {
      *cut = d;
      break;
    }
  }
  return bytes;
}

static void add_array(const struct prof_array *a, struct dvm_list *to) {
  int cut;
  double run = run_bytes(a, &cut), part = (double)a->element_bytes;
  for (int d = 0; d < a->ndims; d++)
    part *= (double)a->own[d];
  if (cut < 1 || run >= 4 * PAGE || part < 16 * PAGE || run <= 0)
    return;
  dvm_list_printf(to, "'%s' (%s:%u) is cut along its %sdimension%s: runs of %.0f bytes, memory about %.1f times that of the part", a->name,
                  a->at.file, a->at.line, cut == a->ndims - 1 ? "last " : "", cut == a->ndims - 1 ? "" : " behind the first", run,
                  1 + PAGE / run);
}

static void add_machine(const struct prof_model *m, struct dvm_list *to) {
  double cpu = 0, wall = 0;
  int here = 0;
  for (int q = 0; q < m->nranks; q++) {
    cpu += (double)m->ranks[q].cpu_ns;
    wall += (double)m->ranks[q].wall_ns;
    here += !strcmp(m->ranks[q].host, m->ranks[0].host);
  }
  if ((uint64_t)here > m->ranks[0].processors)
    dvm_list_printf(to, "%d ranks share the %llu processors of %s: much of what is counted as waiting is that they take turns", here,
                    (unsigned long long)m->ranks[0].processors, m->ranks[0].host);
  else if (wall > 0 && cpu < 0.8 * wall)
    dvm_list_printf(to, "the ranks had a processor for %.0f %% of the time: the machine is busy, or they wait for files", 100 * cpu / wall);
}

static void add_sequential(const struct prof_model *m, const struct prof_row *most, struct dvm_list *to) {
  double share = 100 * m->intervals[0].sum.time_s[PROF_ALL] / whole_s(m);
  if (most->is->at.line)
    dvm_list_printf(to, "sequential part: %.0f %% of the time; most of it behind the '%s' at %s:%u", share, most->is->kind,
                    most->is->at.file, most->is->at.line);
  else
    dvm_list_printf(to, "sequential part: %.0f %% of the time; most of it before the first directive", share);
}

void prof_why_program(const struct prof_model *m, struct dvm_list *to) {
  const struct prof_interval_sum *all = &m->intervals[0];
  const struct prof_row *most = NULL;
  for (size_t i = 0; i < m->nrows; i++)
    if (m->rows[i].is->behind && (!most || m->rows[i].sum.time_s[PROF_ALL] > most->sum.time_s[PROF_ALL]))
      most = &m->rows[i];
  if (m->nranks > 1 && most && all->sum.time_s[PROF_ALL] > 0.05 * whole_s(m))
    add_sequential(m, most, to);
  if (counts(m, all->imbalance_s) && m->nranks > 1)
    dvm_list_printf(to, "the ranks' parts are not equal work: %.0f %% of the time is lost to that", 100 * all->imbalance_s / whole_s(m));
  for (size_t i = 0; i < m->ranks[0].narrays; i++)
    add_array(&m->ranks[0].arrays[i], to);
  add_machine(m, to);
}
