/* The launch of a job that is saved as a whole: it is started with its ranks waiting, and attached to. */
#include <stdlib.h>
#include <unistd.h>

#include "sdm/dap/dap_private.h"
#include "sdm/session/held.h"
#include "sdm/session/proctable.h"

static int count_words(const struct dap *d) {
  int n = 0;
  while (d->words[n])
    n++;
  return n;
}

bool sdm_dap_job_is_one(const struct dap *d) { return sdm_job_is_one(d->words, count_words(d)); }

static char **line_of(const struct dap *d, const json_t *args, const char *program) {
  const json_t *words = json_object_get(args, "args"), *w;
  size_t n = (size_t)count_words(d), i;
  char **line = sdm_alloc((n + json_array_size(words) + 2) * sizeof(*line));
  for (i = 0; i < n; i++)
    line[i] = d->words[i];
  line[n++] = (char *)(uintptr_t)program;
  json_array_foreach((json_t *)words, i, w) if (json_is_string(w)) line[n++] = (char *)(uintptr_t)json_string_value(w);
  line[n] = NULL;
  return line;
}

/* What it writes comes as events, as the output of programs does. */
static int start(struct dap *d, const json_t *args, struct sdm_session_options *o, const char *program, struct sdm_targets *t) {
  struct dvm_error err = DVM_ERROR_INIT;
  char **line = line_of(d, args, program);
  o->told = sdm_dap_heard_open(d, &d->launcher, "stderr");
  int out = sdm_dap_heard_open(d, &d->output_of_job, "stdout");
  d->job = sdm_job_start(line, count_words(d), (struct sdm_job_output){out, o->told}, t, &err);
  if (out > 0)
    close(out);
  free(line);
  if (d->job >= 0)
    return 0;
  close(o->told);
  sdm_dap_heard_read(&d->launcher);
  sdm_dap_fail(d, "%s", err.text);
  return err.code;
}

json_t *sdm_dap_job_launch(struct dap *d, const json_t *args, struct sdm_session_options *o, const char *program) {
  struct sdm_targets targets = {0};
  json_t *body = NULL;
  o->command = NULL;
  if (!start(d, args, o, program, &targets)) {
    o->targets = &targets;
    json_t *command = sdm_attach_command(&targets);
    body = sdm_dap_open_session(d, args, o);
    if (body) {
      sdm_dap_heard_watch(d, &d->output_of_job);
      sdm_answer_free(sdm_session_go(&d->s, d->s.all, command, o->start_ms));
      sdm_session_wait(&d->s, d->s.all, o->start_ms, &d->abandon);
      sdm_dap_drop_news(d); /* where they wait is not the program's */
      d->initialized = d->job_waits = d->launched_by = true;
      sdm_dap_event(d, "capabilities", json_pack("{s:{s:b}}", "capabilities", "supportsRestartRequest", 0));
    } else
      json_decref(command);
  }
  sdm_targets_fini(&targets);
  return body;
}

bool sdm_dap_job_begin(struct dap *d) {
  struct sdm_set *stand = sdm_set_copy(d->s.stopped);
  bool good = true;
  d->job_waits = false;
  d->started = true;
  if (d->entry)
    good = sdm_dap_all_good(d, sdm_dap_ask(d, stand, json_pack("{s:s, s:s}", "cmd", "raw", "text", "tbreak main"), SDM_REDUCE_SAME));
  sdm_dap_went(d, stand, false);
  sdm_answer_free(sdm_session_go(&d->s, stand, json_pack("{s:s}", "cmd", "continue"), DAP_TIMEOUT_MS));
  sdm_set_free(stand);
  return good;
}
