/* Contracts of regions: what is wrong, where the newest value was written, and the directive that would be right. */
#include "runtime/report/explain_parts.h"
#include "runtime/report/name.h"
#include "runtime/report/other.h"
#include <string.h>

static enum dvmrt_id id_of(enum dvmrt_stale why) {
  switch (why) {
  case DVMRT_STALE_HOST:
  case DVMRT_STALE_HOST_LOST: return DVMRT_ID_HOST_STALE;
  case DVMRT_STALE_DEVICE:
  case DVMRT_STALE_DEVICE_LOST: return DVMRT_ID_DEVICE_STALE;
  default: return DVMRT_ID_REGION_CLAUSE;
  }
}

static const char *message_of(enum dvmrt_stale why) {
  switch (why) {
  case DVMRT_STALE_HOST: return "is read on the host, but its newest value is on the device";
  case DVMRT_STALE_HOST_LOST: return "is read on the host, where 'get_actual' has put an older value of the device over the newest one";
  case DVMRT_STALE_DEVICE: return "is read in a region, but the host has written it since, and no 'actual' has told so";
  case DVMRT_STALE_DEVICE_LOST: return "is read in a region, where 'actual' has put an older value of the host over the newest one";
  case DVMRT_CLAUSE_WRITTEN: return "is written in a region whose clause 'in' says that it is only read";
  case DVMRT_CLAUSE_OUTSIDE: return "is outside of the sections that the clauses of the region name";
  case DVMRT_CLAUSE_LOCAL_UNSET: return "is 'local' in the region, and is read before the region has assigned it";
  case DVMRT_CLAUSE_LOCAL_AFTER: return "was 'local' in a region that is over, and is read before it is assigned again";
  case DVMRT_CLAUSE_OUT_UNSET: return "is 'out' in the region, and is read before the region has assigned it";
  case DVMRT_CLAUSE_OUT_AFTER: return "was 'out' in a region that has not assigned it, and is read since";
  }
  return "";
}

static bool writes_host(enum dvmrt_stale why) { return why == DVMRT_STALE_DEVICE || why == DVMRT_STALE_HOST_LOST; }

/* Where the newest value was written. */
static void note_writer(struct dvmrt_report *r, const struct dvmrt_held *h, enum dvmrt_stale why, const char *name) {
  const bool host = writes_host(why);
  const struct dvmrt_site *site = host ? h->host_writer : h->dev_writer;
  const struct dvmrt_directive *in = host ? h->host_in : h->dev_in;
  if (!dvmrt_other_shown || (id_of(why) == DVMRT_ID_REGION_CLAUSE))
    return;
  if (site)
    dvmrt_text_add(dvmrt_diag_note(r, dvmrt_site_access((struct dvmrt_site *)site)->pos), "'%s' was last written here, %s", name,
                   host ? "on the host" : "in a region");
  else if (in)
    dvmrt_text_add(dvmrt_diag_note(r, in->pos), "'%s' was last written in this parallel loop, %s", name,
                   host ? "on the host" : "in a region");
}

static void note_sides(struct dvmrt_report *r, const struct dvmrt_record *rec, const char *name) {
  const struct dvmrt_held *h = rec->region.held;
  note_writer(r, h, rec->region.why, name);
  if ((rec->region.why == DVMRT_STALE_HOST_LOST || rec->region.why == DVMRT_STALE_DEVICE_LOST) && h->told)
    dvmrt_text_add(dvmrt_diag_note(r, h->told->pos), "this directive is about '%s'", name);
  if (rec->directive)
    dvmrt_text_add(dvmrt_diag_note(r, rec->directive->pos), "%s", "the region is here");
}

/* ---- helps ---------------------------------------------------------------------------------------------------------------------- */

/* What the subscripts of dimension 'd' are counted from where it is accessed. */
static int64_t counted_from(const struct dvmrt_event *ev, const struct dvmrt_held *h, int d) {
  const struct dvmrt_array *a = h->ordinary ? NULL : (const struct dvmrt_array *)dvmrt_shadow_region_in(h->base, 1);
  if (ev->access->ndims == h->ndims && !(ev->access->lower_varies >> d & 1))
    return ev->access->lower[d];
  return a && a->ndims == h->ndims ? a->lower[d] : ev->access->fortran;
}

/* The element joins the section that 'clause' should name. */
static void widen(struct dvmrt_clause *c, const char *clause, const char *name, const struct dvmrt_record *rec, uint64_t element) {
  const struct dvmrt_held *h = rec->region.held;
  const bool first = !c->name;
  c->name = clause;
  c->array = name;
  c->section = true;
  c->ndims = h->ndims;
  for (int d = 0; d < h->ndims; d++) {
    int64_t at = (int64_t)element / h->stride[d] % h->extent[d];
    c->extent[d] = h->extent[d];
    c->first[d] = counted_from(rec->event, h, d);
    if (first)
      c->low[d] = -at, c->high[d] = at;
    dvmrt_clause_widen(c, d, at);
  }
}

static void help_get_actual(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *name) {
  struct dvmrt_text *help = dvmrt_diag_help(r);
  dvmrt_text_add(help, "put '#pragma dvm get_actual(%s)' before %s", name, ev->nest ? "this loop" : "it");
  dvmrt_diag_repair(r, ev->nest ? DVMRT_REPAIR_BEFORE_FOUND : DVMRT_REPAIR_STATEMENT_FOUND, ev->nest ? ev->nest->d->pos : ev->access->pos,
                    NULL, NULL);
}

static void help_actual(struct dvmrt_report *r, const struct dvmrt_directive *region, const char *name) {
  struct dvmrt_text *help = dvmrt_diag_help(r);
  dvmrt_text_add(help, "put '#pragma dvm actual(%s)' before the region at ", name);
  dvmrt_name_place(region->pos, help);
  dvmrt_diag_repair(r, DVMRT_REPAIR_BEFORE_FOUND, region->pos, NULL, NULL);
}

/* The clause of the region that names it. */
static const char *clause_in(const struct dvmrt_directive *region, const char *name) {
  for (struct dvmrt_item *i = dvmrt_directive_find(region->items, DVMRT_DIRECTIVE_REGION); i;
       i = dvmrt_directive_find(i->next, DVMRT_DIRECTIVE_REGION))
    if (!strcmp(i->ref.name, name) && strcmp(i->word, "uses") != 0)
      return i->word;
  return NULL;
}

/* A larger section is all that is missing. */
static bool widens(const struct dvmrt_record *rec, const char *clause) {
  return rec->region.why == DVMRT_CLAUSE_OUTSIDE && clause && (strcmp(clause, "in") != 0 || !(rec->event->flags & DVMRT_WRITE));
}

static void help_clause(struct dvmrt_report *r, const struct dvmrt_record *rec, const char *name) {
  const struct dvmrt_directive *region = rec->directive;
  const char *old = region ? clause_in(region, name) : NULL;
  struct dvmrt_text *help = dvmrt_diag_help(r);
  if (!old) {
    dvmrt_text_add(help, "name '%s' in the clause 'inout' of the region", name);
    return;
  }
  if (widens(rec, old)) {
    dvmrt_text_add(help, "name '%s' as a whole in the '%s' of the directive at ", name, old);
    dvmrt_name_place(region->pos, help);
    dvmrt_diag_repair(r, DVMRT_REPAIR_ITEM_FOUND, region->pos, old, name);
    return;
  }
  const char *new = "inout";
  dvmrt_text_add(help, "write '%s(%s)' in place of '%s' of '%s' in the directive at ", new, name, old, name);
  dvmrt_name_place(region->pos, help);
  dvmrt_diag_repair(r, DVMRT_REPAIR_DROP, region->pos, old, name);
  dvmrt_text_add(dvmrt_diag_repair(r, DVMRT_REPAIR_ADD, region->pos, NULL, NULL), "%s(%s)", new, name);
}

static void help(struct dvmrt_report *r, const struct dvmrt_record *rec, const char *name) {
  switch (rec->region.why) {
  case DVMRT_STALE_HOST: help_get_actual(r, rec->event, name); break;
  case DVMRT_STALE_DEVICE:
    if (rec->directive) {
      help_actual(r, rec->directive, name);
      break;
    }
    break;
  case DVMRT_STALE_HOST_LOST:
    dvmrt_text_add(dvmrt_diag_help(r), "tell of the host's write by '#pragma dvm actual(%s)' behind it", name);
    break;
  case DVMRT_STALE_DEVICE_LOST:
    dvmrt_text_add(dvmrt_diag_help(r), "name in 'actual' only what the host has written, or bring '%s' by 'get_actual' before", name);
    break;
  default: help_clause(r, rec, name); break;
  }
}

static const char *name_of(const struct dvmrt_event *ev, const struct dvmrt_held *h) {
  return ev->access->name && ev->access->ndims == h->ndims ? ev->access->name : h->name;
}

void dvmrt_explain_region(const struct dvmrt_record *rec) {
  const struct dvmrt_held *h = rec->region.held;
  const enum dvmrt_stale why = rec->region.why;
  const char *name = name_of(rec->event, h);
  struct dvmrt_finding *f =
      dvmrt_finding_count(id_of(why), name, rec->event->nest ? rec->event->nest->d : rec->directive, rec->event->access->pos);
  if (!f)
    return;
  if (why == DVMRT_STALE_HOST || why == DVMRT_STALE_DEVICE)
    widen(&f->clause, why == DVMRT_STALE_HOST ? "get_actual" : "actual", name, rec, rec->region.element);
  const char *clause = rec->directive ? clause_in(rec->directive, name) : NULL;
  if (widens(rec, clause)) {
    for (uint64_t i = 0; f->count == 1 && i < h->count; i++)
      if ((h->state[i] | h->allowed) & (DVMRT_MAY_READ | DVMRT_MAY_WRITE))
        widen(&f->clause, clause, name, rec, i);
    widen(&f->clause, clause, name, rec, rec->region.element);
  }
  if (f->count > 1)
    return;
  struct dvmrt_report *r = dvmrt_diag_report();
  dvmrt_explain_start(r, rec->event, message_of(why));
  note_sides(r, rec, name);
  if (rec->event->nest)
    dvmrt_explain_note_nest(r, rec->event);
  dvmrt_explain_note_declaration(r, rec->event);
  help(r, rec, name);
  dvmrt_explain_emit(f, r);
}
