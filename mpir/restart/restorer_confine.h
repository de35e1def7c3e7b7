/* What confines a thread, given back to it before it runs: by the calling thread, to itself. */
#ifndef DVM_MPIR_RESTORER_CONFINE_H
#define DVM_MPIR_RESTORER_CONFINE_H
#include "mpir/restart/restorer.h"

/* Groups, users, capabilities, secure bits.  Returns 0, or not if the thread would have more than it had. */
__attribute__((visibility("hidden"))) long mpir_restorer_credentials(const struct restorer_plan *plan,
                                                                     const struct mpir_image_credentials *c);
/* No new privileges, then the seccomp filters. */
__attribute__((visibility("hidden"))) long mpir_restorer_filters(const struct restorer_plan *plan, const struct mpir_image_credentials *c);
#endif
