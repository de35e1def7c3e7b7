/* What the ranks of a job tell of one execution of a construct, element by element (runtime/trace/elements.h): memory of the arrays before
 * and after it, who has which element, who executes which iteration. */
#ifndef DVMT_ELEMENTS_OF_JOB_H
#define DVMT_ELEMENTS_OF_JOB_H
#include "driver/trace/job/job.h"
#include "driver/trace/format/stream.h"

enum { DVMT_NOBODY = -1 };
struct dvmt_image {
  struct dvmt_object_def def;   /* with a name of its own */
  char kind;                    /* of its elements: f i u c, else o */
  uint64_t bytes;
  unsigned char *before, *after;/* owned, as the owners: of each element the first rank that has it, or DVMT_NOBODY */
  int32_t *owner;
  int64_t unlike;               /* element that two ranks have and that is left with different values, or -1 */
  int32_t unlike_rank[2];
};
struct dvmt_images;
/* Empty; NULL: no memory. */
struct dvmt_images *dvmt_images_create(size_t nranks);
void dvmt_images_clear(struct dvmt_images *m);
/* A record of a rank, in the reader's numbers.  0, or -E.. with a text. */
struct dvmt_reader;
int dvmt_images_take(struct dvmt_images *m, const struct dvmt_reader *r, const struct dvmt_record *rec, int32_t rank,
                     struct dvm_error *err);
/* All is taken: questions may be asked. */
void dvmt_images_settle(struct dvmt_images *m);
/* All that the streams hold.  NULL: 'err' says why.  Readers are read to their ends. */
struct dvmt_images *dvmt_images_read(const struct dvmt_job *job, struct dvm_error *err);
void dvmt_images_destroy(struct dvmt_images *m);
struct dvmt_image *dvmt_images_of(const struct dvmt_images *m, const char *name);
struct dvmt_image *dvmt_images_at(const struct dvmt_images *m, size_t i); /* NULL behind the last */
/* Ranks that execute the iteration and are no copies of others, up to two of them; their number. */
int dvmt_images_executors(struct dvmt_images *m, const int64_t *index, uint32_t n, int32_t rank[2]);
/* An iteration that a rank has executed and that nobody has asked for, or NULL. */
const int64_t *dvmt_images_stray(const struct dvmt_images *m, int32_t *rank);
/* Whether the ranks have told of the construct at all. */
bool dvmt_images_told(const struct dvmt_images *m);
#endif
