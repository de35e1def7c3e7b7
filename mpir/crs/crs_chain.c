/* Callbacks, critical sections, hooks' registration: the parts of dvmcr.h that a program calls. */
#include <errno.h>
#include <string.h>
#include "mpir/crs/crs_private.h"
#include "mpir/crs/sys.h"

static struct crs_chain helper_chain;
struct crs_chain *mpir_crs_chain_running(void) { return mpir_crs_self.helper ? &helper_chain : &mpir_crs_self.chain; }

static atomic_flag helper_chain_lock = ATOMIC_FLAG_INIT; /* registration only; never held over a checkpoint */
static atomic_int next_id = 1;

struct crs_chain *mpir_crs_helper_chain(void) { return &helper_chain; }

static void chain_lock(struct crs_chain *chain) {
  dvmcr_enter();
  if (chain == &helper_chain)
    while (atomic_flag_test_and_set(&helper_chain_lock))
      sys0(SYS_sched_yield);
}

static void chain_unlock(struct crs_chain *chain) {
  if (chain == &helper_chain)
    atomic_flag_clear(&helper_chain_lock);
  dvmcr_leave();
}

/* Enters the next callback; it comes back here through dvmcr_checkpoint() until none is left.  Each callback sees the
 * one outcome; 'bottom' is reached exactly once, also after a refusal, so that a thread always parks. */
static int chain_descend(struct crs_chain *chain) {
  while (chain->left && !atomic_load(&crs.abort_code)) {
    struct crs_callback *callback = &chain->callbacks[--chain->left], *outer = chain->current;
    unsigned before = chain->left;
    int rc;

    if (!callback->fn)
      continue;
    chain->current = callback;
    rc = callback->fn(callback->arg);
    chain->current = outer;
    if (!chain->running || chain->left != before)
      return atomic_load(&crs.outcome);
    if (rc) { /* it returned without reaching the checkpoint */
      int none = 0;

      atomic_compare_exchange_strong(&crs.abort_code, &none, -ECANCELED);
    }
  }
  chain->left = 0;
  chain->running = false;
  return chain->bottom();
}

int mpir_crs_chain_run(struct crs_chain *chain) {
  chain->running = true;
  return chain_descend(chain);
}

int dvmcr_checkpoint(int flags) {
  struct crs_chain *chain = mpir_crs_chain_running();
  struct crs_callback *caller = chain->current;
  int none = 0, code = flags >> 8 & 0xffff, rc;

  if (!chain->running)
    return -EINVAL;
  if (flags & DVMCR_REFUSE)
    atomic_compare_exchange_strong(&crs.abort_code, &none, code ? -code : -ECANCELED);
  else if (flags & DVMCR_NOT_NOW)
    atomic_compare_exchange_strong(&crs.abort_code, &none, code ? -code : -EAGAIN);
  else if (flags & DVMCR_OMIT)
    atomic_compare_exchange_strong(&crs.abort_code, &none, -ENODATA);
  rc = chain_descend(chain);
  chain->current = caller;
  return rc;
}

int dvmcr_callback_replace_self(dvmcr_callback_f fn, void *arg) {
  struct crs_callback *self = mpir_crs_chain_running()->current;

  if (!self)
    return -EINVAL;
  *self = (struct crs_callback){fn, arg, fn ? self->id : 0};
  return 0;
}

int dvmcr_init(void) {
  mpir_crs_helper_require();
  mpir_crs_self.registered = true;
  return 1;
}

int dvmcr_callback_add(dvmcr_callback_f fn, void *arg, int context) {
  struct crs_chain *chain = context == DVMCR_THREAD_CONTEXT ? &helper_chain : &mpir_crs_self.chain;
  int id = -ENOSPC;
  unsigned i;

  if (!fn || (context != DVMCR_THREAD_CONTEXT && context != DVMCR_SIGNAL_CONTEXT))
    return -EINVAL;
  if (context == DVMCR_SIGNAL_CONTEXT && !mpir_crs_self.registered)
    return -EPERM;
  mpir_crs_helper_require();
  chain_lock(chain);
  while (chain->count && !chain->callbacks[chain->count - 1].id) /* removed ones at the end */
    chain->count--;
  i = chain->count;
  if (i < CRS_CALLBACKS_MAX) {
    id = atomic_fetch_add(&next_id, 1);
    chain->callbacks[i] = (struct crs_callback){fn, arg, id};
    chain->count = i + 1;
  }
  chain_unlock(chain);
  return id;
}

int dvmcr_callback_replace(int id, dvmcr_callback_f fn, void *arg, int context) {
  struct crs_chain *chain = context == DVMCR_THREAD_CONTEXT ? &helper_chain : &mpir_crs_self.chain;
  int rc = -ENOENT;

  if (id < 1)
    return rc;
  chain_lock(chain);
  for (unsigned i = 0; i < chain->count && rc; i++) {
    if (chain->callbacks[i].id != id)
      continue;
    chain->callbacks[i] = (struct crs_callback){fn, arg, fn ? id : 0};
    rc = 0;
  }
  chain_unlock(chain);
  return rc;
}

void dvmcr_enter(void) {
  mpir_crs_self.critical++;
  atomic_signal_fence(memory_order_seq_cst);
}

void dvmcr_leave(void) {
  atomic_signal_fence(memory_order_seq_cst);
  if (mpir_crs_self.critical == 0 || --mpir_crs_self.critical)
    return;
  if (mpir_crs_self.deferred) {
    mpir_crs_self.deferred = 0;
    mpir_crs_stop_self();
  }
}

int dvmcr_try_enter(void) {
  dvmcr_enter();
  if (!atomic_load(&crs.stopping) && !mpir_crs_self.deferred)
    return 0;
  dvmcr_leave();
  return -EBUSY;
}
