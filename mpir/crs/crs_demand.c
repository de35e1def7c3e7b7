#include "mpir/crs/crs_demand.h"
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_private.h"
#include "mpir/crs/plain.h"
#include "mpir/crs/sys.h"

#define STACK_SIZE (1u << 20)
#define LOCAL_MAX (64u << 10)  /* thread-local data below the thread's descriptor */
#define DESCRIPTOR_SIZE 4096u  /* more than libc's is */
#define DESCRIPTOR_HEAD 0x40u  /* of which this much is the same for all threads: dtv, guards against smashed stacks and pointers */
#define FLAGS                                                                                                                              \
  (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |                 \
   CLONE_CHILD_CLEARTID)

enum demand_state { DEMAND_NEVER, DEMAND_NONE, DEMAND_RUNNING };

static atomic_uint state = DEMAND_NEVER;
static atomic_uint tid CRS_FORKED;       /* of the one that there is; the kernel sets it to 0 when it has left its stack */
static atomic_bool ending;
static void (*serve_all)(void);
static unsigned char *area;   /* stack, thread-local data, descriptor */
static size_t local_size;     /* multiple of 64 */

static uintptr_t thread_pointer(void) {
  uintptr_t at;

  __asm__("movq %%fs:0, %0" : "=r"(at));
  return at;
}

/* The lowest address of the calling thread's data that came with the program. */
static int find_lowest(struct dl_phdr_info *object, size_t size, void *arg) {
  uintptr_t *lowest = arg, at = (uintptr_t)object->dlpi_tls_data;

  (void)size;
  if (at && at < thread_pointer() && thread_pointer() - at < LOCAL_MAX && at < *lowest)
    *lowest = at;
  return 0;
}

/* Under filters of others it is not known whether a thread may be made later. */
static bool is_filtered(void) {
  char status[4096];
  const char *line;

  return mpir_crs_read_file("/proc/thread-self/status", status, sizeof(status)) < 0 || !(line = mpir_plain_line(status, "Seccomp:")) ||
         mpir_plain_dec(&line) != 0;
}

bool mpir_crs_demand_init(void (*serve)(void)) {
  uintptr_t lowest = thread_pointer();

  dl_iterate_phdr(find_lowest, &lowest);
  local_size = (thread_pointer() - lowest + 63) & ~(size_t)63;
  if (local_size > LOCAL_MAX || is_filtered())
    return false;
  area = mmap(NULL, STACK_SIZE + LOCAL_MAX + DESCRIPTOR_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED)
    return false;
  serve_all = serve;
  atomic_store(&state, DEMAND_NONE);
  return true;
}

static int thread_main(void *arg) {
  (void)arg;
  memset(&mpir_crs_self, 0, sizeof(mpir_crs_self));
  serve_all();
  return 0; /* and so out of the kernel's list, without libc */
}

/* As libc would lay it out, from the calling thread's. */
static void *make_descriptor(void) {
  unsigned char *descriptor = area + STACK_SIZE + LOCAL_MAX;
  const unsigned char *own = (const unsigned char *)thread_pointer();

  memcpy(descriptor - local_size, own - local_size, local_size);
  memset(descriptor, 0, DESCRIPTOR_SIZE);
  memcpy(descriptor, own, DESCRIPTOR_HEAD);
  *(void **)(descriptor + 0x00) = descriptor; /* where the thread pointer points to itself, */
  *(void **)(descriptor + 0x10) = descriptor; /* and THREAD_SELF */
  *(int *)(descriptor + 0x18) = 1;            /* it is not alone */
  if (__rseq_size && __rseq_offset > 0 && __rseq_offset + 32 < (ptrdiff_t)DESCRIPTOR_SIZE)
    *(int *)(descriptor + __rseq_offset + 4) = -1; /* not registered */
  return descriptor;
}

static void await_gone(void) {
  unsigned last;

  while ((last = atomic_load(&tid)))
    sys_futex_wait(&tid, last, 1000000);
}

bool mpir_crs_demand_start(void) {
  const int error = errno;
  unsigned none = DEMAND_NONE;
  void *descriptor;
  int rc;

  if (atomic_load(&state) != DEMAND_NONE || sys0(SYS_getpid) != crs.pid || !atomic_compare_exchange_strong(&state, &none, DEMAND_RUNNING))
    return false;
  await_gone();
  descriptor = make_descriptor();
  rc = clone(thread_main, area + STACK_SIZE, FLAGS, NULL, &tid, descriptor, &tid);
  if (rc < 0)
    atomic_store(&state, DEMAND_NONE);
  errno = error;
  return rc >= 0;
}

bool mpir_crs_demand_leave(bool (*is_asked)(void)) {
  unsigned none = DEMAND_NONE;

  crs.helper_tid = 0;
  atomic_store(&state, DEMAND_NONE);
  if (!is_asked() || !atomic_compare_exchange_strong(&state, &none, DEMAND_RUNNING))
    return true;
  crs.helper_tid = (pid_t)sys0(SYS_gettid);
  return false;
}

bool mpir_crs_demand_is_self(void) { return atomic_load(&tid) && atomic_load(&tid) == (unsigned)sys0(SYS_gettid); }

bool mpir_crs_demand_is_ending(void) { return atomic_load(&ending); }

bool mpir_crs_demand_end(void) {
  unsigned before;

  if (atomic_load(&state) == DEMAND_NEVER || atomic_exchange(&ending, true))
    return false;
  do {
    before = DEMAND_NONE;
    if (atomic_compare_exchange_strong(&state, &before, DEMAND_NEVER))
      break;
    if (crs.helper_tid)
      sys3(SYS_tgkill, crs.pid, crs.helper_tid, crs.stop_signal);
    sys_futex_wait(&tid, atomic_load(&tid), 1000000);
  } while (before != DEMAND_NEVER);
  await_gone();
  return true;
}

bool mpir_crs_demand_after_fork(void) {
  atomic_store(&tid, 0);
  if (atomic_load(&state) == DEMAND_RUNNING)
    atomic_store(&state, DEMAND_NONE);
  return atomic_load(&state) == DEMAND_NONE;
}

long mpir_crs_demand_call(const siginfo_t *info, const ucontext_t *frame) {
  const uint64_t told = (uint64_t)(uintptr_t)info->si_value.sival_ptr;

  if (info->si_code != SI_QUEUE || told >> 16 != ((uint64_t)frame->uc_mcontext.gregs[REG_RIP] & 0xffffffffffffull))
    return -1;
  return (long)(told & 0xffff) < 512 ? (long)(told & 0xffff) : -1;
}
