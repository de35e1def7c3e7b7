/* What of a parallel run is recorded and compared: the levels of a configuration, as far as the reference has them. */
#ifndef DVM_TRACE_JOB_LEVELS_H
#define DVM_TRACE_JOB_LEVELS_H
#include "driver/folder.h"
#include "driver/trace/command/options.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/job/job.h"

/* A parallel construct of the reference. */
struct dvmt_job_pair {
  struct dvmt_where reference, run; /* texts are borrowed */
};
struct dvmt_job_levels {
  /* A rule for each construct, by its place on either side; valid if 'any'. */
  struct dvmt_config reference, run;
  bool any;
  bool limited;                 /* the reference was recorded with a configuration: it may lack executions */
  bool elements;                /* some constructs are compared value by value */
  bool valued;                  /* sums are made of the values that the reference has */
  struct dvmt_job_pair *pair;   /* owned, as what it leads to */
  size_t npairs;
  struct dvmt_reader *reader;
  struct dvmt_job_places *places;
  char path[CC_TEMPORARY_MAX + 16]; /* the run's configuration as a file, or "": of all level checksum */
};
struct dvmt_side;
/* 'command': the run's, or NULL; 'other': the run's trace, or NULL; 'folder' gets the file.  0, or -E.. with a text. */
int dvmt_job_levels_find(struct dvmt_job_levels *l, const struct dvmt_cli *o, const struct dvmt_side *s, char *const *command,
                         struct dvmt_reader *other, const char *folder, struct dvm_error *err);
/* Where the reference has the construct that the run has there; line 0: nowhere. */
struct dvmt_where dvmt_job_levels_place(const struct dvmt_job_levels *l, const struct dvmt_where *run);
/* Whether it says what is recorded, not only how closely it is compared. */
bool dvmt_job_levels_has(const struct dvmt_config *config);
void dvmt_job_levels_fini(struct dvmt_job_levels *l);
#endif
