#define _GNU_SOURCE
#include "driver/trace/command/live_compare.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/format/value.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/results.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void live_compare_fini(struct live_found *f) {
  for (size_t i = 0; i < f->ntold; i++)
    free(f->told[i]);
  free(f->told);
}

/* What differs once does so again and again. */
static bool is_new(struct live_found *f, const char *text, const char *variable) {
  char *key = NULL, **rows;
  if (asprintf(&key, "%s\n%s", variable, text ? text : "") < 0)
    return true;
  for (size_t i = 0; i < f->ntold; i++)
    if (!strcmp(f->told[i], key)) {
      free(key);
      return false;
    }
  if (!(rows = realloc(f->told, (f->ntold + 1) * sizeof(*rows)))) {
    free(key);
    return true;
  }
  f->told = rows;
  rows[f->ntold++] = key;
  return true;
}

static void tell(struct live_found *f, enum dvmt_finding_id id, const char *text, const char *variable, uint64_t execution,
                 const char *message) {
  struct dvmt_finding found = {.id = id,
                               .count = 1,
                               .text = text,
                               .construct = text,
                               .iteration = (char *)"",
                               .element = (char *)(uintptr_t)variable,
                               .variable = (char *)(uintptr_t)variable,
                               .message = (char *)(uintptr_t)message,
                               .execution = execution};
  if (f->o->compare.silent[id])
    return;
  f->errors++;
  if (!is_new(f, text, variable))
    return;
  dvmt_report_found(&f->o->report, &found);
  dvmt_report_show(&f->o->report);
}

void live_compare_structure(struct live_found *f, const char *text, const char *variable, uint64_t execution, const char *message) {
  f->differing++;
  tell(f, DVMT_FOUND_STRUCTURE, text, variable, execution, message);
}

/* What the user leaves out. */
static bool is_ignored(struct live_found *f, const char *text, const char *variable) {
  bool ignored = dvmt_select_has(&f->o->ignore, variable, text);
  f->ignored += ignored;
  return ignored;
}

static void compare_result(struct live_found *f, const struct live_step *a, const struct dvmt_join_result *x,
                           const struct dvmt_join_result *y) {
  struct dvmt_type t;
  char variable[256], element[300], is[80], was[80], message[700];
  struct dvmt_span name = dvmt_result_name(a->text, x->words[0], &t);
  snprintf(variable, sizeof(variable), "%.*s", (int)name.n, name.s ? name.s : "");
  if (is_ignored(f, a->text, variable))
    return;
  const struct dvmt_result_tolerance of =
      dvmt_compare_result_tolerance(&f->o->compare, t, variable, a->text, x->words[0], live_step_iterations(a));
  double slack =
      fmax(dvmt_value_rounding(t, &of.tolerance, dvmt_value_magnitude(t, x->words + 2)), of.rounding * dvmt_results_magnitude(y->words[1]));
  struct dvmt_difference d = dvmt_value_compare(t, x->words + 2, t, y->words + 2, &of.tolerance, slack);
  f->identical += !d.beyond && d.absolute == 0;
  f->within += !d.beyond && d.absolute != 0;
  if (!d.beyond)
    return;
  f->differing++;
  dvmt_text_result(a->text, x->words[0], element, sizeof(element));
  dvmt_value_text(t, y->words + 2, is, sizeof(is));
  dvmt_value_text(t, x->words + 2, was, sizeof(was));
  snprintf(message, sizeof(message), "the result '%s' is %s, the reference has %s (relative difference %.3g)", element, is, was,
           d.relative);
  tell(f, DVMT_FOUND_VALUE, a->text, variable, a->execution, message);
}

static void compare_sum(struct live_found *f, const struct live_step *a, const struct live_sum *x, const struct live_sum *y) {
  char message[500];
  bool executed = !strcmp(x->name, DVMT_EXECUTED);
  if (x->elements == y->elements && x->digest == y->digest) {
    f->identical++;
    return;
  }
  f->differing++;
  if (executed)
    dvmt_compare_iterations_text(x->elements, y->elements, message, sizeof(message));
  else
    snprintf(message, sizeof(message), "'%s' differs from the reference when this construct ends (%s)", y->name,
             y->array ? "sums of all its elements" : "no clause names it");
  tell(f, executed ? DVMT_FOUND_STRUCTURE : DVMT_FOUND_VALUE, a->text, y->name, a->execution, message);
}

static const struct live_sum *sum_of(const struct live_step *s, const char *name) {
  size_t i = 0;
  while (i < s->nsums && strcmp(s->sums[i].name, name) != 0)
    i++;
  return i < s->nsums ? &s->sums[i] : NULL;
}

/* Memory that two directives name: the same sum, or else one of as many elements, of a name that the other side does not have. */
static const struct live_sum *same_sum(const struct live_step *s, const struct live_sum *as, const struct live_step *other) {
  const struct live_sum *near = NULL;
  for (size_t i = 0; i < s->nsums; i++) {
    const struct live_sum *one = &s->sums[i];
    if (one->elements != as->elements || sum_of(other, one->name))
      continue;
    if (one->digest == as->digest)
      return one;
    near = near ? near : one;
  }
  return near;
}

void live_compare_step(struct live_found *f, const struct live_step *reference, const struct live_step *b) {
  struct live_step here = *reference, *a = &here; /* where the run has it now */
  char message[300];
  a->text = b->text;
  f->executions++;
  for (size_t i = 0; i < a->nresults; i++)
    for (size_t k = 0; k < b->nresults; k++)
      if (a->results[i].words[0] == b->results[k].words[0])
        compare_result(f, a, &a->results[i], &b->results[k]);
  for (size_t i = 0; i < a->nsums; i++) {
    const struct live_sum *x = &a->sums[i], *y = sum_of(b, x->name);
    if (!y && strcmp(x->name, DVMT_EXECUTED) != 0)
      y = same_sum(b, x, a);
    if (is_ignored(f, a->text, x->name)) {
      ;
    } else if (y) {
      compare_sum(f, a, x, y);
    } else if (strcmp(x->name, DVMT_EXECUTED) != 0) {
      snprintf(message, sizeof(message), "the run does not know '%s' as an array here, the reference does", x->name);
      live_compare_structure(f, a->text, x->name, a->execution, message);
    }
  }
  for (size_t k = 0; k < b->nsums; k++)
    f->alone += !sum_of(a, b->sums[k].name) && strcmp(b->sums[k].name, DVMT_EXECUTED) != 0 && !same_sum(a, &b->sums[k], b);
}
