/* A set stops as a whole, if it is to: when one has stopped, and nothing more happens for a moment, the others of those that were
 * set going together are stopped too. */
#include "sdm/console/console.h"
#include "sdm/dap/dap_private.h"

#define QUIET_US 1500000 /* as in the console */

void sdm_dap_went(struct dap *d, const struct sdm_set *who, bool alone) {
  d->last_event = sdm_now_us();
  d->wanted = -1;
  d->focused = d->alarmed = false;
  if (d->followers)
    sdm_set_clear(d->followers);
  if (!d->went)
    d->went = sdm_set_new();
  if (alone)
    sdm_set_diff(d->went, who);
  else
    sdm_set_assign(d->went, who);
}

void sdm_dap_stop_rest(struct dap *d) {
  if (!d->went || !sdm_set_overlaps(d->went, d->s.running) || !sdm_set_overlaps(d->went, d->s.stopped) || d->nnews ||
      sdm_now_us() - d->last_event < QUIET_US)
    return;
  if (sdm_console_stops_all(d->console)) {
    struct sdm_set *rest = sdm_set_intersect(sdm_set_copy(d->went), d->s.running);
    if (!d->followers)
      d->followers = sdm_set_new();
    sdm_set_assign(d->followers, rest);
    sdm_answer_free(sdm_dap_ask(d, rest, json_pack("{s:s}", "cmd", "interrupt"), SDM_REDUCE_SAME));
    sdm_set_free(rest);
  }
  sdm_set_clear(d->went);
}
