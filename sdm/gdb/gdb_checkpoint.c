/* Whether gdb's program can be saved, and what there is in common to saving and restarting it. */
#define _GNU_SOURCE
#include "sdm/gdb/gdb_checkpoint.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wordexp.h>

#define DETACH "MPIR_checkpoint_debugger_detach"

struct gdb_checkpoint *sdm_gdb_checkpoint_of(struct sdm_backend *b) {
  if (!b->checkpoint) {
    b->checkpoint = sdm_alloc(sizeof(*b->checkpoint));
    b->checkpoint->process = b->checkpoint->door = -1;
    b->checkpoint->last = &b->checkpoint->deferred;
  }
  return b->checkpoint;
}

static void forget_program(struct gdb_checkpointer *of) {
  free(of->command);
  free(of->restart);
  free(of->listing);
  free(of->controller);
  *of = (struct gdb_checkpointer){0};
}

void sdm_gdb_checkpoint_free(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (!k)
    return;
  sdm_gdb_checkpoint_leave_process(b);
  sdm_gdb_door_close(b);
  sdm_gdb_child_free(k->child);
  sdm_gdb_child_free(k->keeper);
  sdm_gdb_child_free(k->listing);
  sdm_timer_free(k->timer);
  sdm_timer_free(k->look_timer);
  forget_program(&k->of);
  json_decref(k->told);
  json_decref(k->saved);
  json_decref(k->last_saved);
  json_decref(k->others);
  free(k->handle);
  free(k->failure);
  free(k->detach_break);
  free(k);
  b->checkpoint = NULL;
}

/* ---- gdb's Python ---- */

static void load(struct sdm_backend *b) {
  struct dvm_text t = DVM_TEXT_INIT;
  for (const char *const *piece = sdm_gdb_checkpoint_hex; *piece; piece++)
    dvm_text_add(&t, *piece);
  sdm_gdb_python(b, NULL, NULL, "cr_answer", sdm_gdb_python_ignore); /* has the other functions loaded */
  sdm_gdb_send(
      b, NULL, NULL,
      "-interpreter-exec console \"python DVM_CR.update(__name__='dvm_checkpoint') or exec(bytes.fromhex('%s').decode(), DVM_CR)\"",
      dvm_text_str(&t));
  dvm_text_fini(&t);
  b->python_checkpoint = true;
}

void sdm_gdb_checkpoint_python(struct sdm_backend *b, const char *name, json_t *args, gdb_reply_f fn) {
  if (!b->python_checkpoint)
    load(b);
  sdm_gdb_checkpoint_of(b)->quiet = true;
  sdm_gdb_python(b, NULL, args, name, sdm_gdb_python_ignore);
  sdm_gdb_python(b, NULL, NULL, "cr_answer", fn);
  json_decref(args);
}

json_t *sdm_gdb_checkpoint_answer(struct sdm_backend *b, const struct gdb_pending *p, char **why) {
  struct dvm_text t = DVM_TEXT_INIT;
  json_t *answer = sdm_gdb_python_answer(p, &t);
  const char *error = sdm_gdb_field(answer, "error");
  b->checkpoint->quiet = false;
  if (answer && !error) {
    dvm_text_fini(&t);
    return answer;
  }
  *why = sdm_strdup(error ? error : dvm_text_str(&t));
  json_decref(answer);
  dvm_text_fini(&t);
  return NULL;
}

/* ---- the program ---- */

static char *copy_of(const json_t *facts, const char *key) {
  return sdm_strdup(sdm_gdb_field(facts, key) ? sdm_gdb_field(facts, key) : "");
}

void sdm_gdb_checkpoint_know(struct sdm_backend *b, const json_t *facts) {
  struct gdb_checkpointer *of = &sdm_gdb_checkpoint_of(b)->of;
  forget_program(of);
  of->pid = (pid_t)json_integer_value(json_object_get(facts, "pid"));
  of->command = copy_of(facts, "checkpoint_command");
  of->restart = copy_of(facts, "restart_command");
  of->listing = copy_of(facts, "checkpoint_listing_command");
  of->controller = copy_of(facts, "controller_hostname");
  of->served_at = (uint64_t)json_integer_value(json_object_get(facts, "checkpoint_served"));
  of->with_at = (uint64_t)json_integer_value(json_object_get(facts, "debug_with_checkpoint"));
  of->gate_at = (uint64_t)json_integer_value(json_object_get(facts, "checkpoint_debug_gate"));
  of->debugger_at = (uint64_t)json_integer_value(json_object_get(facts, "checkpoint_debugger_pid"));
  b->program = of->pid;
  b->checkpoint->armed = true;
}

static void got_detach_break(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *number = sdm_gdb_field(json_object_get(r->results, "bkpt"), "number");
  (void)p;
  if (number && !b->checkpoint->detach_break)
    b->checkpoint->detach_break = sdm_strdup(number);
}

/* Where the program says that it is to be left.  'pending': it is not loaded yet. */
void sdm_gdb_checkpoint_expect(struct sdm_backend *b) {
  if (!sdm_gdb_checkpoint_of(b)->detach_break)
    sdm_gdb_send(b, NULL, got_detach_break, "-break-insert -f " DETACH);
}

json_t *sdm_gdb_checkpoint_stop(struct sdm_backend *b, const char *reason, const json_t *place) {
  json_t *e = json_pack("{s:s, s:s}", "event", "stopped", "reason", reason);
  b->running = false;
  sdm_gdb_put_place(e, place);
  sdm_gdb_note_place(b, place);
  b->thread = (int)json_integer_value(json_object_get(place, "thread"));
  json_object_set_new(e, "thread", json_integer(b->thread));
  return e;
}

static void tell_stop(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  json_t *told = k->told;
  k->told = NULL;
  if (told) {
    sdm_gdb_door_open(b);
    b->host.event(b->host.arg, told);
  }
}

/* Where threads waited for a debugger the program stands elsewhere now than when gdb had come. */
static void got_armed(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct gdb_checkpoint *k = b->checkpoint;
  char *why = NULL;
  json_t *facts = sdm_gdb_checkpoint_answer(b, p, &why);
  (void)r;
  if (facts) {
    sdm_gdb_checkpoint_know(b, facts);
    if (json_integer_value(json_object_get(facts, "released"))) {
      json_decref(k->told);
      k->told = sdm_gdb_checkpoint_stop(b, "restarted", json_object_get(facts, "place"));
    }
  }
  free(why);
  json_decref(facts);
  tell_stop(b);
  sdm_gdb_checkpoint_done(b, NULL, NULL);
}

static void got_symbol(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *value = sdm_gdb_field(r->results, "value");
  (void)p;
  if (!strcmp(r->name, "done") && value && atoi(value) == 1) {
    sdm_gdb_checkpoint_expect(b);
    sdm_gdb_checkpoint_python(b, "cr_arm", json_pack("{s:b}", "come_in", !b->launched), got_armed);
    return;
  }
  tell_stop(b);
  sdm_gdb_checkpoint_done(b, NULL, NULL);
}

/* The first stop of a program: can it be saved?  The stop is told afterwards. */
bool sdm_gdb_checkpoint_first_stop(struct sdm_backend *b, json_t *stop) {
  struct gdb_checkpoint *k = sdm_gdb_checkpoint_of(b);
  if (k->armed || b->asked_checkpoint || k->step != CHECKPOINT_NONE)
    return false;
  b->asked_checkpoint = true;
  k->step = CHECKPOINT_ARMING;
  k->told = stop;
  sdm_gdb_send(b, NULL, got_symbol, "-data-evaluate-expression \"*(volatile int *)&MPIR_checkpointable\"");
  return true;
}

/* Another process: nothing is known of it. */
void sdm_gdb_checkpoint_forget(struct sdm_backend *b) {
  b->asked_checkpoint = false;
  if (!b->checkpoint)
    return;
  sdm_gdb_door_close(b);
  b->checkpoint->armed = false;
}

void sdm_gdb_checkpoint_stands(struct sdm_backend *b, bool stands) {
  if (stands)
    sdm_gdb_door_open(b);
  else
    sdm_gdb_door_close(b);
}

/* It has come to where it says that it is to be left; or it has ended for a restart. */
bool sdm_gdb_checkpoint_stopped(struct sdm_backend *b, const char *number, bool ended) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (k && ended && k->step == CHECKPOINT_ENDING) {
    sdm_gdb_restart_go(b);
    return true;
  }
  if (!k || ended || !number || !k->detach_break || strcmp(number, k->detach_break))
    return false;
  sdm_gdb_save_by_request(b, true);
  return true;
}

void sdm_gdb_checkpoint_resume(struct sdm_backend *b) {
  if (b->checkpoint)
    sdm_gdb_child_resume(b->checkpoint->keeper ? b->checkpoint->keeper : b->checkpoint->child);
}

bool sdm_gdb_checkpoint_away(const struct sdm_backend *b) { return b->checkpoint && b->checkpoint->step == CHECKPOINT_SAVING; }

bool sdm_gdb_checkpoint_kills(const struct sdm_backend *b) {
  const struct gdb_checkpoint *k = b->checkpoint;
  return k && k->armed && b->launched && (k->again || k->restarted || sdm_gdb_checkpoint_away(b)) && b->program > 0;
}

/* A program that it started ends with gdb, and so one that it has come back to; one that was attached runs on, and waits for nobody. */
void sdm_gdb_checkpoint_gone(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (!k)
    return;
  free(k->detach_break);
  k->detach_break = NULL;
  if (sdm_gdb_checkpoint_kills(b))
    kill(k->of.pid, SIGKILL);
  else
    sdm_gdb_checkpoint_leave(b);
  sdm_gdb_checkpoint_leave_process(b);
  sdm_gdb_checkpoint_forget(b);
  sdm_gdb_child_free(k->child);
  k->child = NULL;
  json_decref(k->told);
  k->told = NULL;
  if (k->step != CHECKPOINT_NONE || k->call)
    sdm_gdb_checkpoint_done(b, NULL, "gdb died");
}

bool sdm_gdb_checkpoint_quiet(const struct sdm_backend *b) { return b->checkpoint && b->checkpoint->quiet; }

/* ---- while something is under way ---- */

bool sdm_gdb_checkpoint_defer(struct sdm_backend *b, struct sdm_call *c) {
  struct gdb_checkpoint *k = b->checkpoint;
  const char *cmd = sdm_call_text(c, "cmd", "");
  if (!k || k->step == CHECKPOINT_NONE || !strcmp(cmd, "interrupt") || !strcmp(cmd, "kill"))
    return false;
  struct gdb_deferred *d = sdm_alloc(sizeof(*d));
  *d = (struct gdb_deferred){c, NULL};
  *k->last = d;
  k->last = &d->next;
  return true;
}

void sdm_gdb_checkpoint_done(struct sdm_backend *b, json_t *result, const char *failure) {
  struct gdb_checkpoint *k = b->checkpoint;
  struct sdm_call *call = k->call;
  struct gdb_deferred *list = k->deferred;
  k->call = NULL;
  k->step = CHECKPOINT_NONE;
  k->quiet = false;
  k->deferred = NULL;
  k->last = &k->deferred;
  if (call && failure)
    sdm_call_fail(call, "%s", failure);
  else if (call)
    sdm_call_done(call, json_incref(result), NULL);
  json_decref(result);
  free(k->handle);
  free(k->failure);
  k->handle = k->failure = NULL;
  json_decref(k->saved);
  json_decref(k->others);
  k->saved = k->others = NULL;
  if (k->asked) {
    k->asked = false;
    sdm_gdb_save_by_request(b, k->asked_runs);
  }
  while (list) { /* in order; one of them may begin something again, for which the rest waits */
    struct gdb_deferred *d = list;
    list = d->next;
    sdm_backend_run(&sdm_backend_gdb, b, d->call);
    free(d);
  }
}

/* ---- a process that gdb has left ---- */

bool sdm_gdb_checkpoint_watch_process(struct sdm_backend *b, pid_t pid, sdm_watch_f ended) {
  struct gdb_checkpoint *k = b->checkpoint;
  sdm_gdb_checkpoint_leave_process(b);
  k->process = (int)syscall(SYS_pidfd_open, pid, 0);
  if (k->process < 0)
    return false;
  fcntl(k->process, F_SETFD, FD_CLOEXEC);
  k->process_watch = sdm_loop_watch(b->host.loop, k->process, SDM_READ, ended, b);
  return true;
}

void sdm_gdb_checkpoint_leave_process(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  sdm_watch_free(k->process_watch);
  k->process_watch = NULL;
  if (k->process >= 0)
    close(k->process);
  k->process = -1;
}

/* Its status as the kernel keeps it for its parent; else that it has ended. */
json_t *sdm_gdb_checkpoint_end(const struct sdm_backend *b, pid_t pid) {
  char name[32];
  (void)b;
  int status =
      dvm_process_state(pid) ? (int)dvm_process_stat(pid, DVM_STAT_EXIT_CODE) : SIGKILL; /* reaped by who asked for it to be killed */
  const char *signal = sigabbrev_np(status & 127);
  snprintf(name, sizeof(name), "SIG%s", signal ? signal : "?");
  if (status & 127)
    return json_pack("{s:s, s:s, s:s}", "event", "exited", "reason", "exited-signalled", "signal", name);
  return json_pack("{s:s, s:s, s:i}", "event", "exited", "reason", status >> 8 ? "exited" : "exited-normally", "code", status >> 8 & 255);
}

char *sdm_gdb_checkpoint_path(const char *handle) {
  wordexp_t words;
  char *path = NULL;
  if (wordexp(handle, &words, WRDE_NOCMD | WRDE_UNDEF))
    return NULL;
  if (words.we_wordc)
    path = sdm_strdup(words.we_wordv[0]);
  wordfree(&words);
  return path;
}

char *sdm_gdb_checkpoint_points(const char *path, long long rank) {
  struct dvm_text t = DVM_TEXT_INIT;
  struct stat st;
  dvm_text_printf(&t, "%s/job", path);
  if (!stat(dvm_text_str(&t), &st)) {
    dvm_text_clear(&t);
    dvm_text_printf(&t, "%s/%lld.breakpoints", path, rank);
  } else {
    dvm_text_clear(&t);
    dvm_text_printf(&t, "%s.breakpoints", path);
  }
  char *points = sdm_strdup(dvm_text_str(&t));
  dvm_text_fini(&t);
  return points;
}

/* Writes a variable of the program that may run: no stop is needed for that. */
static void write_variable(const struct sdm_backend *b, uint64_t at, int value) {
  char path[48];
  snprintf(path, sizeof(path), "/proc/%d/mem", (int)b->checkpoint->of.pid);
  int fd = at ? open(path, O_WRONLY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    ssize_t n = pwrite(fd, &value, sizeof(value), (off_t)at);
    (void)n; /* the program has ended */
    close(fd);
  }
}

/* gdb leaves the program for good: it is to wait for no debugger. */
void sdm_gdb_checkpoint_leave(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (!k || !k->armed)
    return;
  sdm_gdb_door_close(b);
  write_variable(b, k->of.with_at, 0);
  write_variable(b, k->of.debugger_at, 0);
  write_variable(b, k->of.gate_at, 1);
  k->armed = false;
}
