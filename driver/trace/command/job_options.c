#include "driver/trace/command/job_private.h"
#include <errno.h>

static int refuse(const char *option, const char *why, struct dvm_error *err) {
  return dvm_error_set(err, -EINVAL, "'%s': %s", option, why);
}

/* Parallel runs are compared by sums behind each construct. */
static int check_parallel(const struct dvmt_cli *o, struct dvm_error *err) {
  static const char sums[] = "a parallel run is compared by sums of its arrays, which have no iterations";
  const struct dvmt_config *c = &o->config;
  if (o->compare.partial)
    return refuse("--partial", sums, err);
  if (o->compare.window_bytes)
    return refuse("--window", sums, err);
  if (o->compare.digits && !o->bisect)
    return refuse("--digits", "a parallel run is compared by sums of its arrays: add '--bisect' for the values of one construct", err);
  if (o->config_path && (c->nrules || c->start.place.file || c->finish.place.file || (c->has_level && c->level != DVMT_LEVEL_CHECKSUM)))
    return refuse("--config", "a parallel run is recorded at level checksum: keep the lines 'tolerance' alone", err);
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
