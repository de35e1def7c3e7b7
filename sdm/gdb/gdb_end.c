/* The end of a program that stands.  gdb waits only for those that it has set running: one that is killed from outside while it
 * stands ends without gdb's knowing, and would be "running" for ever after the next "continue".  The kernel tells us. */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/process.h"
#include "sdm/gdb/gdb_private.h"

#define PATIENCE_US 1000000 /* gdb, which runs the program, tells its end itself by then */
#define LOOK_US 1000000     /* of several threads the kernel says nothing until gdb has waited for each: we look */

struct gdb_end {
  pid_t program;
  int process;
  struct sdm_watch *watch;
  struct sdm_timer *timer, *look;
  json_t *record; /* as gdb would say it; owned; NULL: it has not ended */
};

/* gdb's own words for such an end; NULL if it has been waited for already: then gdb knows it. */
static json_t *record_of(pid_t program) {
  int status = dvm_process_state(program) == 'Z' ? (int)dvm_process_stat(program, DVM_STAT_EXIT_CODE) : -1;
  char text[32];
  if (status < 0)
    return NULL;
  const char *abbreviation = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;
  if (abbreviation)
    snprintf(text, sizeof(text), "SIG%s", abbreviation);
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof(text), "SIG%d", WTERMSIG(status));
  else
    snprintf(text, sizeof(text), "%02o", (unsigned)WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    return json_pack("{s:s, s:s}", "reason", "exited-signalled", "signal-name", text);
  if (!WEXITSTATUS(status))
    return json_pack("{s:s}", "reason", "exited-normally");
  return json_pack("{s:s, s:s}", "reason", "exited", "exit-code", text);
}

/* gdb has let go of what was left of the program.  An error: it had none any more, and has said so. */
static void got_end(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  if (!strcmp(r->name, "error"))
    return;
  b->interrupting = false;
  sdm_gdb_stopped(b, p->kept);
}

static void ask_gdb(struct sdm_backend *b);

/* gdb may have seen to it meanwhile, and may have another program by now, or be about to get one. */
static void got_groups(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *pid = sdm_gdb_field(json_array_get(json_object_get(r->results, "groups"), 0), "pid");
  json_t *record = b->end->record;
  (void)p;
  if (record && pid && atol(pid) == b->end->program && b->first) {
    ask_gdb(b);
    return;
  }
  b->end->record = NULL;
  if (record && pid && atol(pid) == b->end->program)
    sdm_gdb_send(b, NULL, got_end, "-interpreter-exec console kill")->kept = json_incref(record);
  json_decref(record);
}

static void ask_gdb(struct sdm_backend *b) {
  sdm_timer_set(b->end->timer, INT64_MAX);
  if (b->to >= 0)
    sdm_gdb_send(b, NULL, got_groups, "-list-thread-groups");
}

static void on_time(void *arg) {
  struct sdm_backend *b = arg;
  if (b->program == b->end->program && !b->left)
    ask_gdb(b);
}

/* A program whose first thread alone has ended goes on. */
static bool all_ended(pid_t program) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/task", (int)program);
  DIR *threads = dvm_process_state(program) == 'Z' ? opendir(path) : NULL;
  bool all = threads != NULL;
  for (struct dirent *e; all && (e = readdir(threads));) {
    char state = *e->d_name == '.' ? 0 : dvm_process_state((pid_t)atol(e->d_name));
    all = !state || state == 'Z' || state == 'X';
  }
  if (threads)
    closedir(threads);
  return all;
}

static void forget_process(struct gdb_end *e) {
  sdm_watch_free(e->watch);
  if (e->process >= 0)
    close(e->process);
  e->watch = NULL;
  e->process = -1;
}

static void on_end(void *arg, unsigned events) {
  struct sdm_backend *b = arg;
  (void)events;
  forget_process(b->end);
  if (sdm_gdb_checkpoint_quiet(b)) /* who saves it, or goes back, sees to that */
    return;
  json_decref(b->end->record);
  b->end->record = record_of(b->end->program);
  if (b->end->record && b->running)
    sdm_timer_set(b->end->timer, sdm_now_us() + PATIENCE_US);
  else if (b->end->record)
    ask_gdb(b);
}

static void on_look(void *arg) {
  struct sdm_backend *b = arg;
  if (b->end->process < 0)
    return;
  if (b->program == b->end->program && !b->left && all_ended(b->program))
    on_end(b, 0);
  else
    sdm_timer_set(b->end->look, sdm_now_us() + LOOK_US);
}

void sdm_gdb_end_forget(struct sdm_backend *b) {
  if (!b->end)
    return;
  forget_process(b->end);
  sdm_timer_set(b->end->timer, INT64_MAX);
  sdm_timer_set(b->end->look, INT64_MAX);
  json_decref(b->end->record); /* gdb has seen to it */
  b->end->record = NULL;
}

void sdm_gdb_end_watch(struct sdm_backend *b, pid_t program) {
  if (!b->end) {
    b->end = sdm_alloc(sizeof(*b->end));
    *b->end = (struct gdb_end){.process = -1,
                               .timer = sdm_loop_timer(b->host.loop, INT64_MAX, on_time, b),
                               .look = sdm_loop_timer(b->host.loop, INT64_MAX, on_look, b)};
  }
  sdm_gdb_end_forget(b);
  b->end->program = program;
  if (program <= 0 || b->core)
    return;
  b->end->process = (int)syscall(SYS_pidfd_open, program, 0);
  if (b->end->process >= 0)
    b->end->watch = sdm_loop_watch(b->host.loop, b->end->process, SDM_READ, on_end, b);
  if (b->end->process >= 0)
    sdm_timer_set(b->end->look, sdm_now_us() + LOOK_US);
}

void sdm_gdb_end_free(struct sdm_backend *b) {
  sdm_gdb_end_forget(b);
  if (b->end) {
    sdm_timer_free(b->end->timer);
    sdm_timer_free(b->end->look);
  }
  free(b->end);
}
