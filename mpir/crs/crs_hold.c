/* Holding threads until the callbacks of all have run: a thread that goes on sooner may meet what another's callback has not set right yet. */
#include <errno.h>
#include "mpir/crs/crs_private.h"
#include "mpir/crs/sys.h"

#define LOOK_AGAIN_NS 10000000

static atomic_int kinds[2] = {DVMCR_HOLD_DEFAULT, DVMCR_HOLD_DEFAULT}; /* of threads that have called dvmcr_init(), and of others */
static __thread atomic_int own CRS_TLS = DVMCR_HOLD_DEFAULT;
static atomic_uint finished; /* futex: number of the last stop whose callbacks have all run */

int dvmcr_hold(int scope, int when) {
  if (scope < DVMCR_HOLD_THREAD || scope > DVMCR_HOLD_PLAIN || when < DVMCR_HOLD_READ || when > DVMCR_HOLD_DEFAULT)
    return -EINVAL;
  atomic_int *place = scope == DVMCR_HOLD_THREAD ? &own : &kinds[scope == DVMCR_HOLD_PLAIN];

  if (when == DVMCR_HOLD_READ)
    return atomic_load(place);
  mpir_crs_helper_require();
  return atomic_exchange(place, when);
}

static int wanted(void) {
  const int mine = atomic_load(&own);

  return mine == DVMCR_HOLD_DEFAULT ? atomic_load(&kinds[!mpir_crs_self.registered]) : mine;
}

void mpir_crs_hold(unsigned epoch, int outcome) {
  const int when = wanted();
  unsigned now;

  if (when == DVMCR_HOLD_DEFAULT || !(when & (outcome == 1 ? DVMCR_HOLD_RESTART : DVMCR_HOLD_CONTINUE)))
    return;
  while ((now = atomic_load(&finished)) != epoch)
    sys_futex_wait(&finished, now, LOOK_AGAIN_NS);
}

void mpir_crs_hold_end(void) {
  atomic_store(&finished, atomic_load(&crs.epoch));
  sys_futex_wake(&finished);
}
