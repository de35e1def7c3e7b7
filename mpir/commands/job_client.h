/* A command's end: finding a job, and saving it. */
#ifndef MPIR_JOB_CLIENT_H
#define MPIR_JOB_CLIENT_H
#include <sys/socket.h>
#include <sys/un.h>
#include "mpir/commands/client.h"
#include "mpir/commands/job_protocol.h"
#include "mpir/image/compress.h"

/* The address of a job: by its name, or where that is NULL by the controller's number as seen from here.  Returns its size. */
socklen_t mpir_job_address(struct sockaddr_un *address, pid_t pid, const char *name);

/* A connection to the job that is meant by a word: the name or process number of a job, or the number of a process that is one of its
 * ranks.  Fills in 'answer'.  -ENOENT, without a text: there is no such job. */
int mpir_job_connect(const char *word, struct job_answer *answer, struct dvm_error *err);

struct mpir_job_save {
  const char *ranks;      /* "0,2-3": those alone, or NULL: all */
  enum mpir_codec codec;
};
/* Saves the job, whose connection it takes over and closes.  Returns 0 with the snapshot at reply->path, or -E...; then nothing is left, and
 * all ranks go on. */
int mpir_job_checkpoint(int connection, const struct mpir_job_save *save, struct crs_request *request, struct crs_reply *reply,
                        struct dvm_error *err);
#endif
