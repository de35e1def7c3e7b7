/* Asking a checkpointable process for a checkpoint. */
#ifndef DVM_MPIR_CLIENT_H
#define DVM_MPIR_CLIENT_H
#include <sys/types.h>
#include "base/error.h"
#include "mpir/crs/protocol.h"

/* Sends the request and waits for the answer, at most until the process ends.  'pid' is the process as seen from here.
 * Returns 0 with an image at reply->path, or -E... */
int mpir_client_checkpoint(pid_t pid, struct crs_request *request, struct crs_reply *reply, struct dvm_error *err);
#endif
