/* Requests of the DAP adapter that begin a session. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "sdm/console/console.h"
#include "sdm/dap/dap_private.h"
#include "sdm/session/checkpoints.h"
#include "sdm/session/proctable.h"
#include "sdm/session/symbols.h"
#include "sdm/session/words.h"

json_t *sdm_dap_do_initialize(struct dap *d, const json_t *args) {
  static const char *const can[] = {"supportsConfigurationDoneRequest",
                                    "supportsFunctionBreakpoints",
                                    "supportsConditionalBreakpoints",
                                    "supportsHitConditionalBreakpoints",
                                    "supportsEvaluateForHovers",
                                    "supportsSetVariable",
                                    "supportsTerminateRequest",
                                    "supportTerminateDebuggee",
                                    "supportsDataBreakpoints",
                                    "supportsSingleThreadExecutionRequests",
                                    "supportsReadMemoryRequest",
                                    "supportsWriteMemoryRequest",
                                    "supportsDisassembleRequest",
                                    "supportsSteppingGranularity",
                                    "supportsInstructionBreakpoints",
                                    "supportsSetExpression",
                                    "supportsRestartRequest",
                                    "supportsModulesRequest",
                                    "supportsLoadedSourcesRequest",
                                    "supportsCompletionsRequest",
                                    "supportsExceptionInfoRequest",
                                    "supportsExceptionFilterOptions",
                                    "supportsLogPoints",
                                    "supportsBreakpointLocationsRequest",
                                    "supportsCancelRequest",
                                    "supportsValueFormattingOptions",
                                    "supportsDelayedStackTraceLoading"};
  json_t *body = json_object();
  (void)d, (void)args;
  for (size_t i = 0; i < sizeof(can) / sizeof(*can); i++)
    json_object_set_new(body, can[i], json_true());
  json_object_set_new(body, "exceptionBreakpointFilters", sdm_dap_filters());
  json_object_set_new(body, "completionTriggerCharacters", json_pack("[s,s,s,s]", ".", ">", ":", "`"));
  return body;
}

/* Seconds, or what it is without. */
static double number_of(const json_t *args, const char *key, double usual) {
  double v = json_number_value(json_object_get(args, key));
  return v >= 0.001 && v <= 4e6 ? v : usual;
}

json_t *sdm_dap_open_session(struct dap *d, const json_t *args, struct sdm_session_options *o) {
  struct dvm_error err = DVM_ERROR_INIT;
  if (d->open)
    return sdm_dap_fail(d, "a session is already open");
  o->start_ms = (uint32_t)(number_of(args, "startTimeout", 60) * 1000);
  o->orphan_ms = (uint32_t)(number_of(args, "orphan", 0) * 1000);
  if (!o->reattach && !o->told)
    o->told = sdm_dap_heard_open(d, &d->launcher, "stderr");
  int rc = sdm_session_open(&d->s, o, &err);
  if (o->told > 0)
    close(o->told);
  if (rc) {
    sdm_dap_heard_read(&d->launcher);
    return sdm_dap_fail(d, "%s", err.text);
  }
  d->open = true;
  d->class_limit = (uint32_t)sdm_dap_number(args, "classLimit", d->class_limit);
  d->s.abandon = &d->abandon;
  struct sdm_show show = {d->repl, false};
  d->console = sdm_console_new(&d->s, &show);
  const json_t *all = json_object_get(args, "stopAll");
  if (json_is_boolean(all))
    sdm_console_stop_all(d->console, json_is_true(all));
  sdm_dap_hear(d); /* the console is for typed commands only */
  sdm_dap_heard_watch(d, &d->launcher);
  d->watch = sdm_loop_watch(sdm_ctx_loop(d->s.ctx), d->io.in, SDM_READ, sdm_dap_readable, d);
  return json_object();
}

/* All must have said yes. */
bool sdm_dap_all_good(struct dap *d, struct sdm_answer *a) {
  struct sdm_set *missing = sdm_answer_missing(a);
  bool good = sdm_set_is_empty(missing);
  if (!good)
    sdm_dap_fail(d, "%u ranks do not answer", sdm_set_size(missing));
  for (size_t i = 0; good && i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_ERROR) {
      good = false;
      sdm_dap_fail(d, "%.*s", (int)a->classes[i].body.len, (const char *)a->classes[i].body.p);
    }
  sdm_set_free(missing);
  sdm_answer_free(a);
  return good;
}

static bool put_environment(const json_t *args) {
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(args, "env"), key, value) if (json_is_string(value)) setenv(key, json_string_value(value), 1);
  return !sdm_dap_text(args, "cwd") || !chdir(sdm_dap_text(args, "cwd"));
}

/* The launcher: "command" gives its words, "launcher" a line to which -n RANKS is added, "local" none. */
static void choose_launcher(struct dap *d, const json_t *args, struct sdm_session_options *o) {
  static char count[16];
  const json_t *words = json_object_get(args, "command"), *w;
  const char *line = sdm_dap_text(args, "launcher");
  size_t i, n = 0;
  o->n = (uint32_t)sdm_dap_number(args, "ranks", words ? 0 : 1);
  json_array_foreach((json_t *)words, i, w) if (n < DAP_WORDS && json_is_string(w)) d->words[n++] = sdm_strdup(json_string_value(w));
  if (!words && !line && o->n > 1)
    line = getenv("DVM_LAUNCHER"); /* as at the console */
  if (!words && o->n > 1 && !line)
    line = "mpirun";
  if (!words && line && strcmp(line, "local")) {
    char *copy = sdm_strdup(line), *rest = copy, *word;
    while (n < DAP_WORDS - 2 && (word = strsep(&rest, " ")))
      if (*word)
        d->words[n++] = sdm_strdup(word);
    free(copy);
    snprintf(count, sizeof(count), "%u", o->n);
    d->words[n++] = sdm_strdup("-n");
    d->words[n++] = sdm_strdup(count);
  }
  o->command = n ? d->words : NULL;
}

/* "checkpointable", or "checkpointDir" where the images go. */
static bool put_wrapper(struct dap *d, const json_t *args) {
  const char *folder = sdm_dap_text(args, "checkpointDir"), *options[] = {folder ? "--checkpoint-dir" : NULL, folder, NULL};
  struct dvm_error err = DVM_ERROR_INIT;
  if (!folder && !json_is_true(json_object_get(args, "checkpointable")))
    return true;
  json_t *words = sdm_checkpointable_words(options, &err);
  if (!words) {
    sdm_dap_fail(d, "%s", err.text);
    return false;
  }
  json_object_set_new(d->start, "wrapper", words);
  return true;
}

/* A wrong type would be taken for nothing, in silence.  'for_attach': there "ranks" is a set. */
static bool check_types(struct dap *d, const json_t *args, bool for_attach) {
  static const struct {
    const char *key, *kind;
  } keys[] = {{"program", "a text"},
              {"cwd", "a text"},
              {"args", "a list"},
              {"env", "an object"},
              {"command", "a list"},
              {"launcher", "a text"},
              {"stopOnEntry", "true or false"},
              {"stopAll", "true or false"},
              {"partial", "true or false"},
              {"checkpointable", "true or false"},
              {"startTimeout", "a number"},
              {"orphan", "a number"},
              {"classLimit", "a number"},
              {"session", "a text"},
              {"reattach", "a text"},
              {"restart", "a text"},
              {"host", "a text"}};
  const char *wrong = NULL, *kind = NULL;
  for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && !wrong; i++) {
    const json_t *v = json_object_get(args, keys[i].key);
    kind = keys[i].kind;
    bool good = !v || json_is_null(v) || (!strcmp(kind, "a text") && json_is_string(v)) || (!strcmp(kind, "a list") && json_is_array(v)) ||
                (!strcmp(kind, "an object") && json_is_object(v)) || (!strcmp(kind, "true or false") && json_is_boolean(v)) ||
                (!strcmp(kind, "a number") && json_is_number(v));
    wrong = good ? NULL : keys[i].key;
  }
  const json_t *ranks = json_object_get(args, "ranks");
  if (!wrong && ranks && (for_attach ? !json_is_string(ranks) : !json_is_integer(ranks) || json_integer_value(ranks) < 1)) {
    wrong = "ranks";
    kind = for_attach ? "a set, as \"0-3,7\"" : "a number of at least 1";
  }
  if (wrong) {
    char *text = json_dumps(json_object_get(args, wrong), JSON_ENCODE_ANY | JSON_COMPACT);
    sdm_dap_fail(d, "'%s' takes %s, not %s", wrong, kind, text ? text : "this");
    free(text);
  }
  return !wrong;
}

json_t *sdm_dap_do_launch(struct dap *d, const json_t *args) {
  struct sdm_session_options o = {.shape = sdm_dap_text(args, "shape"),
                                  .backend = sdm_dap_text(args, "backend"),
                                  .backend_path = sdm_dap_text(args, "backendPath"),
                                  .host = sdm_dap_text(args, "host"),
                                  .partial = json_is_true(json_object_get(args, "partial"))};
  struct dvm_error err = DVM_ERROR_INIT;
  char *program = (char *)sdm_dap_text(args, "program");
  if (!check_types(d, args, false))
    return NULL;
  if (!program || !put_environment(args))
    return sdm_dap_fail(d, program ? "cannot enter folder '%s'" : "'program' is missing", program ? sdm_dap_text(args, "cwd") : "");
  if (sdm_words_find_program(&program, &err))
    return sdm_dap_fail(d, "%s", err.text);
  choose_launcher(d, args, &o);
  if (o.command && !dvm_path_executable(o.command[0]))
    return sdm_dap_fail(d, "there is no launcher '%s'%s", o.command[0],
                        strcmp(o.command[0], "mpirun") ? "" : "; \"launcher\": \"local\" runs without MPI");
  d->entry = json_is_true(json_object_get(args, "stopOnEntry"));
  if (sdm_dap_job_is_one(d))
    return sdm_dap_job_launch(d, args, &o, program);
  char *path = realpath(program, NULL);
  json_t *words = json_object_get(args, "args");
  json_decref(d->start);
  d->start = json_pack("{s:s, s:s, s:o, s:i}", "cmd", "launch", "program", path ? path : program, "args",
                       words ? json_incref(words) : json_array(), "stop", d->entry);
  free(path);
  if (!put_wrapper(d, args))
    return NULL;
  o.session_file = sdm_dap_text(args, "session"); /* for 'reattach', should this adapter die */
  o.program = d->start;
  json_t *body = sdm_dap_open_session(d, args, &o);
  if (!body) {
    json_decref(d->start);
    d->start = NULL;
    return NULL;
  }
  json_t *load = json_copy(d->start); /* so that breakpoints find their lines */
  json_object_set_new(load, "load", json_integer(1));
  if (!sdm_dap_all_good(d, sdm_dap_ask(d, d->s.all, load, SDM_REDUCE_SAME))) {
    json_decref(body);
    return NULL;
  }
  d->initialized = true;
  if (!sdm_has_debug_information(sdm_dap_text(d->start, "program")))
    sdm_dap_event(d, "output",
                  json_pack("{s:s, s:s}", "category", "important", "output",
                            "the program has no debug information, so there are no lines and no variables; compile it with -g\n"));
  d->launched_by = o.command != NULL;
  if (d->launched_by) /* a launcher starts its ranks once: editors end the session then, and begin another */
    sdm_dap_event(d, "capabilities", json_pack("{s:{s:b}}", "capabilities", "supportsRestartRequest", 0));
  return body;
}

static void tell_warnings(struct dap *d, const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    char *ranks = sdm_set_text(a->classes[i].set);
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "[%s] warning: %s\n", ranks, sdm_dap_text(body, "warning") ? sdm_dap_text(body, "warning") : "");
    if (sdm_dap_text(body, "warning"))
      sdm_dap_event(d, "output", json_pack("{s:s, s:s}", "category", "important", "output", dvm_text_str(&t)));
    dvm_text_fini(&t);
    free(ranks);
    json_decref(body);
  }
}

/* "pid" is a number or a list of them, "ranks" those of the job that are wanted. */
static int find_targets(struct dap *d, const json_t *args, struct sdm_targets *t) {
  struct dvm_error err = DVM_ERROR_INIT;
  const json_t *pid = json_object_get(args, "pid"), *one;
  const char *ranks = sdm_dap_text(args, "ranks");
  size_t i;
  int rc = 0;
  json_array_foreach((json_t *)pid, i, one) rc =
      rc ? rc : sdm_proctable_read((long)json_integer_value(one), sdm_dap_text(args, "ssh"), t, &err);
  if (!json_is_array(pid))
    rc = sdm_proctable_read((long)json_integer_value(pid), sdm_dap_text(args, "ssh"), t, &err);
  sdm_targets_renumber(t);
  if (!rc && ranks)
    rc = sdm_targets_keep(t, ranks, &err);
  if (!rc && !t->n)
    rc = dvm_error_set(&err, -EINVAL, "there is no process to attach to");
  if (rc)
    sdm_dap_fail(d, "%s", err.text);
  return rc;
}

/* The session of a front end that has died: its programs stand or run as they did, with their breakpoints. */
static json_t *reattach(struct dap *d, const json_t *args) {
  struct sdm_session_options o = {.reattach = sdm_dap_text(args, "reattach")};
  json_t *body = sdm_dap_open_session(d, args, &o);
  if (!body)
    return NULL;
  d->initialized = d->started = true;
  d->entry = false;
  d->taken = true;
  d->start = json_is_object(d->s.program) ? json_deep_copy(d->s.program) : NULL;
  d->attached = !sdm_dap_text(d->start, "program");
  sdm_session_recall(&d->s, sdm_dap_break_known, d);
  return body;
}

json_t *sdm_dap_do_attach(struct dap *d, const json_t *args) {
  if (!check_types(d, args, true))
    return NULL;
  if (sdm_dap_text(args, "reattach"))
    return reattach(d, args);
  if (!json_object_get(args, "pid") && !json_object_get(args, "core") && !json_object_get(args, "restart"))
    return sdm_dap_fail(d, "nothing to attach to was given: 'pid', 'core', 'restart' or 'reattach' is missing");
  struct sdm_session_options o = {
      .shape = sdm_dap_text(args, "shape"), .host = sdm_dap_text(args, "host"), .ssh = sdm_dap_text(args, "ssh")};
  struct sdm_targets targets = {0};
  const json_t *cores = json_object_get(args, "core");
  const char *image = sdm_dap_text(args, "restart");
  json_t *command;
  if (image) {
    char *handle = sdm_handle_of(image);
    o.n = 1;
    command = json_pack("{s:s, s:s, s:s}", "cmd", "restart", "handle", handle, "command", sdm_restart_words());
    free(handle);
  } else if (json_is_array(cores)) {
    o.n = (uint32_t)json_array_size(cores);
    command = json_pack("{s:s, s:s, s:O}", "cmd", "core", "program", sdm_dap_text(args, "program") ? sdm_dap_text(args, "program") : "",
                        "files", cores);
  } else {
    if (find_targets(d, args, &targets)) {
      sdm_targets_fini(&targets);
      return NULL;
    }
    o.targets = &targets;
    command = sdm_attach_command(&targets);
  }
  json_t *body = sdm_dap_open_session(d, args, &o);
  sdm_targets_fini(&targets);
  if (!body) {
    json_decref(command);
    return NULL;
  }
  d->attached = d->initialized = d->started = true;
  d->entry = !json_is_false(json_object_get(args, "stopOnEntry"));
  struct sdm_answer *answer = sdm_session_go(&d->s, d->s.all, command, 60000);
  if (json_is_array(cores) || image) {
    tell_warnings(d, answer);
    if (sdm_dap_all_good(d, answer))
      return body;
    json_decref(body);
    return NULL;
  }
  sdm_answer_free(answer); /* with those who are there */
  return body;
}

json_t *sdm_dap_do_configuration_done(struct dap *d, const json_t *args) {
  (void)args;
  if (!d->open)
    return sdm_dap_fail(d, "nothing was launched");
  if (d->job_waits)
    return sdm_dap_job_begin(d) ? json_object() : NULL;
  if (d->start && !d->started) {
    d->started = true;
    sdm_dap_went(d, d->s.all, false);
    if (!sdm_dap_all_good(d, sdm_session_go(&d->s, d->s.all, json_deep_copy(d->start), 60000)))
      return NULL;
  } else if (d->attached && !d->entry && !d->taken) {
    sdm_dap_went(d, d->s.stopped, false);
    sdm_answer_free(sdm_session_go(&d->s, d->s.stopped, json_pack("{s:s}", "cmd", "continue"), DAP_TIMEOUT_MS));
  }
  return json_object();
}
