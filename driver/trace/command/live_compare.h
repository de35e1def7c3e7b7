/* One execution of a construct compared with the reference's, by sums; for live.c. */
#ifndef DVM_TRACE_LIVE_COMPARE_H
#define DVM_TRACE_LIVE_COMPARE_H
#include "driver/trace/command/live_private.h"

struct live_found {
  struct dvmt_cli *o;
  char **told;                  /* owned: construct and variable of what has been told */
  size_t ntold;
  uint64_t errors, executions, identical, within, differing, alone, ignored;
};
/* Tells what differs, at most once of each construct and variable. */
void live_compare_step(struct live_found *f, const struct live_step *reference, const struct live_step *run);
/* A difference of structure at a construct. */
void live_compare_structure(struct live_found *f, const char *text, const char *variable, uint64_t execution, const char *message);
void live_compare_fini(struct live_found *f);
#endif
