/* What the reports of all kinds have in common; for explain*.c alone.  All inside dvmrt_mem_enter. */
#ifndef DVMRT_EXPLAIN_PARTS_H
#define DVMRT_EXPLAIN_PARTS_H
#include "runtime/report/diag.h"
#include "runtime/report/explain.h"
#include "runtime/rules/group.h"

/* Counts the verdict; NULL: it is not wanted.  A report is due if its count is 1. */
struct dvmrt_finding *dvmrt_explain_count(const struct dvmrt_event *ev, enum dvmrt_id id);
/* Emits the report, and ends the program if that was requested. */
void dvmrt_explain_emit(struct dvmrt_finding *f, struct dvmrt_report *r);
/* The message: the datum, and what is wrong with it. */
void dvmrt_explain_start(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *what);
void dvmrt_explain_note_declaration(struct dvmrt_report *r, const struct dvmrt_event *ev);
/* The parallel loop and its iteration; answers the note's text, to which more may be added. */
struct dvmrt_text *dvmrt_explain_note_nest(struct dvmrt_report *r, const struct dvmrt_event *ev);
/* The repair of an edge, in all directives that the array's variable has: answers its text. */
const char *dvmrt_explain_edge(struct dvmrt_report *r, const struct dvmrt_array *a, int ndims, const int64_t *low, const int64_t *high);
/* Notes and help of what touches ordinary data that a copy under way reads or writes. */
void dvmrt_explain_copied(struct dvmrt_report *r, const struct dvmrt_event *ev, const struct dvmrt_pending_var *v);
/* The help to wait for the group before the nest: 'word' is the directive. */
void dvmrt_explain_help_wait(struct dvmrt_report *r, const struct dvmrt_event *ev, const char *word, const char *group);
#endif
