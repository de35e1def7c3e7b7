/* Processes that callbacks add to the checkpoint under way. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include "mpir/crs/crs_forward.h"
#include "mpir/crs/crs_lead.h"
#include "mpir/crs/sys.h"

static struct crs_forward list[CRS_FORWARDS_MAX];
static unsigned count;
static bool member, parent; /* parent: it had children when the checkpoint began; a stopped thread cannot look */

void mpir_crs_forward_begin(bool is_member) {
  count = 0;
  member = is_member;
  parent = mpir_crs_lead_has_children();
}

/* The number that kill(2) knows the target by. */
static pid_t target_of(int scope, pid_t target) { return scope == DVMCR_GROUP ? -target : target; }

/* 0, or -ENOSPC. */
static int note(int scope, pid_t target) {
  static atomic_flag lock = ATOMIC_FLAG_INIT; /* for a moment, by threads that are inside of callbacks */
  unsigned at = 0;
  int rc = 0;

  while (atomic_flag_test_and_set(&lock))
    sys0(SYS_sched_yield);
  while (at < count && (list[at].scope != scope || list[at].target != target))
    at++;
  if (at == CRS_FORWARDS_MAX)
    rc = -ENOSPC;
  else
    list[at] = (struct crs_forward){scope, target};
  count += at == count && !rc;
  atomic_flag_clear(&lock);
  return rc;
}

int dvmcr_forward(int scope, pid_t target) {
  struct crs_chain *chain = mpir_crs_chain_running();
  int none = 0;

  if (!chain->running || !dvmcr_status())
    return -EINVAL;
  if (target <= 0 || (scope != DVMCR_PROCESS && scope != DVMCR_TREE && scope != DVMCR_GROUP && scope != DVMCR_SESSION))
    return -EINVAL;
  const long rc = sys2(SYS_kill, target_of(scope, target), 0);

  if (rc)
    return (int)rc;
  if (target == crs.pid && (scope == DVMCR_PROCESS || (scope == DVMCR_TREE && !parent)))
    return 0;
  if ((none = note(scope, target)) < 0)
    return none;
  if (!member) /* it is begun anew, with all of them */
    atomic_compare_exchange_strong(&crs.abort_code, &none, -EAGAIN);
  return 0;
}

void mpir_crs_forward_tell(struct crs_reply *reply) {
  reply->forward_count = count;
  memcpy(reply->forwards, list, sizeof(list));
  if (reply->forward_count && !member)
    reply->code = CRS_FORWARDED;
}
