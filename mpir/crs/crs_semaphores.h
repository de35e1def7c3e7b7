/* System V semaphores that the kernel would change back when the process ends. */
#ifndef DVM_MPIR_CRS_SEMAPHORES_H
#define DVM_MPIR_CRS_SEMAPHORES_H
#include <sys/sem.h>
#include "mpir/crs/crs_private.h"

#define CRS_SEMAPHORES_MAX 4096
#define CRS_SEMAPHORES_AT_ONCE 64 /* operations of one call that are noted */

typedef long (*crs_made_f)(long number, long *a);
/* semop(2) or semtimedop(2) with these arguments, by 'made' where it may wait.  Returns as the kernel does. */
long mpir_crs_semaphores_call(long call, long *a, crs_made_f made);
/* While the threads stand. */
unsigned mpir_crs_semaphores_held(const struct mpir_image_semaphore **all, bool *too_many);
#endif
