/* A job that is saved as a whole, "dvm run --checkpointable -n 4 ./prog": only its own processes can be saved, so debug servers cannot stand in their
 * places.  It is started with its ranks waiting, and attached to. */
#ifndef SDM_COMMAND_JOB_H
#define SDM_COMMAND_JOB_H
#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "sdm/command/arguments.h"

/* 'n' words of a launcher. */
bool sdm_job_is_one(char *const *launcher, int n);
/* Starts the job, fills in a->s.targets and a->job, and returns the command that attaches to it; a new reference, or NULL with the reason in *err. */
json_t *sdm_job_command(struct sdm_arguments *a, struct dvm_error *err);
#endif
