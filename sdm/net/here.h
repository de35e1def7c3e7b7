/* Is a host this one? */
#ifndef SDM_HERE_H
#define SDM_HERE_H
#include <stdbool.h>

bool sdm_host_is_here(const char *host); /* by a name or an address of it */
#endif
