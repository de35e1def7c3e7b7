/* Processes that callbacks add to the checkpoint under way (dvmcr_forward). */
#ifndef DVM_MPIR_CRS_FORWARD_H
#define DVM_MPIR_CRS_FORWARD_H
#include "mpir/crs/crs_private.h"

/* A checkpoint begins.  'is_member': a command leads it, and takes more processes; otherwise it ends, for one to begin it anew. */
void mpir_crs_forward_begin(bool is_member);
/* Puts the processes into the reply, whose code becomes CRS_FORWARDED where the process is not yet a member. */
void mpir_crs_forward_tell(struct crs_reply *reply);
#endif
