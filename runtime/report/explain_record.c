/* Which function words which kind of record. */
#include "runtime/report/explain.h"

static void value(const struct dvmrt_record *r) { dvmrt_explain_value(r->event, r->value); }
static void bounds(const struct dvmrt_record *r) { dvmrt_explain_bounds(r->event, r->bounds.dim, r->bounds.index, r->bounds.extent); }
static void place(const struct dvmrt_record *r) { dvmrt_explain_place(r->event, r->place.at, r->place.id, r->place.why); }
static void sequential(const struct dvmrt_record *r) { dvmrt_explain_sequential(r->event, r->assigned); }
static void across(const struct dvmrt_record *r) { dvmrt_explain_across(r->event, r->across.value, r->across.clause, r->across.reach); }
static void task(const struct dvmrt_record *r) { dvmrt_explain_task(r->event, r->task.value, r->task.conflict); }
static void pending(const struct dvmrt_record *r) {
  if (r->event)
    dvmrt_explain_pending(r->event, r->pending);
  else
    dvmrt_explain_reduced_again(r->directive, r->pending);
}
static void escape(const struct dvmrt_record *r) { dvmrt_explain_escape(r->event); }
static void widths(const struct dvmrt_record *r) { dvmrt_explain_widths(r->directive, r->widths.array, r->widths.box, r->widths.which); }
static void protocol(const struct dvmrt_record *r) { dvmrt_explain_protocol(r->directive, &r->protocol); }
static void mismatch(const struct dvmrt_record *r) {
  dvmrt_explain_mismatch(r->directive, r->mismatch.reduction, r->mismatch.name, r->mismatch.what, r->mismatch.program, r->mismatch.declared,
                         r->mismatch.tolerance);
}
static void target(const struct dvmrt_record *r) { dvmrt_explain_target(r->directive, r->target); }
static void unplaced(const struct dvmrt_record *r) { dvmrt_explain_unplaced(r->directive, r->unplaced); }
static void source(const struct dvmrt_record *r) { dvmrt_explain_undefined_source(r->directive, r->source.array, r->source.ix); }
static void usage(const struct dvmrt_record *r) { dvmrt_explain_usage(r->directive, r->usage); }
static void declared(const struct dvmrt_record *r) { dvmrt_explain_declared(r->directive, r->defined); }

void dvmrt_explain(const struct dvmrt_record *r) {
  static void (*const words[DVMRT_RECORD_KINDS])(const struct dvmrt_record *r) = {
      [DVMRT_RECORD_VALUE] = value,       [DVMRT_RECORD_BOUNDS] = bounds,
      [DVMRT_RECORD_PLACE] = place,       [DVMRT_RECORD_SEQUENTIAL] = sequential,
      [DVMRT_RECORD_ACROSS] = across,     [DVMRT_RECORD_TASK] = task,
      [DVMRT_RECORD_PENDING] = pending,   [DVMRT_RECORD_REGION] = dvmrt_explain_region,
      [DVMRT_RECORD_ESCAPE] = escape,     [DVMRT_RECORD_WIDTHS] = widths,
      [DVMRT_RECORD_PROTOCOL] = protocol, [DVMRT_RECORD_MISMATCH] = mismatch,
      [DVMRT_RECORD_TARGET] = target,     [DVMRT_RECORD_UNPLACED] = unplaced,
      [DVMRT_RECORD_SOURCE] = source,     [DVMRT_RECORD_USAGE] = usage,
      [DVMRT_RECORD_DECLARED] = declared, [DVMRT_RECORD_LEAVES] = dvmrt_explain_leaves,
  };
  words[r->kind](r);
}
