/* Whether two runs of a program have printed the same. */
#ifndef DVM_DRIVER_FIX_SAME_H
#define DVM_DRIVER_FIX_SAME_H
#include <stdbool.h>

/* Do the files hold the same bytes?  False also where one cannot be read. */
bool fix_same(const char *a, const char *b);
/* As above, but numbers with a point or an exponent may differ by FIX_TOLERANCE of the larger one, or by FIX_NOTHING where both are as good as
 * zero, and their signs and widths may move the blanks before them: ranks add the terms of a reduction in another order. */
bool fix_same_but_rounding(const char *a, const char *b);
#define FIX_TOLERANCE 1e-5
#define FIX_NOTHING 1e-12
#endif
