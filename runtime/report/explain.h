/* From a verdict to a report: names, the other side, the directive that would be right. */
#ifndef DVMRT_EXPLAIN_H
#define DVMRT_EXPLAIN_H
#include "runtime/rules/verdict.h"

/* All inside dvmrt_mem_enter.  Words the record of a verdict: rules call it through dvmrt_verdict_give. */
void dvmrt_explain(const struct dvmrt_record *r);

/* One for each kind of record. */
void dvmrt_explain_value(const struct dvmrt_event *ev, enum dvmrt_verdict verdict);
void dvmrt_explain_bounds(const struct dvmrt_event *ev, int dim, int64_t index, int64_t extent);

void dvmrt_explain_place(const struct dvmrt_event *ev, const struct dvmrt_place *p, enum dvmrt_id id, enum dvmrt_misplaced why);
/* A read in the sequential part that not every processor can do; 'target': of its assignment, or NULL. */
void dvmrt_explain_sequential(const struct dvmrt_event *ev, const struct dvmrt_event *target);
/* A dependence that 'across' does not cover.  'reach': of the reading side (OUTPUT: of the present one), NULL: not known. */
void dvmrt_explain_across(const struct dvmrt_event *ev, enum dvmrt_verdict verdict, const struct dvmrt_clause_array *across,
                          const int64_t *reach);
/* A dependence between tasks. */
void dvmrt_explain_task(const struct dvmrt_event *ev, enum dvmrt_verdict verdict, const struct dvmrt_task_conflict *t);
/* Widths that are negative or wider than the edge. */
void dvmrt_explain_widths(const struct dvmrt_directive *d, const struct dvmrt_array *a, const struct dvmrt_box *box, const char *which);
/* "the reduction 'g' of 's' <what>"; 'name' and 'other' may be NULL. */
void dvmrt_explain_protocol(const struct dvmrt_directive *at, const struct dvmrt_protocol *p);
void dvmrt_explain_pending(const struct dvmrt_event *ev, const struct dvmrt_pending_var *v);
void dvmrt_explain_reduced_again(const struct dvmrt_directive *d, const struct dvmrt_pending_var *v);
/* The two evaluations of a reduction differ.  'name': of the variable or its element; 'what': a part or property of it, or "". */
void dvmrt_explain_mismatch(const struct dvmrt_directive *d, const struct dvmrt_item *reduction, const char *name, const char *what,
                            const char *program, const char *declared, const char *tolerance);
/* Contracts of regions. */
void dvmrt_explain_region(const struct dvmrt_record *r);
/* A partial value is used for something other than its update. */
void dvmrt_explain_escape(const struct dvmrt_event *ev);
/* What 'on' names is not distributed: a parameter under 'inherit' that was given ordinary data. */
void dvmrt_explain_target(const struct dvmrt_directive *d, const char *name);
/* What 'on' names was declared, but neither distributed nor aligned until now. */
void dvmrt_explain_unplaced(const struct dvmrt_directive *d, const struct dvmrt_array *a);
/* array_copy reads an element without a value. */
void dvmrt_explain_undefined_source(const struct dvmrt_directive *d, const struct dvmrt_array *a, const int64_t *ix);
/* The variable has one directive where another file declares it and another one where it is defined. */
void dvmrt_explain_declared(const struct dvmrt_directive *elsewhere, const struct dvmrt_directive *own);
void dvmrt_explain_leaves(const struct dvmrt_record *r);
void dvmrt_explain_usage(const struct dvmrt_directive *d, const char *what);
#endif
