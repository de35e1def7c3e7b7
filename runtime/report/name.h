/* How data, iterations and places are called in messages. */
#ifndef DVMRT_NAME_H
#define DVMRT_NAME_H
#include "runtime/rules/check.h"
#include "runtime/report/diag.h"

/* 'A[4][7]' in quotes, with index values, else the source text. */
void dvmrt_name_datum(const struct dvmrt_event *ev, struct dvmrt_text *t);
/* The same for an event whose subscripts are those that the program gave, one per X and x line. */
void dvmrt_name_reference(const struct dvmrt_event *ev, struct dvmrt_text *t);
/* What findings are counted by: the array or variable. */
const char *dvmrt_name_key(const struct dvmrt_event *ev);
/* Does the function of the nest know the datum by the name that the access uses? */
bool dvmrt_name_known(const struct dvmrt_event *ev);
/* "A[4][7]" for the array's own name. */
void dvmrt_name_element(const struct dvmrt_array *a, const int64_t *ix, struct dvmrt_text *t);
/* "(i=5, j=7)" */
void dvmrt_name_iteration(const struct dvmrt_directive *nest, const int64_t *iv, struct dvmrt_text *t);
/* "jac.c:22" */
void dvmrt_name_place(struct dvmrt_pos pos, struct dvmrt_text *t);
#endif
