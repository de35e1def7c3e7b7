#include "runtime/report/report_parts.h"
#include <string.h>

/* The smallest clause over all findings that ask for this one in the directive. */
static struct dvmrt_clause clause_of(const struct dvmrt_finding *f) {
  struct dvmrt_clause all = f->clause;
  for (const struct dvmrt_finding *o = dvmrt_finding_first(); all.name && o; o = o->next) {
    const struct dvmrt_clause *c = &o->clause;
    if (o->construct != f->construct || !c->name || strcmp(c->name, all.name) || strcmp(c->array, all.array) || c->ndims != all.ndims)
      continue;
    for (int d = 0; d < all.ndims; d++) {
      dvmrt_clause_widen(&all, d, -c->low[d]);
      dvmrt_clause_widen(&all, d, c->high[d]);
    }
    all.corner |= c->corner;
  }
  return all;
}

static bool wants_clause(const struct dvmrt_repair *r) {
  return r->kind == DVMRT_REPAIR_ADD_FOUND || r->kind == DVMRT_REPAIR_ITEM_FOUND || r->kind == DVMRT_REPAIR_BEFORE_FOUND ||
         r->kind == DVMRT_REPAIR_STATEMENT_FOUND;
}

static const struct dvmrt_edits *edits_of(const struct dvmrt_finding *f, const struct dvmrt_repair *repairs, int n) {
  static struct dvmrt_edits edits;
  struct dvmrt_clause clause = clause_of(f);
  for (int i = 0; i < n; i++) {
    if (wants_clause(&repairs[i]) && !clause.name) {
      edits.n = 0;
      edits.why_not = "no clause with fixed widths covers all occurrences";
      return &edits;
    }
  }
  dvmrt_repair_edits(repairs, n, &clause, &edits);
  return &edits;
}

void dvmrt_report_edit(struct dvmrt_json *j, const struct dvmrt_finding *f, const struct dvmrt_repair *repairs, int n) {
  const struct dvmrt_edits *edits = n ? edits_of(f, repairs, n) : NULL;
  if (!edits)
    return;
  if (!edits->n) {
    dvmrt_json_string(j, "noEdit", edits->why_not);
    return;
  }
  dvmrt_json_open(j, "edit", '[');
  for (int i = 0; i < edits->n; i++) {
    const struct dvmrt_edit *e = &edits->edit[i];
    dvmrt_json_open(j, NULL, '{');
    dvmrt_json_string(j, "file", e->at.file);
    dvmrt_json_number(j, "line", e->at.line);
    dvmrt_json_number(j, "column", e->at.column);
    dvmrt_json_number(j, "length", e->length);
    dvmrt_json_string(j, "text", e->text);
    dvmrt_json_close(j, '}');
  }
  dvmrt_json_close(j, ']');
}

static void put_replacement(struct dvmrt_json *j, const struct dvmrt_edit *e) {
  dvmrt_json_open(j, NULL, '{');
  dvmrt_json_open(j, "deletedRegion", '{');
  dvmrt_json_number(j, "startLine", e->at.line);
  dvmrt_json_number(j, "startColumn", dvmrt_report_column(e->at));
  dvmrt_json_number(j, "endLine", e->to.line);
  dvmrt_json_number(j, "endColumn", dvmrt_report_column(e->to));
  dvmrt_json_close(j, '}');
  dvmrt_json_open(j, "insertedContent", '{');
  dvmrt_json_string(j, "text", e->text);
  dvmrt_json_close(j, '}');
  dvmrt_json_close(j, '}');
}

static bool is_first_of_file(const struct dvmrt_edits *edits, int i) {
  for (int k = 0; k < i; k++)
    if (!strcmp(edits->edit[k].at.file, edits->edit[i].at.file))
      return false;
  return true;
}

static void put_change(struct dvmrt_json *j, const struct dvmrt_edits *edits, const char *file) {
  dvmrt_json_open(j, NULL, '{');
  dvmrt_json_open(j, "artifactLocation", '{');
  dvmrt_report_uri(j, file);
  dvmrt_json_close(j, '}');
  dvmrt_json_open(j, "replacements", '[');
  for (int i = 0; i < edits->n; i++)
    if (!strcmp(edits->edit[i].at.file, file))
      put_replacement(j, &edits->edit[i]);
  dvmrt_json_close(j, ']');
  dvmrt_json_close(j, '}');
}

void dvmrt_report_fixes(struct dvmrt_json *j, const struct dvmrt_finding *f, const struct dvmrt_repair *repairs, int n, const char *help) {
  const struct dvmrt_edits *edits = n ? edits_of(f, repairs, n) : NULL;
  if (!edits || !edits->n)
    return;
  dvmrt_json_open(j, "fixes", '[');
  dvmrt_json_open(j, NULL, '{');
  dvmrt_json_open(j, "description", '{');
  dvmrt_json_string(j, "text", help);
  dvmrt_json_close(j, '}');
  dvmrt_json_open(j, "artifactChanges", '[');
  for (int i = 0; i < edits->n; i++)
    if (is_first_of_file(edits, i))
      put_change(j, edits, edits->edit[i].at.file);
  dvmrt_json_close(j, ']');
  dvmrt_json_close(j, '}');
  dvmrt_json_close(j, ']');
}
