/* dvm check: compile to a temporary place, run, clean up. */
#ifndef DVM_DRIVER_CHECK_H
#define DVM_DRIVER_CHECK_H
#include "base/error.h"
#include "driver/place.h"

extern const char dvm_check_help[];

/* args[n]: what stands after 'dvm check'.  Returns the exit status: the program's, clang's when it does not compile, 2 for a
 * wrong call; errors are reported here. */
int dvm_check(char *const *args, int n, const struct dvm_place *place);
#endif
