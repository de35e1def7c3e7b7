/* Pending signals: taken out of the kernel when the threads stand, given back when they go on, in this life or another. */
#include <errno.h>
#include <string.h>
#include "mpir/crs/crs_private.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

static uint64_t signal_bit(int sig) { return 1ull << (sig - 1); }

/* Room for one more pending signal, or NULL. */
static struct crs_pending *pending_slot(pid_t tid) {
  int i = atomic_fetch_add(&crs.pending_count, 1);

  if (i < CRS_PENDING_MAX) {
    crs.pending[i].tid = tid;
    crs.pending[i].info.si_signo = 0;
    return &crs.pending[i];
  }
  atomic_fetch_sub(&crs.pending_count, 1);
  atomic_store(&crs.pending_lost, 1);
  return NULL;
}

/* Takes one signal of 'set' out of the kernel into the state. */
static bool pending_take_one(pid_t tid, uint64_t set) {
  static const struct timespec now;
  struct crs_pending *slot = pending_slot(tid);

  if (!slot || sys4(SYS_rt_sigtimedwait, &set, &slot->info, &now, 8) > 0)
    return slot != NULL;
  slot->info.si_signo = 0;
  return false;
}

/* A thread's own pending signals as /proc tells them; sigpending(2) mixes them with the process's.  Without the lock of descriptors: the helper,
 * which waits for this thread to stand, has it. */
static uint64_t pending_of(pid_t tid) {
  char path[64], status[4096];
  struct plain_text t = PLAIN_TEXT(path);
  const char *line;

  mpir_plain_add(&t, "/proc/self/task/");
  mpir_plain_add_dec(&t, tid);
  mpir_plain_add(&t, "/status");
  if (mpir_plain_read_file(path, status, sizeof(status)) < 0 || !(line = mpir_plain_line(status, "SigPnd:")))
    return 0;
  return mpir_plain_hex(&line) & ~signal_bit(crs.stop_signal);
}

/* By the thread itself.  Looks again after each: what the process has of the same number is not to be taken with it. */
void mpir_crs_pending_take_own(pid_t tid) {
  uint64_t set;

  while ((set = pending_of(tid)) && pending_take_one(tid, set))
    ;
}

/* By the helper, which blocks all signals and has none of its own but the one that wakes it. */
bool mpir_crs_pending_take_process(void) {
  uint64_t set = 0;

  sys2(SYS_rt_sigpending, &set, 8);
  set &= ~signal_bit(crs.stop_signal);
  if (!set)
    return false;
  while (pending_take_one(0, set))
    ;
  return true;
}

/* For the process, by another than the main thread: with the sender's number if the kernel lets us, else with ours. */
static void give_to_process(const siginfo_t *info) {
  if (sys3(SYS_rt_sigqueueinfo, crs.pid, info->si_signo, info) == -EPERM)
    sys2(SYS_kill, crs.pid, info->si_signo);
}

/* Queues them again.  The kernel lets only the thread itself do so with the original origin codes: the main thread for
 * those of the process. */
void mpir_crs_pending_give(pid_t tid) {
  int n = atomic_load(&crs.pending_count);

  for (int i = 0; i < n; i++) {
    siginfo_t *info = &crs.pending[i].info;

    if (crs.pending[i].tid != tid || !info->si_signo)
      continue;
    if (tid)
      sys4(SYS_rt_tgsigqueueinfo, crs.pid, tid, info->si_signo, info);
    else
      give_to_process(info);
    info->si_signo = 0;
  }
}

/* Asks the thread, since nobody else can take its signals. */
static void ask_to_take(struct crs_record *record) {
  atomic_store(&record->take, 1);
  while (atomic_load(&record->take)) {
    sys_futex_wake(&crs.release);
    sys_futex_wait(&record->take, 1, 1000000);
  }
}

static bool thread_takes(pid_t tid, int sig) {
  struct crs_record *record = crs.records, *end = record + mpir_crs_stopped_threads();

  if (!(pending_of(tid) & signal_bit(sig)))
    return false;
  while (record < end && record->image.tid != tid)
    record++;
  if (record == end)
    return false;
  ask_to_take(record);
  return true;
}

void mpir_crs_pending_take_late(void) {
  for (unsigned i = 0; i < mpir_crs_stopped_threads(); i++)
    if (pending_of(crs.records[i].image.tid))
      ask_to_take(&crs.records[i]);
  mpir_crs_pending_take_process();
}

bool mpir_crs_pending_take(const struct mpir_image_timer *timers, unsigned count) {
  bool any = mpir_crs_pending_take_process();

  for (unsigned i = 0; i < count; i++)
    if ((timers[i].notify & 4 /* SIGEV_THREAD_ID */) && thread_takes(timers[i].tid, timers[i].signo))
      any = true;
  return any && !atomic_load(&crs.pending_lost);
}
