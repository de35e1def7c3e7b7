#ifndef DVM_MPIR_CRS_LEAD_H
#define DVM_MPIR_CRS_LEAD_H
#include "mpir/crs/crs_private.h"

/* The main thread has children. */
bool mpir_crs_lead_has_children(void);
/* A rank of a job: what it asks for is a checkpoint of the job. */
bool mpir_crs_lead_is_rank(void);
/* Starts the command for the processes of 'scope' (DVMCR_TREE ...) of process 'target', 0: this one.  Returns a descriptor on which the
 * answer comes, or -ENOENT when the command is not to be found, or another -E... */
int mpir_crs_lead_start(const struct crs_request *request, int scope, pid_t target);
/* Starts the command that copies an image to the second place, if there is one. */
void mpir_crs_lead_copy(const char *path, unsigned keep);
/* Takes the answer into 'reply'.  Returns its code. */
int mpir_crs_lead_answer(int fd, struct crs_reply *reply);
#endif
