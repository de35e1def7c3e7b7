/* dvm fix: from a report to a repaired program. */
#ifndef DVM_FIX_FIX_H
#define DVM_FIX_FIX_H
#include "driver/place.h"

extern const char dvm_fix_help[];

/* args[n]: what stands after 'dvm fix'.  Returns the exit status: 0, 66 if something is left, clang's when the program does not compile,
 * 2 for a wrong call, 1 for other errors, which are reported here. */
int dvm_fix(char *const *args, int n, const struct dvm_place *place);
#endif
