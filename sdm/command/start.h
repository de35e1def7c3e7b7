/* From the words of `dvm debug` to what a session is opened with: launchers, hosts, processes, images. */
#ifndef SDM_START_H
#define SDM_START_H
#include <jansson.h>

#include "base/error.h"
#include "sdm/command/arguments.h"

/* Fills in a->s (who starts the servers, how many) and returns the first command to them, "launch", "attach", "core" or "restart"; empty for a
 * session that is taken up again.  A new reference, or NULL with the reason in *err.  Looks programs up; starts nothing but, for a set of
 * images, their restart. */
json_t *sdm_start_command(struct sdm_arguments *a, struct dvm_error *err);
#endif
