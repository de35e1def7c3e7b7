#include "runtime/report/explain_parts.h"
#include "runtime/report/own.h"
#include "runtime/report/name.h"
#include "runtime/rules/across.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/task.h"
#include "runtime/data/edges.h"
#include <ctype.h>
#include <string.h>

/* ---- bounds ------------------------------------------------------------------------------------------------------------------- */

void dvmrt_explain_bounds(const struct dvmrt_event *ev, int dim, int64_t index, int64_t extent) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_OUT_OF_BOUNDS);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  struct dvmrt_event plain = *ev;
  plain.array = NULL; /* the element that the address happens to hit is not what was meant */
  const struct dvmrt_inner *inner = dim >= ev->access->ndims ? &ev->access->inner[dim - ev->access->ndims] : NULL;
  dvmrt_name_reference(&plain, &r->message);
  const bool fortran = ev->access->fortran && !inner;
  const int64_t lower = fortran ? ev->access->lower[dim] : 0;
  dvmrt_text_add(&r->message, " is out of bounds: index %lld of dimension %d", (long long)(index + lower),
                 fortran ? ev->access->ndims - dim : (inner ? inner->dim : dim) + 1);
  if (inner && inner->member)
    dvmrt_text_add(&r->message, " of '%s'", inner->member);
  dvmrt_text_add(&r->message, " is not in %lld..%lld", (long long)lower, (long long)(extent - 1 + lower));
  dvmrt_explain_note_declaration(r, &plain); /* which shows the extents */
  if (ev->array && ev->access->name && strcmp(ev->array->name, ev->access->name))
    dvmrt_explain_note_declaration(r, ev);
  if (ev->nest)
    dvmrt_explain_note_nest(r, ev);
  dvmrt_explain_emit(f, r);
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
  struct dvmrt_text *t = dvmrt_explain_note_nest(r, ev);
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

static void say_fetched(const struct dvmrt_event *ev, struct dvmrt_text *m) {
  struct dvmrt_remote_use use;
  if (!dvmrt_remote_holds(ev->array, ev->ix, &use))
    dvmrt_text_add(m, " is written while it is being fetched");
  else if (use.copy)
    dvmrt_text_add(m, " is written while the asynchronous copy '%s' %s it is under way", use.name, use.target ? "to" : "of");
  else
    dvmrt_text_add(m, " is written between 'remote_start(%s)' and the construct that uses what it has fetched", use.name);
}

static void say_task(const struct dvmrt_event *ev, struct dvmrt_text *m) {
  const struct dvmrt_array *root = dvmrt_array_layout(ev->array)->root;
  dvmrt_text_add(m, " %s in task %lld, but lies on ", ev->flags & DVMRT_WRITE ? "is written" : "is read", (long long)dvmrt_task_current());
  if (root && root->tasks)
    dvmrt_text_add(m, "the processors of task %lld", (long long)dvmrt_task_of_array(ev->array));
  else
    dvmrt_text_add(m, root && root->onto ? "processors that the task does not have" : "all processors, of which the task has some");
}

static const char *named_edge(const struct dvmrt_event *ev) {
  struct dvmrt_place none = {.kind = DVMRT_PLACE_UNRELATED};
  return dvmrt_edges_holding(ev->array, &ev->nest->layout, __dvmrt_now.iv, ev->ix, &none, false);
}

static void say_named(const struct dvmrt_event *ev, struct dvmrt_text *m) {
  const char *edge = named_edge(ev);
  dvmrt_text_add(m, " is read from the shadow edge \"%s\", which ", edge ? edge : "?");
  if (ev->array->ever_renewed)
    dvmrt_text_add(m, "has not been renewed since '%s' was written", dvmrt_check_array_name(ev));
  else
    dvmrt_text_add(m, "was never renewed");
}

static void say_where(struct dvmrt_report *r, const struct dvmrt_event *ev, enum dvmrt_misplaced why) {
  bool write = ev->flags & DVMRT_WRITE;
  const char *does = write ? "is written" : "is read";
  struct dvmrt_text *m = &r->message;
  const char *name = dvmrt_check_array_name(ev);
  dvmrt_name_datum(ev, m);
  switch (why) {
  case DVMRT_BEYOND_EDGE: dvmrt_text_add(m, " %s outside the iteration's own part and its shadow edge", does); break;
  case DVMRT_NO_PART:
    dvmrt_text_add(m, " %s by an iteration that owns no element of '%s', and so has no shadow edge of it", does, name);
    break;
  case DVMRT_NEVER_RENEWED: dvmrt_text_add(m, " is read from the shadow edge, which was never renewed"); break;
  case DVMRT_WRITTEN_SINCE:
    dvmrt_text_add(m, " is read from the shadow edge, which has not been renewed since '%s' was written", name);
    break;
  case DVMRT_MOVED_SINCE:
    dvmrt_text_add(m, " is read from the shadow edge, which has not been renewed since the distribution of '%s' changed", name);
    break;
  case DVMRT_NARROW_RENEWAL: dvmrt_text_add(m, " is read from the shadow edge, of which only a narrower part was renewed"); break;
  case DVMRT_NO_CORNER: dvmrt_text_add(m, " is read from a corner of the shadow edge, which was renewed without its corners"); break;
  case DVMRT_NAMED_STALE: say_named(ev, m); break;
  case DVMRT_PENDING: dvmrt_text_add(m, " is read from the shadow edge, whose renewal has been started but not waited for"); break;
  case DVMRT_IN_FLIGHT: dvmrt_text_add(m, " is written while the exchange of the shadow edges of '%s' is under way", name); break;
  case DVMRT_FETCHED: say_fetched(ev, m); break;
  case DVMRT_OTHER_TASK: say_task(ev, m); break;
  case DVMRT_EDGE_WRITE: dvmrt_text_add(m, " is written in the shadow edge: only the owner of an element may write it"); break;
  case DVMRT_NO_RELATION:
    dvmrt_text_add(m, " %s in a loop that is not mapped on '%s': the two are distributed separately", does, name);
    break;
  case DVMRT_REPLICATED:
    dvmrt_text_add(m, " %s by an iteration that is replicated over a dimension along which '%s' is divided", does, name);
    break;
  case DVMRT_FIXED: dvmrt_text_add(m, " %s by an iteration that is not executed where '%s' is aligned", does, name); break;
  case DVMRT_UNMAPPED: dvmrt_text_add(m, " is distributed and %s in a parallel loop without 'on'", write ? "written" : "read"); break;
  }
}

/* Does the access stand in the text of the nest? */
static bool of_nest(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  return (x->ndims == ev->array->ndims || (x->range && x->ndims < ev->array->ndims)) && x->cid == ev->nest->d->cid &&
         x->pos.file == ev->nest->d->pos.file;
}

/* Is the distance known to change from iteration to iteration?  Then this one reads the edge by chance. */
static bool wanders(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  if (!of_nest(ev))
    return false;
  for (int d = 0; d < x->ndims; d++)
    if (x->axis[d].kind == 'o' && !x->axis[d].text && dvmrt_layout_divides(dvmrt_array_layout(ev->array), d))
      return false;
  return !dvmrt_layout_steady(dvmrt_array_layout(ev->array), &ev->nest->layout, x->axis, x->ndims);
}

static void clause_of(struct dvmrt_finding *f, const struct dvmrt_event *ev, const struct dvmrt_place *p, const char *name) {
  const struct dvmrt_array *a = ev->array;
  if (f->clause.never || wanders(ev)) { /* the help says remote_access */
    f->clause = (struct dvmrt_clause){.never = true};
    return;
  }
  f->clause.name = name;
  f->clause.array = dvmrt_check_array_name(ev);
  f->clause.ndims = a->ndims;
  f->clause.corner |= p->naway > 1;
  for (int d = 0; d < a->ndims; d++)
    dvmrt_clause_widen(&f->clause, d, p->away[d]);
}

/* The reference as a section of remote_access: "A[7][i + 1][]"; the whole dimension where the subscript is not known. */
static void section_text(const struct dvmrt_event *ev, struct dvmrt_text *t) {
  const struct dvmrt_access *x = ev->access;
  dvmrt_text_add(t, "%s", dvmrt_check_array_name(ev));
  for (int i = 0; i < ev->array->ndims; i++) {
    const struct dvmrt_subscript *s = &x->axis[i];
    bool given = i < x->ndims && (x->ndims == ev->array->ndims || x->range) && !(x->range && i == ev->array->ndims - 1);
    const char *index = given && s->kind == 'a' ? ev->nest->d->names[s->index] : NULL;
    const int64_t add = s->add + (given ? x->lower[i] : 0);
    if (given && s->kind == 'c')
      dvmrt_text_add(t, "[%lld]", (long long)add);
    else if (!index)
      dvmrt_text_add(t, "[%s]", given && s->text && of_nest(ev) ? s->text : "");
    else
      dvmrt_own_subscript(t, index, s->coef, add);
  }
}

/* Subscripts that are index variables, or constants. */
static void subscripts_text(const struct dvmrt_access *x, const struct dvmrt_directive *d, struct dvmrt_text *t) {
  for (int i = 0; i < x->ndims; i++) {
    const struct dvmrt_subscript *s = &x->axis[i];
    if (s->kind == 'a')
      dvmrt_own_subscript(t, d->names[s->index], s->coef, s->add + x->lower[i]);
    else
      dvmrt_text_add(t, "[%lld]", (long long)(s->add + x->lower[i]));
  }
}

static void help_remote(struct dvmrt_report *r, const struct dvmrt_event *ev, bool has_clause) {
  struct dvmrt_text *t = dvmrt_diag_help(r);
  if (!of_nest(ev) || !ev->access->distributed) {
    dvmrt_text_add(
        t, "no directive alone repairs it: read the element of '%s' in the loop itself, %s", dvmrt_check_array_name(ev),
        ev->access->fortran
            ? "or make it an argument of the procedure, under 'remote_access': other accesses in procedures do not use its buffer"
            : "under 'remote_access': accesses through functions and pointers do not use its buffer");
    return;
  }
  const struct dvmrt_pos at = ev->nest->d->pos;
  struct dvmrt_text *clause = has_clause ? dvmrt_diag_repair(r, DVMRT_REPAIR_MORE, at, "remote_access", NULL)
                                         : dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, at, NULL, NULL);
  dvmrt_text_add(clause, has_clause ? "" : "remote_access(");
  section_text(ev, clause);
  dvmrt_text_add(clause, has_clause ? "" : ")");
  dvmrt_text_add(t, has_clause ? "name '" : "add '");
  dvmrt_text_add(t, "%s", clause->s);
  dvmrt_text_add(t, has_clause ? "' in the 'remote_access' of the directive at " : "' to the directive at ");
  dvmrt_name_place(at, t);
}

/* Arrays of one name come from one declaration, which is executed again and again: that cannot align them. */
static void help_align(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const struct dvmrt_array *on = ev->nest->on;
  if (on && on->name && on->ndims == ev->array->ndims && strcmp(on->name, ev->array->name) != 0)
    dvmrt_text_add(dvmrt_diag_help(r), "%s'%s' may be aligned with '%s' where it is declared, if they belong together",
                   ev->flags & DVMRT_WRITE ? "" : "or ", ev->array->name, on->name);
}

/* Does the subscript not go with the iteration, so that no edge of a fixed width holds the element? */
static bool goes_alone(const struct dvmrt_event *ev, int dim) {
  const struct dvmrt_access *x = ev->access;
  if (x->ndims != ev->array->ndims)
    return false;
  return x->axis[dim].kind != 'a' || !dvmrt_layout_steady(dvmrt_array_layout(ev->array), &ev->nest->layout, x->axis, x->ndims);
}

/* The array as the directive's clauses with that key name it; NULL: in none of them. */
static const struct dvmrt_item *named_in(const struct dvmrt_event *ev, char key) {
  for (const struct dvmrt_item *i = dvmrt_directive_find(ev->nest->d->items, key); i; i = dvmrt_directive_find(i->next, key))
    if ((uintptr_t)dvmrt_num_value(i->ref.address, ev->nest->args) == ev->array->address)
      return i;
  return NULL;
}

/* The widths that the directive gives already go into the clause that is to take its place. */
static void keep_renewed(struct dvmrt_finding *f, const struct dvmrt_event *ev) {
  const struct dvmrt_item *present = named_in(ev, DVMRT_DIRECTIVE_RENEW);
  if (!present || !present->nwidths)
    return;
  struct dvmrt_box box;
  dvmrt_array_widths(ev->array, present, ev->nest->args, &box);
  for (int d = 0; d < ev->array->ndims; d++) {
    dvmrt_clause_widen(&f->clause, d, -box.low[d]);
    dvmrt_clause_widen(&f->clause, d, box.high[d]);
  }
  f->clause.corner |= box.corner;
}

/* In a loop that writes the array as well, its old values may not be what is meant. */
static void help_renew(struct dvmrt_report *r, const struct dvmrt_event *ev, const struct dvmrt_place *p) {
  const struct dvmrt_directive *d = ev->nest->d;
  if (wanders(ev)) {
    help_remote(r, ev, named_in(ev, DVMRT_DIRECTIVE_REMOTE));
    return;
  }
  const char *name = dvmrt_check_array_name(ev);
  bool again = named_in(ev, DVMRT_DIRECTIVE_RENEW);
  struct dvmrt_text *t = dvmrt_diag_help(r);
  dvmrt_text_add(t, "%s 'shadow_renew(%s%s)' %s the directive at ", again ? "write" : "add", name, p->naway > 1 ? "(corner)" : "",
                 again ? "in" : "to");
  dvmrt_name_place(d->pos, t);
  dvmrt_diag_repair(r, again ? DVMRT_REPAIR_ITEM_FOUND : DVMRT_REPAIR_ADD_FOUND, d->pos, "shadow_renew", name);
  const struct dvmrt_item *use = named_in(ev, DVMRT_DIRECTIVE_USE);
  if (use && use->use == 'w' && !named_in(ev, DVMRT_DIRECTIVE_ACROSS))
    dvmrt_text_add(t, ", or 'across(%s)' if the values that the loop itself writes are meant", name);
}

/* A clause of its own: of one array several edges may be renewed. */
static void help_named(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const char *edge = named_edge(ev);
  const struct dvmrt_pos at = ev->nest->d->pos;
  if (!edge)
    return;
  struct dvmrt_text *clause = dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, at, NULL, NULL), *t = dvmrt_diag_help(r);
  dvmrt_text_add(clause, "shadow_renew(%s", dvmrt_check_array_name(ev));
  for (int d = 0, along = dvmrt_edges_dim(ev->array, edge); d < ev->array->ndims; d++)
    dvmrt_text_add(clause, d == along ? "[\"%s\"]" : "[]", edge);
  dvmrt_text_add(clause, ")");
  dvmrt_text_add(t, "add '%s' to the directive at ", clause->s);
  dvmrt_name_place(at, t);
}

void dvmrt_explain_help_wait(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *word, const char *group) {
  dvmrt_text_add(dvmrt_diag_help(r), "put '#pragma dvm %s(%s)' before this loop; remove a later one", word, group);
  dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_BEFORE, ev->nest->d->pos, "later", NULL), "#pragma dvm %s(%s)", word, group);
}

static void help_wait(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const char *group = dvmrt_group_pending_name(ev->array);
  if (group)
    dvmrt_explain_help_wait(r, ev, "shadow_wait", group);
}

static void help_fetched(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  struct dvmrt_remote_use use;
  if (!dvmrt_remote_holds(ev->array, ev->ix, &use))
    return;
  if (use.copy)
    dvmrt_explain_help_wait(r, ev, "copy_wait", use.name);
  else
    dvmrt_text_add(dvmrt_diag_help(r),
                   "no directive alone repairs it: move 'remote_start(%s)' behind this loop, or the loop behind the use", use.name);
}

/* Does each subscript follow an index variable or stand still, and each index variable lead to one? */
static bool leads_all(const struct dvmrt_access *x, const struct dvmrt_directive *d) {
  bool led[DVMRT_NDIMS_MAX] = {false};
  for (int i = 0; i < x->ndims; i++) {
    if (x->axis[i].kind == 'o')
      return false;
    if (x->axis[i].kind == 'a')
      led[x->axis[i].index] = true;
  }
  for (int i = 0; i < d->rank; i++)
    if (!led[i])
      return false;
  return true;
}

/* What the nest assigns of a distributed array: there it must be, what it reads may be fetched.  NULL: not known. */
static const struct dvmrt_access *assigned_in(const struct dvmrt_directive *d) {
  for (const struct dvmrt_access *x = dvmrt_site_of_construct(d->site, d->pos.file, d->cid); x; x = x->next)
    if (x->distributed && x->flags & DVMRT_WRITE && !x->range && x->name && leads_all(x, d))
      return x;
  return NULL;
}

/* A loop without 'on' runs where the element lies if it is mapped on the reference. */
static void help_mapping(struct dvmrt_report *r, const struct dvmrt_event *ev) {
  const struct dvmrt_directive *d = ev->nest->d;
  struct dvmrt_text *clause = dvmrt_diag_repair(r, DVMRT_REPAIR_CLAUSE, d->pos, "parallel", NULL);
  struct dvmrt_text *t = dvmrt_diag_help(r);
  dvmrt_text_add(clause, "parallel(");
  for (int i = 0; i < d->rank; i++)
    dvmrt_text_add(clause, "[%s]", d->names[i]);
  dvmrt_text_add(clause, " on ");
  const struct dvmrt_access *target = ev->flags & DVMRT_WRITE ? NULL : assigned_in(d);
  if (target) {
    dvmrt_text_add(clause, "%s", target->name);
    subscripts_text(target, d, clause);
  } else {
    section_text(ev, clause);
  }
  dvmrt_text_add(clause, ")");
  dvmrt_text_add(t, "write '%s' in the directive at ", clause->s);
  dvmrt_name_place(d->pos, t);
}

static bool same_place(const struct dvmrt_access *x, const struct dvmrt_access *y) {
  if (x->ndims != y->ndims || !x->name || !y->name || strcmp(x->name, y->name) != 0)
    return false;
  for (int d = 0; d < x->ndims; d++)
    if (x->axis[d].kind != y->axis[d].kind || x->axis[d].coef != y->axis[d].coef || x->axis[d].add != y->axis[d].add ||
        x->axis[d].index != y->axis[d].index)
      return false;
  return true;
}

/* Would the loop be right on the element that is written: does each index variable lead to one, and is it all that the nest touches of
 * distributed arrays? */
static bool is_target(const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  const struct dvmrt_directive *d = ev->nest->d;
  if (!(ev->flags & DVMRT_WRITE) || !of_nest(ev) || !x->distributed || x->range || d->calls || !leads_all(x, d))
    return false;
  for (const struct dvmrt_access *y = dvmrt_site_of_construct(d->site, d->pos.file, d->cid); y; y = y->next)
    if (y->distributed && !same_place(x, y))
      return false;
  return true;
}

/* The declaration with an edge that holds the element, and those of the loop's other references. */
static void help_wider(struct dvmrt_report *r, const struct dvmrt_event *ev, const struct dvmrt_place *p) {
  const struct dvmrt_array *a = ev->array;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  struct dvmrt_clause all;
  if (ev->access->range && wanders(ev)) { /* no edge holds what other iterations need */
    help_remote(r, ev, false);
    return;
  }
  if (!dvmrt_across_complete(ev) || !dvmrt_across_clause(ev, &all))
    all = (struct dvmrt_clause){.ndims = 0};
  for (int i = 0; i < a->ndims; i++) {
    low[i] = p->away[i] < 0 ? -p->away[i] : 0;
    high[i] = p->away[i] > 0 ? p->away[i] : 0;
    if (i < all.ndims) {
      low[i] = all.low[i] > low[i] ? all.low[i] : low[i];
      high[i] = all.high[i] > high[i] ? all.high[i] : high[i];
    }
    bool wider = low[i] > a->low[i] || high[i] > a->high[i];
    if (wider && goes_alone(ev, i)) {
      help_remote(r, ev, false);
      return;
    }
    low[i] = low[i] > a->low[i] ? low[i] : a->low[i];
    high[i] = high[i] > a->high[i] ? high[i] : a->high[i];
    if (wider)
      dvmrt_text_add(dvmrt_diag_help(r), "give dimension %d of '%s' a shadow edge of [%lld:%lld] and renew it, or use remote_access",
                     ev->access->fortran ? a->ndims - i : i + 1, dvmrt_check_array_name(ev), (long long)low[i], (long long)high[i]);
  }
  dvmrt_explain_edge(r, a, a->ndims, low, high);
  if (!named_in(ev, DVMRT_DIRECTIVE_RENEW) && !named_in(ev, DVMRT_DIRECTIVE_ACROSS))
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, ev->nest->d->pos, NULL, NULL), "shadow_renew(%s)", dvmrt_check_array_name(ev));
}

static void help_place(struct dvmrt_report *r, const struct dvmrt_finding *f, const struct dvmrt_event *ev, const struct dvmrt_place *p,
                       enum dvmrt_misplaced why) {
  if (!ev->nest)
    return;
  if (is_target(ev) && why != DVMRT_IN_FLIGHT && why != DVMRT_FETCHED && why != DVMRT_OTHER_TASK &&
      !(f && f->id == DVMRT_ID_REMOTE_WRITE)) {
    help_mapping(r, ev);
    return;
  }
  switch (why) {
  case DVMRT_BEYOND_EDGE:
    if (ev->flags & DVMRT_WRITE || !f)
      return;
    if (f->id == DVMRT_ID_REMOTE_UNCOVERED) {
      help_remote(r, ev, true);
      return;
    }
    help_wider(r, ev, p);
    return;
  case DVMRT_NEVER_RENEWED:
  case DVMRT_WRITTEN_SINCE:
  case DVMRT_MOVED_SINCE:
  case DVMRT_NARROW_RENEWAL:
  case DVMRT_NO_CORNER: help_renew(r, ev, p); return;
  case DVMRT_NAMED_STALE: help_named(r, ev); return;
  case DVMRT_PENDING:
  case DVMRT_IN_FLIGHT: help_wait(r, ev); return;
  case DVMRT_FETCHED: help_fetched(r, ev); return;
  case DVMRT_OTHER_TASK:
  case DVMRT_EDGE_WRITE: return;
  case DVMRT_UNMAPPED: help_mapping(r, ev); return;
  case DVMRT_NO_RELATION:
  default:
    if (!(ev->flags & DVMRT_WRITE))
      help_remote(r, ev, f && f->id == DVMRT_ID_REMOTE_UNCOVERED);
    if (why == DVMRT_NO_RELATION && !(f && f->id == DVMRT_ID_REMOTE_WRITE))
      help_align(r, ev);
  }
}

void dvmrt_explain_place(const struct dvmrt_event *ev, const struct dvmrt_place *p, enum dvmrt_id id, enum dvmrt_misplaced why) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, id);
  if (!f)
    return;
  if (why == DVMRT_NAMED_STALE) {
    f->clause = (struct dvmrt_clause){.never = true}; /* of widths */
  } else if (id == DVMRT_ID_SHADOW_STALE) {
    clause_of(f, ev, p, "shadow_renew");
    if (f->clause.name)
      keep_renewed(f, ev);
  }
  if (f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  if (id == DVMRT_ID_REMOTE_WRITE) {
    dvmrt_name_datum(ev, &r->message);
    dvmrt_text_add(&r->message, " is written, but the reference stands for a copy that 'remote_access' has made, which is read-only");
  } else {
    say_where(r, ev, why);
  }
  if (id == DVMRT_ID_REMOTE_UNCOVERED)
    dvmrt_text_add(&r->message, ", and no section of 'remote_access' covers the reference");
  if (id == DVMRT_ID_SHADOW_STALE)
    note_writer(r, ev->array);
  const struct dvmrt_directive *started = dvmrt_group_pending(ev->array);
  if (started && (why == DVMRT_PENDING || why == DVMRT_IN_FLIGHT || why == DVMRT_FETCHED))
    dvmrt_text_add(dvmrt_diag_note(r, started->pos), why == DVMRT_FETCHED ? "it was started here" : "the exchange was started here");
  else if (why != DVMRT_NEVER_RENEWED && why != DVMRT_WRITTEN_SINCE && why != DVMRT_MOVED_SINCE && why != DVMRT_NAMED_STALE)
    note_distribution(r, ev->array);
  note_owner(r, ev, p, p->kind == DVMRT_PLACE_NEAR && !ev->beyond);
  if (ev->beyond)
    dvmrt_text_add(dvmrt_diag_note(r, ev->nest->d->pos), "neighbours execute this iteration too, for their edges: 'shadow_compute'");
  help_place(r, f, ev, p, why);
  dvmrt_explain_emit(f, r);
}

/* Can the subscript, of so many characters, stand in a directive before the statement?  Names and numbers, added and multiplied, can. */
static bool plain_subscript(const char *text, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!isalnum((unsigned char)text[i]) && !strchr("_ +-*", text[i]))
      return false;
  return n > 0 && !memmem(text, n, "++", 2) && !memmem(text, n, "--", 2);
}

/* The reference as the user has written it, for remote_access before its statement, or in the clause of a block around it:
 * "A[7][i + 1][]".  False: it does not show. */
static bool reference_text(const struct dvmrt_event *ev, bool in_clause, struct dvmrt_text *t) {
  const struct dvmrt_access *x = ev->access;
  const char *at = x->text;
  if ((x->range || (x->fortran && x->standing == 'f')) && x->name) { /* f: the index of a FORALL has no value at the directive */
    dvmrt_text_add(t, "%s", x->name);
    for (int d = 0; d < ev->array->ndims; d++)
      dvmrt_text_add(t, "[]");
    return true;
  }
  if (!x->name || x->ndims != ev->array->ndims || strncmp(at, x->name, strlen(x->name)) != 0)
    return false;
  at += strlen(x->name);
  dvmrt_text_add(t, "%s", x->name);
  if (x->fortran) {
    dvmrt_text_add(t, "%s", at);
    return *at == '(';
  }
  for (int d = 0; d < x->ndims; d++) {
    while (*at == ' ')
      at++;
    size_t n = 0;
    for (int depth = 0; *at == '[' && at[n]; n++)
      if ((depth += at[n] == '[' ? 1 : at[n] == ']' ? -1 : 0) == 0)
        break;
    bool plain = n && plain_subscript(at + 1, n - 1);
    plain =
        plain && (in_clause ? x->axis[d].text != NULL : x->standing != 'f'); /* whose variables change, or are not seen by the directive */
    if (x->axis[d].kind == 'c')
      dvmrt_text_add(t, "[%lld]", (long long)x->axis[d].add);
    else
      dvmrt_text_add(t, "[%.*s]", plain ? (int)n - 1 : 0, at + 1);
    at += n ? n + 1 : 0;
  }
  return true;
}

/* A reference through a pointer that no directive names can stand in none. */
static bool help_unnamed(struct dvmrt_text *help, const struct dvmrt_event *ev) {
  const struct dvmrt_access *x = ev->access;
  if (x->distributed)
    return false;
  if (x->name && !strcmp(x->name, ev->array->name))
    dvmrt_text_add(help, "give the declaration of '%s' in this file its directive", x->name);
  else if (x->name)
    dvmrt_text_add(help, "put '#pragma dvm inherit(%s)' before the function if '%s' is its parameter, or name '%s' itself", x->name,
                   x->name, ev->array->name);
  else
    dvmrt_text_add(help, "name '%s' itself", ev->array->name);
  if (x->role != 'i')
    dvmrt_text_add(help, ", and the statement under 'remote_access'");
  return true;
}

/* The block has fetched all of it: then the reference does not stand in it. */
static bool stands_elsewhere(const struct dvmrt_event *ev) {
  const struct dvmrt_frame *f = dvmrt_construct_top();
  if (!f || f->d != ev->asked) /* the block is over */
    return false;
  for (struct dvmrt_item *i = f->d->items; (i = dvmrt_directive_find(i, DVMRT_DIRECTIVE_REMOTE)); i = i->next) {
    bool all = (uintptr_t)dvmrt_num_value(i->ref.address, f->args) == ev->array->address;
    for (int d = 0; d < i->naxes; d++)
      all = all && i->axis[d].kind != 'c' && i->axis[d].kind != 'a';
    if (all)
      return true;
  }
  return false;
}

/* 'asked': the block whose sections may be added to. */
static void help_sequential(struct dvmrt_report *r, const struct dvmrt_event *ev, const struct dvmrt_directive *asked) {
  struct dvmrt_text *help = dvmrt_diag_help(r), section = {.n = 0};
  char standing = ev->access->standing;
  if (help_unnamed(help, ev))
    return;
  if (!reference_text(ev, asked, &section))
    dvmrt_name_element(ev->array, ev->ix, &section);
  if (ev->access->role == 'a') {
    dvmrt_text_add(
        help,
        "no directive alone repairs it: assign the value to a variable under '#pragma dvm remote_access(%s)', and the element in a "
        "statement of its own",
        section.s);
    return;
  }
  if (asked) {
    const struct dvmrt_pos at = asked->pos;
    dvmrt_text_add(help, "name '%s' in the 'remote_access' of the directive at ", section.s);
    dvmrt_name_place(at, help);
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_MORE, at, "remote_access", NULL), "%s", section.s);
    return;
  }
  dvmrt_text_add(help, "%s",
                 standing == 'd'
                     ? "no directive alone repairs it: declare the variable first, and put its assignment under '#pragma dvm remote_access("
                 : standing == 'r' || standing == 'j'
                     ? "no directive alone repairs it: assign the value to a variable under '#pragma dvm remote_access("
                     : "put the statement under '#pragma dvm remote_access(");
  dvmrt_text_add(help, "%s)'", section.s);
  if (standing == 'j')
    dvmrt_text_add(help, ", and use that in the condition");
  else if (standing == 'r')
    dvmrt_text_add(help, ", and return that");
  else if (standing != 'd')
    dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_STATEMENT, ev->access->pos, NULL, NULL), "#pragma dvm remote_access(%s)", section.s);
}

/* A block of remote_access has assigned it before. */
static void outdated(const struct dvmrt_event *ev) {
  struct dvmrt_finding *f = dvmrt_explain_count(ev, DVMRT_ID_SEQUENTIAL_ACCESS);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  const char *block = ev->access->fortran ? "ASYNCHRONOUS" : "remote_access";
  dvmrt_explain_start(r, ev, "is read from what was fetched for this block, which has assigned it since: only its owner has the new value");
  dvmrt_explain_note_declaration(r, ev);
  dvmrt_text_add(dvmrt_diag_help(r), "no directive alone repairs it: end the block of '%s' behind the assignment, and begin another one",
                 block);
  dvmrt_explain_emit(f, r);
}

void dvmrt_explain_sequential(const struct dvmrt_event *ev, const struct dvmrt_event *target) {
  if (ev->outdated) {
    outdated(ev);
    return;
  }
  struct dvmrt_finding *f = dvmrt_explain_count(ev, ev->asked ? DVMRT_ID_REMOTE_UNCOVERED : DVMRT_ID_SEQUENTIAL_ACCESS);
  if (!f || f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  if (ev->asked) {
    dvmrt_explain_start(r, ev, "is read outside parallel loops, and no section of 'remote_access' covers the reference");
  } else if (target) {
    dvmrt_text_add(&r->message, "'");
    dvmrt_name_element(ev->array, ev->ix, &r->message);
    dvmrt_text_add(&r->message, "' is read outside parallel loops for an element that another processor may own");
    struct dvmrt_text *t = dvmrt_diag_note(r, target->access->pos);
    dvmrt_name_datum(target, t);
    dvmrt_text_add(t, " is assigned here, by its owner");
  } else {
    const char role = ev->access->role;
    dvmrt_explain_start(r, ev,
                        role == 'a'   ? "is changed outside parallel loops by an expression whose value is used, and only its owner has it"
                        : role == 'i' ? "is printed outside parallel loops by a name of which no directive says that it is distributed"
                                      : "is read outside parallel loops, where only its owner has it");
  }
  dvmrt_explain_note_declaration(r, ev);
  const bool elsewhere = ev->asked && stands_elsewhere(ev);
  if (elsewhere)
    dvmrt_text_add(dvmrt_diag_note(r, ev->asked->pos),
                   "the copies of this block are for the references in its own text, not for those in functions that it calls");
  help_sequential(r, ev, elsewhere ? NULL : ev->asked);
  dvmrt_explain_emit(f, r);
}
