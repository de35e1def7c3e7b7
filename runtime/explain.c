#include "runtime/explain.h"
#include "runtime/across.h"
#include "runtime/guess.h"
#include "runtime/name.h"
#include "runtime/other.h"
#include "runtime/process.h"
#include <stdlib.h>
#include <ctype.h>
#include <string.h>

/* ---- common parts ------------------------------------------------------------------------------------------------------------ */

static struct dvmrt_finding *count(const struct dvmrt_event *ev, enum dvmrt_id id) {
  return dvmrt_diag_count(id, dvmrt_name_key(ev), ev->nest ? ev->nest->d : NULL, ev->access->pos);
}

static void emit(struct dvmrt_finding *f, const struct dvmrt_report *r) {
  if (dvmrt_diag_emit(f, r))
    dvmrt_process_set_due(DVMRT_DUE_HALT, true);
}

static struct dvmrt_pos declaration(const struct dvmrt_event *ev) {
  return ev->array && ev->array->declared.file ? ev->array->declared : ev->access->declared;
}

static void note_declaration(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  struct dvmrt_pos pos = declaration(ev);
  if (pos.file && (ev->array || ev->access->name))
    dvmrt_text_add(dvmrt_diag_note(r, pos), "'%s' is declared here", dvmrt_name_key(ev));
}

static struct dvmrt_text *note_nest(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  struct dvmrt_text *t = dvmrt_diag_note(r, ev->nest->d->pos);
  dvmrt_text_add(t, "in this parallel loop, iteration ");
  dvmrt_name_iteration(ev->nest->d, __dvmrt_now.iv, t);
  return t;
}

static void start(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *what) {
  dvmrt_name_datum(ev, &r->message);
  dvmrt_text_add(&r->message, " %s", what);
}

/* ---- values ------------------------------------------------------------------------------------------------------------------- */

static void uninitialized(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = count(ev, DVMRT_ID_UNINITIALIZED);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  start(r, ev, "is read before any value was assigned to it");
  if (ev->word == DVMRT_W_NEWVALUE)
    dvmrt_text_add(&r->message, " (its contents are undefined since 'new_value')");
  note_declaration(r, ev);
  if (ev->nest)
    note_nest(r, ev);
  emit(f, r);
}

static void private_uninitialized(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = count(ev, DVMRT_ID_PRIVATE_UNINITIALIZED);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  if (!ev->nest) {
    start(r, ev, "is read after a parallel loop in which it was private: its value is undefined");
  } else if (ev->class == DVMRT_CLASS_PRIVATE) {
    start(r, ev, "is private and is read in an iteration that has not assigned it");
  } else if (ev->word < DVMRT_W_FIRST) {
    start(r, ev, "was private in a parallel loop that is over and is read before it has a value again");
  } else {
    start(r, ev, "is read in an iteration that has not assigned it, though other iterations assign it first: it is private by "
                 "its first access");
  }
  if (ev->nest) {
    dvmrt_other_note(r, ev, ev->word, DVMRT_WRITE, "was assigned here", NULL);
    note_nest(r, ev);
  }
  note_declaration(r, ev);
  if (!ev->nest)
    dvmrt_text_add(dvmrt_diag_help(r), "its value ends with the loop: assign it again before it is read, or let the loop compute it by 'reduction'");
  emit(f, r);
}

/* The operation is read off the user's own line; where it cannot be, none is suggested. */
static void help_reduction(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *name) {
  const struct dvmrt_access *x = ev->access;
  const char *operation = dvmrt_guess_operation(x->pos, name);
  struct dvmrt_text *help = dvmrt_diag_help(r);
  if (operation && x->ndims && !(x->nextents && x->extent[0] > 0)) { /* of a pointer the clause would take one element alone */
    dvmrt_text_add(help, "collect in an array whose declaration gives its size, and name that in 'reduction(%s(..))' of the directive at ", operation);
    dvmrt_name_place(ev->nest->d->pos, help);
    return;
  }
  if (operation)
    dvmrt_text_add(help, "add 'reduction(%s(%s))' to the directive at ", operation, name);
  else
    dvmrt_text_add(help, "if it collects a result, name it in a 'reduction' of the directive at ");
  dvmrt_name_place(ev->nest->d->pos, help);
}

static void readonly_write(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = count(ev, DVMRT_ID_READONLY_WRITE);
  if (!f || f->count > 1)
    return;
  const char *name = dvmrt_name_key(ev);
  struct dvmrt_report *r = dvmrt_diag_report();
  start(r, ev, "is written, but the parallel loop has read it and it is neither private nor a reduction variable");
  dvmrt_other_note(r, ev, ev->word >= ev->base ? ev->word : ev->now, DVMRT_READ, "was read first here", NULL);
  note_nest(r, ev);
  note_declaration(r, ev);
  help_reduction(r, ev, name);
  emit(f, r);
}

static void help_private(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  struct dvmrt_text *help = dvmrt_diag_help(r);
  if (dvmrt_name_known(ev)) {
    dvmrt_text_add(help, "add 'private(%s)' to the directive at ", dvmrt_name_key(ev));
  } else {
    dvmrt_text_add(help, "name what ");
    dvmrt_name_datum(ev, help);
    dvmrt_text_add(help, " stands for in 'private' of the directive at ");
  }
  dvmrt_name_place(ev->nest->d->pos, help);
  if (ev->nest->mapped)
    dvmrt_text_add(help, ", or 'reduction' if its value is needed after the loop");
}

static void undeclared(const struct dvmrt_event *ev) {
  if (ev->access->quiet)
    return;
  struct dvmrt_finding *f = count(ev, DVMRT_ID_UNDECLARED_PRIVATE);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  start(r, ev, "is assigned in iterations of the parallel loop but is in no 'private' clause: a race on threads and accelerators");
  note_nest(r, ev);
  note_declaration(r, ev);
  help_private(r, ev);
  emit(f, r);
}

/* ---- dependences -------------------------------------------------------------------------------------------------------------- */

static const char *dependence_name(enum dvmrt_verdict v) {
  return v == DVMRT_FLOW ? "flow" : v == DVMRT_ANTI ? "anti" : "output";
}

static bool reaches_out(const int64_t *reach, int ndims) {
  for (int d = 0; reach && d < ndims; d++)
    if (reach[d])
      return true;
  return false;
}

/* Widths that 'across' must have: what this dependence needs, and what the nest's other references do. */
static void widen_across(struct dvmrt_finding *f, const struct dvmrt_event *ev, const int64_t *reach) {
  if (!f->clause.name && !dvmrt_across_clause(ev, &f->clause))
    f->clause.name = reaches_out(reach, ev->array ? ev->array->ndims : 0) ? "across" : NULL;
  for (int d = 0; reach && d < f->clause.ndims; d++)
    dvmrt_clause_widen(&f->clause, d, reach[d]);
}

/* 'h[k[i]] += x' of an ordinary array: results that the iterations share. */
static bool collects(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  return !ev->array && x->ndims && x->ndims == x->nextents && x->extent[0] > 0 && x->name && dvmrt_guess_operation(x->pos, x->name);
}

/* A clause is refused that is wider than the shadow edge. */
static void help_edge(const struct dvmrt_clause *c, const struct dvmrt_array *a, struct dvmrt_text *t) {
  bool wider = false;
  for (int d = 0; a && d < c->ndims; d++)
    wider = wider || c->low[d] > a->low[d] || c->high[d] > a->high[d];
  if (!wider)
    return;
  dvmrt_text_add(t, " and declare '%s' with 'shadow", a->name);
  for (int d = 0; d < c->ndims; d++)
    dvmrt_text_add(t, "[%lld:%lld]", (long long)(c->low[d] > a->low[d] ? c->low[d] : a->low[d]),
                   (long long)(c->high[d] > a->high[d] ? c->high[d] : a->high[d]));
  dvmrt_text_add(t, "'");
}

static void help_dependence(struct dvmrt_report *r, const struct dvmrt_finding *f, const struct dvmrt_event *ev,
                            enum dvmrt_verdict v) {
  const struct dvmrt_directive *d = ev->nest->d;
  const char *name = dvmrt_name_key(ev);
  bool element = ev->array || ev->access->ndims;
  struct dvmrt_text *t;
  if (ev->class == DVMRT_CLASS_BUFFER) {
    dvmrt_text_add(dvmrt_diag_help(r), "'remote_access' brings the values from before the loop: write to another array");
    return;
  }
  if (f->clause.name) {
    t = dvmrt_diag_help(r);
    dvmrt_text_add(t, "add '");
    dvmrt_clause_text(&f->clause, t);
    dvmrt_text_add(t, "' to the directive at ");
  } else if (v == DVMRT_FLOW && collects(ev)) {
    help_reduction(r, ev, name);
    return;
  } else if (!element && v == DVMRT_OUTPUT) {
    help_private(r, ev);
    return;
  } else if (!element) {
    help_reduction(r, ev, name);
    return;
  } else {
    return;
  }
  dvmrt_name_place(d->pos, t);
  help_edge(&f->clause, ev->array, t);
}

/* "is read here, but iteration (i=1) has written it: flow dependence, distance (1)" */
static void say_dependence(struct dvmrt_report *r, const struct dvmrt_event *ev, enum dvmrt_verdict v, const int64_t *other) {
  const struct dvmrt_directive *d = ev->nest->d;
  struct dvmrt_text *m = &r->message;
  start(r, ev, v == DVMRT_FLOW ? "is read here, but " : "is written here, but ");
  dvmrt_text_add(m, other ? "iteration " : "another iteration");
  if (other)
    dvmrt_name_iteration(d, other, m);
  dvmrt_text_add(m, " has %s it: %s dependence", v == DVMRT_ANTI ? "read" : "written", dependence_name(v));
  if (!other)
    return;
  dvmrt_text_add(m, ", distance (");
  for (int i = 0; i < d->rank; i++)
    dvmrt_text_add(m, "%s%lld", i ? ", " : "", (long long)(__dvmrt_now.iv[i] - other[i]));
  dvmrt_text_add(m, ")");
}

static void note_other(struct dvmrt_report *r, const struct dvmrt_event *ev, enum dvmrt_verdict v, const int64_t *other) {
  dvmrt_other_note(r, ev, ev->word, v == DVMRT_ANTI ? DVMRT_READ : DVMRT_WRITE,
                   v == DVMRT_ANTI ? "was read here" : "was written here", other);
}

static void dependence(const struct dvmrt_event *ev, enum dvmrt_verdict v) {
  if (v == DVMRT_ANTI && !dvmrt_diag_wanted(DVMRT_CHECK_ANTI))
    return;
  struct dvmrt_finding *f = count(ev, DVMRT_ID_LOOP_DEPENDENCE);
  if (!f)
    return;
  int64_t iv[DVMRT_NDIMS_MAX], reach[DVMRT_NDIMS_MAX];
  const int64_t *other = dvmrt_construct_iteration(ev->nest, ev->word, iv) ? iv : NULL;
  const int64_t *reader = v == DVMRT_FLOW ? __dvmrt_now.iv : v == DVMRT_ANTI ? other : NULL;
  if (ev->array && ev->nest->mapped && reader && ev->class != DVMRT_CLASS_BUFFER)
    widen_across(f, ev, dvmrt_across_reach(ev, reader, ev->ix, reach) ? reach : NULL);
  if (f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  say_dependence(r, ev, v, other);
  note_other(r, ev, v, other);
  note_nest(r, ev);
  note_declaration(r, ev);
  help_dependence(r, f, ev, v);
  emit(f, r);
}

void dvmrt_explain_across(const struct dvmrt_event *ev, enum dvmrt_verdict v, const struct dvmrt_clause_array *across,
                          const int64_t *reach) {
  if (v == DVMRT_ANTI && !dvmrt_diag_wanted(DVMRT_CHECK_ANTI))
    return;
  struct dvmrt_finding *f = count(ev, DVMRT_ID_ACROSS_DISTANCE);
  if (!f)
    return;
  widen_across(f, ev, reach);
  for (int d = 0; d < f->clause.ndims && f->clause.name; d++) { /* what the present clause is needed for */
    dvmrt_clause_widen(&f->clause, d, -across->used.low[d]);
    dvmrt_clause_widen(&f->clause, d, across->used.high[d]);
  }
  if (f->count > 1)
    return;
  int64_t iv[DVMRT_NDIMS_MAX];
  const int64_t *other = dvmrt_construct_iteration(ev->nest, ev->word, iv) ? iv : NULL;
  struct dvmrt_clause declared = {.name = "across", .array = dvmrt_name_in_nest(ev), .ndims = ev->array->ndims};
  memcpy(declared.low, across->box.low, sizeof(declared.low));
  memcpy(declared.high, across->box.high, sizeof(declared.high));
  struct dvmrt_report *r = dvmrt_diag_report();
  say_dependence(r, ev, v, other);
  dvmrt_text_add(&r->message, ", which '");
  dvmrt_clause_text(&declared, &r->message);
  dvmrt_text_add(&r->message, "' does not cover");
  note_other(r, ev, v, other);
  note_nest(r, ev);
  note_declaration(r, ev);
  if (f->clause.name) {
    struct dvmrt_text *t = dvmrt_diag_help(r);
    dvmrt_text_add(t, "write '");
    dvmrt_clause_text(&f->clause, t);
    dvmrt_text_add(t, "' in the directive at ");
    dvmrt_name_place(ev->nest->d->pos, t);
    help_edge(&f->clause, ev->array, t);
  }
  emit(f, r);
}

/* "is read here, in task 1, but task 0 has written it: flow dependence" */
void dvmrt_explain_task(const struct dvmrt_event *ev, enum dvmrt_verdict v, const struct dvmrt_task_conflict *t) {
  if (v == DVMRT_ANTI && !dvmrt_diag_wanted(DVMRT_CHECK_ANTI))
    return;
  struct dvmrt_finding *f = dvmrt_diag_count(DVMRT_ID_TASK_DEPENDENCE, dvmrt_name_key(ev), t->region, ev->access->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  start(r, ev, v == DVMRT_FLOW ? "is read" : "is written");
  dvmrt_text_add(&r->message, " in task %lld, but task %lld has %s it: %s dependence", (long long)t->task, (long long)t->other,
                 v == DVMRT_ANTI ? "read" : "written", dependence_name(v));
  if (t->site)
    dvmrt_text_add(dvmrt_diag_note(r, dvmrt_site_access(t->site)->pos), "%s here by task %lld", v == DVMRT_ANTI ? "read" : "written",
                   (long long)t->other);
  dvmrt_text_add(dvmrt_diag_note(r, t->region->pos), "the tasks of '%s' run side by side in this task region", t->name);
  note_declaration(r, ev);
  struct dvmrt_text *help = dvmrt_diag_help(r);
  dvmrt_text_add(help, v == DVMRT_FLOW && ev->array ? "bring it by 'remote_access(%s)' in a later task region, or put both into one task"
                                                    : "put both into one task, or give each task its own '%s'",
                 dvmrt_name_key(ev));
  emit(f, r);
}

void dvmrt_explain_value(const struct dvmrt_event *ev, enum dvmrt_verdict verdict) {
  switch (verdict) {
  case DVMRT_FINE: break;
  case DVMRT_UNINIT: uninitialized(ev); break;
  case DVMRT_PRIVATE_UNINIT: private_uninitialized(ev); break;
  case DVMRT_READONLY_WRITE: readonly_write(ev); break;
  case DVMRT_UNDECLARED: undeclared(ev); break;
  case DVMRT_FLOW: case DVMRT_ANTI: case DVMRT_OUTPUT: dependence(ev, verdict); break;
  }
}

/* ---- bounds ------------------------------------------------------------------------------------------------------------------- */

void dvmrt_explain_bounds(const struct dvmrt_event *ev, int dim, int64_t index, int64_t extent) {
  struct dvmrt_finding *f = count(ev, DVMRT_ID_OUT_OF_BOUNDS);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  struct dvmrt_event plain = *ev;
  plain.array = NULL; /* the element that the address happens to hit is not what was meant */
  const struct dvmrt_inner *inner = dim >= ev->access->ndims ? &ev->access->inner[dim - ev->access->ndims] : NULL;
  dvmrt_name_reference(&plain, &r->message);
  dvmrt_text_add(&r->message, " is out of bounds: index %lld of dimension %d", (long long)index, (inner ? inner->dim : dim) + 1);
  if (inner && inner->member)
    dvmrt_text_add(&r->message, " of '%s'", inner->member);
  dvmrt_text_add(&r->message, " is not in 0..%lld", (long long)extent - 1);
  note_declaration(r, ev);
  if (ev->nest)
    note_nest(r, ev);
  emit(f, r);
}

/* ---- place -------------------------------------------------------------------------------------------------------------------- */

static void text_widths(const struct dvmrt_array *a, struct dvmrt_text *t) {
  dvmrt_text_add(t, "shadow");
  for (int d = 0; d < a->ndims; d++)
    dvmrt_text_add(t, "[%lld:%lld]", (long long)a->low[d], (long long)a->high[d]);
}

static void note_distribution(struct dvmrt_report *r, const struct dvmrt_array *a) {
  if (!a->declared.file)
    return;
  struct dvmrt_text *t = dvmrt_diag_note(r, a->declared);
  dvmrt_text_add(t, "'%s' is distributed here with ", a->name);
  text_widths(a, t);
}

static void note_writer(struct dvmrt_report *r, const struct dvmrt_array *a) {
  if (a->moved && a->ever_renewed) {
    dvmrt_text_add(dvmrt_diag_note(r, a->moved->pos), "the edges of '%s' have no value since this directive", a->name);
    return;
  }
  if (!a->writer)
    return;
  struct dvmrt_text *t = dvmrt_diag_note(r, dvmrt_site_access(a->writer)->pos);
  dvmrt_text_add(t, "'%s' was last written here", a->name);
  if (!a->writer_in)
    return;
  dvmrt_text_add(t, ", in the parallel loop at ");
  dvmrt_name_place(a->writer_in->pos, t);
}

static void note_owner(struct dvmrt_report *r, const struct dvmrt_event *ev, const struct dvmrt_place *p, bool show) {
  if (!ev->nest)
    return;
  struct dvmrt_text *t = note_nest(r, ev);
  bool plain = ev->array->ndims == ev->nest->d->rank; /* the element of the iteration's own numbers: nothing to add */
  for (int d = 0; d < ev->array->ndims; d++) {
    show = show && p->has_own[d] && p->own[d] >= 0 && p->own[d] < ev->array->extent[d];
    plain = plain && p->own[d] == __dvmrt_now.iv[d];
  }
  if (!show || plain)
    return;
  dvmrt_text_add(t, ", which owns '");
  dvmrt_name_element(ev->array, p->own, t);
  dvmrt_text_add(t, "'");
}

static void say_where(struct dvmrt_report *r, const struct dvmrt_event *ev, enum dvmrt_misplaced why) {
  bool write = ev->flags & DVMRT_WRITE;
  const char *does = write ? "is written" : "is read";
  struct dvmrt_text *m = &r->message;
  const char *name = dvmrt_name_in_nest(ev);
  dvmrt_name_datum(ev, m);
  switch (why) {
  case DVMRT_BEYOND_EDGE: dvmrt_text_add(m, " %s outside the iteration's own part and its shadow edge", does); break;
  case DVMRT_NO_PART: dvmrt_text_add(m, " %s by an iteration that owns no element of '%s', and so has no shadow edge of it", does, name); break;
  case DVMRT_NEVER_RENEWED: dvmrt_text_add(m, " is read from the shadow edge, which was never renewed"); break;
  case DVMRT_WRITTEN_SINCE:
    dvmrt_text_add(m, " is read from the shadow edge, which has not been renewed since '%s' was written", name);
    break;
  case DVMRT_MOVED_SINCE:
    dvmrt_text_add(m, " is read from the shadow edge, which has not been renewed since '%s' was given another place", name);
    break;
  case DVMRT_NARROW_RENEWAL: dvmrt_text_add(m, " is read from the shadow edge, of which a narrower part was renewed"); break;
  case DVMRT_NO_CORNER: dvmrt_text_add(m, " is read from a corner of the shadow edge, which was renewed without its corners"); break;
  case DVMRT_PENDING: dvmrt_text_add(m, " is read from the shadow edge, whose renewal has been started and not waited for"); break;
  case DVMRT_IN_FLIGHT: dvmrt_text_add(m, " is written while the exchange of the shadow edges of '%s' is under way", name); break;
  case DVMRT_EDGE_WRITE: dvmrt_text_add(m, " is written in the shadow edge: only the owner of an element may write it"); break;
  case DVMRT_NO_RELATION:
    dvmrt_text_add(m, " %s in a loop that is not mapped on '%s': the two are distributed separately", does, name);
    break;
  case DVMRT_REPLICATED: dvmrt_text_add(m, " %s by an iteration that is replicated over a dimension '%s' is divided along", does, name); break;
  case DVMRT_FIXED: dvmrt_text_add(m, " %s by an iteration that does not lie where '%s' is aligned", does, name); break;
  case DVMRT_UNMAPPED: dvmrt_text_add(m, " is distributed and %s in a parallel loop without 'on'", write ? "written" : "read"); break;
  }
}

static void clause_of(struct dvmrt_finding *f, const struct dvmrt_event *ev, const struct dvmrt_place *p, const char *name) {
  const struct dvmrt_array *a = ev->array;
  f->clause.name = name;
  f->clause.array = dvmrt_name_in_nest(ev);
  f->clause.ndims = a->ndims;
  f->clause.corner |= p->naway > 1;
  for (int d = 0; d < a->ndims; d++)
    dvmrt_clause_widen(&f->clause, d, p->away[d]);
}

/* shadow_renew without widths takes all declared ones: say the short form when it does. */
/* Does the access stand in the text of the nest? */
static bool of_nest(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  return x->ndims == ev->array->ndims && x->cid == ev->nest->d->cid && x->pos.file == ev->nest->d->pos.file;
}

/* The reference as a section of remote_access: "A[7][i + 1][]"; the whole dimension where the subscript is not known. */
static void section_text(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_access *x = ev->access;
  dvmrt_text_add(t, "%s", dvmrt_name_in_nest(ev));
  for (int i = 0; i < ev->array->ndims; i++) {
    const struct dvmrt_subscript *s = &x->axis[i];
    const char *index = x->ndims == ev->array->ndims && s->kind == 'a' ? ev->nest->d->names[s->index] : NULL;
    if (x->ndims == ev->array->ndims && s->kind == 'c')
      dvmrt_text_add(t, "[%lld]", (long long)s->add);
    else if (!index)
      dvmrt_text_add(t, "[%s]", s->text && of_nest(ev) ? s->text : "");
    else if (s->coef == 1 && s->add)
      dvmrt_text_add(t, "[%s %c %lld]", index, s->add < 0 ? '-' : '+', (long long)(s->add < 0 ? -s->add : s->add));
    else if (s->coef == 1)
      dvmrt_text_add(t, "[%s]", index);
    else if (s->coef == -1)
      dvmrt_text_add(t, "[%lld - %s]", (long long)s->add, index);
    else
      dvmrt_text_add(t, "[%lld * %s + %lld]", (long long)s->coef, index, (long long)s->add);
  }
}

static void help_remote(struct dvmrt_report *r, const struct dvmrt_event *ev, bool has_clause) {
  struct dvmrt_text *t = dvmrt_diag_help(r);
  dvmrt_text_add(t, has_clause ? "name '" : "add 'remote_access(");
  section_text(ev, t);
  dvmrt_text_add(t, has_clause ? "' in the 'remote_access' of the directive at " : ")' to the directive at ");
  dvmrt_name_place(ev->nest->d->pos, t);
}

static void help_align(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const struct dvmrt_array *on = ev->nest->on;
  if (on && on->name && on->ndims == ev->array->ndims)
    dvmrt_text_add(dvmrt_diag_help(r), "if both belong together, align '%s' with '%s' where it is declared",
                   ev->array->name, on->name);
}

/* Does the subscript not go with the iteration, so that no edge of a fixed width holds the element? */
static bool goes_alone(const struct dvmrt_event *ev, int dim) {
  const struct dvmrt_access *x = ev->access;
  if (x->ndims != ev->array->ndims)
    return false;
  return x->axis[dim].kind != 'a' || !dvmrt_layout_settled(dvmrt_array_layout(ev->array), &ev->nest->layout, x->axis, x->ndims);
}

/* The array as the directive's clauses with that key name it; NULL: in none of them. */
static const struct dvmrt_item *named_in(const struct dvmrt_event *ev, char key) {
  for (const struct dvmrt_item *i = dvmrt_directive_find(ev->nest->d->items, key); i; i = dvmrt_directive_find(i->next, key))
    if ((uintptr_t)dvmrt_num_value(i->ref.address, ev->nest->args) == ev->array->address)
      return i;
  return NULL;
}

/* Is the distance known to change from iteration to iteration?  Then this one reads the edge by chance. */
static bool wanders(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  if (!of_nest(ev))
    return false;
  for (int d = 0; d < x->ndims; d++)
    if (x->axis[d].kind == 'o' && !x->axis[d].text && dvmrt_layout_divides(dvmrt_array_layout(ev->array), d))
      return false;
  return !dvmrt_layout_settled(dvmrt_array_layout(ev->array), &ev->nest->layout, x->axis, x->ndims);
}

/* In a loop that writes the array as well, its old values may not be what is meant. */
static void help_renew(struct dvmrt_report *r, const struct dvmrt_event *ev, const struct dvmrt_place *p) {
  const struct dvmrt_directive *d = ev->nest->d;
  if (wanders(ev)) {
    help_remote(r, ev, named_in(ev, 'M'));
    return;
  }
  const char *name = dvmrt_name_in_nest(ev);
  bool again = named_in(ev, 'H');
  struct dvmrt_text *t = dvmrt_diag_help(r);
  dvmrt_text_add(t, "%s 'shadow_renew(%s%s)' %s the directive at ", again ? "write" : "add", name, p->naway > 1 ? "(corner)" : "",
                 again ? "in" : "to");
  dvmrt_name_place(d->pos, t);
  const struct dvmrt_item *use = named_in(ev, 'U');
  if (use && use->use == 'w' && !named_in(ev, 'C'))
    dvmrt_text_add(t, ", or 'across(%s)' if what the loop itself writes is meant", name);
}

static void help_wait(struct dvmrt_report *r, const struct dvmrt_array *a) {
  const char *group = dvmrt_group_pending_name(a);
  if (group)
    dvmrt_text_add(dvmrt_diag_help(r), "put '#pragma dvm shadow_wait(%s)' before this loop", group);
}

/* A loop without 'on' runs where the element lies if it is mapped on the reference. */
static void help_mapping(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const struct dvmrt_directive *d = ev->nest->d;
  struct dvmrt_text *t = dvmrt_diag_help(r);
  dvmrt_text_add(t, "write 'parallel(");
  for (int i = 0; i < d->rank; i++)
    dvmrt_text_add(t, "[%s]", d->names[i]);
  dvmrt_text_add(t, " on ");
  section_text(ev, t);
  dvmrt_text_add(t, ")' in the directive at ");
  dvmrt_name_place(d->pos, t);
}

static void help_place(struct dvmrt_report *r, const struct dvmrt_finding *f, const struct dvmrt_event *ev,
                       const struct dvmrt_place *p, enum dvmrt_misplaced why) {
  if (!ev->nest)
    return;
  const char *name = dvmrt_name_in_nest(ev);
  struct dvmrt_text *t;
  switch (why) {
  case DVMRT_BEYOND_EDGE:
    if (ev->flags & DVMRT_WRITE || !f)
      return;
    if (f->id == DVMRT_ID_REMOTE_UNCOVERED) {
      help_remote(r, ev, true);
      return;
    }
    for (int i = 0; i < ev->array->ndims; i++) {
      int64_t low = p->away[i] < 0 ? -p->away[i] : 0, high = p->away[i] > 0 ? p->away[i] : 0;
      if (low <= ev->array->low[i] && high <= ev->array->high[i])
        continue;
      if (goes_alone(ev, i)) {
        help_remote(r, ev, false);
        return;
      }
      t = dvmrt_diag_help(r);
      dvmrt_text_add(t, "give dimension %d of '%s' a shadow edge of [%lld:%lld] and renew it, or use remote_access", i + 1, name,
                     (long long)(low > ev->array->low[i] ? low : ev->array->low[i]),
                     (long long)(high > ev->array->high[i] ? high : ev->array->high[i]));
    }
    return;
  case DVMRT_NEVER_RENEWED: case DVMRT_WRITTEN_SINCE: case DVMRT_MOVED_SINCE: case DVMRT_NARROW_RENEWAL: case DVMRT_NO_CORNER:
    help_renew(r, ev, p);
    return;
  case DVMRT_PENDING: case DVMRT_IN_FLIGHT:
    help_wait(r, ev->array);
    return;
  case DVMRT_EDGE_WRITE: return;
  case DVMRT_UNMAPPED:
    help_mapping(r, ev);
    return;
  case DVMRT_NO_RELATION:
    if (f && f->id == DVMRT_ID_REMOTE_WRITE)
      return;
    help_align(r, ev);
    /* fall through */
  default:
    if (ev->flags & DVMRT_WRITE)
      return;
    help_remote(r, ev, f && f->id == DVMRT_ID_REMOTE_UNCOVERED);
  }
}

void dvmrt_explain_place(const struct dvmrt_event *ev, const struct dvmrt_place *p, enum dvmrt_id id, enum dvmrt_misplaced why) {
  struct dvmrt_finding *f = count(ev, id);
  if (!f)
    return;
  if (id == DVMRT_ID_SHADOW_STALE)
    clause_of(f, ev, p, "shadow_renew");
  if (f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  if (id == DVMRT_ID_REMOTE_WRITE) {
    dvmrt_name_datum(ev, &r->message);
    dvmrt_text_add(&r->message, " is written, but the reference stands for a copy that 'remote_access' has made: it is read only");
  } else {
    say_where(r, ev, why);
  }
  if (id == DVMRT_ID_REMOTE_UNCOVERED)
    dvmrt_text_add(&r->message, ", and no section of 'remote_access' covers the reference");
  if (id == DVMRT_ID_SHADOW_STALE)
    note_writer(r, ev->array);
  const struct dvmrt_directive *started = dvmrt_group_pending(ev->array, NULL);
  if (started && (why == DVMRT_PENDING || why == DVMRT_IN_FLIGHT))
    dvmrt_text_add(dvmrt_diag_note(r, started->pos), "the exchange was started here");
  else if (why != DVMRT_NEVER_RENEWED && why != DVMRT_WRITTEN_SINCE && why != DVMRT_MOVED_SINCE)
    note_distribution(r, ev->array);
  note_owner(r, ev, p, p->kind == DVMRT_PLACE_NEAR);
  help_place(r, f, ev, p, why);
  emit(f, r);
}

/* Can the subscript, of so many characters, stand in a directive before the statement?  Names and numbers, added and multiplied, can. */
static bool plain_subscript(const char *text, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("_ +-*", text[i]))
      return false;
  return n > 0 && !memmem(text, n, "++", 2) && !memmem(text, n, "--", 2);
}

/* The reference as the user has written it, for remote_access before its statement: "A[7][i + 1][]".  False: it does not show. */
static bool reference_text(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_access *x = ev->access;
  const char *at = x->text;
  if (!x->name || x->ndims != ev->array->ndims || strncmp(at, x->name, strlen(x->name)) != 0)
    return false;
  at += strlen(x->name);
  dvmrt_text_add(t, "%s", x->name);
  for (int d = 0; d < x->ndims; d++) {
    while (*at == ' ')
      at++;
    size_t n = 0;
    for (int depth = 0; *at == '[' && at[n]; n++)
      if ((depth += at[n] == '[' ? 1 : at[n] == ']' ? -1 : 0) == 0)
        break;
    bool plain = n && plain_subscript(at + 1, n - 1);
    if (x->axis[d].kind == 'c')
      dvmrt_text_add(t, "[%lld]", (long long)x->axis[d].add);
    else
      dvmrt_text_add(t, "[%.*s]", plain ? (int)n - 1 : 0, at + 1);
    at += n ? n + 1 : 0;
  }
  return true;
}

void dvmrt_explain_sequential(const struct dvmrt_event *ev, const struct dvmrt_event *target) {
  bool asked = dvmrt_construct_clause(dvmrt_construct_top(), 'M', ev->array);
  struct dvmrt_finding *f = count(ev, asked ? DVMRT_ID_REMOTE_UNCOVERED : DVMRT_ID_SEQUENTIAL_ACCESS);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  if (asked) {
    start(r, ev, "is read outside parallel loops, and no section of 'remote_access' covers the reference");
  } else if (target) {
    dvmrt_text_add(&r->message, "'");
    dvmrt_name_element(ev->array, ev->ix, &r->message);
    dvmrt_text_add(&r->message, "' is read outside parallel loops for an element that another processor may own");
    struct dvmrt_text *t = dvmrt_diag_note(r, target->access->pos);
    dvmrt_name_datum(target, t);
    dvmrt_text_add(t, " is assigned here, by its owner");
  } else {
    start(r, ev, "is read outside parallel loops, where its owner alone has it");
  }
  note_declaration(r, ev);
  struct dvmrt_text *help = dvmrt_diag_help(r);
  dvmrt_text_add(help, asked ? "name '" : "put the statement under '#pragma dvm remote_access(");
  if (!reference_text(ev, help))
    dvmrt_name_element(ev->array, ev->ix, help);
  dvmrt_text_add(help, asked ? "' in the 'remote_access' of the directive at " : ")'");
  if (asked)
    dvmrt_name_place(dvmrt_construct_top()->d->pos, help);
  emit(f, r);
}

static void directive_finding(enum dvmrt_id id, const struct dvmrt_directive *at, const char *what, const char *text,
                              const struct dvmrt_directive *other, const char *note) {
  struct dvmrt_finding *f = dvmrt_diag_count(id, what, at, at->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_text_add(&r->message, "%s", text);
  if (other)
    dvmrt_text_add(dvmrt_diag_note(r, other->pos), "%s", note);
  emit(f, r);
}

void dvmrt_explain_widths(const struct dvmrt_directive *d, const struct dvmrt_array *a, const struct dvmrt_box *box, const char *which) {
  for (int i = 0; i < a->ndims; i++) {
    if (box->low[i] >= 0 && box->high[i] >= 0 && box->low[i] <= a->low[i] && box->high[i] <= a->high[i])
      continue;
    struct dvmrt_text t = {.n = 0};
    dvmrt_text_add(&t, "the %s [%lld:%lld] of dimension %d of '%s' does not fit its shadow edge [%lld:%lld]", which,
                   (long long)box->low[i], (long long)box->high[i], i + 1, a->name, (long long)a->low[i], (long long)a->high[i]);
    directive_finding(DVMRT_ID_USAGE, d, a->name, t.s, NULL, NULL);
    return;
  }
}

void dvmrt_explain_protocol(const struct dvmrt_directive *at, const char *name, const char *group, const char *what,
                            const struct dvmrt_directive *other) {
  struct dvmrt_text t = {.n = 0};
  dvmrt_text_add(&t, "the reduction '%s'", group);
  if (name)
    dvmrt_text_add(&t, " of '%s'", name);
  dvmrt_text_add(&t, " %s", what);
  directive_finding(DVMRT_ID_REDUCTION_PROTOCOL, at, name ? name : group, t.s, other,
                    other && !strcmp(other->kind, "parallel") ? "computed in this parallel loop" : "started here");
}

void dvmrt_explain_pending(const struct dvmrt_event *ev, const struct dvmrt_pending_var *v) {
  struct dvmrt_finding *f = count(ev, DVMRT_ID_REDUCTION_PENDING);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  start(r, ev, ev->flags & DVMRT_WRITE ? "is written" : "is read");
  dvmrt_text_add(&r->message, " before its reduction '%s' has %s", v->group, v->started ? "been waited for" : "been started");
  if (v->started)
    dvmrt_text_add(dvmrt_diag_note(r, v->started->pos), "started here");
  dvmrt_text_add(dvmrt_diag_note(r, v->computed->pos), "computed in this parallel loop");
  note_declaration(r, ev);
  dvmrt_text_add(dvmrt_diag_help(r), "put '#pragma dvm reduction_wait(%s)' before it", v->group);
  emit(f, r);
}

void dvmrt_explain_undefined_source(const struct dvmrt_directive *d, const struct dvmrt_array *a, const int64_t *ix) {
  struct dvmrt_text t = {.n = 0};
  dvmrt_text_add(&t, "'");
  dvmrt_name_element(a, ix, &t);
  dvmrt_text_add(&t, "' is copied before any value was assigned to it");
  directive_finding(DVMRT_ID_UNINITIALIZED, d, a->name, t.s, NULL, NULL);
}

void dvmrt_explain_usage(const struct dvmrt_directive *d, const char *what) {
  directive_finding(DVMRT_ID_USAGE, d, what, what, NULL, NULL);
}

void dvmrt_explain_target(const struct dvmrt_directive *d, const char *name) {
  struct dvmrt_text t = {.n = 0};
  dvmrt_text_add(&t, "'%s' in 'on' is no distributed array in this run", name);
  directive_finding(DVMRT_ID_USAGE, d, name, t.s, NULL, NULL);
}

/* Where the loop updates the variable by another operation than the declared one, as the user's own lines show it. */
static void help_operation(struct dvmrt_report *r, const struct dvmrt_directive *d, const struct dvmrt_item *reduction) {
  const char *name = reduction->ref.name;
  for (const struct dvmrt_access *x = dvmrt_site_of_construct(d->site, d->pos.file, d->cid); x; x = x->next) {
    struct dvmrt_pos at;
    const char *operation = x->name && !strcmp(x->name, name) ? dvmrt_guess_near(x->pos, name, &at) : NULL;
    if (!operation || !strncmp(operation, reduction->word, strlen(operation)))
      continue;
    dvmrt_text_add(dvmrt_diag_note(r, at), "'%s' is updated here", name);
    struct dvmrt_text *help = dvmrt_diag_help(r);
    if (reduction->loc_name)
      dvmrt_text_add(help, "write '%sloc' in place of '%s' in the directive at ", operation, reduction->word);
    else
      dvmrt_text_add(help, "write '%s(%s)' in the 'reduction' of the directive at ", operation, name);
    dvmrt_name_place(d->pos, help);
    return;
  }
}

void dvmrt_explain_mismatch(const struct dvmrt_directive *d, const struct dvmrt_item *reduction, const char *name, const char *what,
                            const char *program, const char *declared, const char *tolerance) {
  struct dvmrt_text t = {.n = 0};
  dvmrt_text_add(&t, "the loop computes %s%s'%s' = %s, but the iterations' partial values give %s under '%s'%s", what,
                 *what ? " " : "", name, program, declared, reduction->word, tolerance);
  struct dvmrt_finding *f = dvmrt_diag_count(DVMRT_ID_REDUCTION_MISMATCH, reduction->ref.name, d, d->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_text_add(&r->message, "%s", t.s);
  help_operation(r, d, reduction);
  emit(f, r);
}

void dvmrt_explain_escape(const struct dvmrt_event *ev) {
  struct dvmrt_event in_nest = *ev;
  in_nest.nest = dvmrt_construct_nest();
  struct dvmrt_finding *f = count(&in_nest, DVMRT_ID_REDUCTION_ESCAPE);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  start(r, &in_nest, "is a reduction variable: its partial value, different on each processor, is used for something else than its update");
  note_nest(r, &in_nest);
  note_declaration(r, &in_nest);
  dvmrt_text_add(dvmrt_diag_help(r), "use '%s' after the parallel loop", dvmrt_name_key(&in_nest));
  emit(f, r);
}
