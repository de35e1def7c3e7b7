#include "sdm/command/batch.h"

#include "sdm/console/waits.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

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
  struct sdm_answer *a = sdm_session_ask(s, s->stopped, json_pack("{s:s, s:s}", "cmd", "stack", "reduce", "tree"), SDM_REDUCE_TREE, 20000);
  sdm_show_tree(show, a, SDM_TREE_TEXT, 1);
  sdm_answer_free(a);
  sdm_waits_show(s, show, s->stopped, 20000, true);
  if (!show->json)
    fprintf(show->out, "== local variables, innermost frame with source\n");
  a = sdm_session_ask(s, s->stopped, json_pack("{s:s, s:i}", "cmd", "variables", "sourced", 1), SDM_REDUCE_SAME, 20000);
  sdm_show_answer(show, "variables", a);
  sdm_answer_free(a);
}

/* The second is where Open MPI's default error handler comes. */
static const char *const aborts[] = {"MPI_Abort", "ompi_mpi_abort"};
enum { NABORTS = sizeof(aborts) / sizeof(*aborts) };

void sdm_batch_prepare(struct sdm_session *s, const json_t *launch) {
  json_t *load = json_copy((json_t *)launch);
  json_object_set_new(load, "load", json_integer(1));
  sdm_answer_free(sdm_session_ask(s, s->all, load, SDM_REDUCE_SAME, 60000));
  for (int i = 0; i < NABORTS; i++) /* in a library that is not there yet, or in none at all */
    sdm_answer_free(
        sdm_session_ask(s, s->all, json_pack("{s:s, s:s, s:i}", "cmd", "break", "where", aborts[i], "id", i + 1), SDM_REDUCE_SAME, 60000));
}

static bool aborted(const struct sdm_session *s) {
  for (size_t i = 0; i < s->nplaces; i++) {
    const char *reason = json_string_value(json_object_get(s->places[i].event, "reason"));
    if (reason && !strcmp(reason, "breakpoint-hit"))
      return true;
  }
  return false;
}

/* A launcher ends the others when one has failed; under a debugger it does not hear of it.  This long they may end by themselves,
 * or come into the same trouble. */
#define GRACE_MS 5000

static bool in_trouble(const struct sdm_session *s, size_t lost_before) {
  return !sdm_set_is_empty(s->stopped) || s->failed || sdm_set_size(s->dead) > lost_before;
}

static const char *reason(const struct sdm_session *s, bool stopped, bool trouble, bool running, bool interrupted) {
  return interrupted           ? "interrupted"
         : stopped             ? (aborted(s) ? "ended by MPI_Abort" : "stopped by a signal")
         : running && !trouble ? "still running at the time limit"
         : running             ? "failed; those that did not end within 5 seconds were stopped"
                               : "failed";
}

int sdm_batch_run(struct sdm_session *s, const struct sdm_show *show, unsigned timeout_s, const volatile atomic_int *interrupted) {
  int64_t until = sdm_now_us() + (int64_t)timeout_s * 1000000;
  size_t lost_before = sdm_set_size(s->dead); /* a rank may have ended before one could attach to it */
  while (!sdm_set_is_empty(s->running) && !in_trouble(s, lost_before) && !*interrupted && sdm_now_us() < until)
    sdm_session_step(s, 50);
  bool trouble = in_trouble(s, lost_before);
  if (trouble)
    sdm_session_wait(s, s->all, GRACE_MS, interrupted);
  bool stopped = !sdm_set_is_empty(s->stopped), running = !sdm_set_is_empty(s->running);
  if (running) {
    struct sdm_set *set = sdm_set_copy(s->running);
    sdm_answer_free(sdm_session_ask(s, set, json_pack("{s:s}", "cmd", "interrupt"), SDM_REDUCE_SAME, 10000));
    sdm_session_wait(s, set, 10000, NULL);
    sdm_set_free(set);
  }
  if (!running && !stopped && !s->failed && sdm_set_is_empty(s->dead))
    return 0;
  report(s, show, reason(s, stopped, trouble, running, *interrupted));
  return *interrupted ? 128 + SIGINT : running && !trouble ? 3 : 1;
}
