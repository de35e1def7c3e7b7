/* One rank's stream, construct by construct; for join.c. */
#ifndef DVMT_JOIN_RANK_H
#define DVMT_JOIN_RANK_H
#include "driver/trace/job/elements.h"
#include "driver/trace/job/project.h"
#include "driver/trace/format/reader.h"

struct dvmt_join_part {
  int64_t object;               /* of the shape */
  const char *own;              /* what messages call it; the reader's */
  bool shared;                  /* a variable that no clause names */
  bool executed;                /* the iterations */
  const char *name;
  uint64_t elements, digest, part;
};
struct dvmt_join_result {
  uint64_t words[6];
};
/* An execution of a construct. */
struct dvmt_join_step {
  int64_t construct;            /* of the shape; -1: the stream is at its end */
  uint32_t number;              /* of the execution, as the rank tells it; 0: it does not */
  struct dvmt_images *images;   /* the rank's, if it tells the execution by elements; or NULL */
  struct dvmt_join_part *parts; /* owned, as the results */
  size_t nparts, room;
  struct dvmt_join_result *results;
  size_t nresults;
};
/* What a rank's numbers stand for. */
struct dvmt_join_names {
  const struct dvmt_site_def *(*site)(const void *of, size_t n);
  const struct dvmt_object_def *(*object)(const void *of, size_t n);
  const void *of;
};
struct dvmt_join_rank {
  struct dvmt_reader *reader;   /* borrowed; NULL: records are given by dvmt_join_take */
  struct dvmt_join_names names;
  struct dvmt_shape *shape;
  struct dvmt_images *images;   /* of all ranks: get what it tells by elements; NULL: that is left out */
  int32_t rank;
  struct dvmt_join_step step;
  int64_t *constructs;          /* of sites, 0: not looked up, else 1 + the shape's; owned, as the objects */
  int64_t *objects;
  size_t nconstructs, nobjects;
  uint64_t records;
  uint32_t site;                /* of the open construct */
  bool cut;                     /* it ended within a construct, or is damaged or torn */
};
/* A record that follows.  1: the step is whole; the next record begins another; 0, or -E.. with a text. */
int dvmt_join_take(struct dvmt_join_rank *r, const struct dvmt_record *rec, struct dvm_error *err);
/* Reads the next construct.  0, or -E.. with a text. */
int dvmt_join_next(struct dvmt_join_rank *r, struct dvm_error *err);
void dvmt_join_rank_fini(struct dvmt_join_rank *r);

/* Results of asynchronous groups, which come behind the construct that computed them, in the order of a stream. */
struct dvmt_join_late {
  struct dvmt_join_late_row {
    int64_t construct;
    struct dvmt_join_result result;
    bool taken;
  } *row;                       /* owned */
  size_t n, first;
};
/* Reads a stream to its end with a reader of its own; defines the constructs that are in it. */
int dvmt_join_late_read(struct dvmt_join_late *late, struct dvmt_shape *shape, const struct dvmt_reader *reader, struct dvm_error *err);
/* Adds those of the next execution of that construct to the step: one of each of its reductions.  0 or -ENOMEM. */
int dvmt_join_late_take(struct dvmt_join_late *late, int64_t construct, struct dvmt_join_step *s);
#endif
