#include "sdm/command/debug.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdm/command/arguments.h"
#include "sdm/command/batch.h"
#include "sdm/command/start.h"
#include "sdm/console/console.h"
#include "sdm/dap/dap.h"
#include "sdm/session/feed.h"
#include "sdm/session/held.h"
#include "sdm/session/symbols.h"

static void on_signal(int signal) {
  (void)signal;
  sdm_console_interrupt();
}

static bool has_warning(const struct sdm_class *c) {
  json_t *body = c->kind == SDM_CLASS_OK ? sdm_class_json(c) : NULL;
  bool has = json_object_get(body, "warning") != NULL;
  json_decref(body);
  return has;
}

/* gdb says nothing of it, and that a function has no variables. */
static void warn_without_symbols(const struct sdm_arguments *a, const json_t *command) {
  const char *program = json_string_value(json_object_get(command, "program"));
  const char *cmd = json_string_value(json_object_get(command, "cmd"));
  if (!a->json && !a->batch && program && cmd && !strcmp(cmd, "launch") && !sdm_has_debug_information(program))
    fprintf(stderr, "dvm debug: warning: '%s' has no debug information, so there are no lines and no variables; compile it with -g\n",
            program);
}

/* The ranks of a job stand before they begin. */
static void begin_job(struct sdm_session *s, const struct sdm_arguments *a, struct sdm_console *c) {
  sdm_session_wait(s, s->all, a->s.start_ms, NULL);
  sdm_console_forget_news(c);
  struct sdm_set *stand = sdm_set_copy(s->stopped);
  if (!a->no_stop && !a->batch)
    sdm_answer_free(
        sdm_session_ask(s, stand, json_pack("{s:s, s:s}", "cmd", "raw", "text", "tbreak main"), SDM_REDUCE_SAME, a->s.start_ms));
  sdm_answer_free(sdm_session_go(s, stand, json_pack("{s:s}", "cmd", "continue"), a->s.start_ms));
  sdm_set_free(stand);
}

static int begin(struct sdm_session *s, struct sdm_arguments *a, json_t *command, const struct sdm_show *show, struct sdm_console *c) {
  warn_without_symbols(a, command);
  sdm_console_starting(c, !a->batch && !a->ncores);
  struct sdm_answer *answer = sdm_session_go(s, s->all, command, 60000);
  bool bad = false, good = false, warned = false;
  for (size_t i = 0; i < answer->n; i++) {
    bad |= answer->classes[i].kind == SDM_CLASS_ERROR;
    good |= answer->classes[i].kind == SDM_CLASS_OK;
    warned |= has_warning(&answer->classes[i]);
    json_t *body = a->restart && answer->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&answer->classes[i]) : NULL;
    sdm_console_restored(c, answer->classes[i].set, body);
    json_decref(body);
  }
  struct sdm_set *missing = sdm_answer_missing(answer);
  bad |= !sdm_set_is_empty(missing);
  if (bad || warned)
    sdm_show_answer(show, "start", answer);
  sdm_set_free(missing);
  sdm_answer_free(answer);
  if (good && a->job >= 0)
    begin_job(s, a, c);
  if (a->ncores)
    sdm_session_wait(s, s->all, 10000, NULL); /* for where they are */
  else if (good && !a->no_stop && !a->batch)
    sdm_console_await_main(c);
  sdm_console_starting(c, false);
  bool stops = !a->ncores && !a->batch && !a->inside && !sdm_set_is_empty(s->stopped);
  if (good && stops && (!a->s.backend || !strcmp(a->s.backend, "gdb")))
    sdm_console_stop_at_end(c, true);
  return good || !bad ? 0 : -1; /* with those who are there: a rank may have ended before one could attach to it */
}

/* The first rank has our input, as under a launcher; the others have none. */
static void give_input(struct sdm_session *s) {
  if (isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) != getpgrp())
    return; /* reading would stop us */
  struct sdm_set *first = sdm_set_new(), *others = sdm_set_copy(s->all);
  struct sdm_set_iter it = sdm_set_iter(s->all);
  sdm_id id;
  if (sdm_set_iter_id(&it, &id)) {
    sdm_set_remove_element(others, id);
    sdm_set_add_element(first, id);
    sdm_feed_start(s, STDIN_FILENO, first);
  }
  if (!sdm_set_is_empty(others))
    sdm_input(s->ctx, others, true, "", 0);
  sdm_set_free(first);
  sdm_set_free(others);
}

static int run_commands(struct sdm_arguments *a, struct sdm_console *c) {
  int rc = 0;
  for (size_t i = 0; i < a->ncommands && !rc && !sdm_console_quit(c); i++)
    rc = a->commands[i].file ? sdm_console_script(c, a->commands[i].text) : sdm_console_line(c, a->commands[i].text);
  return rc;
}

/* A run that nobody watches: what its commands say is before it begins. */
static int prepare_batch(struct sdm_session *s, struct sdm_arguments *a, const json_t *command, struct sdm_console *c) {
  s->interrupted = NULL; /* ^C ends the run */
  if (a->attach || a->ncores)
    return 0;
  sdm_batch_prepare(s, command);
  int rc = run_commands(a, c);
  if (!rc && !a->s.oob && !a->stdin_file)
    give_input(s);
  return rc;
}

/* A session as it was opened, for 'run' of a whole job. */
struct opened {
  struct sdm_arguments *a;
  struct sdm_session *s;
  struct sdm_console *c;
  const struct sdm_show *show;
  json_t *command;
};

static int open_again(void *arg) {
  struct opened *o = arg;
  struct sdm_session *s = o->s, before = *s;
  struct dvm_error err = DVM_ERROR_INIT;
  sdm_session_close(s);
  *s = (struct sdm_session){.apart = before.apart,
                            .on_event = before.on_event,
                            .on_output = before.on_output,
                            .on_output_end = before.on_output_end,
                            .on_lost = before.on_lost,
                            .on_back = before.on_back,
                            .on_late = before.on_late,
                            .interrupted = before.interrupted,
                            .arg = before.arg};
  int rc = sdm_session_open(s, &o->a->s, &err);
  if (!rc)
    return begin(s, o->a, json_deep_copy(o->command), o->show, o->c);
  sdm_show_error(o->show, err.text);
  *s = (struct sdm_session){0};
  return rc;
}

/* The programs were detached from: they go on. */
static bool was_left(const struct sdm_session *s) {
  for (size_t i = 0; i < s->nplaces; i++) {
    const char *reason = json_string_value(json_object_get(s->places[i].event, "reason"));
    if (reason && !strcmp(reason, "detached"))
      return true;
  }
  return false;
}

static int debug(struct sdm_arguments *a, json_t *command, struct dvm_error *err) {
  a->s.program = command;
  struct sdm_session s = {.apart = a->json};
  struct sdm_show show = {stdout, a->json};
  int rc = sdm_session_open(&s, &a->s, err), status = 0;
  if (rc) {
    json_decref(command);
    return rc;
  }
  struct sdm_console *c = sdm_console_new(&s, &show);
  sdm_console_program(c, a->s.reattach ? s.program : command);
  if (a->s.reattach)
    json_decref(command); /* nothing is to be sent */
  struct opened opened = {a, &s, c, &show, json_deep_copy(command)};
  a->s.program = opened.command;
  if (a->s.command && !a->batch && !a->inside)
    sdm_console_start_again(c, open_again, &opened);
  struct sigaction sa = {.sa_handler = on_signal}, old;
  sigaction(SIGINT, &sa, &old);
  if (a->s.reattach)
    sdm_session_recall(&s, sdm_console_known, c);
  else {
    rc = a->batch ? prepare_batch(&s, a, command, c) : 0;
    if (rc)
      json_decref(command);
    else
      rc = begin(&s, a, command, &show, c);
  }
  if (!a->batch)
    sdm_console_line(c, ""); /* shows where everybody stopped */
  if (a->batch)
    status = rc ? 1 : sdm_batch_run(&s, &show, a->timeout_s ? a->timeout_s : 60, sdm_console_interrupts());
  else if (!rc || a->ncommands) {
    rc = rc ? rc : run_commands(a, c);
    if (!rc && !sdm_console_quit(c))
      sdm_console_interact(c, stdin);
  }
  if (rc)
    status = 1;
  bool left = was_left(&s);
  sdm_console_free(c);
  if (s.ctx)
    sdm_session_close(&s);
  if (!left)
    sdm_job_end(a->job);
  json_decref(opened.command);
  sigaction(SIGINT, &old, NULL);
  return status;
}

int sdm_debug_main(int argc, char **argv) {
  static struct sdm_arguments a = {.s = {.start_ms = 60000}, .job = -1};
  struct dvm_error err = DVM_ERROR_INIT;
  int rc = sdm_arguments_read(&a, argc, argv);
  if (rc)
    return rc > 0 ? rc : 0;
  signal(SIGPIPE, SIG_IGN);
  if (a.dap)
    return sdm_dap_main(a.listen, a.token_file);
  json_t *command = sdm_start_command(&a, &err);
  if (!command) {
    fprintf(stderr, "dvm debug: error: %s\n", err.text);
    return 2;
  }
  int status = debug(&a, command, &err);
  if (status < 0)
    fprintf(stderr, "dvm debug: error: %s\n", err.text);
  return status < 0 ? 1 : status;
}
