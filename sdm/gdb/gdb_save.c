/* Saving the program: asked for by the front end, by a command or the program itself while it runs (it stops where it says that it is to be left),
 * or by a command while it stands (gdb_door.c). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/process.h"
#include "sdm/gdb/gdb_checkpoint.h"
#include "sdm/net/here.h"

#define HANDLE "MPIR_checkpoint_handle) "
#define LOOK_US 5000 /* between two looks at whether a request from outside has been served */

static void come_back(struct sdm_backend *b);

static void fail_with(struct gdb_checkpoint *k, const char *why) {
  if (!k->failure)
    k->failure = sdm_strdup(why);
}

/* ---- the file beside the image ---- */

static const json_t *described(const json_t *saved, const char *number) {
  const json_t *one;
  size_t i;
  json_array_foreach(json_object_get(saved, "breakpoints"), i,
                     one) if (json_integer_value(json_object_get(one, "number")) == atoll(number)) return one;
  return NULL;
}

/* The front end's own breakpoints, as it had set them and as they are by now. */
static json_t *session_breaks(const struct sdm_backend *b, const json_t *saved, const json_t *commands) {
  json_t *list = json_array();
  for (size_t i = 0; i < b->nbreaks; i++) {
    const struct sdm_gdb_break *k = &b->breaks[i];
    const json_t *now = k->number && k->id ? described(saved, k->number) : NULL;
    char id[24];
    if (!k->args || !k->id || !k->number || k->id >= SDM_END_BREAK || (!now && !sdm_gdb_field(k->args, "catch")))
      continue;
    json_t *one = json_deep_copy(k->args);
    snprintf(id, sizeof(id), "%lld", k->id);
    json_object_set_new(one, "number", json_string(k->number));
    json_object_set_new(one, "ignore", json_integer(json_integer_value(json_object_get(now, "ignore"))));
    if (json_object_get(commands, id))
      json_object_set(one, "commands", json_object_get(commands, id));
    json_array_append_new(list, one);
  }
  return list;
}

static void write_points(struct sdm_backend *b, const char *handle, const json_t *saved, const json_t *commands, long long rank) {
  struct gdb_checkpoint *k = b->checkpoint;
  char *path = sdm_gdb_checkpoint_path(handle), *points = sdm_gdb_checkpoint_points(path ? path : "", rank);
  json_t *whole = json_deep_copy(saved);
  json_object_set_new(whole, "session", session_breaks(b, saved, commands));
  int fd = path ? open(points, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;
  bool bad = fd < 0 || json_dumpfd(whole, fd, JSON_INDENT(1));
  bad |= fd >= 0 && close(fd);
  if (bad && path && access(path, F_OK) == 0) { /* removed by who asked for it: nothing to tell */
    struct dvm_text why = DVM_TEXT_INIT;
    dvm_text_printf(&why, "the image %s is complete, but its breakpoints cannot be saved next to it: %s", handle, strerror(errno));
    fail_with(k, dvm_text_str(&why));
    dvm_text_fini(&why);
  }
  json_decref(whole);
  free(path);
  free(points);
}

/* Beside the image that has just been taken, unless it is of a whole job: then each rank's server is told to, see save_points. */
static void write_own_points(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (k->handle && !(k->call && sdm_call_number(k->call, "lead", 0)))
    write_points(b, k->handle, k->saved, k->call ? json_object_get(sdm_call_args(k->call), "commands") : NULL, 0);
}

/* The job of which this is a rank was saved. */
static void save_points(struct sdm_backend *b, struct sdm_call *c) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (k->last_saved)
    write_points(b, sdm_call_text(c, "points", ""), k->last_saved, json_object_get(sdm_call_args(c), "commands"),
                 sdm_call_number(c, "rank", 0));
  if (k->failure)
    sdm_call_fail(c, "%s", k->failure);
  else
    sdm_call_done(c, NULL, NULL);
  free(k->failure);
  k->failure = NULL;
}

/* ---- the way back ---- */

static json_t *saved_result(const struct gdb_checkpoint *k, const json_t *facts) {
  json_t *r = json_pack("{s:I}", "checkpoint", k->number);
  if (k->handle)
    json_object_set_new(r, "handle", json_string(k->handle));
  if (!k->runs && json_array_size(json_object_get(facts, "moved"))) /* libc had all signals blocked there, also ours */
    json_object_set(r, "moved", json_object_get(facts, "moved"));
  return r;
}

static void finish(struct sdm_backend *b, json_t *result) {
  struct gdb_checkpoint *k = b->checkpoint;
  char *failure = k->failure;
  k->failure = NULL;
  sdm_gdb_checkpoint_done(b, result, failure);
  free(failure);
}

/* The memory that the ranks of such a job share. */
static bool is_rank_of_job(pid_t pid) {
  char path[48], *line = NULL;
  size_t size = 0;
  bool found = false;
  snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
  FILE *f = fopen(path, "r");
  while (f && !found && getline(&line, &size, f) > 0)
    found = strstr(line, "/memfd:dvm-mpi") != NULL;
  free(line);
  if (f)
    fclose(f);
  return found;
}

/* Its job then knows our server as the rank, not the program below it. */
static bool is_started_by_gdb(pid_t pid) {
  char name[16];
  dvm_process_name((pid_t)dvm_process_stat(pid, DVM_STAT_PARENT), name, sizeof(name));
  return !strncmp(name, "gdb", 3);
}

static void tell_saved(struct sdm_backend *b, const json_t *result) {
  json_t *event = json_deep_copy(result);
  json_object_set_new(event, "event", json_string("saved"));
  if (is_rank_of_job(b->checkpoint->of.pid)) /* its image is one of the job's */
    json_object_set_new(event, "job", json_true());
  b->host.event(b->host.arg, event);
}

/* gdb cannot come back: the program is left to itself, and waits for nobody. */
static void lose(struct sdm_backend *b, const char *why) {
  struct gdb_checkpoint *k = b->checkpoint;
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "gdb cannot reattach to the program, which keeps running without it: %s", why);
  fail_with(k, dvm_text_str(&t));
  sdm_gdb_checkpoint_leave(b);
  sdm_gdb_send(b, NULL, NULL, "-target-detach"); /* it may have come halfway */
  b->host.event(b->host.arg, json_pack("{s:s, s:s}", "event", "exited", "reason", "detached"));
  dvm_text_fini(&t);
  finish(b, NULL);
}

static void run_on(struct sdm_backend *b, const json_t *facts) {
  struct gdb_checkpoint *k = b->checkpoint;
  json_int_t helper = json_integer_value(json_object_get(facts, "helper"));
  if (k->stop) {
    b->host.event(b->host.arg, sdm_gdb_checkpoint_stop(b, "interrupted", json_object_get(facts, "place")));
    sdm_gdb_door_open(b);
    return;
  }
  b->passing = true; /* for the front end it ran all the time */
  if (helper) /* a thread that stands at no breakpoint: the others meet theirs */
    sdm_gdb_send(b, NULL, NULL, "-exec-continue --thread %lld", (long long)helper);
  else
    sdm_gdb_send(b, NULL, NULL, "-exec-continue");
}

static void process_ended(struct sdm_backend *b);

static void got_back(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct gdb_checkpoint *k = b->checkpoint;
  char *why = NULL;
  json_t *facts = sdm_gdb_checkpoint_answer(b, p, &why);
  (void)r;
  if (!facts) {
    if (k->of.pid > 0 && kill(k->of.pid, 0) == 0)
      lose(b, why);
    else
      process_ended(b);
    free(why);
    return;
  }
  const char *handle = sdm_gdb_field(facts, "handle");
  sdm_gdb_checkpoint_know(b, facts);
  k->again = b->launched;
  sdm_gdb_break_renumber(b, json_object_get(facts, "numbers"));
  if (!k->call && handle && *handle)
    k->handle = sdm_strdup(handle);
  write_own_points(b);
  json_t *result = saved_result(k, facts);
  if (k->handle || !k->call)
    tell_saved(b, result);
  k->asked = json_is_true(json_object_get(facts, "asked"));
  k->asked_runs = k->runs && !k->stop;
  if (k->runs && !(k->asked && k->asked_runs))
    run_on(b, facts);
  else if (!k->asked)
    sdm_gdb_door_open(b);
  json_decref(facts);
  finish(b, result);
}

static void come_back(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (k->step != CHECKPOINT_SAVING)
    return;
  k->step = CHECKPOINT_RETURNING;
  sdm_gdb_checkpoint_leave_process(b);
  sdm_gdb_checkpoint_python(b, "cr_come_back", json_pack("{s:i}", "pid", (int)k->of.pid), got_back);
}

/* It was killed while nobody held it, or by the checkpoint itself. */
static void process_ended(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  json_t *event = sdm_gdb_checkpoint_end(b, k->of.pid), *result = NULL;
  sdm_gdb_checkpoint_leave_process(b);
  sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console \"python dvm_cr_reap(%d)\"", (int)k->of.pid);
  k->armed = false;
  b->running = false;
  if (k->handle) {
    write_own_points(b);
    result = saved_result(k, NULL);
    tell_saved(b, result);
  } else
    fail_with(k, "the program ended before it was saved");
  b->host.event(b->host.arg, event);
  finish(b, result);
}

static void on_process_end(void *arg, unsigned events) {
  struct sdm_backend *b = arg;
  (void)events;
  sdm_gdb_checkpoint_leave_process(b);
  if (b->checkpoint->child) /* its command still has to say whether there is an image */
    b->checkpoint->process_over = true;
  else if (b->checkpoint->step == CHECKPOINT_SAVING)
    process_ended(b);
}

/* ---- until it is saved ---- */

static void on_look(void *arg) {
  struct sdm_backend *b = arg;
  struct gdb_checkpoint *k = b->checkpoint;
  char path[48];
  uint32_t served = k->served;
  if (k->step != CHECKPOINT_SAVING || k->child)
    return;
  snprintf(path, sizeof(path), "/proc/%d/mem", (int)k->of.pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    if (pread(fd, &served, sizeof(served), (off_t)k->of.served_at) != sizeof(served))
      served = k->served;
    close(fd);
  }
  if (served != k->served)
    come_back(b);
  else
    sdm_timer_set(k->look_timer, sdm_now_us() + LOOK_US);
}

/* What the checkpoint command said. */
static void take_output(struct gdb_checkpoint *k, int status, const char *output) {
  const char *at = strstr(output, HANDLE);
  if (at && !status) {
    at += sizeof(HANDLE) - 1;
    size_t n = strcspn(at, "\n");
    k->handle = sdm_alloc(n + 1);
    memcpy(k->handle, at, n);
    k->handle[n] = 0;
    return;
  }
  struct dvm_text t = DVM_TEXT_INIT;
  static const char error[] = "dvm checkpoint: error: ";
  output += strncmp(output, error, sizeof(error) - 1) ? 0 : sizeof(error) - 1;
  if (*output)
    dvm_text_add(&t, output);
  else
    dvm_text_printf(&t, "the checkpoint command ended with status %d", status);
  fail_with(k, k->cancelled ? "interrupted" : dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void on_command_end(struct sdm_backend *b, int status, const char *output) {
  struct gdb_checkpoint *k = b->checkpoint;
  take_output(k, status, output);
  sdm_gdb_child_free(k->child);
  k->child = NULL;
  if (k->process_over) {
    k->process_over = false;
    process_ended(b);
  } else if (k->step == CHECKPOINT_SAVING)
    come_back(b);
  else if (k->step == CHECKPOINT_NONE) /* it ran, and was not even stopped */
    finish(b, NULL);
}

/* By the shell, on the host that the program names. */
static void put_command(struct dvm_text *t, const struct gdb_checkpointer *of, const char *options) {
  if (!sdm_host_is_here(of->controller)) {
    const char *ssh = getenv("DVM_SSH");
    dvm_text_printf(t, "%s %s ", ssh ? ssh : "ssh -o BatchMode=yes", of->controller);
  }
  dvm_text_printf(t, "%s%s%s", of->command, *options ? " " : "", options);
}

static bool start_command(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  struct dvm_text t = DVM_TEXT_INIT;
  put_command(&t, &k->of, sdm_call_text(k->call, "options", ""));
  k->child = sdm_gdb_child_start(b, dvm_text_str(&t), false, NULL, on_command_end);
  if (!k->child)
    fail_with(k, "the checkpoint command cannot be run");
  dvm_text_fini(&t);
  return k->child != NULL;
}

static void got_held(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct gdb_checkpoint *k = b->checkpoint;
  char *why = NULL;
  json_t *held = sdm_gdb_checkpoint_answer(b, p, &why);
  (void)r;
  if (!held) { /* nothing was left */
    fail_with(k, why);
    free(why);
    if (k->runs)
      run_on(b, NULL);
    finish(b, NULL);
    return;
  }
  k->saved = json_incref(json_object_get(held, "saved"));
  json_decref(k->last_saved);
  k->last_saved = json_incref(k->saved);
  k->served = (uint32_t)json_integer_value(json_object_get(held, "served"));
  json_decref(held);
  k->step = CHECKPOINT_SAVING;
  if (!sdm_gdb_checkpoint_watch_process(b, k->of.pid, on_process_end)) {
    process_ended(b);
    return;
  }
  if (k->child) /* asked for while it ran */
    return;
  if (!k->call) {
    if (!k->look_timer)
      k->look_timer = sdm_loop_timer(b->host.loop, INT64_MAX, on_look, b);
    sdm_timer_set(k->look_timer, sdm_now_us() + LOOK_US);
  } else if (!start_command(b))
    come_back(b);
}

static void hold(struct sdm_backend *b) {
  struct gdb_checkpoint *k = b->checkpoint;
  k->step = CHECKPOINT_HOLDING;
  sdm_gdb_checkpoint_python(b, "cr_hold", json_pack("{s:[I]}", "leave_out", (json_int_t)(k->detach_break ? atoll(k->detach_break) : 0)),
                            got_held);
}

/* It said that it is to be left before it was known that it can be saved. */
static void got_armed_late(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  char *why = NULL;
  json_t *facts = sdm_gdb_checkpoint_answer(b, p, &why);
  (void)r;
  if (facts) {
    sdm_gdb_checkpoint_know(b, facts);
    hold(b);
  } else {
    run_on(b, NULL);
    finish(b, NULL);
  }
  json_decref(facts);
  free(why);
}

void sdm_gdb_save_by_request(struct sdm_backend *b, bool runs) {
  struct gdb_checkpoint *k = sdm_gdb_checkpoint_of(b);
  if (k->step != CHECKPOINT_NONE)
    return;
  k->runs = runs;
  k->stop = k->cancelled = k->process_over = false;
  if (!k->call)
    k->number = 0;
  sdm_gdb_door_close(b);
  if (k->armed) {
    hold(b);
    return;
  }
  k->step = CHECKPOINT_HOLDING;
  sdm_gdb_checkpoint_python(b, "cr_arm", json_pack("{s:b}", "come_in", 0), got_armed_late);
}

void sdm_gdb_save(struct sdm_backend *b, struct sdm_call *c) {
  struct gdb_checkpoint *k = sdm_gdb_checkpoint_of(b);
  if (!sdm_gdb_ready(b, c))
    return;
  if (k->call) {
    sdm_call_fail(c, "a checkpoint is already under way");
    return;
  }
  if (sdm_call_text(c, "points", NULL)) {
    save_points(b, c);
    return;
  }
  if (!k->armed) {
    sdm_call_fail(c, b->running && !b->asked_checkpoint ? "stop the program once before it is saved"
                                                        : "the program is not checkpointable: start it with 'dvm debug --checkpointable' "
                                                          "or 'dvm run --checkpointable', or link it with "
                                                          "libdvmcr");
    return;
  }
  bool lead = sdm_call_number(c, "lead", 0), is_rank = is_rank_of_job(k->of.pid);
  if (is_rank && is_started_by_gdb(k->of.pid)) {
    sdm_call_fail(
        c, "it is a rank of a job, which can only be saved as a whole: start it with 'dvm debug -- dvm run --checkpointable -n RANKS "
           "PROGRAM'");
    return;
  }
  if (is_rank && !lead) { /* one of them has the whole job saved; which one, the front end says */
    sdm_call_done(c, json_pack("{s:b}", "job", 1), NULL);
    return;
  }
  k->call = c;
  k->number = sdm_call_number(c, "number", 0);
  k->runs = k->stop = k->cancelled = k->process_over = false;
  if (!b->running && !lead) {
    sdm_gdb_door_close(b);
    hold(b);
  } else if (!start_command(b)) /* the program stops where it says that it is to be left, or its door tells */
    finish(b, NULL);
}

bool sdm_gdb_save_interrupt(struct sdm_backend *b, struct sdm_call *c) {
  struct gdb_checkpoint *k = b->checkpoint;
  bool calls = sdm_call_number(c, "calls", 0); /* ^C while an answer is waited for: what runs goes on */
  if (!k || (k->step == CHECKPOINT_NONE && !k->call))
    return false;
  k->stop |= !calls;
  if (k->child && k->call) {
    k->cancelled = true;
    sdm_gdb_child_interrupt(k->child);
  }
  if (k->step == CHECKPOINT_NONE && !calls)
    return false; /* it runs, and is stopped as always */
  sdm_call_done(c, NULL, NULL);
  return true;
}

bool sdm_gdb_save_kill(struct sdm_backend *b, struct sdm_call *c) {
  struct gdb_checkpoint *k = b->checkpoint;
  if (!k || k->step == CHECKPOINT_NONE || k->of.pid <= 0)
    return false;
  if (k->child)
    sdm_gdb_child_interrupt(k->child);
  kill(k->of.pid, SIGKILL);
  sdm_call_done(c, NULL, NULL);
  return true;
}

/* The images that the program's own command lists. */
static void on_listing_end(struct sdm_backend *b, int status, const char *output) {
  struct gdb_checkpoint *k = b->checkpoint;
  json_t *list = json_array();
  (void)status;
  for (const char *at = output; (at = strstr(at, HANDLE));) {
    at += sizeof(HANDLE) - 1;
    json_array_append_new(list, json_stringn(at, strcspn(at, "\n")));
  }
  struct sdm_call *c = k->listing_call;
  k->listing_call = NULL;
  sdm_gdb_child_free(k->listing);
  k->listing = NULL;
  sdm_call_done(c, json_pack("{s:o}", "images", list), NULL);
}

void sdm_gdb_images(struct sdm_backend *b, struct sdm_call *c) {
  struct gdb_checkpoint *k = sdm_gdb_checkpoint_of(b);
  const char *command = k->of.listing && *k->of.listing ? k->of.listing : sdm_call_text(c, "listing", "dvm checkpoint -l --crdebug");
  if (k->listing)
    sdm_call_fail(c, "the images are already being listed");
  else if ((k->listing = sdm_gdb_child_start(b, command, false, NULL, on_listing_end)))
    k->listing_call = c;
  else
    sdm_call_fail(c, "the listing command cannot be run");
}
