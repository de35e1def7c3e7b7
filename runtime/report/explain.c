#include "runtime/report/explain_parts.h"
#include "runtime/rules/across.h"
#include "runtime/rules/across_reach.h"
#include "runtime/rules/declared.h"
#include "runtime/report/guess.h"
#include "runtime/report/location.h"
#include "runtime/report/name.h"
#include "runtime/rules/remote.h"
#include "runtime/report/other.h"
#include "runtime/report/own.h"
#include "runtime/rules/task.h"
#include "runtime/data/due.h"
#include <string.h>

/* ---- common parts ------------------------------------------------------------------------------------------------------------ */

struct dvmrt_finding *dvmrt_explain_count(const struct dvmrt_event *ev, enum dvmrt_id id) {
  return dvmrt_finding_count(id, dvmrt_name_key(ev), ev->nest ? ev->nest->d : NULL, ev->access->pos);
}

void dvmrt_explain_emit(struct dvmrt_finding *f, struct dvmrt_report *r) {
  if (dvmrt_diag_emit(f, r))
    dvmrt_due_set(DVMRT_DUE_HALT, true);
}

static struct dvmrt_pos declaration(const struct dvmrt_event *ev) {
  return ev->array && ev->array->declared.file ? ev->array->declared : ev->access->declared;
}

void dvmrt_explain_note_declaration(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  struct dvmrt_pos pos = declaration(ev);
  if (pos.file && (ev->array || ev->access->name))
    dvmrt_text_add(dvmrt_diag_note(r, pos), "'%s' is declared here", dvmrt_name_key(ev));
}

struct dvmrt_text *dvmrt_explain_note_nest(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  struct dvmrt_text *t = dvmrt_diag_note(r, ev->nest->d->pos);
  dvmrt_text_add(t, "in this parallel loop, iteration ");
  dvmrt_name_iteration(ev->nest->d, __dvmrt_now.iv, t);
  return t;
}

void dvmrt_explain_start(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *what) {
  dvmrt_name_datum(ev, &r->message);
  dvmrt_text_add(&r->message, " %s", what);
}

/* ---- values ------------------------------------------------------------------------------------------------------------------- */

static void uninitialized(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_UNINITIALIZED);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, ev, "is read before any value was assigned to it");
  if (ev->word == DVMRT_W_NEWVALUE)
    dvmrt_text_add(&r->message, " (its contents are undefined since 'new_value')");
  dvmrt_explain_note_declaration(r, ev);
  if (ev->nest)
    dvmrt_explain_note_nest(r, ev);
  if (ev->word == DVMRT_W_NEWVALUE && ev->array && ev->array->moved) {
    struct dvmrt_text *help = dvmrt_diag_help(r);
    dvmrt_text_add(help, "remove 'new_value' from the directive at ");
    dvmrt_name_place(ev->array->moved->pos, help);
    dvmrt_diag_repair(r, DVMRT_REPAIR_WORD, ev->array->moved->pos, "new_value", NULL);
  }
  dvmrt_explain_emit(f, r);
}

/* An array that a 'maxloc' or 'minloc' of the directive keeps a part of: all of it is to be kept; or what one would keep.  False: none
 * would. */
static bool help_location(struct dvmrt_report *r, const struct dvmrt_directive *d, const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  for (const struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_REDUCTION); i;
       i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_REDUCTION)) {
    if (!i->loc_name || strcmp(i->loc_name, dvmrt_name_key(ev)) || x->ndims != 1 || !x->nextents || x->extent[0] <= 0)
      continue;
    struct dvmrt_text *help = dvmrt_diag_help(r);
    dvmrt_text_add(help, "write '%s(%s, %s, %lld)' in the 'reduction' of the directive at ", i->word, i->ref.name, i->loc_name,
                   (long long)x->extent[0]);
    dvmrt_name_place(d->pos, help);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_ITEM, d->pos, "reduction", i->ref.name), "%s(%s, %s, %lld)", i->word, i->ref.name,
                   i->loc_name, (long long)x->extent[0]);
    return true;
  }
  struct dvmrt_location l;
  return !ev->array && dvmrt_location_of_place(d, dvmrt_name_key(ev), &l) && dvmrt_location_help(r, d, &l);
}

/* What the loops before have been said to lack would keep the value. */
static bool help_kept(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  for (const struct dvmrt_finding *o = dvmrt_finding_first(); o; o = o->next)
    if (o->id == DVMRT_ID_UNDECLARED_PRIVATE && o->construct && !strcmp(o->what, dvmrt_name_key(ev)) &&
        (help_location(r, o->construct, ev) || dvmrt_own_help(r, o->construct, dvmrt_name_key(ev))))
      return true;
  return false;
}

/* The operation that the nest's text updates the variable by, at the access or at another one; NULL: none shows. */
static const char *operation_in_nest(const struct dvmrt_event *ev, const char *name) {
  const struct dvmrt_directive *d = ev->nest->d;
  const char *found = dvmrt_guess_operation(ev->access->pos, name);
  if (found)
    return found;
  for (const struct dvmrt_access *x = dvmrt_site_of_construct(d->site, d->pos.file, d->cid); x && !found; x = x->next)
    if ((x->flags & DVMRT_WRITE) && x->name && !strcmp(x->name, name))
      found = dvmrt_guess_operation(x->pos, name);
  return found;
}

static bool is_private_of(const struct dvmrt_directive *d, const char *name) {
  for (const struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_PRIVATE); i;
       i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_PRIVATE))
    if (!strcmp(i->ref.name, name))
      return true;
  return false;
}

static void help_unassigned(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const char *name = dvmrt_name_key(ev), *operation;
  if (!ev->nest) {
    if (!help_kept(r, ev))
      dvmrt_text_add(dvmrt_diag_help(r),
                     "no directive repairs it: its value is lost when the loop ends; assign it again before reading it");
    return;
  }
  operation = is_private_of(ev->nest->d, name) && !ev->access->ndims ? operation_in_nest(ev, name) : NULL;
  struct dvmrt_text *help = dvmrt_diag_help(r);
  if (!operation) {
    dvmrt_text_add(help, "no directive repairs it: each iteration has its own '%s' and must assign it before reading it", name);
    return;
  }
  dvmrt_text_add(help, "write 'reduction(%s(%s))' in place of 'private(%s)' in the directive at ", operation, name, name);
  dvmrt_name_place(ev->nest->d->pos, help);
  dvmrt_diag_repair(r, DVMRT_REPAIR_DROP, ev->nest->d->pos, "private", name);
  dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, ev->nest->d->pos, NULL, NULL), "reduction(%s(%s))", operation, name);
}

static void private_uninitialized(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_PRIVATE_UNINITIALIZED);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  if (!ev->nest) {
    dvmrt_explain_start(r, ev, "is read after a parallel loop in which it was private: its value is undefined");
  } else if (ev->class == DVMRT_CLASS_PRIVATE) {
    dvmrt_explain_start(r, ev, "is private and is read in an iteration that has not assigned it");
  } else if (ev->word < DVMRT_W_FIRST) {
    dvmrt_explain_start(r, ev, "was private in a parallel loop that has ended and is read before it is assigned again");
  } else {
    dvmrt_explain_start(r, ev,
                        "is read in an iteration that has not assigned it, though other iterations assign it first: it is private by "
                        "its first access");
  }
  if (ev->nest) {
    dvmrt_other_note(r, ev, ev->word, DVMRT_WRITE, "was assigned here", NULL);
    dvmrt_explain_note_nest(r, ev);
  }
  dvmrt_explain_note_declaration(r, ev);
  help_unassigned(r, ev);
  dvmrt_explain_emit(f, r);
}

/* A static variable of a function that the loop calls has no name where the directive stands. */
static bool out_of_scope(const struct dvmrt_event *ev) { return ev->access->root == 's' && !dvmrt_name_known(ev); }

/* The operation is read off the user's own lines; where it cannot be, none is suggested. */
static void help_reduction(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *name) {
  const struct dvmrt_access *x = ev->access;
  const char *operation = operation_in_nest(ev, name);
  struct dvmrt_location l;
  if (operation && !ev->array && !out_of_scope(ev) && dvmrt_location_of_extreme(ev->nest->d, name, &l) &&
      dvmrt_location_help(r, ev->nest->d, &l))
    return;
  struct dvmrt_text *help = dvmrt_diag_help(r);
  if (ev->array && !ev->array->ordinary) {
    dvmrt_text_add(help,
                   "no directive repairs it: '%s' is an array used in directives, which 'reduction' does not accept; accumulate in an "
                   "ordinary variable",
                   name);
    return;
  }
  if (operation && x->ndims && !(x->nextents && x->extent[0] > 0)) { /* of a pointer the clause would take one element alone */
    dvmrt_text_add(help,
                   "no directive alone repairs it: accumulate in an array whose declaration gives its size, and name that in "
                   "'reduction(%s(..))' of the directive at ",
                   operation);
    dvmrt_name_place(ev->nest->d->pos, help);
    return;
  }
  if (operation && !out_of_scope(ev)) {
    dvmrt_text_add(help, "add 'reduction(%s(%s))' to the directive at ", operation, name);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, ev->nest->d->pos, NULL, NULL), "reduction(%s(%s))", operation, name);
  } else if (out_of_scope(ev)) {
    dvmrt_text_add(help, "no directive alone repairs it: if it accumulates a result, declare it outside of its function and name it in a "
                         "'reduction' of the directive at ");
  } else if (!x->range && !x->whole && (dvmrt_guess_is_call(x->pos, name) || x->cid != ev->nest->d->cid)) {
    dvmrt_text_add(help, "if it accumulates a result, name it in a 'reduction' of the directive at ");
  } else {
    dvmrt_text_add(help, "no directive repairs it: no iteration may depend on the value that another one assigns to '%s'", name);
    return;
  }
  dvmrt_name_place(ev->nest->d->pos, help);
}

/* Iterations that change elements of their own share nothing: nothing is to be added up. */
static bool help_own(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  return (!ev->array || ev->array->ordinary) && dvmrt_name_known(ev) && x->nextents && x->extent[0] > 0 &&
         dvmrt_own_help(r, ev->nest->d, dvmrt_name_key(ev));
}

static void readonly_write(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_READONLY_WRITE);
  if (!f || f->count > 1)
    return;
  const char *name = dvmrt_name_key(ev);
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, ev, "is written, but the parallel loop has read it and it is neither private nor a reduction variable");
  dvmrt_other_note(r, ev, ev->word >= ev->base ? ev->word : ev->now, DVMRT_READ, "was read first here", NULL);
  dvmrt_explain_note_nest(r, ev);
  dvmrt_explain_note_declaration(r, ev);
  if (!help_own(r, ev))
    help_reduction(r, ev, name);
  dvmrt_explain_emit(f, r);
}

static bool same_variable(const struct dvmrt_access *x, const struct dvmrt_access *y) {
  return y->name && !strcmp(x->name, y->name) && x->declared.line == y->declared.line && x->declared.column == y->declared.column &&
         x->declared.file == y->declared.file;
}

/* Does the text assign the part that 'y' reads, in the nest or between it and 'y'? */
static bool part_assigned(const struct dvmrt_directive *d, const struct dvmrt_access *y, bool inside) {
  for (const struct dvmrt_access *w = NULL; (w = dvmrt_site_next(d->site, w));)
    if (w->flags == DVMRT_WRITE && w->pos.file == d->pos.file && same_variable(y, w) && !strcmp(w->text, y->text) &&
        (w->cid == d->cid || (!inside && w->pos.line > d->pos.line && w->pos.line < y->pos.line)))
      return true;
  return false;
}

/* Where another member of the struct is read whose value 'private' would take away: it comes from before the loop, or is used behind it.
 * NULL: nowhere that the text shows. */
static const struct dvmrt_access *other_member(const struct dvmrt_event *ev) {
  const struct dvmrt_directive *d = ev->nest->d;
  const struct dvmrt_access *x = ev->access;
  const size_t n = x->name ? strlen(x->name) : 0;
  if (ev->array || !n || x->root == 'h' || x->ndims || x->ninner || strncmp(x->text, x->name, n) || x->text[n] != '.')
    return NULL;
  for (const struct dvmrt_access *y = NULL; (y = dvmrt_site_next(d->site, y));) {
    const bool inside = y->cid == d->cid;
    if (!(y->flags & DVMRT_READ) || y->root == 'h' || y->pos.file != d->pos.file || !same_variable(x, y) || !strcmp(x->text, y->text))
      continue;
    if ((inside || y->pos.line > d->pos.line) && !part_assigned(d, y, inside))
      return y;
  }
  return NULL;
}

static void help_private(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const bool ordinary = !ev->array || ev->array->ordinary;
  if (help_location(r, ev->nest->d, ev) ||
      (ordinary && dvmrt_name_known(ev) && !other_member(ev) && dvmrt_own_help(r, ev->nest->d, dvmrt_name_key(ev))))
    return;
  struct dvmrt_text *help = dvmrt_diag_help(r);
  const struct dvmrt_access *needed = other_member(ev);
  if (needed) {
    dvmrt_text_add(help, "no directive repairs it: 'private(%s)' would take the value of '%s' too, which is needed at ", dvmrt_name_key(ev),
                   needed->text);
    dvmrt_name_place(needed->pos, help);
    dvmrt_text_add(help, "; use a variable of its own in the loop");
    return;
  }
  if (!ordinary) {
    dvmrt_text_add(
        help, "no directive repairs it: '%s' is an array used in directives, which cannot be private; use a separate variable in the loop",
        dvmrt_name_key(ev));
    return;
  }
  if (dvmrt_name_known(ev)) {
    dvmrt_text_add(help, "add 'private(%s)' to the directive at ", dvmrt_name_key(ev));
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, ev->nest->d->pos, NULL, NULL), "private(%s)", dvmrt_name_key(ev));
  } else if (out_of_scope(ev)) {
    dvmrt_text_add(help,
                   "no directive alone repairs it: remove its 'static', or declare it outside of its function and name it in 'private' "
                   "of the directive at ");
  } else {
    dvmrt_text_add(help, "name what ");
    dvmrt_name_datum(ev, help);
    dvmrt_text_add(help, " stands for in 'private' of the directive at ");
  }
  dvmrt_name_place(ev->nest->d->pos, help);
}

static void undeclared(const struct dvmrt_event *ev) {
  if (ev->access->quiet)
    return;
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_UNDECLARED_PRIVATE);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, ev,
                      "is assigned in iterations of the parallel loop but is in no 'private' clause: a race on threads and accelerators");
  dvmrt_explain_note_nest(r, ev);
  dvmrt_explain_note_declaration(r, ev);
  help_private(r, ev);
  dvmrt_explain_emit(f, r);
}

/* ---- dependences -------------------------------------------------------------------------------------------------------------- */

static const char *dependence_name(enum dvmrt_verdict v) { return v == DVMRT_FLOW ? "flow" : v == DVMRT_ANTI ? "anti" : "output"; }

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

const char *dvmrt_explain_edge(struct dvmrt_report *r, const struct dvmrt_array *a, int ndims, const int64_t *low, const int64_t *high) {
  struct dvmrt_pos places[DVMRT_REPAIRS_MAX] = {a->declared};
  struct dvmrt_text *edge = NULL;
  const int n = 1 + dvmrt_declared_places(a, places + 1, DVMRT_REPAIRS_MAX - 2);
  for (int i = 0; i < n; i++) {
    if (i)
      dvmrt_text_add(dvmrt_diag_note(r, places[i]), "'%s' has this directive, too", a->name);
    edge = dvmrt_diag_repair(r, DVMRT_REPAIR_EDGE, places[i], NULL, a->name);
    dvmrt_text_add(edge, "shadow");
    for (int d = 0; d < ndims; d++)
      dvmrt_text_add(edge, "[%lld:%lld]", (long long)low[d], (long long)high[d]);
  }
  return edge->s;
}

/* A clause is refused that is wider than the shadow edge; ordinary arrays have none. */
static void help_edge(struct dvmrt_report *r, const struct dvmrt_clause *c, const struct dvmrt_array *a, struct dvmrt_text *t) {
  bool wider = false;
  for (int d = 0; a && !a->ordinary && d < c->ndims; d++)
    wider = wider || c->low[d] > a->low[d] || c->high[d] > a->high[d];
  if (!wider)
    return;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  for (int d = 0; d < c->ndims; d++) {
    low[d] = c->low[d] > a->low[d] ? c->low[d] : a->low[d];
    high[d] = c->high[d] > a->high[d] ? c->high[d] : a->high[d];
  }
  dvmrt_text_add(t, " and declare '%s' with '%s'", a->name, dvmrt_explain_edge(r, a, c->ndims, low, high));
}

static void help_dependence(struct dvmrt_report *r, const struct dvmrt_finding *f, const struct dvmrt_event *ev, enum dvmrt_verdict v) {
  const struct dvmrt_directive *d = ev->nest->d;
  const char *name = dvmrt_name_key(ev);
  bool element = ev->array || ev->access->ndims;
  struct dvmrt_text *t;
  if (ev->class == DVMRT_CLASS_BUFFER) {
    dvmrt_text_add(dvmrt_diag_help(r),
                   "no directive repairs it: 'remote_access' provides the values from before the loop; write to a different array");
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
  } else if (!element && v == DVMRT_OUTPUT && !dvmrt_guess_operation(ev->access->pos, name)) {
    help_private(r, ev);
    return;
  } else if (!element) {
    help_reduction(r, ev, name);
    return;
  } else {
    return;
  }
  dvmrt_name_place(d->pos, t);
  dvmrt_diag_repair(r, DVMRT_REPAIR_ADD_FOUND, d->pos, NULL, NULL);
  help_edge(r, &f->clause, ev->array, t);
  for (const struct dvmrt_finding *o = dvmrt_finding_first(); o; o = o->next)
    if (o->id == DVMRT_ID_SHADOW_STALE && o->construct == d && !strcmp(o->what, f->what)) {
      dvmrt_text_add(t, "; it also renews the edges and replaces 'shadow_renew(%s)'", f->clause.array);
      break;
    }
}

/* "is read here, but iteration (i=1) has written it: flow dependence, distance (1)" */
static void say_dependence(struct dvmrt_report *r, const struct dvmrt_event *ev, enum dvmrt_verdict v, const int64_t *other) {
  const struct dvmrt_directive *d = ev->nest->d;
  struct dvmrt_text *m = &r->message;
  dvmrt_explain_start(r, ev, v == DVMRT_FLOW ? "is read here, but " : "is written here, but ");
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
  dvmrt_other_note(r, ev, ev->word, v == DVMRT_ANTI ? DVMRT_READ : DVMRT_WRITE, v == DVMRT_ANTI ? "was read here" : "was written here",
                   other);
}

static void dependence(const struct dvmrt_event *ev, enum dvmrt_verdict v) {
  if (v == DVMRT_ANTI && !dvmrt_finding_wanted(DVMRT_CHECK_ANTI))
    return;
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_LOOP_DEPENDENCE);
  if (!f)
    return;
  int64_t iv[DVMRT_NDIMS_MAX], reach[DVMRT_NDIMS_MAX];
  const int64_t *other = dvmrt_construct_iteration(ev->nest, ev->word, iv) ? iv : NULL;
  const int64_t *reader = v == DVMRT_FLOW ? __dvmrt_now.iv : v == DVMRT_ANTI ? other : NULL;
  /* A reader that is not remembered is one of the nest's references, if all of these are known. */
  const bool widths = reader || (v == DVMRT_ANTI && ev->array && dvmrt_across_complete(ev));
  if (ev->array && ev->nest->mapped && widths && ev->class != DVMRT_CLASS_BUFFER)
    widen_across(f, ev, reader && dvmrt_across_reach(ev, reader, ev->ix, reach) ? reach : NULL);
  if (f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  say_dependence(r, ev, v, other);
  note_other(r, ev, v, other);
  dvmrt_explain_note_nest(r, ev);
  dvmrt_explain_note_declaration(r, ev);
  help_dependence(r, f, ev, v);
  dvmrt_explain_emit(f, r);
}

void dvmrt_explain_across(const struct dvmrt_event *ev, enum dvmrt_verdict v, const struct dvmrt_clause_array *across,
                          const int64_t *reach) {
  if (v == DVMRT_ANTI && !dvmrt_finding_wanted(DVMRT_CHECK_ANTI))
    return;
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_ACROSS_DISTANCE);
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
  struct dvmrt_clause declared = {.name = "across", .array = dvmrt_check_array_name(ev), .ndims = ev->array->ndims};
  memcpy(declared.low, across->box.low, sizeof(declared.low));
  memcpy(declared.high, across->box.high, sizeof(declared.high));
  struct dvmrt_report *r = dvmrt_diag_report();
  say_dependence(r, ev, v, other);
  dvmrt_text_add(&r->message, ", which '");
  dvmrt_clause_text(&declared, &r->message);
  dvmrt_text_add(&r->message, "' does not cover");
  note_other(r, ev, v, other);
  dvmrt_explain_note_nest(r, ev);
  dvmrt_explain_note_declaration(r, ev);
  if (f->clause.name) {
    struct dvmrt_text *t = dvmrt_diag_help(r);
    dvmrt_text_add(t, "write '");
    dvmrt_clause_text(&f->clause, t);
    dvmrt_text_add(t, "' in the directive at ");
    dvmrt_name_place(ev->nest->d->pos, t);
    dvmrt_diag_repair(r, DVMRT_REPAIR_ITEM_FOUND, ev->nest->d->pos, f->clause.name, f->clause.array);
    help_edge(r, &f->clause, ev->array, t);
  }
  dvmrt_explain_emit(f, r);
}

/* The block that the task is, if the directive names it by a number. */
static const struct dvmrt_directive *on_block(void) {
  const struct dvmrt_frame *f = dvmrt_construct_top();
  while (f && !f->task)
    f = f->outer;
  return f && !strcmp(f->d->kind, "on") && f->task_on && f->task_on->naxes == 1 && f->task_on->axis[0].kind == 'c' &&
                 f->task_on->axis[0].add.slot < 0
             ? f->d
             : NULL;
}

/* "is read here, in task 1, but task 0 has written it: flow dependence" */
void dvmrt_explain_task(const struct dvmrt_event *ev, enum dvmrt_verdict v, const struct dvmrt_task_conflict *t) {
  if (v == DVMRT_ANTI && !dvmrt_finding_wanted(DVMRT_CHECK_ANTI))
    return;
  struct dvmrt_finding *f = dvmrt_finding_count(DVMRT_ID_TASK_DEPENDENCE, dvmrt_name_key(ev), t->region, ev->access->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  const long long first = t->region->fortran, task = t->task + first, other = t->other + first; /* tasks of Fortran are numbered from 1 */
  dvmrt_explain_start(r, ev, v == DVMRT_FLOW ? "is read" : "is written");
  dvmrt_text_add(&r->message, " in task %lld, but task %lld has %s it: %s dependence", task, other, v == DVMRT_ANTI ? "read" : "written",
                 dependence_name(v));
  if (t->site)
    dvmrt_text_add(dvmrt_diag_note(r, dvmrt_site_access(t->site)->pos), "%s here by task %lld", v == DVMRT_ANTI ? "read" : "written",
                   other);
  dvmrt_text_add(dvmrt_diag_note(r, t->region->pos), "the tasks of '%s' run concurrently in this task region", t->name);
  dvmrt_explain_note_declaration(r, ev);
  struct dvmrt_text *help = dvmrt_diag_help(r);
  const struct dvmrt_directive *block = on_block();
  if (block) {
    dvmrt_text_add(help, "write 'on(%s[%lld])' in the directive at ", t->name, other);
    dvmrt_name_place(block->pos, help);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_CLAUSE, block->pos, "on", NULL), "on(%s[%lld])", t->name, other);
    dvmrt_text_add(help, ", which makes them one task");
  } else if (v == DVMRT_FLOW && ev->array) {
    dvmrt_text_add(help, "no directive alone repairs it: fetch it with 'remote_access(%s", dvmrt_name_key(ev));
    for (int d = 0; d < ev->array->ndims; d++)
      dvmrt_text_add(help, "[]");
    dvmrt_text_add(help, ")' in a later task region, or put both into one task");
  } else {
    dvmrt_text_add(help, "no directive repairs it: put both into one task, or give each task its own '%s'", dvmrt_name_key(ev));
  }
  dvmrt_explain_emit(f, r);
}

/* Replicated data behind a region whose tasks have written them. */
static void left_by_task(const struct dvmrt_event *ev) {
  const struct dvmrt_task_left *l = dvmrt_task_left_at(ev->at);
  struct dvmrt_finding *f = dvmrt_finding_count(DVMRT_ID_TASK_DEPENDENCE, dvmrt_name_key(ev), l ? l->region : NULL, ev->access->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, ev, "is read after the task region in which ");
  if (l)
    dvmrt_text_add(&r->message, "task %lld has written it: the processors of other tasks have an older value", (long long)l->task);
  else
    dvmrt_text_add(&r->message, "a task has written it: the processors of other tasks have an older value");
  if (l && l->site)
    dvmrt_text_add(dvmrt_diag_note(r, dvmrt_site_access(l->site)->pos), "written here by task %lld", (long long)l->task);
  if (l)
    dvmrt_text_add(dvmrt_diag_note(r, l->region->pos), "the task region is here");
  dvmrt_explain_note_declaration(r, ev);
  struct dvmrt_text *help = dvmrt_diag_help(r);
  if (ev->access->ndims)
    dvmrt_text_add(help, "no directive alone repairs it: distribute '%s', or assign it outside of the region", dvmrt_name_key(ev));
  else
    dvmrt_text_add(help,
                   "if it is a result that the tasks add to, name it in a 'reduction' of the region; else assign it outside of the region");
  dvmrt_explain_emit(f, r);
}

/* The target of an asynchronous copy. */
static void being_copied(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_SHADOW_PENDING);
  struct dvmrt_remote_use use;
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, ev, "is read while an asynchronous copy to it is under way");
  const struct dvmrt_pending_var *v = ev->array ? NULL : dvmrt_group_var(ev->at, 1);
  if (v && v->copied)
    dvmrt_explain_copied(r, ev, v);
  if (ev->array && dvmrt_remote_holds(ev->array, ev->ix, &use)) {
    dvmrt_text_add(dvmrt_diag_note(r, use.started->pos), "the copy '%s' was started here", use.name);
    if (ev->nest)
      dvmrt_explain_note_nest(r, ev);
    if (ev->nest)
      dvmrt_explain_help_wait(r, ev, "copy_wait", use.name);
    else
      dvmrt_text_add(dvmrt_diag_help(r), "no directive alone repairs it: move 'copy_wait(%s)' before it", use.name);
  }
  dvmrt_explain_note_declaration(r, ev);
  dvmrt_explain_emit(f, r);
}

void dvmrt_explain_value(const struct dvmrt_event *ev, enum dvmrt_verdict verdict) {
  if (verdict == DVMRT_UNINIT && ev->word == DVMRT_W_TASK) {
    left_by_task(ev);
    return;
  }
  if (verdict == DVMRT_UNINIT && ev->word == DVMRT_W_COPY) {
    being_copied(ev);
    return;
  }
  switch (verdict) {
  case DVMRT_FINE: break;
  case DVMRT_UNINIT: uninitialized(ev); break;
  case DVMRT_PRIVATE_UNINIT: private_uninitialized(ev); break;
  case DVMRT_READONLY_WRITE: readonly_write(ev); break;
  case DVMRT_UNDECLARED: undeclared(ev); break;
  case DVMRT_FLOW:
  case DVMRT_ANTI:
  case DVMRT_OUTPUT: dependence(ev, verdict); break;
  }
}
