/* Contracts of regions for all accesses of a reference in a nest that is otherwise proved: by rows of states. */
#ifndef DVMRT_REGION_BOX_H
#define DVMRT_REGION_BOX_H
#include "runtime/rules/region.h"

struct dvmrt_region_box {
  const struct dvmrt_array *array;
  struct dvmrt_site *site;
  uint32_t flags;                                      /* DVMRT_READ, DVMRT_WRITE */
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX]; /* the elements: each is accessed .. */
  uint64_t times;                                      /* .. so often */
  void (*go_to)(const void *arg, const int64_t *ix);   /* makes the first iteration that accesses the element the present one */
  bool (*is_before)(const void *arg, const int64_t *a, const int64_t *b); /* Does that of element 'a' precede that of 'b'? */
  const void *arg;
};

/* Elements of one reference with which the same is wrong. */
struct dvmrt_region_fault {
  enum dvmrt_stale why;
  uint64_t n;                                          /* how many; 0: none */
  int64_t first[DVMRT_NDIMS_MAX];                      /* that is accessed first */
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
};

/* All inside dvmrt_mem_enter.  What is wrong, a kind each.  False: the accesses cannot be told of together; 'reads_wrong': of a read, which a
 * write before it would mend. */
bool dvmrt_region_box_count(const struct dvmrt_region_box *b, struct dvmrt_region_fault faults[DVMRT_STALE_KINDS], bool *reads_wrong);
/* Tells of it.  States stay. */
void dvmrt_region_box_tell(const struct dvmrt_region_box *b, const struct dvmrt_region_fault *f);

/* Of region.c: what is wrong with an access in that state; false: nothing. */
bool dvmrt_region_read_fault(const struct dvmrt_held *h, uint8_t state, enum dvmrt_stale *why);
bool dvmrt_region_write_fault(const struct dvmrt_held *h, uint8_t state, enum dvmrt_stale *why);
bool dvmrt_region_on_device(void);
#endif
