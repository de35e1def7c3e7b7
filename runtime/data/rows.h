/* The iterations that a nest has run, by id.  Ids of one execution follow each other; a row is one run of the innermost loop.
 * Rows of equal length whose index variables advance evenly are kept as one entry. */
#ifndef DVMRT_ROWS_H
#define DVMRT_ROWS_H
#include "runtime/export.h"
#include <stdbool.h>

struct dvmrt_rows_run;

struct dvmrt_rows {
  struct dvmrt_rows_run *runs;   /* owned */
  uint32_t nruns, cap;
  int rank;
  uint32_t open;                 /* id of the first iteration of the row that is being executed */
  int64_t step;                  /* of the innermost loop; 0: not known */
  bool lost;                     /* more rows than we keep: earlier ones cannot be named */
  bool any;                      /* is there an iteration?  Then of all rows that are closed, and where 'step' is known: */
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX]; /* the least and the greatest value of each index variable */
};

/* Inside dvmrt_mem_enter.  'first' is the id that the first iteration will have; keeps the memory of an earlier use. */
void dvmrt_rows_begin(struct dvmrt_rows *r, int rank, uint32_t first, int64_t step);
/* A row begins; 'next' is the id of its first iteration, 'iv' the index variables of the last iteration before it. */
void dvmrt_rows_next(struct dvmrt_rows *r, uint32_t next, const int64_t *iv);
/* Index variables of iteration 'id'; 'now_id' and 'now_iv' are the present one's.  False: not known. */
bool dvmrt_rows_find(const struct dvmrt_rows *r, uint32_t id, uint32_t now_id, const int64_t *now_iv, int64_t *iv);
#endif
