/* A simulated tree of 'n' servers of 'shape': message counts and simulated times on stdout.  Returns 0, or 1 if a request
 * did not end as it should. */
#ifndef SDM_BENCH_SIMULATED_H
#define SDM_BENCH_SIMULATED_H
#include <stdint.h>

int simulated(uint32_t n, const char *shape);
#endif
