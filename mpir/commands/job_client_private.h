/* Saving a job, as the two forms of it share it. */
#ifndef MPIR_JOB_CLIENT_PRIVATE_H
#define MPIR_JOB_CLIENT_PRIVATE_H
#include "mpir/commands/job_client.h"

/* What leads a checkpoint of a job on several hosts needs of the command. */
struct mpir_job_lead {
  void *arg;
  pid_t controller;
  const struct job_answer *answer;
  const uint8_t *wanted; /* by rank */
  /* Turns the path of an image into that of the snapshot. */
  int (*name)(const struct mpir_job_lead *l, char *path, size_t size, struct dvm_error *err);
  /* The manifest without ranks and nodes; the caller frees. */
  struct mpir_job_manifest *(*describe)(const struct mpir_job_lead *l);
  /* Looks into the images of the folder, and writes the manifest. */
  int (*seal)(const struct mpir_job_lead *l, struct mpir_job_manifest *m, const char *folder, struct dvm_error *err);
  int (*ends)(const struct mpir_job_lead *l, struct dvm_error *err); /* they are about to be killed */
};
/* The caller has the lease.  Fills in reply->path. */
int mpir_job_checkpoint_hosts(int connection, const struct mpir_job_lead *lead, struct crs_request *request, struct crs_reply *reply,
                              struct dvm_error *err);
#endif
