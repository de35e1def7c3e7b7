/* The call of clang that does what a call of dvmcc asks for. */
#ifndef DVM_DRIVER_COMMAND_H
#define DVM_DRIVER_COMMAND_H
#include "driver/place.h"
#include "driver/plan.h"
#include "driver/response.h"

/* argv[argc]: the call of dvmcc, the same that 'line' was read from and 'plan' made of.  Fills 'command' with clang's path and
 * arguments: the user's own, response files unopened unless one of our options stands in them; before them what compiling
 * needs, after them what linking needs.  Returns 0, or -ENOENT when a part is not where it should be, -ENOMEM. */
int cc_command_make(struct dvm_list *command, char *const *argv, const struct cc_line *line, const struct cc_plan *plan,
                    const struct dvm_place *place, struct dvm_error *err);
#endif
