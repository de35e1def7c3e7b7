#include "sdm/batch.h"

#include <errno.h>

static void report(struct sdm_session *s, const struct sdm_show *show, const char *why) {
  if (show->json)
    fprintf(show->out, "{\"report\":\"%s\"}\n", why);
  else
    fprintf(show->out, "== %s\n", why);
  sdm_show_status(show, s);
  if (sdm_set_is_empty(s->stopped))
    return;
  if (!show->json)
    fprintf(show->out, "== merged stacks\n");
  struct sdm_answer *a = sdm_session_ask(s, s->stopped, json_pack("{s:s, s:s}", "cmd", "stack", "reduce", "tree"),
                                         SDM_REDUCE_TREE, 20000);
  sdm_show_tree(show, a, SDM_TREE_TEXT, 1);
  sdm_answer_free(a);
  if (!show->json)
    fprintf(show->out, "== local variables, innermost frame with source\n");
  a = sdm_session_ask(s, s->stopped, json_pack("{s:s, s:i}", "cmd", "variables", "sourced", 1), SDM_REDUCE_SAME, 20000);
  sdm_show_answer(show, "variables", a);
  sdm_answer_free(a);
}

int sdm_batch_run(struct sdm_session *s, const struct sdm_show *show, unsigned timeout_s) {
  int64_t until = sdm_now_us() + (int64_t)timeout_s * 1000000;
  /* One rank that stops (a signal) mostly leaves the others waiting for it: no need to wait for the limit. */
  while (!sdm_set_is_empty(s->running) && sdm_set_is_empty(s->stopped) && sdm_now_us() < until)
    sdm_session_step(s, 50);
  bool stopped = !sdm_set_is_empty(s->stopped);
  if (stopped)
    sdm_session_wait(s, s->all, 1000, NULL); /* others may have the same trouble */
  bool running = !sdm_set_is_empty(s->running);
  if (running) {
    struct sdm_set *set = sdm_set_copy(s->running);
    sdm_answer_free(sdm_session_ask(s, set, json_pack("{s:s}", "cmd", "interrupt"), SDM_REDUCE_SAME, 10000));
    sdm_session_wait(s, set, 10000, NULL);
    sdm_set_free(set);
  }
  if (!running && !stopped && !s->failed && sdm_set_is_empty(s->dead))
    return 0;
  report(s, show, stopped ? "stopped by a signal" : running ? "still running at the time limit" : "failed");
  return running && !stopped ? 3 : 1;
}
