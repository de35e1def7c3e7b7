/* Nests that are judged at their entry, for all iterations together (abi.h: dvmrt_summary).
 *
 * The proof, per array: each subscript stays in its bounds; each place is right at both ends of the iterations' range and the
 * answer is the same between them; what is read has a value; two references that may meet in one element do so in the same
 * iteration.  Each step is sufficient, never a guess: "no" only costs the checks.  Ranges may hold more iterations than
 * there are (triangles, every other element); only what has no value yet may not be written then. */
#ifndef DVMRT_SUMMARY_H
#define DVMRT_SUMMARY_H
#include "runtime/data/directive.h"

extern bool dvmrt_summary_wanted; /* summaries=1 */

/* Inside dvmrt_mem_enter.  The nest has been entered. */
bool dvmrt_summary_prove(struct dvmrt_directive *d, const struct dvmrt_summary *s, const int64_t *box, const int64_t *values);
/* Has all of [a, a + n), ordinary data that the nest does not write, a value? */
bool dvmrt_summary_data(struct dvmrt_directive *d, uintptr_t a, uint64_t n);
#endif
