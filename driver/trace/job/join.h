/* The streams of a parallel job's ranks as the one stream that a single process would have made: each construct once, sums of arrays added
 * up over the parts of the ranks.  Where ranks do not fit together is told. */
#ifndef DVMT_JOIN_H
#define DVMT_JOIN_H
#include "driver/trace/format/reader.h"
#include "driver/trace/job/job.h"

struct dvmt_images;
struct dvmt_join_step;
struct dvmt_shape;
struct dvmt_join_options {
  struct dvmt_sink *out;
  /* A construct that ranks execute otherwise than each other; 'text': its site.  Called between its begin and its end, or behind all.
   * May be NULL. */
  void (*differ)(void *arg, const char *text, const char *variable, const char *message);
  /* What rank calls its part of an array ('own', up to the end of its line), before its sum goes out.  May be NULL. */
  void (*part)(void *arg, size_t rank, const char *variable, const char *own);
  /* Each execution, before its results, with what the ranks tell by elements, or NULL: they do not.  1: values have gone out in place of sums;
   * 0: they have not; or -E.. with a text.  May be NULL. */
  int (*elements)(void *arg, struct dvmt_shape *shape, int64_t construct, uint32_t number, struct dvmt_images *images,
                  struct dvm_error *err);
  /* Where the ranks' steps come from that are not read from streams; 'construct' -1: the rank has ended.  May be NULL. */
  int (*next)(void *arg, size_t rank, struct dvmt_join_step *step, struct dvm_error *err);
  struct dvmt_shape *shape; /* that these steps belong to; borrowed */
  void *arg;
};
struct dvmt_join_totals {
  uint64_t constructs, sums, records; /* records: of all ranks */
  char last[600]; /* the last construct that all ranks have executed, in words, or "" */
  char parting[1700]; /* where they part, or "" */
  bool torn; /* the streams of some ranks end before their time */
};
/* 0, or -E.. with a text. */
int dvmt_join(const struct dvmt_job *job, const struct dvmt_join_options *options, struct dvmt_join_totals *totals, struct dvm_error *err);
#endif
