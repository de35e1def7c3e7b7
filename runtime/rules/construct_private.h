/* What the files of constructs share. */
#ifndef DVMRT_CONSTRUCT_PRIVATE_H
#define DVMRT_CONSTRUCT_PRIVATE_H
#include "runtime/rules/construct.h"

/* construct_clauses.c: what the directive says of the execution that begins, where its iterations are executed, and, when the ranges of
 * the index variables are known, at the end, what depends on these. */
void dvmrt_construct_read_clauses(struct dvmrt_frame *f);
void dvmrt_construct_place_nest(struct dvmrt_frame *f);
void dvmrt_construct_check_ranges(struct dvmrt_frame *f);
/* The edges that a clause renews are those of now. */
void dvmrt_construct_renew(struct dvmrt_frame *f, struct dvmrt_item *i, bool corners);
/* construct_views.c: of no array; every access is looked at. */
extern const struct dvmrt_view dvmrt_construct_no_view;
#endif
