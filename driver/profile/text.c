#include "driver/profile/show.h"
#include "driver/profile/why.h"
#include <string.h>

struct prof_amount prof_show_seconds(double s) {
  struct prof_amount a;
  if (s >= 1)
    snprintf(a.text, sizeof(a.text), "%.3f s", s);
  else if (s >= 1e-3)
    snprintf(a.text, sizeof(a.text), "%.2f ms", 1e3 * s);
  else
    snprintf(a.text, sizeof(a.text), s > 0 && s < 1e-7 ? "%.0f ns" : "%.1f us", (s > 0 && s < 1e-7 ? 1e9 : 1e6) * (s > 0 ? s : 0));
  return a;
}

static struct prof_amount bytes(double n) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  struct prof_amount a;
  int u = 0;
  for (; n >= 1000 && u < 4; u++)
    n /= 1000;
  snprintf(a.text, sizeof(a.text), u && n < 100 ? "%.1f %s" : "%.0f %s", n, units[u]);
  return a;
}

static const char *plural(double n) { return n == 1 ? "" : "s"; }

const char *prof_show_why(int why) {
  static const char *const names[PROF_WHYS] = {"values for all", "shadow edges", "across",        "reductions",    "remote elements",
                                               "redistribution", "array_copy",   "input, output", "end of program"};
  return names[why];
}

/* ---- intervals -------------------------------------------------------------------------------------------------------------- */

static void show_exchange(const struct prof_sum *s, int w, FILE *f) {
  if (s->wait_s[w] + s->transfer_s[w] <= 0 && !s->messages[w])
    return;
  fprintf(f, "      %-15s %12s   ", prof_show_why(w), prof_show_seconds(s->wait_s[w] + s->transfer_s[w]).text);
  if (s->messages[w] > 0)
    fprintf(f, "%.0f message%s, %s; ", s->messages[w], plural(s->messages[w]), bytes(s->bytes[w]).text);
  fprintf(f, "waiting %s, transfer %s\n", prof_show_seconds(s->wait_s[w]).text, prof_show_seconds(s->transfer_s[w]).text);
}

static void show_name(const struct prof_interval_sum *v, FILE *f) {
  if (v->parent < 0)
    fprintf(f, "The whole program");
  else if (v->is->has_number)
    fprintf(f, "Interval %lld at %s:%u", (long long)v->is->number, v->is->at.file, v->is->at.line);
  else
    fprintf(f, "Interval at %s:%u", v->is->at.file, v->is->at.line);
  if (v->parent >= 0)
    fprintf(f, ", executed %llu time%s", (unsigned long long)v->executions, plural((double)v->executions));
}

static void show_interval(const struct prof_model *m, const struct prof_interval_sum *v, FILE *f) {
  double wait = prof_sum_wait(&v->sum), transfer = prof_sum_transfer(&v->sum);
  show_name(v, f);
  fprintf(f, "\n  efficiency            %10.3f\n", v->efficiency);
  fprintf(f, "  execution time      %12s\n", prof_show_seconds(v->execution_s).text);
  fprintf(f, "  total time          %12s   on %d rank%s\n", prof_show_seconds(v->execution_s * m->nranks).text, m->nranks,
          plural(m->nranks));
  fprintf(f, "  productive time     %12s   parallel loops %s, sequential part %s, input and output %s\n",
          prof_show_seconds(v->productive_s).text, prof_show_seconds(v->sum.time_s[PROF_PART]).text,
          prof_show_seconds(v->sum.time_s[PROF_ALL] / m->nranks).text, prof_show_seconds(v->sum.time_s[PROF_IO]).text);
  fprintf(f, "  lost time           %12s\n", prof_show_seconds(v->lost_s).text);
  fprintf(f, "    sequential part   %12s   what each rank does alike, but for one\n", prof_show_seconds(v->sequential_s).text);
  fprintf(f, "    run-time system   %12s\n", prof_show_seconds(v->sum.time_s[PROF_SYSTEM]).text);
  fprintf(f, "    communication     %12s   waiting for others %s, transfer %s\n", prof_show_seconds(wait + transfer).text,
          prof_show_seconds(wait).text, prof_show_seconds(transfer).text);
  for (int w = 0; w < PROF_WHYS; w++)
    show_exchange(&v->sum, w, f);
  fprintf(f, "    idle              %12s\n", prof_show_seconds(v->idle_s).text);
  fprintf(f, "  load imbalance      %12s   of the parallel loops\n\n", prof_show_seconds(v->imbalance_s).text);
}

static void show_inside(const struct prof_interval_sum *v, FILE *f) {
  if (v->is->has_number)
    fprintf(f, ", in interval %lld (line %u)", (long long)v->is->number, v->is->at.line);
  else
    fprintf(f, ", in the interval at line %u", v->is->at.line);
}

/* ---- directives ------------------------------------------------------------------------------------------------------------- */

static void show_place(const struct prof_row *row, FILE *f) {
  const struct prof_entry *e = row->is;
  if (!e->behind)
    fprintf(f, "%s:%u: %s", e->at.file, e->at.line, e->kind);
  else if (!strcmp(e->kind, "-"))
    fprintf(f, "sequential part, from the beginning");
  else
    fprintf(f, "%s:%u: sequential part behind the '%s'", e->at.file, e->at.line, e->kind);
  if (e->behind && e->until)
    fprintf(f, ", to line %u", e->until);
}

static void show_sent(const struct prof_row *row, FILE *f) {
  static const char *const verbs[PROF_WHYS] = {"sends values to all",
                                               "renews edges of",
                                               "passes on (across)",
                                               "combines",
                                               "fetches elements of",
                                               "moves",
                                               "copies",
                                               "shares input, output",
                                               "ends"};
  for (int w = 0; w < PROF_WHYS; w++) {
    const char *names = row->is->why[w].names;
    if (!row->sum.messages[w])
      continue;
    fprintf(f, "      %s%s%s: %.0f message%s, %s", verbs[w], names && *names != '-' ? " " : "", names && *names != '-' ? names : "",
            row->sum.messages[w], plural(row->sum.messages[w]), bytes(row->sum.bytes[w]).text);
    fprintf(f, "; waiting %s, transfer %s\n", prof_show_seconds(row->sum.wait_s[w]).text, prof_show_seconds(row->sum.transfer_s[w]).text);
  }
}

static void show_spread(const char *what, const struct prof_spread *s, FILE *f) {
  fprintf(f, "%s %s (rank %d) to %s (rank %d), mean %s", what, prof_show_seconds(s->least).text, s->least_rank,
          prof_show_seconds(s->greatest).text, s->greatest_rank, prof_show_seconds(s->mean).text);
}

static void show_row(const struct prof_model *m, const struct prof_row *row, double whole, FILE *f) {
  struct dvm_list why = DVM_LIST_INIT;
  double compute = row->sum.time_s[PROF_PART] + row->sum.time_s[PROF_ALL];
  fprintf(f, "%10s %5.1f %% %10s", prof_show_seconds(row->all_s).text, whole > 0 ? 100 * row->all_s / whole : 0,
          prof_show_seconds(compute).text);
  fprintf(f, " %10s %10s", prof_show_seconds(prof_sum_wait(&row->sum)).text, prof_show_seconds(prof_sum_transfer(&row->sum)).text);
  fprintf(f, " %10s %10llu  ", prof_show_seconds(row->sum.time_s[PROF_SYSTEM]).text, (unsigned long long)row->executions);
  show_place(row, f);
  if (row->interval)
    show_inside(&m->intervals[row->interval], f);
  fputc('\n', f);
  show_sent(row, f);
  if (m->nranks > 1 && row->all_s > 0.002 * whole) {
    show_spread("      computes", &row->compute, f);
    if (row->wait.greatest > 0)
      show_spread("; waits", &row->wait, f);
    fputc('\n', f);
  }
  prof_why_row(m, row, &why);
  for (size_t i = 0; i < why.n; i++)
    fprintf(f, "      why: %s\n", why.v[i]);
  dvm_list_fini(&why);
}

/* What takes next to nothing and sends nothing is left out. */
static bool is_shown(const struct prof_row *row, double whole) {
  double sent = 0;
  for (int w = 0; w < PROF_WHYS; w++)
    sent += row->sum.messages[w];
  return row->all_s > 0.002 * whole || (sent > 0 && !row->is->behind) || !strcmp(row->is->kind, "parallel");
}

void prof_show_text(const struct prof_model *m, FILE *f) {
  double whole = m->intervals[0].execution_s * m->nranks;
  struct dvm_list why = DVM_LIST_INIT;
  size_t left_out = 0;
  fprintf(f, "dvm profile of %d rank%s: %s, efficiency %.3f\n\n", m->nranks, plural(m->nranks),
          prof_show_seconds(m->intervals[0].execution_s).text, m->intervals[0].efficiency);
  prof_why_program(m, &why);
  for (size_t i = 0; i < why.n; i++)
    fprintf(f, "%s%s\n", why.v[i], i + 1 == why.n ? "\n" : "");
  dvm_list_fini(&why);
  for (size_t i = 0; i < m->nintervals; i++)
    show_interval(m, &m->intervals[i], f);
  fprintf(f, "By directive, time of all ranks together\n%10s %7s %10s %10s %10s %10s %10s  where\n", "time", "share", "computes", "waits",
          "transfers", "system", "executions");
  for (size_t i = 0; i < m->nrows; i++) {
    const struct prof_row *row = &m->rows[i];
    if (!is_shown(row, whole)) {
      left_out++;
      continue;
    }
    show_row(m, row, whole, f);
  }
  if (left_out)
    fprintf(f, "%zu place%s with less than 0.2 %% of the time %s left out\n", left_out, plural((double)left_out),
            left_out == 1 ? "is" : "are");
}
