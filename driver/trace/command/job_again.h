/* A job that runs again for one execution of a construct, of which its ranks tell the elements that they have. */
#ifndef DVM_TRACE_JOB_AGAIN_H
#define DVM_TRACE_JOB_AGAIN_H
#include "driver/trace/command/steps.h"
#include "driver/trace/job/elements.h"

struct job_again {
  char *const *command;
  const char *folder;           /* that may be used */
  const char *results;          /* of reductions, that replace its own; or NULL */
  const char *program;          /* build id that it has to have, or NULL */
  bool reference;               /* DVM_OPTIONS of the environment are for another program */
};
/* 'text': of the construct's site.  NULL: 'err' says why. */
struct dvmt_images *job_again_run(const struct job_again *a, const char *text, uint64_t execution, struct dvm_error *err);
/* A trace of the reference's execution, made of what its ranks have: what either side changes or what differs between them is written once,
 * in no iteration.  0, or -E.. with a text. */
int job_again_write(const char *path, const struct dvmt_images *reference, const struct dvmt_images *run, const struct dvmt_step *step,
                    struct dvm_error *err);
#endif
