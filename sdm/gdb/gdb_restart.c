/* Restarting the program from an image: what runs is ended, the program's own restart command brings the image back with all threads in the
 * gate, and gdb takes it up from there.  Breakpoints stay; those that the image was saved with and that are no more are set again. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdm/gdb/call.h"
#include "sdm/gdb/gdb_checkpoint.h"
#include "sdm/net/here.h"

#define INFO "MPIR_debug_info) "
#define LOOK_US 5000 /* between two looks at whether the process before is gone */
#define GONE_LIMIT 400 /* looks */
#define COMPANY_US 500000 /* the processes of a set are announced one after another */

static void fail(struct sdm_backend *b, const char *why) {
  char *copy = sdm_strdup(why);
  if (b->checkpoint->owes_end) /* nothing came in the place of the process before */
    b->host.event(b->host.arg, json_pack("{s:s, s:s, s:s}", "event", "exited", "reason", "exited-signalled", "signal", "SIGKILL"));
  b->checkpoint->owes_end = false;
  sdm_gdb_checkpoint_done(b, NULL, copy);
  free(copy);
}

static char *points_of(const struct gdb_checkpoint *k) {
  char *path = sdm_gdb_checkpoint_path(k->handle),
       *points = sdm_gdb_checkpoint_points(path ? path : "", sdm_call_number(k->call, "rank", 0));
  free(path);
  return points;
}

/* ---- breakpoints ---- */

static void set_aside(void *arg, uint64_t request, const json_t *args, const json_t *result, const json_t *detail, const char *failure) {
  (void)arg, (void)request, (void)args, (void)result, (void)detail, (void)failure; /* one that cannot be set keeps no other from it */
}

static bool is_there(const struct sdm_backend *b, long long id) {
  for (size_t i = 0; i < b->nbreaks; i++)
    if (b->breaks[i].id == id && id)
      return true;
  return false;
}

/* Those of the image that this session does not have: the list of what was set again. */
static json_t *set_missing(struct sdm_backend *b, const json_t *facts) {
  json_t *list = json_array();
  const json_t *one, *numbers = json_object_get(facts, "numbers");
  size_t i;
  json_array_foreach(json_object_get(json_object_get(facts, "saved"), "session"), i, one) {
    const char *now = sdm_gdb_field(one, "number") ? sdm_gdb_field(numbers, sdm_gdb_field(one, "number")) : NULL;
    if (is_there(b, json_integer_value(json_object_get(one, "id"))))
      continue;
    if (sdm_gdb_field(one, "cmd") && !strcmp(sdm_gdb_field(one, "cmd"), "break"))
      sdm_backend_run(&sdm_backend_gdb, b, sdm_call_new(0, json_deep_copy(one), set_aside, NULL));
    else if (now && sdm_gdb_field(one, "cmd") && !strcmp(sdm_gdb_field(one, "cmd"), "watch")) /* gdb's Python has set it, in its frame */
      sdm_gdb_break_note(b, one, now);
    else
      continue;
    json_array_append(list, (json_t *)one);
  }
  return list;
}

/* ---- the new process ---- */

static json_t *restarted_result(const struct gdb_checkpoint *k) {
  json_t *r = json_pack("{s:s}", "handle", k->handle);
  if (k->number)
    json_object_set_new(r, "checkpoint", json_integer(k->number));
  if (json_array_size(k->others) > 1)
    json_object_set_new(r, "others", json_integer((json_int_t)json_array_size(k->others) - 1));
  return r;
}

/* gdb has worked through the breakpoints. */
static void got_points(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  json_t *stop = json_incref(json_object_get(p->kept, "stop"));
  (void)r;
  json_object_del(p->kept, "stop");
  b->host.event(b->host.arg, stop);
  sdm_gdb_door_open(b);
  sdm_call_done(p->call, json_incref(p->kept), NULL);
}

static void got_taken(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct gdb_checkpoint *k = b->checkpoint;
  char *why = NULL;
  json_t *facts = sdm_gdb_checkpoint_answer(b, p, &why);
  (void)r;
  if (!facts) {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "the program was restarted, but gdb cannot attach to it: %s", why);
    sdm_gdb_child_free(k->keeper);
    k->keeper = NULL;
    fail(b, dvm_text_str(&t));
    dvm_text_fini(&t);
    free(why);
    return;
  }
  sdm_gdb_checkpoint_know(b, facts);
  k->owes_end = false;
  b->launched = k->restarted = true;
  b->asked_checkpoint = true;
  sdm_gdb_break_renumber(b, json_object_get(facts, "numbers"));
  json_t *stop = sdm_gdb_checkpoint_stop(b, "restarted", json_object_get(facts, "place"));
  json_t *result = restarted_result(k);
  if (k->number)
    json_object_set_new(stop, "checkpoint", json_integer(k->number));
  struct sdm_call *call = k->call;
  k->call = NULL; /* so that the breakpoints can be set now */
  sdm_gdb_checkpoint_done(b, NULL, NULL);
  json_object_set_new(result, "breakpoints", set_missing(b, facts));
  json_decref(facts);
  json_object_set_new(result, "stop", stop);
  sdm_gdb_send(b, call, got_points, "-gdb-show confirm")->kept = result;
}

static void take_up(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  json_t *others = json_deep_copy(k->others), *pid = json_incref(json_array_get(k->others, 0));
  char *points = points_of(k);
  json_array_remove(others, 0);
  k->step = CHECKPOINT_TAKING;
  k->keeper = k->child;
  k->child = NULL;
  sdm_gdb_checkpoint_expect(b);
  sdm_gdb_checkpoint_python(b, "cr_take_up", json_pack("{s:o, s:o, s:s}", "pid", pid, "others", others, "points", points), got_taken);
  free(points);
}

static void on_company(void *arg) {
  struct sdm_backend *b = arg;
  if (b->checkpoint->step == CHECKPOINT_STARTING && json_array_size(b->checkpoint->others))
    take_up(b);
}

static bool on_line(struct sdm_backend *b, const char *text) {
  struct gdb_checkpoint *k = b->checkpoint;
  const char *colon = strrchr(text, ':');
  if (k->step != CHECKPOINT_STARTING)
    return true; /* all that comes now is the program's */
  if (strncmp(text, INFO, sizeof(INFO) - 1) || !colon || atoi(colon + 1) <= 0)
    return false;
  json_array_append_new(k->others, json_integer(atoi(colon + 1)));
  char *path = sdm_gdb_checkpoint_path(k->handle);
  struct stat st;
  bool set = path && !stat(path, &st) && S_ISDIR(st.st_mode);
  free(path);
  if (set)
    sdm_timer_set(k->timer, sdm_now_us() + COMPANY_US);
  else
    take_up(b);
  return !set;
}

static void on_command_end(struct sdm_backend *b, int status, const char *output) {
  struct gdb_checkpoint *k = b->checkpoint;
  struct dvm_text t = DVM_TEXT_INIT;
  static const char error[] = "dvm restart: error: ";
  if (k->step != CHECKPOINT_STARTING) { /* the restarted program has ended, which gdb tells */
    sdm_gdb_child_free(k->keeper);
    k->keeper = NULL;
    return;
  }
  output += strncmp(output, error, sizeof(error) - 1) ? 0 : sizeof(error) - 1;
  if (*output)
    dvm_text_add(&t, output);
  else
    dvm_text_printf(&t, "the restart command ended with status %d", status);
  sdm_gdb_child_free(k->child);
  k->child = NULL;
  fail(b, dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void start(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  struct dvm_text t = DVM_TEXT_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  const char *command = k->of.restart && *k->of.restart ? k->of.restart : sdm_call_text(k->call, "command", "dvm restart --crdebug");
  k->step = CHECKPOINT_STARTING;
  json_decref(k->others);
  k->others = json_array();
  if (k->of.controller && *k->of.controller && !sdm_host_is_here(k->of.controller)) {
    const char *ssh = getenv("DVM_SSH");
    dvm_text_printf(&t, "%s %s ", ssh ? ssh : "ssh -o BatchMode=yes", k->of.controller);
  }
  dvm_text_printf(&t, "exec %s %s", command, k->handle);
  if (!sdm_gdb_open_term(b, &err))
    k->child = sdm_gdb_child_start(b, dvm_text_str(&t), true, on_line, on_command_end);
  dvm_text_fini(&t);
  if (!k->child)
    fail(b, "the restart command cannot be run");
}

/* ---- the end of the present process ---- */

/* Its number must be free; who it belongs to may need a moment to hear of its end. */
static void on_gone(void *arg) {
  struct sdm_backend *b = arg;
  struct gdb_checkpoint *k = b->checkpoint;
  if (k->step == CHECKPOINT_STARTING) {
    on_company(b);
    return;
  }
  if (k->step != CHECKPOINT_ENDING)
    return;
  if ((k->keeper || (k->of.pid > 0 && kill(k->of.pid, 0) == 0)) && k->looks++ < GONE_LIMIT)
    sdm_timer_set(k->timer, sdm_now_us() + LOOK_US);
  else
    start(b);
}

void sdm_gdb_restart_go(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  b->running = false;
  k->armed = false;
  k->looks = 0;
  k->step = CHECKPOINT_ENDING;
  k->owes_end = true;
  on_gone(b);
}

static void got_killed(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)p, (void)r;
  sdm_gdb_restart_go(b);
}

static void got_inferior(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct gdb_checkpoint *k = b->checkpoint;
  const json_t *groups = json_object_get(r->results, "groups");
  const char *pid = sdm_gdb_field(json_array_get(groups, 0), "pid");
  (void)p;
  sdm_gdb_door_close(b);
  if (!pid) { /* none: it has ended, or nothing was started yet */
    on_gone(b);
    return;
  }
  k->of.pid = (pid_t)atol(pid);
  if (b->running)
    kill(k->of.pid, SIGKILL); /* gdb tells its end */
  else
    sdm_gdb_send(b, NULL, got_killed, "-interpreter-exec console kill");
}

/* The front end has run the restart command, for all processes of a set; this is one of them. */
static void got_given(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)p, (void)r;
  sdm_gdb_door_close(b);
  take_up(b);
}

void sdm_gdb_restart(struct sdm_backend *b, struct sdm_call *c) {
  struct gdb_checkpoint *k = sdm_gdb_checkpoint_of(b);
  const char *handle = sdm_call_text(c, "handle", "");
  char *path = sdm_gdb_checkpoint_path(handle);
  if (!*handle || strpbrk(handle, "\r\n")) {
    sdm_call_fail(c, "no image was given: 'checkpoint list' shows them");
    free(path);
    return;
  }
  if (path && *path == '/' && access(path, R_OK)) { /* the present process stays */
    sdm_call_fail(c, "cannot read the image '%s': %s", path, strerror(errno));
    free(path);
    return;
  }
  free(path);
  if (!sdm_gdb_start(b, c))
    return;
  if (k->call) {
    sdm_call_fail(c, "a checkpoint is under way");
    return;
  }
  k->call = c;
  k->handle = sdm_strdup(handle);
  k->number = sdm_call_number(c, "number", 0);
  k->step = CHECKPOINT_ENDING;
  k->looks = 0;
  if (!k->timer)
    k->timer = sdm_loop_timer(b->host.loop, INT64_MAX, on_gone, b);
  sdm_timer_set(k->timer, INT64_MAX);
  if (sdm_call_number(c, "pid", 0) > 0) {
    json_decref(k->others);
    k->others = json_pack("[I]", (json_int_t)sdm_call_number(c, "pid", 0));
    if (json_object_get(sdm_call_args(c), "others") && sdm_call_number(c, "others_of", -1) == sdm_call_number(c, "rank", -2))
      json_array_extend(k->others, json_object_get(sdm_call_args(c), "others"));
  }
  sdm_gdb_send(b, NULL, sdm_call_number(c, "pid", 0) > 0 ? got_given : got_inferior, "-list-thread-groups");
}
