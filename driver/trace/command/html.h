/* One self-contained page round the first difference: what was found, with its source lines; for each construct and array a map of the
 * elements that differ, with a slider over time, and how their differences grow; scalars over time. */
#ifndef DVM_TRACE_HTML_H
#define DVM_TRACE_HTML_H
#include "driver/trace/compare/compare.h"

struct dvmt_html; /* memory is bounded: large arrays are shown in cells of several elements, long runs in longer frames */
struct dvmt_html *dvmt_html_create(void);
void dvmt_html_destroy(struct dvmt_html *h);
/* For struct dvmt_compare_options; 'arg' is a struct dvmt_html. */
void dvmt_html_spot(void *arg, const struct dvmt_spot *s);
/* Which rank has each of the n elements of an array of a parallel run (below zero: none): the maps of it show the borders. */
void dvmt_html_owners(struct dvmt_html *h, const char *variable, const int32_t *owner, uint64_t n);
/* The same as a rank calls its part; before the sums of the array are compared. */
void dvmt_html_part(struct dvmt_html *h, const char *variable, size_t rank, const char *own, size_t n);
/* What follows is of this rank, whose comparisons are several. */
void dvmt_html_rank(struct dvmt_html *h, int rank);
/* What a page is about. */
struct dvmt_html_of {
  char *const *run;             /* the words of a command, or a trace alone; NULL behind the last */
  const char *reference;        /* a trace */
  const char *closing;          /* the line that ends the report */
};
/* Of n comparisons, several are those of ranks.  0, or -E... with a text. */
int dvmt_html_write(const struct dvmt_html *h, const struct dvmt_compare *const *c, size_t n, const struct dvmt_html_of *of,
                    const char *path, struct dvm_error *err);
#endif
