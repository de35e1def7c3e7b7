#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_hooks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include "mpir/crs/crs_helper.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define EXPORT __attribute__((visibility("default")))
#define FUNCTION __attribute__((noinline))
#define HELD_LIMIT_NS 10000000000ll
#define DETACH_LIMIT_NS 3000000000ll
#define OURS_DETACH_LIMIT_NS 30000000000ll
#define DEBUGGER_CHECK 10 /* naps of a waiting thread between two looks at whether its debugger lives */
#define COMMAND_MAX (5 * CRS_PATH_MAX + 64) /* a folder may be quoted */

static char hostname[256];
static char checkpoint_command[COMMAND_MAX], restart_command[COMMAND_MAX], listing_command[COMMAND_MAX];
static char command_prefix[CRS_PATH_MAX]; /* "": the commands are found by their names */
static atomic_int debugger_expected CRS_FORKED; /* of the present checkpoint: one means to come back */
static int outer_number CRS_FORKED; /* this process as seen from outside its pid namespace */
static struct {
  _Atomic(dvmcr_hook_f) fn;
  atomic_int number;
} program_hooks[DVMCR_HOOK_EVENTS][DVMCR_KINDS];

EXPORT volatile int MPIR_checkpointable = 1;
EXPORT volatile int MPIR_debug_with_checkpoint CRS_FORKED;
EXPORT volatile int MPIR_checkpoint_debug_gate;
EXPORT char *MPIR_controller_hostname = hostname;
EXPORT char *MPIR_checkpoint_command = checkpoint_command;
EXPORT char *MPIR_restart_command = restart_command;
EXPORT char *MPIR_checkpoint_listing_command = listing_command;
EXPORT volatile int MPIR_checkpoint_hold_signal;
EXPORT volatile int MPIR_checkpoint_stop_signal;
EXPORT volatile int MPIR_checkpoint_helper_tid;
EXPORT volatile int MPIR_checkpoint_held_threads CRS_FORKED;
EXPORT volatile int MPIR_checkpoint_debugger_pid CRS_FORKED;
EXPORT volatile int MPIR_checkpoint_busy CRS_FORKED;
EXPORT volatile unsigned MPIR_checkpoint_served;
static char last_handle[COMMAND_MAX];
EXPORT char *MPIR_checkpoint_last = last_handle;

EXPORT FUNCTION int MPIR_checkpoint_debugger_detach(void) {
  __asm__ volatile(""); /* keeps the call */
  return 0;
}

/* 0: none. */
static int tracer_number(void) {
  char status[4096];
  const char *line;

  return mpir_crs_read_file("/proc/self/status", status, sizeof(status)) > 0 && (line = mpir_plain_line(status, "TracerPid:"))
             ? (int)mpir_plain_dec(&line)
             : 0;
}

/* What /proc says of a process behind its name: " S PARENT .."; NULL: it is not there. */
static const char *state_of(int pid, char *stat, size_t size) {
  char path[64];
  struct plain_text t = PLAIN_TEXT(path);
  const char *name_end;

  mpir_plain_add(&t, "/proc/");
  mpir_plain_add_dec(&t, pid);
  mpir_plain_add(&t, "/stat");
  name_end = mpir_crs_read_file(path, stat, size) > 0 ? strrchr(stat, ')') : NULL;
  return name_end ? name_end + 1 : NULL;
}

/* It has ended, and nobody has waited for it: the first process of a container may never do. */
static bool is_zombie(int pid) {
  char stat[512];
  const char *state = state_of(pid, stat, sizeof(stat));

  return state && mpir_plain_starts(state, " Z");
}

/* A gdb under a server of 'dvm debug' lets go when it is told, but may be slow to where the machine is full of work. */
static bool is_ours(int tracer) {
  char stat[512], parent[512];
  const char *state = state_of(tracer, stat, sizeof(stat));
  const char *number = state && strlen(state) > 3 ? state + 3 : "0";

  state = state_of((int)mpir_plain_dec(&number), parent, sizeof(parent));
  return state && strstr(parent, "(sdm-server)");
}

bool mpir_crs_hooks_traced(void) { return tracer_number() > 0; }

bool mpir_crs_hooks_traced_by_ours(void) { return is_ours(tracer_number()); }

void mpir_crs_hooks_await_detach(void) {
  static const struct {
    long sec, nsec;
  } moment = {0, 10000000};
  const int64_t deadline = sys_monotonic_ns() + (is_ours(tracer_number()) ? OURS_DETACH_LIMIT_NS : DETACH_LIMIT_NS);

  while (mpir_crs_hooks_traced() && sys_monotonic_ns() < deadline)
    sys2(SYS_nanosleep, &moment, NULL);
}

void mpir_crs_hooks_name_tracer(struct plain_text *t) {
  const int pid = tracer_number();
  char path[64], name[32] = "?";
  struct plain_text p = PLAIN_TEXT(path);

  mpir_plain_add(&p, "/proc/");
  mpir_plain_add_dec(&p, pid);
  mpir_plain_add(&p, "/comm");
  mpir_crs_read_file(path, name, sizeof(name));
  name[strcspn(name, "\n")] = '\0';
  mpir_plain_add(t, "a debugger is attached, '");
  mpir_plain_add(t, name);
  mpir_plain_add(t, "' (process ");
  mpir_plain_add_dec(t, pid);
  mpir_plain_add(t, "), and has not detached when it was told to (detach it, or allow it with --allow-traced)");
}

static void gate_open(void) {
  MPIR_debug_with_checkpoint = 0;
  MPIR_checkpoint_debug_gate = 1;
}

/* The debugger that holds the threads has told its number and is gone: nobody else would open the gate. */
static bool debugger_died(void) {
  const int pid = MPIR_checkpoint_debugger_pid;

  return pid > 0 && !mpir_crs_hooks_traced() && (sys2(SYS_kill, pid, 0) == -ESRCH || is_zombie(pid));
}

/* Its own system call, not libc's: a breakpoint on nanosleep in the program must not stop a waiting thread, and a
 * debugger can tell this frame from the program's own sleep. */
EXPORT FUNCTION void MPIR_checkpoint_debugger_breakpoint(void) {
  static const struct {
    long sec, nsec;
  } pause = {0, 10000000};

  for (unsigned naps = 1; MPIR_checkpoint_debug_gate == 0; naps++) {
    sys2(SYS_nanosleep, &pause, NULL);
    if (naps % DEBUGGER_CHECK == 0 && MPIR_checkpoint_debug_gate == 0 && debugger_died())
      gate_open();
  }
}

/* Nobody else sets MPIR_debug_with_checkpoint back: not a debugger that was detached without more ado, nor one that died.  Who means to
 * come back asks for the checkpoint itself, or detaches at MPIR_checkpoint_debugger_detach, or has the threads wait already. */
void mpir_crs_hooks_expect(bool asked, bool traced_before) {
  const bool traced = mpir_crs_hooks_traced();
  const bool waiting = (atomic_load(&crs.waiting) || MPIR_checkpoint_held_threads) && !debugger_died(); /* or are on their way */

  atomic_store(&debugger_expected, MPIR_debug_with_checkpoint && (asked || waiting || (traced_before && !traced)));
  if (atomic_load(&debugger_expected) || traced)
    return;
  MPIR_checkpoint_held_threads = 0;
  if (MPIR_debug_with_checkpoint)
    gate_open();
}

EXPORT FUNCTION void MPIR_checkpoint_debugger_waitpoint(void) {
  struct mpir_crs_self *self = &mpir_crs_self;

  if (self->helper || self->waiting)
    return;
  self->waiting = true;
  MPIR_checkpoint_debug_gate = 0;
  atomic_fetch_add(&crs.waiting, 1);
  sys_futex_wake(&crs.waiting);
  MPIR_checkpoint_debugger_breakpoint();
  atomic_fetch_sub(&crs.waiting, 1);
  self->waiting = false;
}

EXPORT FUNCTION void *MPIR_checkpoint_debugger_crs_hook(int state) {
  (void)state;
  if (MPIR_debug_with_checkpoint && atomic_load(&debugger_expected))
    MPIR_checkpoint_debugger_waitpoint();
  else if (!MPIR_debug_with_checkpoint)
    MPIR_checkpoint_debug_gate = 1;
  return NULL;
}

EXPORT FUNCTION dvmcr_hook_f dvmcr_hook_set(int event, dvmcr_hook_f fn) {
  dvmcr_hook_set_for(event, DVMCR_REGISTERED, fn, event);
  return dvmcr_hook_set_for(event, DVMCR_PLAIN, fn, event);
}

EXPORT FUNCTION dvmcr_hook_f dvmcr_hook_set_for(int event, int kind, dvmcr_hook_f fn, int number) {
  if (event < 0 || event >= DVMCR_HOOK_EVENTS || kind < 0 || kind >= DVMCR_KINDS)
    return NULL;
  atomic_store(&program_hooks[event][kind].number, number);
  return atomic_exchange(&program_hooks[event][kind].fn, fn);
}

static void run_hook(int outcome, int kind) {
  int event = outcome > 0 ? DVMCR_HOOK_RESTART : outcome == 0 ? DVMCR_HOOK_CONTINUE : DVMCR_HOOK_FAILED;
  dvmcr_hook_f hook = atomic_load(&program_hooks[event][kind].fn);

  if (hook)
    hook(atomic_load(&program_hooks[event][kind].number));
}

void mpir_crs_hooks_run_helper(int outcome) { run_hook(outcome, DVMCR_HELPER); }

void mpir_crs_hooks_run(int outcome) {
  MPIR_checkpoint_debugger_crs_hook(outcome);
  run_hook(outcome, mpir_crs_self.registered ? DVMCR_REGISTERED : DVMCR_PLAIN);
}

/* The restart decides whether a debugger comes, not the image: so an image serves both ways. */
void mpir_crs_hooks_after_restart(bool debug, int outer_pid) {
  atomic_store(&debugger_expected, debug);
  MPIR_checkpoint_debugger_pid = 0;
  MPIR_debug_with_checkpoint = debug;
  MPIR_checkpoint_debug_gate = !debug;
  mpir_crs_hooks_strings(outer_pid);
}

/* A thread that the debugger let go with a hold signal must stand in the waitpoint before the stop signal comes: else
 * it would be held a second time when it goes on. */
void mpir_crs_hooks_await_held(void) {
  unsigned waiting, wanted = (unsigned)MPIR_checkpoint_held_threads;
  int64_t deadline = sys_monotonic_ns() + HELD_LIMIT_NS;

  while ((waiting = atomic_load(&crs.waiting)) < wanted && sys_monotonic_ns() < deadline)
    sys_futex_wait(&crs.waiting, waiting, 10000000);
  MPIR_checkpoint_held_threads = 0;
}

/* Until every thread stands where a debugger may attach. */
void mpir_crs_hooks_await_waiting(void) {
  int64_t deadline = sys_monotonic_ns() + HELD_LIMIT_NS;
  unsigned waiting;

  if (!MPIR_debug_with_checkpoint || !atomic_load(&debugger_expected))
    return;
  while ((waiting = atomic_load(&crs.waiting)) < mpir_crs_stopped_threads() && sys_monotonic_ns() < deadline)
    sys_futex_wait(&crs.waiting, waiting, 10000000);
}

void mpir_crs_hooks_announce(void) {
  char line[512];
  struct plain_text t = PLAIN_TEXT(line);

  if (!MPIR_debug_with_checkpoint || !atomic_load(&debugger_expected))
    return;
  mpir_crs_hooks_await_waiting();
  mpir_plain_add(&t, "MPIR_debug_info) ");
  mpir_plain_add(&t, hostname);
  mpir_plain_add(&t, ":");
  mpir_plain_add_dec(&t, outer_number);
  mpir_plain_add(&t, "\n");
  sys3(SYS_write, 2, line, t.len);
}

static void command_string(char *to, const char *command, int pid) {
  struct plain_text t = {to, COMMAND_MAX, 0};

  mpir_plain_add(&t, *command_prefix ? command_prefix : "dvm ");
  mpir_plain_add(&t, command);
  if (pid) {
    mpir_plain_add(&t, " ");
    mpir_plain_add_dec(&t, pid);
  }
}

/* As a shell reads it. */
static void add_quoted(char *to, const char *path) {
  struct plain_text t = {to, COMMAND_MAX, strlen(to)};

  mpir_plain_add(&t, "'");
  for (const char *s = path; *s; s++) {
    const char one[2] = {*s, '\0'};

    mpir_plain_add(&t, *s == '\'' ? "'\\''" : one);
  }
  mpir_plain_add(&t, "'");
}

/* As the checkpoint command tells it: quoted where a shell asks for it. */
void mpir_crs_hooks_note_image(const char *path) {
  struct plain_text t = {last_handle, COMMAND_MAX, 0};
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./:@,";

  last_handle[0] = '\0';
  if (path[strspn(path, plain)] == '\0')
    mpir_plain_add(&t, path);
  else
    add_quoted(last_handle, path);
}

static void tell_number(int outer_pid) {
  outer_number = outer_pid;
  command_string(checkpoint_command, "checkpoint --crdebug", outer_pid);
}

void mpir_crs_hooks_strings(int outer_pid) {
  tell_number(outer_pid);
  command_string(restart_command, "restart --crdebug", 0);
  command_string(listing_command, "checkpoint -l --crdebug ", 0);
  add_quoted(listing_command, mpir_crs_defaults.folder);
  if (gethostname(hostname, sizeof(hostname) - 1))
    strcpy(hostname, "localhost");
}

void mpir_crs_hooks_after_fork(void) {
  MPIR_debug_with_checkpoint = 0;
  MPIR_checkpoint_debugger_pid = 0;
  MPIR_checkpoint_held_threads = 0;
  MPIR_checkpoint_busy = 0;
  atomic_store(&debugger_expected, 0);
  atomic_store(&crs.waiting, 0);
  tell_number(crs.pid);
}

/* The debugger's signal: the thread enters the waitpoint before any other instruction of the program. */
static void on_hold(int sig, siginfo_t *info, void *frame) {
  int error = errno;

  (void)sig;
  (void)info;
  mpir_crs_note_interruption(frame);
  MPIR_checkpoint_debugger_waitpoint();
  errno = error;
}

int mpir_crs_hooks_init(void) {
  const char *folder = getenv("DVMCR_BINDIR");
  struct sigaction action;

  if (folder && strlen(folder) + 8 < sizeof(command_prefix)) {
    struct plain_text t = PLAIN_TEXT(command_prefix);

    mpir_plain_add(&t, folder);
    mpir_plain_add(&t, "/dvm-");
  }
  mpir_crs_hooks_strings(crs.pid);
  MPIR_checkpoint_hold_signal = crs.hold_signal;
  MPIR_checkpoint_stop_signal = crs.stop_signal;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_hold;
  action.sa_flags = SA_SIGINFO | SA_RESTART; /* and an empty mask: a held thread must be stoppable */
  return sigaction(crs.hold_signal, &action, NULL) ? -errno : 0;
}
