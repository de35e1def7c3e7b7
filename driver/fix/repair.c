#define _GNU_SOURCE
#include "driver/fix/repair.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS_MAX = 200, STEPS_MAX = 8 /* without the program being better than before */ };

/* Where the search is: the texts as 'tried', and what the program with them reports. */
struct search {
  struct fix_repair *r;
  struct fix_findings here;    /* of 'tried' as it stands; what the next edits come from */
  size_t trials, steps;        /* steps since 'good' */
  bool alone, together;        /* one repair at a time; more than one began the steps */
  const struct fix_edit **edits;
  size_t nedits;
  const struct fix_found **chosen; /* of 'here' */
  size_t nchosen;
  struct fix_found *begun_with;    /* copy of the one that the steps began with: id, file, variable, origin */
};

/* ---- refusals --------------------------------------------------------------------------------------------------------------- */

const char *fix_repair_why(const struct fix_repair *r, const struct fix_found *d) {
  for (size_t i = 0; i < r->nrefused; i++) {
    const struct fix_refused *x = &r->refused[i];
    if (x->origin == d->origin && !strcmp(x->id, d->id) && !strcmp(x->file, d->file) && !strcmp(x->variable, d->variable))
      return x->why;
  }
  return NULL;
}

static int refuse(struct fix_repair *r, const struct fix_found *d, const char *why, struct dvm_error *err) {
  struct fix_refused *v = reallocarray(r->refused, r->nrefused + 1, sizeof *v);
  if (!v)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  r->refused = v;
  v[r->nrefused++] = (struct fix_refused){strdup(d->id), strdup(d->file), strdup(d->variable), d->origin, strdup(why)};
  const struct fix_refused *x = &v[r->nrefused - 1];
  return x->id && x->file && x->variable && x->why ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
}

void fix_repair_fini(struct fix_repair *r) {
  for (size_t i = 0; i < r->nrefused; i++) {
    free(r->refused[i].id);
    free(r->refused[i].file);
    free(r->refused[i].variable);
    free(r->refused[i].why);
  }
  free(r->refused);
  fix_files_fini(&r->files);
  fix_findings_fini(&r->first);
  fix_findings_fini(&r->left);
}

/* ---- choosing --------------------------------------------------------------------------------------------------------------- */

static bool touch(const struct fix_edit *a, const struct fix_edit *b) { return a->line == b->line && !strcmp(a->file, b->file); }

static bool equal(const struct fix_edit *a, const struct fix_edit *b) {
  return touch(a, b) && a->column == b->column && a->length == b->length && !strcmp(a->text, b->text);
}

/* May they be made beside those that are chosen?  One directive is changed by one repair at a time: the next one may not be needed. */
static bool goes_beside(const struct search *s, const struct fix_found *d) {
  for (size_t i = 0; i < d->nedits; i++)
    for (size_t k = 0; k < s->nedits; k++)
      if (touch(&d->edits[i], s->edits[k]) && !equal(&d->edits[i], s->edits[k]))
        return false;
  return true;
}

static int choose(struct search *s, const struct fix_found *d, struct dvm_error *err) {
  const struct fix_edit **edits = reallocarray(s->edits, s->nedits + d->nedits, sizeof(*edits));
  s->edits = edits ? edits : s->edits;
  const struct fix_found **chosen = reallocarray(s->chosen, s->nchosen + 1, sizeof(*chosen));
  s->chosen = chosen ? chosen : s->chosen;
  if (!edits || !chosen)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  s->chosen[s->nchosen++] = d;
  for (size_t i = 0; i < d->nedits; i++)
    s->edits[s->nedits++] = &d->edits[i];
  return 0;
}

/* All that go together, or the first one alone. */
static int choose_all(struct search *s, struct dvm_error *err) {
  int rc = 0;
  s->nedits = s->nchosen = 0;
  for (size_t i = 0; i < s->here.n && !rc && !(s->alone && s->nchosen); i++) {
    const struct fix_found *d = &s->here.v[i];
    if (d->nedits && !fix_repair_why(s->r, d) && goes_beside(s, d))
      rc = choose(s, d, err);
  }
  return rc;
}

/* ---- judging ----------------------------------------------------------------------------------------------------------------- */

/* Diagnostics of 'now' that were not there, not even as another one of the same variable and line. */
static const struct fix_found *stranger(const struct fix_findings *before, const struct fix_findings *now, bool any_id) {
  for (size_t i = 0; i < now->n; i++)
    if (!fix_findings_like(before, &now->v[i], any_id))
      return &now->v[i];
  return NULL;
}

static bool is_better(const struct fix_findings *before, const struct fix_outcome *o) {
  return o->verdict == FIX_SILENT || (o->found.n < before->n && !stranger(before, &o->found, false));
}

/* Why the trial leads nowhere; "" if it does not. */
static void why_not(const struct search *s, const struct fix_outcome *o, char *why, size_t size) {
  const struct fix_found *other = stranger(&s->r->left, &o->found, true);
  *why = 0;
  switch (o->verdict) {
  case FIX_COMPILE_ERROR: snprintf(why, size, "with this change, the program does not compile"); return;
  case FIX_OTHER_OUTPUT: snprintf(why, size, "with this change, the program prints something different or ends differently"); return;
  case FIX_OTHER_EMULATED:
    snprintf(why, size,
             "with this change, the program prints something different under DVM_OPTIONS=reduction=emulate or device=emulate, or ends "
             "differently");
    return;
  case FIX_OTHER_RANKS: snprintf(why, size, "with this change, the program prints something different on two ranks"); return;
  case FIX_SILENT:
  case FIX_REPORTS: break;
  }
  if (other)
    snprintf(why, size, "this change causes another diagnostic: %s of '%s' on line %zu", other->id, other->variable, other->origin);
  else if (o->found.n && s->steps == STEPS_MAX)
    snprintf(why, size, "the diagnostic remains, or another one takes its place");
}

/* ---- steps --------------------------------------------------------------------------------------------------------------------- */

static void forget_begun(struct search *s) {
  if (!s->begun_with)
    return;
  fix_findings_fini(&(struct fix_findings){s->begun_with, 1});
  s->begun_with = NULL;
}

static int remember_begun(struct search *s, const struct fix_found *d, struct dvm_error *err) {
  struct fix_found *x = calloc(1, sizeof *x);
  if (x)
    *x = (struct fix_found){.id = strdup(d->id), .file = strdup(d->file), .variable = strdup(d->variable), .origin = d->origin};
  s->begun_with = x;
  return x && x->id && x->file && x->variable ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
}

static void take(struct fix_findings *to, struct fix_findings *from) {
  fix_findings_fini(to);
  *to = *from;
  *from = (struct fix_findings){NULL, 0};
}

/* To the accepted texts, and what they report. */
static int back(struct search *s, struct dvm_error *err) {
  s->steps = 0;
  forget_begun(s);
  fix_findings_fini(&s->here);
  int rc = fix_files_back(&s->r->files, err);
  return rc ? rc : fix_findings_copy(&s->here, &s->r->left, err);
}

static int accept(struct search *s, struct fix_findings *found, struct dvm_error *err) {
  int rc = fix_files_accept(&s->r->files, err);
  take(&s->r->left, found);
  s->alone = false;
  return rc ? rc : back(s, err);
}

/* What did not go together is tried one by one; what has failed alone is left. */
static int give_up(struct search *s, const char *why, struct dvm_error *err) {
  int rc = s->together ? 0 : refuse(s->r, s->begun_with, why, err);
  s->alone |= s->together;
  return rc ? rc : back(s, err);
}

/* The trial of what is chosen; 'left' and 'good' are what it is measured by. */
static int step(struct search *s, struct dvm_error *err) {
  struct fix_outcome o = {.found = {NULL, 0}};
  char why[512] = "";
  s->trials++;
  if (!s->steps++) {
    s->together = s->nchosen > 1;
    if (remember_begun(s, s->chosen[0], err))
      return err->code;
  }
  int rc = fix_files_edit(&s->r->files, s->edits, s->nedits, err);
  if (rc == -EINVAL)
    return give_up(s, err->text, err);
  if (!rc)
    rc = fix_trial(s->r->program, &s->r->files, false, &o, err);
  if (rc)
    return rc;
  why_not(s, &o, why, sizeof why);
  if (*why)
    rc = give_up(s, why, err);
  else if (is_better(&s->r->left, &o))
    rc = accept(s, &o.found, err);
  else /* a step on the way: what stays, or stands in its place, may have an edit of its own */
    take(&s->here, &o.found);
  fix_outcome_fini(&o);
  return rc;
}

int fix_repair(struct fix_repair *r, struct dvm_error *err) {
  struct search s = {.r = r};
  int rc = back(&s, err);
  while (!rc && s.trials < TRIALS_MAX) {
    rc = choose_all(&s, err);
    if (rc || (!s.nchosen && !s.steps))
      break;
    rc = s.nchosen ? step(&s, err) : give_up(&s, "the diagnostic remains, or another one takes its place", err);
  }
  forget_begun(&s);
  free(s.edits);
  free(s.chosen);
  fix_findings_fini(&s.here);
  return rc;
}
