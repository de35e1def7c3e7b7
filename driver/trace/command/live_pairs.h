/* Which construct of the reference is which of the run, whose source may have been changed since: 'dvm compare --live'. */
#ifndef DVM_TRACE_LIVE_PAIRS_H
#define DVM_TRACE_LIVE_PAIRS_H
#include "driver/trace/job/places.h"
#include "driver/trace/command/live_private.h"

struct live_pairs {
  char *const *command;         /* of the run; borrowed */
  bool tried;
  struct dvmt_job_places *places; /* owned; NULL: a construct stands at its own place */
  size_t n;                     /* of the reference's constructs in it */
  const char *reference, *run;  /* that were asked for last, and */
  bool same;
};
/* Texts of constructs of both sides, which stay. */
bool live_pairs_same(struct live_pairs *p, const struct live_reference *of, const char *reference, const char *run);
void live_pairs_fini(struct live_pairs *p);
#endif
