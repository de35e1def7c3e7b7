#include "driver/trace/command/job_private.h"
#include "driver/trace/job/relay.h"
#include <errno.h>

static int refuse(const char *option, const char *why, struct dvm_error *err) {
  return dvm_error_set(err, -EINVAL, "'%s': %s", option, why);
}

static bool has_values(const struct dvmt_config *c) {
  bool any = c->has_level && dvmt_level_has_values(c->level);
  for (size_t i = 0; i < c->nrules; i++)
    any |= dvmt_level_has_values(c->rules[i].level);
  return any;
}

/* Parallel runs are compared by sums behind each construct. */
static int check_parallel(const struct dvmt_cli *o, struct dvm_error *err) {
  if (o->compare.window_bytes)
    return refuse("--window", "the iterations of a parallel run do not wait for each other", err);
  if (o->compare.digits && !o->bisect && !has_values(&o->config))
    return refuse("--digits",
                  "a parallel run is compared by sums of its arrays: add '--bisect' for the values of one construct, or level modify in a "
                  "configuration",
                  err);
  if (o->bisect && dvmt_job_levels_has(&o->config))
    return refuse("--config", "'--bisect' chooses by itself what is recorded: keep the lines 'tolerance' alone", err);
  return 0;
}

int dvmt_job_check(const struct dvmt_cli *o, bool parallel, struct dvm_error *err) {
  if (parallel)
    return check_parallel(o, err);
  if (o->bisect)
    return refuse("--bisect",
                  "not for jobs of processes that call MPI themselves: record them at level modify, and single constructs by '--config'",
                  err);
  return 0;
}

void dvmt_job_note_torn(const struct dvmt_job *job, const char *path) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct dvmt_summary s;
  for (size_t r = 0; r < job->nranks; r++)
    if (!dvmt_reader_summary(job->rank[r], &s, &ignored) && !s.whole)
      fprintf(stderr, "dvm: warning: '%s.%zu' is torn: compared as far as %s\n", path, r, job->parallel ? "all ranks go" : "it goes");
}
