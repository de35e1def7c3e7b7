/* What was under way between the ranks of a job: read from the memory that they share, as an image holds it. */
#ifndef MPIR_JOB_MESSAGES_H
#define MPIR_JOB_MESSAGES_H
#include <stdio.h>
#include "mpir/image/image.h"
#include "mpir/image/job_manifest.h"

/* Writes what each rank waits for, and the messages between them.  'segment' has 'size' bytes and is trusted in nothing.  -EBADMSG: it is not the memory
 * of a job of 'nranks' ranks. */
int mpir_job_messages_write(FILE *to, const void *segment, size_t size, uint32_t nranks, struct dvm_error *err);
/* Writes all that the snapshot says of the job as a whole. */
int mpir_job_inspect(FILE *to, const char *folder, struct dvm_error *err);
#endif
