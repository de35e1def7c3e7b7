/* How far an access under 'across' reaches: the distance, per dimension, of the accessed element from what the iteration owns.
 *
 * What it owns is the element at its place; of arrays in whole units (multblock) the unit around it, from whose border edges are
 * counted.  Inside of that unit iterations depend on each other, too, and any width declares it: the distance is 1 there. */
#ifndef DVMRT_ACROSS_REACH_H
#define DVMRT_ACROSS_REACH_H
#include "runtime/rules/check.h"

/* Accesses in the text of the event's nest. */
struct dvmrt_access *dvmrt_across_reach_sites(const struct dvmrt_event *ev);
/* Does this site access the event's array? */
bool dvmrt_across_reach_same_array(const struct dvmrt_event *ev, const struct dvmrt_access *x);
/* Does this subscript of a site say where it reaches, or is there no need to know? */
bool dvmrt_across_reach_readable(const struct dvmrt_event *ev, const struct dvmrt_access *x, int dim);
/* Subscripts of a site in iteration 'iv', those of the present element where they do not matter; false: not affine. */
bool dvmrt_across_reach_subscripts(const struct dvmrt_event *ev, const struct dvmrt_access *x, const int64_t *iv, int64_t *ix);
/* Distance of element 'ix' from the own ones of iteration 'iv'.  False: not known. */
bool dvmrt_across_reach(const struct dvmrt_event *ev, const int64_t *iv, const int64_t *ix, int64_t *reach);
/* Does this site reach equally far in every iteration? */
bool dvmrt_across_reach_settled(const struct dvmrt_event *ev, const struct dvmrt_access *x);
#endif
