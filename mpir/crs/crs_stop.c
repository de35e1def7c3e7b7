/* Stopping and releasing the threads of this process. */
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/stat.h>
#include <time.h>
#include <ucontext.h>
#include "mpir/crs/crs_clock.h"
#include "mpir/crs/crs_demand.h"
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_private.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define TRAP_FLAG 0x100
#define STUCK 1
#define HWCAP2_FSGSBASE 2
#define PATIENCE_NS 20000000ll
#define PATIENCE_MAX_NS 500000000ll

struct crs_state crs;
__thread struct mpir_crs_self mpir_crs_self CRS_TLS;

static struct mpir_image_thread first_settings; /* at the start of the program; threads inherit them */
static atomic_uint expected;  /* threads that the present stop waits for */
struct crs_waiting_call mpir_crs_waiting[CRS_THREADS_MAX];
unsigned mpir_crs_waiting_count;
static atomic_uint slots;     /* records handed out in the present stop */
static struct mpir_image_action stop_action, hold_action; /* as they were installed */
static pid_t signalled[CRS_THREADS_MAX];
static unsigned signalled_count;

static uint64_t signal_bit(int sig) { return 1ull << (sig - 1); }

/* The instructions where the kernel lets programs use them: two system calls less. */
__attribute__((target("fsgsbase"))) static void read_bases(struct mpir_image_thread *image) {
  image->fs_base = __builtin_ia32_rdfsbase64();
  image->gs_base = __builtin_ia32_rdgsbase64();
}

/* What libc sets when a thread begins, and nobody changes. */
static void read_constants(struct mpir_crs_self *self) {
  self->tid = (pid_t)sys0(SYS_gettid);
  sys3(SYS_get_robust_list, 0, &self->robust_list, &self->robust_length);
  sys2(SYS_prctl, PR_GET_TID_ADDRESS, &self->clear_tid);
}

static void read_settings(struct mpir_image_thread *image) {
  long rc = sys1(SYS_prctl, PR_GET_TIMERSLACK);

  image->timer_slack_ns = rc > 0 ? (uint64_t)rc : 0;
  sys2(SYS_prctl, PR_GET_PDEATHSIG, &image->parent_death_signal);
  image->no_new_privileges = sys5(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

void mpir_crs_settings_init(void) { read_settings(&first_settings); }

/* Every system call here is made by each thread while the others wait: what is known is not asked again. */
void mpir_crs_record_fill(struct mpir_image_thread *image) {
  struct mpir_crs_self *self = &mpir_crs_self;
  long rc;

  if (!self->tid)
    read_constants(self);
  image->tid = self->tid;
  image->robust_list = self->robust_list;
  image->robust_length = self->robust_length;
  image->clear_tid = self->clear_tid;
  if (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE) {
    read_bases(image);
  } else {
    sys2(SYS_arch_prctl, ARCH_GET_FS, &image->fs_base);
    sys2(SYS_arch_prctl, ARCH_GET_GS, &image->gs_base);
  }
  if (image->tid == crs.pid || crs.main_ended) /* the others have it from there, but for those that set their own */
    crs.personality = (uint64_t)sys1(SYS_personality, 0xffffffff);
  image->rseq = __rseq_size ? image->fs_base + (uint64_t)__rseq_offset : 0;
  sys2(SYS_prctl, PR_GET_NAME, image->name);
  memset(image->affinity, 0, sizeof(image->affinity));
  sys3(SYS_sched_getaffinity, 0, sizeof(image->affinity), image->affinity);
  memset(image->scheduling, 0, sizeof(image->scheduling));
  sys4(SYS_sched_getattr, 0, image->scheduling, sizeof(image->scheduling), 0);
  if (image->scheduling[0] >> 32) /* a policy whose record need not tell the nice value */
    image->nice = 20 - (int32_t)sys2(SYS_getpriority, 0 /* PRIO_PROCESS */, 0);
  else
    image->nice = (int32_t)image->scheduling[2];
  rc = sys2(SYS_ioprio_get, 1 /* IOPRIO_WHO_PROCESS */, 0);
  image->io_priority = rc > 0 ? (uint32_t)rc : 0;
  image->timer_slack_ns = first_settings.timer_slack_ns;
  image->securebits = (uint32_t)sys1(SYS_prctl, PR_GET_SECUREBITS);
  image->no_new_privileges = first_settings.no_new_privileges;
  image->parent_death_signal = image->tid == crs.pid ? first_settings.parent_death_signal : 0; /* not inherited */
  if (atomic_load(&crs.settings_changed))
    read_settings(image);
}

/* The wait of a parked thread.  A restarted process comes back here too: its memory says that it still waits. */
static __attribute__((noinline)) void park_wait(struct crs_record *record, unsigned epoch) {
  unsigned released;

  while ((released = atomic_load(&crs.release)) != epoch) {
    if (atomic_load(&record->take)) {
      mpir_crs_pending_take_own(record->image.tid);
      atomic_store(&record->take, 0);
      sys_futex_wake(&record->take);
    } else {
      sys_futex_wait(&crs.release, released, -1);
    }
  }
}

static __attribute__((noinline)) void park_point(struct crs_record *record, unsigned epoch) {
  if (mpir_context_save(&record->image.context)) {
    atomic_fetch_add(&crs.resumed, 1);
    sys_futex_wake(&crs.resumed);
  } else if (atomic_fetch_add(&crs.arrived, 1) + 1 == atomic_load(&expected)) {
    sys_futex_wake(&crs.arrived);
  }
  park_wait(record, epoch);
}

/* The bottom of a thread's callback chain: stands still until the outcome is known, and returns it. */
static int park(void) {
  struct mpir_crs_self *self = &mpir_crs_self;
  struct crs_record *record = self->record;
  uint64_t pending = 0;
  int outcome;

  mpir_crs_record_fill(&record->image);
  crs.used_before[record - crs.records].tid = record->image.tid;
  crs.used_before[record - crs.records].ns = mpir_crs_clock_thread();
  record->image.signal_frame = (uint64_t)record->frame;
  record->frame->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  sys2(SYS_rt_sigpending, &pending, 8);
  pending &= ~signal_bit(crs.stop_signal);
  mpir_crs_note_interruption(record->frame);
  if (pending)
    mpir_crs_pending_take_own(record->image.tid);
  park_point(record, self->epoch);
  outcome = atomic_load(&crs.outcome);
  if (outcome == 1)
    self->used_before_ns = crs.used_before[record - crs.records].ns;
  if (atomic_load(&crs.pending_count)) {
    mpir_crs_pending_give(record->image.tid);
    if (record->image.tid == crs.pid)
      mpir_crs_pending_give(0);
  }
  return outcome;
}

/* Lets the stop signal in again: a thread held for a debugger inside a hook must stay stoppable. */
static void stop_signal_unblock(void) {
  uint64_t bit = signal_bit(crs.stop_signal);

  sys4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, 8);
}

static __attribute__((noinline)) void take_part(struct mpir_crs_self *self, ucontext_t *frame) {
  unsigned slot = atomic_fetch_add(&slots, 1);
  struct crs_record *outer_record = self->record;
  unsigned again;
  int outcome;

  self->epoch = atomic_load(&crs.epoch);
  if (slot >= CRS_THREADS_MAX - 1) { /* cannot be saved: the stop runs into its time-out and says so */
    atomic_fetch_add(&crs.left, 1);
    return;
  }
  self->record = &crs.records[slot];
  self->record->frame = frame;
  self->chain.bottom = park;
  self->chain.left = self->chain.count;
  outcome = self->chain.left ? mpir_crs_chain_run(&self->chain) : park();
  again = atomic_load(&crs.again);
  atomic_fetch_add(&crs.left, 1);
  sys_futex_wake(&crs.left);
  self->record = outer_record;
  stop_signal_unblock();
  if (again)
    return;
  mpir_crs_hold(self->epoch, outcome);
  mpir_crs_hooks_run(outcome);
}

static void on_stop(int sig, siginfo_t *info, void *frame) {
  struct mpir_crs_self *self = &mpir_crs_self;

  (void)sig;
  if (self->helper || sys0(SYS_getpid) != crs.pid) /* a child that shares our memory until it becomes another program */
    return;
  if (!atomic_load(&crs.stopping) && mpir_crs_demand_start()) {
    mpir_crs_note_interruption_of(frame, mpir_crs_demand_call(info, frame));
    mpir_crs_yield_to_others(frame, true);
    return;
  }
  if (self->critical) {
    self->deferred = 1;
    return;
  }
  atomic_fetch_add(&crs.claimed, 1);
  if (!atomic_load(&crs.stopping) || self->epoch == atomic_load(&crs.epoch)) {
    atomic_fetch_add(&crs.left, 1);
    return;
  }
  take_part(self, frame);
  mpir_crs_yield_to_others(frame, false);
}

void mpir_crs_stop_self(void) {
  mpir_crs_stop_take_back();
  sys3(SYS_tgkill, sys0(SYS_getpid), sys0(SYS_gettid), crs.stop_signal);
}

/* The number of tasks that can stop, the caller excluded: the folder's number of links less two. */
static unsigned count_tasks(int dir) {
  const unsigned others = crs.main_ended ? 4 : 3;
  struct stat st;

  return sys2(SYS_fstat, dir, &st) || st.st_nlink < others ? 0 : (unsigned)st.st_nlink - others;
}

/* Before the stop: the calls in which threads wait, "number six-arguments stack-pointer program-counter", or "running".  The number of a bare
 * call that a handler breaks off can be learnt from nowhere else if it stood in a register. */
static void note_calls(int dir) {
  char buf[8192];
  long n;

  mpir_crs_waiting_count = 0;
  sys3(SYS_lseek, dir, 0, SEEK_SET);
  while ((n = sys3(SYS_getdents64, dir, buf, sizeof(buf))) > 0) {
    for (long at = 0; at < n;) {
      const char *name = buf + at + 19;
      struct crs_waiting_call *call = &mpir_crs_waiting[mpir_crs_waiting_count];
      unsigned short length;
      char path[64], text[256];
      struct plain_text t = PLAIN_TEXT(path);
      const char *s = text;

      memcpy(&length, buf + at + 16, 2);
      at += length;
      mpir_plain_add(&t, "/proc/self/task/");
      mpir_plain_add(&t, name);
      mpir_plain_add(&t, "/syscall");
      if (*name < '0' || *name > '9' || mpir_crs_waiting_count == CRS_THREADS_MAX || mpir_crs_read_file(path, text, sizeof(text)) <= 0 ||
          *text < '0' || *text > '9')
        continue;
      call->tid = (pid_t)mpir_plain_dec(&name);
      call->number = (long)mpir_plain_dec(&s);
      for (int i = 0; i < 8 && (s = strstr(s, "0x")); i++) {
        s += 2;
        call->stack = call->pc;
        call->pc = mpir_plain_hex(&s);
      }
      mpir_crs_waiting_count += s != NULL;
    }
  }
}

/* Signals every task that has not been signalled in this stop. */
static void signal_tasks(int dir) {
  char buf[8192];
  long n;

  sys3(SYS_lseek, dir, 0, SEEK_SET);
  while ((n = sys3(SYS_getdents64, dir, buf, sizeof(buf))) > 0) {
    for (long at = 0; at < n;) {
      const char *entry = buf + at; /* linux_dirent64: ino 8, off 8, reclen 2, type 1, name */
      const char *name = entry + 19;
      unsigned short length;
      pid_t tid;
      unsigned i = 0;

      memcpy(&length, entry + 16, 2);
      at += length;
      tid = (pid_t)mpir_plain_dec(&name);
      if (tid <= 0 || tid == crs.helper_tid)
        continue;
      while (i < signalled_count && signalled[i] != tid)
        i++;
      if (i < signalled_count || i == CRS_THREADS_MAX)
        continue;
      if (sys3(SYS_tgkill, crs.pid, tid, crs.stop_signal) != -EAGAIN) /* else: the limit of queued signals, try again */
        signalled[signalled_count++] = tid;
    }
  }
}

/* One of the threads that stand. */
static bool has_arrived(pid_t tid) {
  unsigned n = atomic_load(&slots);

  for (unsigned i = 0; i < n && i < CRS_THREADS_MAX; i++)
    if (crs.records[i].image.tid == tid)
      return true;
  return false;
}

/* Names the threads that did not stop, and why as far as /proc tells. */
static void explain_timeout(unsigned timeout_ms, struct plain_text *why) {
  mpir_plain_add(why, "not stopped within ");
  mpir_plain_add_dec(why, timeout_ms);
  mpir_plain_add(why, " ms:");
  for (unsigned i = 0; i < signalled_count; i++) {
    char path[64], status[4096];
    struct plain_text t = PLAIN_TEXT(path);
    const char *name, *blocked, *state;

    if (has_arrived(signalled[i]))
      continue;
    mpir_plain_add(&t, "/proc/self/task/");
    mpir_plain_add_dec(&t, signalled[i]);
    mpir_plain_add(&t, "/status");
    if (mpir_crs_read_file(path, status, sizeof(status)) < 0)
      continue;
    name = mpir_plain_line(status, "Name:");
    state = mpir_plain_line(status, "State:");
    blocked = mpir_plain_line(status, "SigBlk:");
    mpir_plain_add(why, " thread ");
    mpir_plain_add_dec(why, signalled[i]);
    mpir_plain_add(why, " '");
    for (; name && *name && *name != '\n' && why->len + 1 < why->size; name++)
      why->s[why->len++] = *name;
    why->s[why->len] = '\0';
    mpir_plain_add(why, "'");
    if (state && *state == 'Z')
      mpir_plain_add(why, " (has ended)");
    else if (blocked && (mpir_plain_hex(&blocked) & signal_bit(crs.stop_signal)))
      mpir_plain_add(why, " (blocks the stop signal)");
    else
      mpir_plain_add(why, " (in a critical section or a system call that cannot be interrupted)");
  }
}

/* A thread that has not arrived and does not let the stop signal in, as libc does for moments. */
static bool someone_blocks(void) {
  for (unsigned i = 0; i < signalled_count; i++) {
    char path[64], status[4096];
    struct plain_text t = PLAIN_TEXT(path);
    const char *blocked;

    if (has_arrived(signalled[i]))
      continue;
    mpir_plain_add(&t, "/proc/self/task/");
    mpir_plain_add_dec(&t, signalled[i]);
    mpir_plain_add(&t, "/status");
    if (mpir_crs_read_file(path, status, sizeof(status)) > 0 && (blocked = mpir_plain_line(status, "SigBlk:")) &&
        (mpir_plain_hex(&blocked) & signal_bit(crs.stop_signal)))
      return true;
  }
  return false;
}

/* A main thread that has ended stays in the list of tasks. */
static void note_main_thread(void) {
  char path[64], stat[512];
  struct plain_text t = PLAIN_TEXT(path);
  const char *name_end;

  if (crs.main_ended)
    return;
  mpir_plain_add(&t, "/proc/self/task/");
  mpir_plain_add_dec(&t, crs.pid);
  mpir_plain_add(&t, "/stat");
  if (mpir_crs_read_file(path, stat, sizeof(stat)) < 0)
    return;
  name_end = strrchr(stat, ')');
  crs.main_ended = name_end && mpir_plain_starts(name_end, ") Z");
}

bool mpir_crs_stop_is_alone(void) {
  struct stat st;

  note_main_thread();
  return crs.main_ended && !sys2(SYS_stat, "/proc/self/task", &st) && st.st_nlink == 4;
}

void mpir_crs_stop_await_main_ended(void) {
  static const struct {
    long sec, nsec;
  } moment = {0, 100000};

  for (crs.main_ended = false; note_main_thread(), !crs.main_ended;)
    sys2(SYS_nanosleep, &moment, NULL);
}

static void round_begin(void) {
  for (unsigned i = 0; i < signalled_count && i < CRS_THREADS_MAX; i++)
    crs.records[i].image.tid = 0;
  signalled_count = 0;
  atomic_store(&slots, 0);
  atomic_store(&crs.arrived, 0);
  atomic_store(&crs.pending_count, 0);
  atomic_store(&crs.pending_lost, 0);
  atomic_store(&expected, ~0u);
  atomic_fetch_add(&crs.epoch, 1);
  atomic_store(&crs.stopping, 1);
  crs.stopped_at_ns = sys_monotonic_ns();
}

/* One attempt to stop all.  Returns 0, a refusal, -ETIMEDOUT, or STUCK: for 'patience_ns' no thread has arrived, and one that
 * is missing has the signal blocked. */
static int stop_round(int dir, int64_t deadline, int64_t patience_ns) {
  int64_t progress = sys_monotonic_ns();
  unsigned before = 0, tasks, arrived;

  round_begin();
  signal_tasks(dir);
  /* When all that there are stand, none is left that could make another. */
  while ((arrived = atomic_load(&crs.arrived)) != (tasks = count_tasks(dir))) {
    int64_t now = sys_monotonic_ns();

    if (atomic_load(&crs.abort_code))
      return atomic_load(&crs.abort_code);
    if (now > deadline)
      return -ETIMEDOUT;
    progress = arrived == before ? progress : now;
    before = arrived;
    if (now - progress > patience_ns && someone_blocks())
      return STUCK;
    atomic_store(&expected, tasks);
    if (atomic_load(&crs.arrived) == arrived)
      sys_futex_wait(&crs.arrived, arrived, 2000000);
    if (atomic_load(&crs.arrived) == arrived && !has_arrived(crs.pid))
      note_main_thread(); /* it may end instead of stopping */
    if (atomic_load(&crs.arrived) != tasks)
      signal_tasks(dir); /* those that have been made since */
  }
  return 0;
}

/* One attempt, during which nobody forks: a child would have our descriptor of the list of tasks, and who has the lock could not be stopped. */
static int stop_alone(int64_t deadline, int64_t patience_ns, bool first) {
  int dir, rc;

  mpir_crs_descriptors_lock();
  rc = dir = (int)sys4(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (dir >= 0) {
    if (first)
      note_calls(dir);
    rc = stop_round(dir, deadline, patience_ns);
    sys1(SYS_close, dir);
  }
  mpir_crs_descriptors_unlock();
  return rc;
}

/* A thread that makes or ends another, or forks, has all signals blocked for a moment, and may then wait for a lock of libc that a parked
 * thread owns.  So parked threads are let go for a moment and stopped anew, with growing patience. */
static int stop_rounds(int64_t deadline) {
  static const struct {
    long sec, nsec;
  } moment = {0, 1000000};
  int64_t patience_ns = PATIENCE_NS;
  int rc = stop_alone(deadline, patience_ns, true);

  while (rc == STUCK) {
    atomic_store(&crs.again, 1);
    mpir_crs_release(-EAGAIN);
    atomic_store(&crs.again, 0);
    sys2(SYS_nanosleep, &moment, NULL);
    patience_ns *= patience_ns < PATIENCE_MAX_NS ? 2 : 1;
    rc = stop_alone(deadline, patience_ns, false);
  }
  return rc;
}

/* A runtime that serves all signals itself (Go's) has put its own action over ours, past the wrappers: its handler would not stop the thread,
 * and on a thread that is not its own it may end the process.  Where it asks for the alternate stack, its threads' own are too small. */
static void take_back(int sig, struct mpir_image_action *ours) {
  struct mpir_image_action now;

  if (!ours->handler || sys4(SYS_rt_sigaction, sig, NULL, &now, 8) || now.handler == ours->handler)
    return;
  ours->flags |= now.flags & SA_ONSTACK;
  sys4(SYS_rt_sigaction, sig, ours, NULL, 8);
}

void mpir_crs_stop_take_back(void) {
  take_back(crs.stop_signal, &stop_action);
  take_back(crs.hold_signal, &hold_action);
}

void mpir_crs_stop_installed(void) {
  sys4(SYS_rt_sigaction, crs.stop_signal, NULL, &stop_action, 8);
  sys4(SYS_rt_sigaction, crs.hold_signal, NULL, &hold_action, 8);
}

int mpir_crs_stop(unsigned timeout_ms, char *why, size_t size) {
  int64_t deadline = sys_monotonic_ns() + timeout_ms * 1000000ll;
  struct plain_text text = {why, size, 0};
  struct stat st;
  int rc;

  crs.stopped_at_ns = sys_monotonic_ns();
  if (sys2(SYS_stat, "/proc/self/task", &st)) {
    mpir_plain_add(&text, "cannot read /proc/self/task");
    return -EOPNOTSUPP;
  }
  note_main_thread();
  mpir_crs_stop_take_back();
  rc = stop_rounds(deadline);
  if (!rc)
    rc = atomic_load(&crs.abort_code);
  if (rc == -ETIMEDOUT)
    explain_timeout(timeout_ms, &text);
  else if (rc)
    mpir_plain_add(&text, "refused by a callback of the program");
  return rc;
}

unsigned mpir_crs_stopped_threads(void) { return atomic_load(&crs.arrived); }

void mpir_crs_release(int outcome) {
  unsigned left;

  if (crs.main_ended)
    mpir_crs_pending_give(0);
  atomic_fetch_add(&crs.lost_ns, sys_monotonic_ns() - crs.stopped_at_ns);
  atomic_store(&crs.outcome, outcome);
  atomic_store(&crs.stopping, 0);
  atomic_store(&crs.release, atomic_load(&crs.epoch));
  sys_futex_wake(&crs.release);
  while ((left = atomic_load(&crs.left)) != atomic_load(&crs.claimed))
    sys_futex_wait(&crs.left, left, 10000000);
}

int mpir_crs_stop_init(void) {
  struct sigaction action;

  memset(&action, 0, sizeof(action));
  action.sa_sigaction = on_stop;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigfillset(&action.sa_mask);
  crs.pid = (pid_t)sys0(SYS_getpid);
  return sigaction(crs.stop_signal, &action, NULL) ? -errno : 0;
}
