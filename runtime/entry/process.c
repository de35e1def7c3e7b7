#include "runtime/entry/process.h"
#include "runtime/rules/construct.h"
#include "runtime/report/diag.h"
#include "runtime/entry/wiring.h"
#include "runtime/report/facts.h"
#include "runtime/rules/group.h"
#include "runtime/rules/handed.h"
#include "runtime/entry/host.h"
#include "runtime/data/library.h"
#include "runtime/data/mem.h"
#include "runtime/data/options.h"
#include "runtime/rules/held.h"
#include "runtime/rules/reduce.h"
#include "runtime/report/other.h"
#include "runtime/report/report.h"
#include "runtime/report/source.h"
#include "runtime/report/stats.h"
#include "runtime/rules/section.h"
#include "runtime/rules/summary.h"
#include "runtime/rules/repeat.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t owner;   /* a vfork child shares our memory and must not sum up for us */
static bool ready;

/* ---- the end ------------------------------------------------------------------------------------------------------------------- */

static int close_report(int status) {
  if (!ready || getpid() != owner)
    return status;
  if (!dvmrt_mem_enter())
    return dvmrt_diag_status(status); /* a handler ends the process in the middle of ours: no sum */
  dvmrt_section_close();
  dvmrt_group_close();
  status = dvmrt_diag_close(status, dvmrt_construct_count(), dvmrt_array_count());
  dvmrt_mem_leave();
  dvmrt_host_end(status);
  return status;
}

static void end_now(int status) {
  for (;;)
    syscall(SYS_exit_group, status);
}

/* The first to be registered, so the last to run: what other handlers of the program do is still checked. */
static void at_end(int status, void *unused) {
  (void)unused;
  int wanted = close_report(status);
  if (wanted == status)
    return;
  fflush(NULL);
  end_now(wanted);
}

static void at_quick_end(void) {
  /* The status is not told here; _exit follows at once and does not pass through ours inside the C library. */
  int wanted = close_report(-1);
  if (wanted != -1)
    end_now(wanted);
}

void dvmrt_process_do_due(void) {
  uint8_t due = __atomic_load_n(&dvmrt_due, __ATOMIC_RELAXED);
  if (due & DVMRT_DUE_HOLD)
    dvmrt_host_point();
  if (!(due & DVMRT_DUE_HALT))
    return;
  int status = close_report(0); /* halt_on_error: summary, then the end */
  fflush(NULL);
  end_now(status);
}

/* The C library's own, with the sum before the end. */
__attribute__((visibility("default"), noreturn)) void _exit(int status) {
  end_now(close_report(status));
  __builtin_unreachable();
}
__attribute__((visibility("default"), noreturn)) void _Exit(int status) { _exit(status); }

/* ---- fork ---------------------------------------------------------------------------------------------------------------------- */

/* A handler that has interrupted the runtime forks without the lock, and what it interrupted goes on in both. */
static __thread bool held __attribute__((tls_model("initial-exec")));

static void before_fork(void) {
  dvmrt_handed_others();
  held = dvmrt_mem_enter();
}
static void in_parent(void) {
  if (held)
    dvmrt_mem_leave();
}
static void in_child(void) {
  owner = getpid();
  if (!held)
    return;
  dvmrt_diag_reset();
  dvmrt_stats_forked();
  dvmrt_report_forked();
  dvmrt_group_forked();
  dvmrt_construct_forked();
  dvmrt_mem_leave();
}

/* ---- start --------------------------------------------------------------------------------------------------------------------- */

static bool list_keys(void) {
  char line[256];
  for (unsigned i = 0; dvmrt_options_line(i, line, sizeof(line)); i++)
    printf("%s\n", line);
  if (!fflush(stdout) && !ferror(stdout))
    return true;
  fprintf(stderr, "dvm: error: cannot write the keys of DVM_OPTIONS: %s\n", strerror(errno));
  return false;
}

static void read_options(struct dvmrt_options *options) {
  struct dvm_error err = DVM_ERROR_INIT;
  const char *text = getenv("DVM_OPTIONS");
  dvmrt_options_default(options);
  if (text && dvmrt_options_parse(options, text, &err)) {
    fprintf(stderr, "dvm: error: %s\n", err.text);
    end_now(2);
  }
  if (options->help) {
    end_now(list_keys() ? 0 : 1);
  }
  dvmrt_other_shown = options->history;
  dvmrt_summary_wanted = options->summaries;
  dvmrt_repeat_wanted = options->repeats;
  __dvmrt_stretch_least = options->stretches ? options->stretches : UINT64_MAX;
  dvmrt_reduce_emulates = options->emulate;
  dvmrt_held_emulates = options->device;
  dvmrt_source_instead(options->sources);
  dvmrt_diag_init(options);
  if (dvmrt_report_open(options, &err)) {
    fprintf(stderr, "dvm: error: %s\n", err.text);
    end_now(2);
  }
}

static void start_host(const struct dvmrt_options *o) {
  struct dvm_error err = DVM_ERROR_INIT;
  if (!*o->sdm || !dvmrt_host_start(o->sdm, &err))
    return;
  fprintf(stderr, "dvm: error: %s\n", err.text);
  end_now(2);
}

static bool tables_ready, early;

static void make_tables(void) {
  if (tables_ready)
    return;
  tables_ready = true;
  owner = getpid();
  dvmrt_mem_init();
  dvmrt_shadow_init();
  dvmrt_source_init();
  dvmrt_wiring_init();
  dvmrt_construct_init();
  dvmrt_facts_init();
}

/* The environment cannot be read yet, and no module is known: nothing is kept of what happens until they are. */
void __dvmrt_early(void) {
  if (ready)
    return;
  early = dvmrt_finding_stopped = true;
  make_tables();
}

__attribute__((constructor(101))) void dvmrt_process_init(void) {
  static const char told[] = "dvm: functions in '.preinit_array' ran before checking began and were not checked\n";
  static struct dvmrt_options o;
  if (ready)
    return;
  ready = true;
  dvmrt_finding_stopped = false;
  make_tables();
  dvmrt_library_init();
  read_options(&o);
  if (early)
    dvmrt_mem_say(told, sizeof(told) - 1);
  on_exit(at_end, NULL);
  at_quick_exit(at_quick_end);
  pthread_atfork(before_fork, in_parent, in_child);
  start_host(&o); /* behind that: its own handlers for fork then come before ours, which take the lock */
}
