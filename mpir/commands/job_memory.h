/* The memory that the ranks of a job on one host share, as the images of a snapshot have it. */
#ifndef MPIR_JOB_MEMORY_H
#define MPIR_JOB_MEMORY_H
#include <stddef.h>
#include "base/error.h"
#include "mpir/image/job_manifest.h"

/* A private copy of it, of '*size' bytes, to be unmapped; trusted in nothing.  NULL: no image has it, or with an error that one cannot be read. */
void *mpir_job_memory(const struct mpir_job_manifest *m, const char *folder, size_t *size, struct dvm_error *err);
/* Makes a snapshot of a job on one host, in the new folder 'to' beside it, that is one of a job on several hosts, of which one has all ranks: images
 * have a second name there.  What is there on an error is the caller's to remove. */
int mpir_job_to_hosts(const struct mpir_job_manifest *m, const char *folder, const char *to, struct dvm_error *err);
#endif
