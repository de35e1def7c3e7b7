#include "runtime/report/explain_parts.h"
#include "runtime/report/guess.h"
#include "runtime/report/name.h"
#include <string.h>

static void directive_finding(enum dvmrt_id id, const struct dvmrt_directive *at, const char *what, const char *text,
                              const struct dvmrt_directive *other, const char *note) {
  struct dvmrt_finding *f = dvmrt_finding_count(id, what, at, at->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_text_add(&r->message, "%s", text);
  if (other)
    dvmrt_text_add(dvmrt_diag_note(r, other->pos), "%s", note);
  dvmrt_explain_emit(f, r);
}

/* As the language counts them. */
static int dimension_of(const struct dvmrt_directive *d, const struct dvmrt_array *a, int dim) {
  return d->fortran ? a->ndims - dim : dim + 1;
}

void dvmrt_explain_widths(const struct dvmrt_directive *d, const struct dvmrt_array *a, const struct dvmrt_box *box, const char *which) {
  for (int i = 0; i < a->ndims; i++) {
    if (box->low[i] >= 0 && box->high[i] >= 0 && box->low[i] <= a->low[i] && box->high[i] <= a->high[i])
      continue;
    struct dvmrt_text t = {.n = 0};
    dvmrt_text_add(&t, "the %s [%lld:%lld] of dimension %d of '%s' does not fit its shadow edge [%lld:%lld]", which, (long long)box->low[i],
                   (long long)box->high[i], dimension_of(d, a, i), a->name, (long long)a->low[i], (long long)a->high[i]);
    directive_finding(DVMRT_ID_USAGE, d, a->name, t.s, NULL, NULL);
    return;
  }
}

static const char *name_of(const struct dvmrt_directive *d) { return d->items->ref.name; }

void dvmrt_explain_declared(const struct dvmrt_directive *elsewhere, const struct dvmrt_directive *own) {
  struct dvmrt_text t = {.n = 0};
  if (elsewhere->fortran && own->fortran) {
    dvmrt_text_add(&t, "'%s' is distributed differently here than in another program unit", name_of(elsewhere));
    directive_finding(DVMRT_ID_USAGE, elsewhere, name_of(elsewhere), t.s, own, "the directive there: all program units must agree");
    return;
  }
  dvmrt_text_add(&t, "'%s' is distributed differently here than where it is defined", name_of(own));
  directive_finding(DVMRT_ID_USAGE, elsewhere, name_of(own), t.s, own, "the directive of its definition: the two must agree");
}

/* The clause of the loop that names the variable. */
static const struct dvmrt_item *reduction_of(const struct dvmrt_directive *loop, const char *name) {
  for (struct dvmrt_item *i = loop->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REDUCTION)); i = i->next)
    if (name && !strcmp(i->ref.name, name))
      return i;
  return NULL;
}

/* Are there others beside it, before the next group is named? */
static bool shares_group(const struct dvmrt_directive *loop, const struct dvmrt_item *own) {
  int n = 0;
  bool mine = false;
  for (const struct dvmrt_item *i = loop->items; i; i = i->next) {
    if (i->key == DVMRT_DIRECTIVE_GROUP && mine)
      break;
    if (i->key == DVMRT_DIRECTIVE_GROUP)
      n = 0;
    n += i->key == DVMRT_DIRECTIVE_REDUCTION;
    mine |= i == own;
  }
  return n > 1;
}

/* "sum(s)", "maxloc(m, at)" */
static void reduction_text(const struct dvmrt_item *i, const char *name, struct dvmrt_text *t) {
  dvmrt_text_add(t, "%s(%s%s%s)", i->word, name, i->loc_name ? ", " : "", i->loc_name ? i->loc_name : "");
}

static bool computes(const struct dvmrt_directive *d) { return d->parallel || !strcmp(d->kind, "task_region"); }

static const char *step_of(bool consistent) { return consistent ? "consistent" : "reduction"; } /* .. _start, _wait */

static const char *computed_in(const struct dvmrt_directive *d) {
  return d->parallel ? "computed in this parallel loop" : "computed in this task region";
}

static void help_protocol(struct dvmrt_report *r, const struct dvmrt_directive *at, const struct dvmrt_protocol *p) {
  struct dvmrt_text *help = dvmrt_diag_help(r), own = {.n = 0};
  const struct dvmrt_item *i = computes(at) && !p->consistent ? reduction_of(at, p->name) : NULL;
  const char *step = step_of(p->consistent);
  if (i)
    reduction_text(i, p->name, &own);
  if (i && shares_group(at, i)) {
    dvmrt_text_add(help, "remove '%s' from the group '%s', and add 'reduction(%s)' to the directive at ", own.s, p->group, own.s);
    dvmrt_name_place(at->pos, help);
    dvmrt_diag_repair(r, DVMRT_REPAIR_DROP, at->pos, "reduction", p->name);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, at->pos, NULL, NULL), "reduction(%s)", own.s);
  } else if (i) {
    dvmrt_text_add(help, "write 'reduction(%s)' in place of 'reduction(%s: %s)' in the directive at ", own.s, p->group, own.s);
    dvmrt_name_place(at->pos, help);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_CLAUSE, at->pos, "reduction", p->name), "reduction(%s)", own.s);
  } else if (computes(at)) {
    dvmrt_text_add(help, "take the group '%s' out of its clause 'consistent', or start it and wait for it behind the loop", p->group);
  } else if (strstr(at->kind, "_start") && p->other && computes(p->other)) {
    dvmrt_text_add(help, "put '#pragma dvm %s_wait(%s)' after it", step, p->group);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_BEHIND, at->pos, NULL, NULL), "#pragma dvm %s_wait(%s)", step, p->group);
  } else if (p->other && computes(p->other)) {
    dvmrt_text_add(help, "put '#pragma dvm %s_start(%s)' before it", step, p->group);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_BEFORE, at->pos, "later", NULL), "#pragma dvm %s_start(%s)", step, p->group);
  } else {
    dvmrt_text_add(help, "remove this directive");
    dvmrt_diag_repair(r, DVMRT_REPAIR_OUT, at->pos, NULL, NULL);
  }
}

void dvmrt_explain_protocol(const struct dvmrt_directive *at, const struct dvmrt_protocol *p) {
  struct dvmrt_finding *f = dvmrt_finding_count(DVMRT_ID_REDUCTION_PROTOCOL, p->name ? p->name : p->group, at, at->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_text_add(&r->message, "the %s '%s'", p->consistent ? "consistent group" : "reduction", p->group);
  if (p->name)
    dvmrt_text_add(&r->message, " of '%s'", p->name);
  dvmrt_text_add(&r->message, " %s", p->what);
  if (p->other)
    dvmrt_text_add(dvmrt_diag_note(r, p->other->pos), "%s", computes(p->other) ? computed_in(p->other) : "started here");
  help_protocol(r, at, p);
  dvmrt_explain_emit(f, r);
}

void dvmrt_explain_copied(struct dvmrt_report *r, const struct dvmrt_event *ev, const struct dvmrt_pending_var *v) {
  dvmrt_text_add(dvmrt_diag_note(r, v->started->pos), "the copy '%s' was started here", v->group);
  if (ev->nest)
    dvmrt_explain_note_nest(r, ev);
  struct dvmrt_text *lines = dvmrt_diag_repair(r, ev->nest ? DVMRT_REPAIR_BEFORE : DVMRT_REPAIR_STATEMENT,
                                               ev->nest ? ev->nest->d->pos : ev->access->pos, "later", NULL);
  dvmrt_text_add(lines, "#pragma dvm copy_wait(%s)", v->group);
  struct dvmrt_text *help = dvmrt_diag_help(r);
  dvmrt_text_add(help, "put '#pragma dvm copy_wait(%s)' before %s", v->group, ev->nest ? "the loop at " : "it");
  if (ev->nest)
    dvmrt_name_place(ev->nest->d->pos, help);
  dvmrt_text_add(help, "; remove later ones");
}

static void being_copied(const struct dvmrt_event *ev, const struct dvmrt_pending_var *v) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_EXCHANGE_WRITE);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, ev, "is written");
  dvmrt_text_add(&r->message, " while the asynchronous copy '%s' %s it is under way", v->group, v->copied->target ? "to" : "of");
  dvmrt_explain_note_declaration(r, ev);
  dvmrt_explain_copied(r, ev, v);
  dvmrt_explain_emit(f, r);
}

static bool names_group(const struct dvmrt_directive *d, const char *group) {
  for (struct dvmrt_item *i = d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_GROUP)); i = i->next)
    if (!strcmp(i->ref.name, group))
      return true;
  return false;
}

/* It is to be finished before the construct, or before the statement at 'pos'.  Later steps are the construct's, if it is of the group. */
static void help_wait(struct dvmrt_report *r, const struct dvmrt_pending_var *v, const struct dvmrt_directive *d, struct dvmrt_pos pos) {
  struct dvmrt_text *help = dvmrt_diag_help(r);
  const char *step = step_of(v->consistent);
  const char *later = d && names_group(d, v->group) ? NULL : "later";
  struct dvmrt_text *lines = dvmrt_diag_repair(r, d ? DVMRT_REPAIR_BEFORE : DVMRT_REPAIR_STATEMENT, d ? d->pos : pos, later, NULL);
  if (!v->started)
    dvmrt_text_add(lines, "#pragma dvm %s_start(%s)\n", step, v->group);
  dvmrt_text_add(lines, "#pragma dvm %s_wait(%s)", step, v->group);
  dvmrt_text_add(help, "put ");
  if (!v->started)
    dvmrt_text_add(help, "'#pragma dvm %s_start(%s)' and ", step, v->group);
  dvmrt_text_add(help, "'#pragma dvm %s_wait(%s)' before %s", step, v->group, d ? "the loop at " : "it");
  if (d)
    dvmrt_name_place(d->pos, help);
  if (later)
    dvmrt_text_add(help, "; remove later ones");
}

void dvmrt_explain_reduced_again(const struct dvmrt_directive *d, const struct dvmrt_pending_var *v) {
  struct dvmrt_finding *f = dvmrt_finding_count(DVMRT_ID_REDUCTION_PENDING, v->name, d, d->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_text_add(&r->message, "'%s' is reduced again before its reduction '%s' has %s", v->name, v->group,
                 v->started ? "been waited for" : "been started");
  if (v->started)
    dvmrt_text_add(dvmrt_diag_note(r, v->started->pos), "started here");
  dvmrt_text_add(dvmrt_diag_note(r, v->computed->pos), "%s", computed_in(v->computed));
  help_wait(r, v, d, d->pos);
  dvmrt_explain_emit(f, r);
}

void dvmrt_explain_pending(const struct dvmrt_event *ev, const struct dvmrt_pending_var *v) {
  if (v->copied) {
    being_copied(ev, v);
    return;
  }
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_REDUCTION_PENDING);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, ev, ev->flags & DVMRT_WRITE ? "is written" : "is read");
  dvmrt_text_add(&r->message, " before its %s '%s' has %s", v->consistent ? "consistent group" : "reduction", v->group,
                 v->started ? "been waited for" : "been started");
  if (v->started)
    dvmrt_text_add(dvmrt_diag_note(r, v->started->pos), "started here");
  dvmrt_text_add(dvmrt_diag_note(r, v->computed->pos), "%s", computed_in(v->computed));
  dvmrt_explain_note_declaration(r, ev);
  help_wait(r, v, ev->nest ? ev->nest->d : NULL, ev->access->pos);
  dvmrt_explain_emit(f, r);
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

/* Counted by dimension: what it is in one execution or the next is one mistake. */
void dvmrt_explain_leaves(const struct dvmrt_record *v) {
  const struct dvmrt_item *i = v->leaves.item;
  struct dvmrt_text t = {.n = 0}, what = {.n = 0};
  const char *clause = i->key == DVMRT_DIRECTIVE_ON ? "on" : "remote_access";
  const struct dvmrt_array *a = v->leaves.array;
  const int dim = dimension_of(v->directive, a, v->leaves.dim);
  const long long low = a->lower[v->leaves.dim];
  dvmrt_text_add(&t, "subscript %lld of '%s' in '%s'", (long long)v->leaves.at + low, i->ref.name, clause);
  if (v->leaves.index >= 0)
    dvmrt_text_add(&t, ", for %s=%lld,", v->directive->names[v->leaves.index], (long long)v->leaves.value);
  dvmrt_text_add(&t, " is outside dimension %d (%lld to %lld)", dim, low, (long long)a->extent[v->leaves.dim] - 1 + low);
  dvmrt_text_add(&what, "%s (%s, dimension %d)", i->ref.name, clause, dim);
  directive_finding(DVMRT_ID_USAGE, v->directive, what.s, t.s, NULL, NULL);
}

void dvmrt_explain_target(const struct dvmrt_directive *d, const char *name) {
  struct dvmrt_text t = {.n = 0};
  dvmrt_text_add(&t, "'%s' in 'on' is not a distributed array in this run", name);
  directive_finding(DVMRT_ID_USAGE, d, name, t.s, NULL, NULL);
}

void dvmrt_explain_unplaced(const struct dvmrt_directive *d, const struct dvmrt_array *a) {
  struct dvmrt_text t = {.n = 0};
  dvmrt_text_add(&t, "'%s' in 'on' has no distribution yet: no directive has distributed or aligned it", a->name);
  directive_finding(DVMRT_ID_USAGE, d, a->name, t.s, NULL, NULL);
}

/* A task region's clause speaks of what its tasks do: of the one that is being executed. */
static const struct dvmrt_directive *text_of(const struct dvmrt_directive *d) {
  const struct dvmrt_frame *f = strcmp(d->kind, "task_region") ? NULL : dvmrt_construct_top();
  return f ? f->d : d;
}

/* Where the loop updates the variable by another operation than the declared one, as the user's own lines show it. */
static bool help_operation(struct dvmrt_report *r, const struct dvmrt_directive *d, const struct dvmrt_item *reduction) {
  const char *name = reduction->ref.name;
  for (const struct dvmrt_access *x = dvmrt_site_of_construct(d->site, d->pos.file, text_of(d)->cid); x; x = x->next) {
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
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_OPERATION, d->pos, NULL, name), "%s%s", operation, reduction->loc_name ? "loc" : "");
    return true;
  }
  return false;
}

/* Of updates in functions that the nest calls. */
static bool help_operation_of_callees(struct dvmrt_report *r, const struct dvmrt_directive *d, const struct dvmrt_item *reduction) {
  const char *name = reduction->ref.name;
  for (const struct dvmrt_access *x = dvmrt_site_next(d->site, NULL); d->calls && x; x = dvmrt_site_next(d->site, x)) {
    const char *operation = x->cid == 0 && x->root == 'g' && x->name && !strcmp(x->name, name) ? dvmrt_guess_operation(x->pos, name) : NULL;
    if (!operation || reduction->loc_name || !strncmp(operation, reduction->word, strlen(operation)))
      continue;
    dvmrt_text_add(dvmrt_diag_note(r, x->pos), "'%s' is updated here", name);
    struct dvmrt_text *help = dvmrt_diag_help(r);
    dvmrt_text_add(help, "write '%s(%s)' in the 'reduction' of the directive at ", operation, name);
    dvmrt_name_place(d->pos, help);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_OPERATION, d->pos, NULL, name), "%s", operation);
    return true;
  }
  return false;
}

void dvmrt_explain_mismatch(const struct dvmrt_directive *d, const struct dvmrt_item *reduction, const char *name, const char *what,
                            const char *program, const char *declared, const char *tolerance) {
  struct dvmrt_text t = {.n = 0};
  dvmrt_text_add(&t, "the %s computes %s%s'%s' = %s, but %s partial values give %s under '%s'%s", d->parallel ? "loop" : "task", what,
                 *what ? " " : "", name, program, d->parallel ? "the iterations'" : "its", declared, reduction->word, tolerance);
  struct dvmrt_finding *f = dvmrt_finding_count(DVMRT_ID_REDUCTION_MISMATCH, reduction->ref.name, d, d->pos);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_text_add(&r->message, "%s", t.s);
  if (!help_operation(r, d, reduction))
    help_operation_of_callees(r, d, reduction);
  dvmrt_explain_emit(f, r);
}

void dvmrt_explain_escape(const struct dvmrt_event *ev) {
  struct dvmrt_event in_nest = *ev;
  in_nest.nest = dvmrt_construct_nest();
  struct dvmrt_finding *f = dvmrt_explain_count(&in_nest, DVMRT_ID_REDUCTION_ESCAPE);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(
      r, &in_nest, "is a reduction variable: its partial value, different on each processor, is used for something other than its update");
  dvmrt_explain_note_nest(r, &in_nest);
  dvmrt_explain_note_declaration(r, &in_nest);
  dvmrt_text_add(dvmrt_diag_help(r), "no directive repairs it: use '%s' after the parallel loop", dvmrt_name_key(&in_nest));
  dvmrt_explain_emit(f, r);
}
