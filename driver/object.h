/* Objects that a call links: were they compiled for another mode? */
#ifndef DVM_DRIVER_OBJECT_H
#define DVM_DRIVER_OBJECT_H
#include "driver/plan.h"

/* -EINVAL: one was compiled for parallel execution, and the call links for another mode; the linker would name what is undefined alone. */
int cc_objects_fit(const struct cc_plan *plan, struct dvm_error *err);
#endif
