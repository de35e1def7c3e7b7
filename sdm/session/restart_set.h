/* Processes that were saved together: restarted here, each waiting for its debugger. */
#ifndef SDM_RESTART_SET_H
#define SDM_RESTART_SET_H
#include <stdbool.h>

#include "sdm/session/target.h"

bool sdm_is_restart_set(const char *path); /* a folder with the images of several processes */
/* Runs the restart command.  The processes are added to 't', numbered as the image has them; they write where we do, read nothing, and go
 * on without us.  0, or a negative code. */
int sdm_restart_set(const char *folder, bool apart, struct sdm_targets *t,
                    struct dvm_error *err); /* apart: what they write to standard output goes to our standard error */
#endif
