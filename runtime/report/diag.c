#include "runtime/report/diag.h"
#include "runtime/report/facts.h"
#include "runtime/data/mem.h"
#include "runtime/report/report.h"
#include "runtime/report/source.h"
#include "runtime/report/spell.h"
#include "runtime/report/stats.h"
#include "runtime/rules/recall.h"
#include "runtime/rules/reduce.h"
#include "runtime/rules/repeat.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK_MAX = 16384 };

void (*dvmrt_diag_listener)(void);
static struct dvmrt_options options;
static bool closed, color;
static struct timespec started;
static struct dvmrt_report the_report;

/* ---- texts ----------------------------------------------------------------------------------------------------------------- */

struct dvmrt_report *dvmrt_diag_report(void) {
  struct dvmrt_report *r = &the_report;
  r->nnotes = r->nhelps = r->nrepairs = 0;
  r->message.n = 0;
  r->message.s[0] = 0;
  return r;
}

static struct dvmrt_text *text_empty(struct dvmrt_text *t) {
  t->n = 0;
  t->s[0] = 0;
  return t;
}

struct dvmrt_text *dvmrt_diag_note(struct dvmrt_report *r, struct dvmrt_pos pos) {
  static struct dvmrt_text unread;
  if (r->nnotes == DVMRT_NOTES_MAX)
    return text_empty(&unread);
  r->note[r->nnotes].pos = pos;
  return text_empty(&r->note[r->nnotes++].text);
}

struct dvmrt_text *dvmrt_diag_help(struct dvmrt_report *r) {
  static struct dvmrt_text unread;
  return text_empty(r->nhelps == DVMRT_HELPS_MAX ? &unread : &r->help[r->nhelps++]);
}

struct dvmrt_text *dvmrt_diag_repair(struct dvmrt_report *r, enum dvmrt_repair_kind kind, struct dvmrt_pos at, const char *word,
                                     const char *name) {
  struct dvmrt_repair *repair = &r->repair[r->nrepairs < DVMRT_REPAIRS_MAX ? r->nrepairs++ : DVMRT_REPAIRS_MAX - 1];
  repair->kind = kind;
  repair->at = at;
  repair->word = word;
  repair->name = name;
  return text_empty(&repair->text);
}

/* What takes a dimension as a whole says so; what takes all of them is no section. */
static void section_inside(const struct dvmrt_clause *c, struct dvmrt_text *t) {
  bool whole = true;
  for (int d = 0; d < c->ndims; d++)
    whole &= c->low[d] >= 0 && c->high[d] >= c->extent[d] - 1;
  for (int d = 0; d < c->ndims && !whole; d++)
    if (c->low[d] >= 0 && c->high[d] >= c->extent[d] - 1)
      dvmrt_text_add(t, "[]");
    else
      dvmrt_text_add(t, "[%lld:%lld]", (long long)(c->first[d] - c->low[d]), (long long)(c->first[d] + c->high[d]));
}

void dvmrt_clause_inside(const struct dvmrt_clause *c, struct dvmrt_text *t) {
  dvmrt_text_add(t, "%s", c->array);
  if (c->section) {
    section_inside(c, t);
    return;
  }
  for (int d = 0; d < c->ndims; d++)
    dvmrt_text_add(t, "[%lld:%lld]", (long long)c->low[d], (long long)c->high[d]);
  dvmrt_text_add(t, "%s", c->corner ? "(corner)" : "");
}

void dvmrt_clause_text(const struct dvmrt_clause *c, struct dvmrt_text *t) {
  dvmrt_text_add(t, "%s(", c->name);
  dvmrt_clause_inside(c, t);
  dvmrt_text_add(t, ")");
}

void dvmrt_diag_init(const struct dvmrt_options *o) {
  options = *o;
  dvmrt_finding_init(o->checks);
  clock_gettime(CLOCK_MONOTONIC, &started);
  const char *term = getenv("TERM");
  color = o->color == DVMRT_COLOR_ALWAYS || (o->color == DVMRT_COLOR_AUTO && isatty(2) && term && strcmp(term, "dumb") != 0);
}

void dvmrt_diag_reset(void) {
  dvmrt_repeat_forget();
  dvmrt_recall_forget();
  dvmrt_finding_reset();
  closed = false;
  clock_gettime(CLOCK_MONOTONIC, &started);
}

/* ---- printing --------------------------------------------------------------------------------------------------------------- */

struct block {
  char s[BLOCK_MAX];
  size_t n;
};

static void add(struct block *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct block *b, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(b->s + b->n, sizeof(b->s) - b->n, fmt, ap);
  va_end(ap);
  if (n > 0)
    b->n += (size_t)n < sizeof(b->s) - b->n ? (size_t)n : sizeof(b->s) - b->n - 1;
}

static void flush(struct block *b) {
  dvmrt_mem_say(b->s, b->n);
  b->n = 0;
}

static const char *paint(const char *code) { return color ? code : ""; }
#define BOLD paint("\033[1m")
#define RED paint("\033[1;31m")
#define MAGENTA paint("\033[1;35m")
#define CYAN paint("\033[1;36m")
#define GREEN paint("\033[1;32m")
#define PLAIN paint("\033[0m")

static void add_place(struct block *b, struct dvmrt_pos p) {
  if (p.file)
    add(b, "%s%s:%u:%u:%s ", BOLD, p.file, p.line, p.column, PLAIN);
}

/* The line itself and a caret under the column; tabs stay tabs, so that it stands right at any tab width. */
static void add_source(struct block *b, struct dvmrt_pos p) {
  char line[DVMRT_TEXT_MAX], under[DVMRT_TEXT_MAX];
  if (!dvmrt_source_line(p.file, p.line, line, sizeof(line)))
    return;
  size_t n = 0;
  for (; n + 1 < p.column && line[n] && n + 2 < sizeof(under); n++)
    under[n] = line[n] == '\t' ? '\t' : ' ';
  /* bytes that continue a character take no column of the screen */
  size_t to = 0;
  for (size_t i = 0; i < n; i++)
    if (((unsigned char)line[i] & 0xc0) != 0x80)
      under[to++] = under[i];
  under[to] = 0;
  add(b, "%5u | %s\n", p.line, line);
  if (p.column && n + 1 == p.column)
    add(b, "      | %s%s^%s\n", under, GREEN, PLAIN);
}

static void print_text(const struct dvmrt_finding *f, const struct dvmrt_report *r) {
  static struct block b;
  bool error = dvmrt_id_severity(f->id) == DVMRT_ERROR;
  b.n = 0;
  add_place(&b, f->pos);
  add(&b, "%s%s:%s %s%s [dvm-%s]%s\n", error ? RED : MAGENTA, error ? "error" : "warning", PLAIN, BOLD, r->message.s, dvmrt_id_name(f->id),
      PLAIN);
  if (f->pos.file)
    add_source(&b, f->pos);
  for (int i = 0; i < r->nnotes; i++) {
    add_place(&b, r->note[i].pos);
    add(&b, "%snote:%s %s\n", CYAN, PLAIN, r->note[i].text.s);
  }
  for (int i = 0; i < r->nhelps; i++)
    add(&b, "%shelp:%s %s\n", GREEN, PLAIN, r->help[i].s);
  flush(&b);
}

static uint64_t findings(void) {
  const struct dvmrt_finding_totals n = dvmrt_finding_totals();
  return n.errors + n.warnings;
}

/* No report ends without saying what to do: a mistake in what a directive says is mended there, any other one in the code. */
static void help_at_least(const struct dvmrt_finding *f, struct dvmrt_report *r) {
  if (r->nhelps)
    return;
  dvmrt_text_add(dvmrt_diag_help(r), f->id == DVMRT_ID_USAGE ? "this directive itself must be changed" : "no directive repairs it");
}

/* A limit that the user has given ends the checks; what has a value in the emulation goes on to be computed so. */
static void say_limit(void) {
  static struct block b;
  bool stops = options.max_errors_given && !dvmrt_reduce_emulates;
  if (!options.max_errors || findings() != options.max_errors + !stops)
    return;
  add(&b, "dvm: %llu diagnostic%s been shown (max_errors); %s\n", (unsigned long long)options.max_errors,
      options.max_errors == 1 ? " has" : "s have", stops ? "the rest of the run is not checked" : "the others are only counted");
  flush(&b);
  if (stops)
    dvmrt_finding_stop();
}

/* Builders of reports write the spelling of C. */
static void spell(struct dvmrt_report *r) {
  dvmrt_spell_fortran(&r->message);
  for (int i = 0; i < r->nnotes; i++)
    dvmrt_spell_fortran(&r->note[i].text);
  for (int i = 0; i < r->nhelps; i++)
    dvmrt_spell_fortran(&r->help[i]);
}

bool dvmrt_diag_emit(struct dvmrt_finding *f, struct dvmrt_report *r) {
  help_at_least(f, r);
  if (dvmrt_site_is_fortran(f->pos.file))
    spell(r);
  dvmrt_repeat_end(); /* whoever looks at the findings now sees the counts of now */
  dvmrt_report_add(f, r);
  if (!options.max_errors || findings() <= options.max_errors)
    print_text(f, r);
  say_limit();
  f->message = dvmrt_mem_strndup(r->message.s, r->message.n);
  __dvm_diagnostic();
  if (dvmrt_diag_listener)
    dvmrt_diag_listener();
  return options.halt_on_error && dvmrt_id_severity(f->id) == DVMRT_ERROR;
}

/* ---- the end ----------------------------------------------------------------------------------------------------------------- */

static void add_count(struct block *b, uint64_t n, const char *one) { add(b, "%llu %s%s", (unsigned long long)n, one, n == 1 ? "" : "s"); }

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - started.tv_sec) + (double)(now.tv_nsec - started.tv_nsec) * 1e-9;
}

static void print_finding_again(struct block *b, const struct dvmrt_finding *f) {
  if (f->count == 1 && !f->clause.name && !f->at_least)
    return;
  add(b, "dvm: %s:%u:%u [dvm-%s] ", f->pos.file ? f->pos.file : "?", f->pos.line, f->pos.column, dvmrt_id_name(f->id));
  add(b, "%s", f->at_least ? "at least " : "");
  add(b, f->count == 1 ? "once" : "%llu times", (unsigned long long)f->count);
  if (f->clause.name) {
    struct dvmrt_text t = {.n = 0};
    dvmrt_clause_text(&f->clause, &t);
    if (dvmrt_site_is_fortran(f->pos.file))
      dvmrt_spell_fortran(&t);
    add(b, "; smallest clause: %s", t.s);
  }
  add(b, "\n");
  if (b->n > BLOCK_MAX / 2)
    flush(b);
}

static void add_hits(struct block *b, bool at_least, uint64_t n) {
  add(b, " (%s", at_least ? "at least " : "");
  add_count(b, n, "occurrence");
  add(b, ")");
}

static void print_summary(unsigned loops, unsigned arrays) {
  static struct block b;
  b.n = 0;
  uint64_t shown = 0;
  for (const struct dvmrt_finding *f = dvmrt_finding_first(); f; f = f->next)
    if (!options.max_errors || shown++ < options.max_errors)
      print_finding_again(&b, f);
  const struct dvmrt_finding_totals n = dvmrt_finding_totals();
  add(&b, "dvm: ");
  if (n.errors || !n.warnings) {
    add_count(&b, n.errors, "error");
    if (n.errors)
      add_hits(&b, n.at_least, n.error_hits);
  }
  if (n.warnings) {
    add(&b, "%s", n.errors ? ", " : "");
    add_count(&b, n.warnings, "warning");
    add_hits(&b, n.at_least, n.warning_hits);
  }
  add(&b, " in %.2f s; ", seconds());
  add_count(&b, loops, "parallel loop");
  add(&b, ", ");
  add_count(&b, arrays, "array");
  add(&b, "\n");
  flush(&b);
}

int dvmrt_diag_status(int status) { return dvmrt_finding_totals().errors ? options.exitcode : status; }

int dvmrt_diag_close(int status, unsigned loops, unsigned arrays) {
  dvmrt_repeat_end();
  if (!closed && (dvmrt_finding_first() || options.stats))
    print_summary(loops, arrays);
  if (!closed && options.stats)
    dvmrt_stats_print();
  if (!closed)
    dvmrt_report_close();
  closed = true;
  return dvmrt_diag_status(status);
}
