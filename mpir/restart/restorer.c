/* The restorer: position-independent, without libc, copied to a free place and entered with a struct restorer_plan.
 * It unmaps everything but its area, maps the image, makes the threads and lets each resume where it was parked.
 * From here on there is no way back: an error is written to the status pipe and the process ends. */
#include "mpir/restart/restorer.h"
#include <asm/prctl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <linux/time.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "mpir/crs/sys.h"
#include "mpir/restart/restorer_confine.h"

#define SELF __attribute__((visibility("hidden")))
#define ADDRESS_END 0x7ffffffff000ull
#define SYS_MSEAL 462
#define RSEQ_UNINITIALIZED 0xffffffffu

#ifndef PR_TIMER_CREATE_RESTORE_IDS
#define PR_TIMER_CREATE_RESTORE_IDS 77
#define PR_TIMER_CREATE_RESTORE_IDS_OFF 0
#define PR_TIMER_CREATE_RESTORE_IDS_ON 1
#endif

SELF void *memset(void *to, int value, size_t size);
SELF void *memcpy(void *to, const void *from, size_t size);

__attribute__((no_builtin)) void *memset(void *to, int value, size_t size) {
  for (size_t i = 0; i < size; i++)
    ((volatile char *)to)[i] = (char)value;
  return to;
}

__attribute__((no_builtin)) void *memcpy(void *to, const void *from, size_t size) {
  for (size_t i = 0; i < size; i++)
    ((volatile char *)to)[i] = ((const char *)from)[i];
  return to;
}

static _Noreturn void fail(const struct restorer_plan *plan, int stage, long code, uint64_t address) {
  struct restorer_status status = {.mark = 'E', .stage = stage, .code = code, .address = (int64_t)address};

  sys3(SYS_write, plan->status_fd, &status, sizeof(status));
  for (;;)
    sys1(SYS_exit_group, 127);
}

static void unmap_all(const struct restorer_plan *plan) {
  uint64_t end = plan->area + plan->area_size;
  long rc;

  for (uint64_t i = 0; i < plan->kernel_map_count; i++) {
    const struct restorer_kernel_map *k = &plan->kernel_maps[i];

    rc = sys5(SYS_mremap, k->from, k->size, k->size, MREMAP_MAYMOVE | MREMAP_FIXED, k->park);
    if (sys_failed(rc))
      fail(plan, RESTORER_MOVE_VDSO, rc, k->from);
  }
  rc = sys2(SYS_munmap, 0, plan->area);
  if (!rc)
    rc = sys2(SYS_munmap, end, ADDRESS_END - end);
  if (rc)
    fail(plan, RESTORER_UNMAP, rc, 0);
}

/* Hints that the kernel of the moment does not know are left out. */
static void give_hints(const struct restorer_region *r) {
  static const struct {
    uint32_t flag, advice;
  } hints[] = {
      {MPIR_MAP_HUGE, MADV_HUGEPAGE},         {MPIR_MAP_NO_HUGE, MADV_NOHUGEPAGE},      {MPIR_MAP_MERGEABLE, MADV_MERGEABLE},
      {MPIR_MAP_SEQUENTIAL, MADV_SEQUENTIAL}, {MPIR_MAP_RANDOM, MADV_RANDOM},           {MPIR_MAP_NO_DUMP, MADV_DONTDUMP},
      {MPIR_MAP_NO_FORK, MADV_DONTFORK},      {MPIR_MAP_WIPE_ON_FORK, MADV_WIPEONFORK},
  };

  for (unsigned i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
    if (r->hints & hints[i].flag)
      sys3(SYS_madvise, r->start, r->size, hints[i].advice);
}

/* When the process's own limits hold again. */
static void lock_all(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->region_count; i++) {
    const struct restorer_region *r = &plan->regions[i];
    long rc = r->lock ? sys3(SYS_mlock2, r->start, r->size, r->lock - 1) : 0;

    if (rc && r->final_prot && r->fd < 0) /* what cannot be read is locked all the same, but the call fails */
      fail(plan, RESTORER_LOCK, rc, r->start);
  }
}

/* The kernel chooses the place of a ring; it may be moved, and the context with it. */
static long map_ring(const struct restorer_region *r) {
  uint64_t context = 0;
  long rc = sys2(SYS_io_setup, r->ring, &context);

  return rc ? rc : sys5(SYS_mremap, context, r->size, r->size, MREMAP_MAYMOVE | MREMAP_FIXED, r->start);
}

static long map_segment(const struct restorer_region *r) {
  const uint64_t read_only = 010000, executable = 0100000; /* SHM_RDONLY, SHM_EXEC */
  const uint64_t flags = (r->prot & PROT_WRITE ? 0 : read_only) | (r->prot & PROT_EXEC ? executable : 0);
  const long rc = sys3(SYS_shmat, r->segment - 1, r->start, flags);

  if (rc == (long)r->start && r->flags)
    sys3(SYS_shmctl, r->segment - 1, 0 /* IPC_RMID */, 0);
  return rc;
}

static long map_one(const struct restorer_region *r) {
  return r->ring ? map_ring(r) : r->segment ? map_segment(r) : sys6(SYS_mmap, r->start, r->size, r->prot, r->flags, r->fd, r->offset);
}

static void map_all(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->region_count; i++) {
    const struct restorer_region *r = &plan->regions[i];
    const long rc = map_one(r);

    if (rc != (long)r->start)
      fail(plan, RESTORER_MAP, rc, r->start);
    give_hints(r);
  }
}

static void read_all(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->read_count; i++) {
    const struct restorer_read *r = &plan->reads[i];

    for (uint64_t at = 0; at < r->size;) {
      long n = sys4(SYS_pread64, plan->image_fd, r->address + at, r->size - at, r->offset + at);

      if (n <= 0)
        fail(plan, RESTORER_READ, n, r->address + at);
      at += (uint64_t)n;
    }
  }
}

static void guard_all(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->guard_count; i++) {
    long rc = sys3(SYS_madvise, plan->guards[i].address, plan->guards[i].length, 102 /* MADV_GUARD_INSTALL */);

    if (rc)
      fail(plan, RESTORER_GUARD, rc, plan->guards[i].address);
  }
}

static void protect_all(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->region_count; i++) {
    const struct restorer_region *r = &plan->regions[i];
    long rc = r->prot == r->final_prot ? 0 : sys3(SYS_mprotect, r->start, r->size, r->final_prot);

    if (rc)
      fail(plan, RESTORER_PROTECT, rc, r->start);
  }
}

static unsigned key_of(const struct restorer_region *r) { return r->hints >> MPIR_MAP_KEY_SHIFT & 15; }

/* The kernel gives keys in turn: those that no memory has are given back. */
static void protect_by_keys(const struct restorer_plan *plan) {
  uint32_t wanted = 0, have = 0;
  long key = 0;

  for (uint64_t i = 0; i < plan->region_count; i++)
    wanted |= (uint32_t)1 << key_of(&plan->regions[i]);
  wanted &= ~(uint32_t)1; /* the key of all other memory */
  while ((have & wanted) != wanted && (key = sys2(SYS_pkey_alloc, 0, 0)) > 0)
    have |= (uint32_t)1 << key;
  for (uint64_t i = 0; i < plan->region_count; i++) {
    const struct restorer_region *r = &plan->regions[i];
    long rc = !key_of(r) ? 0 : have >> key_of(r) & 1 ? sys4(SYS_pkey_mprotect, r->start, r->size, r->final_prot, key_of(r)) : key;

    if (rc)
      fail(plan, RESTORER_KEY, rc, r->start);
  }
  for (unsigned k = 1; k < 16; k++)
    if ((have & ~wanted) >> k & 1)
      sys1(SYS_pkey_free, k);
}

static void register_watched(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->watched_count; i++) {
    struct uffdio_register r = {.range = {plan->watched[i].start, plan->watched[i].size}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    long rc = sys3(SYS_ioctl, plan->info.fault_fd, UFFDIO_REGISTER, &r);

    if (rc)
      fail(plan, RESTORER_REGISTER, rc, plan->watched[i].start);
  }
}

static void place_kernel_maps(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->kernel_map_count; i++) {
    const struct restorer_kernel_map *k = &plan->kernel_maps[i];
    long rc = sys5(SYS_mremap, k->park, k->size, k->size, MREMAP_MAYMOVE | MREMAP_FIXED, k->to);

    if (sys_failed(rc))
      fail(plan, RESTORER_PLACE_VDSO, rc, k->to);
  }
}

static void memory_layout(const struct restorer_plan *plan) {
  struct prctl_mm_map memory = plan->memory;
  long rc = sys5(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, &memory, sizeof(memory), 0);

  if (rc && memory.exe_fd != (uint32_t)-1) { /* the link to the program is a comfort of debuggers, no more */
    memory.exe_fd = (uint32_t)-1;
    rc = sys5(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, &memory, sizeof(memory), 0);
  }
  if (rc)
    fail(plan, RESTORER_MEMORY_LAYOUT, rc, memory.brk);
}

static void register_rseq(const struct restorer_plan *plan, const struct mpir_image_thread *thread) {
  uint32_t *area = (uint32_t *)thread->rseq; /* cpu_id_start, cpu_id, rseq_cs (8 bytes), flags ... */
  long rc;

  if (!area || !plan->rseq_length)
    return;
  area[0] = 0;
  area[1] = RSEQ_UNINITIALIZED;
  area[2] = area[3] = 0;
  rc = sys4(SYS_rseq, area, plan->rseq_length, 0, plan->rseq_signature);
  if (rc)
    fail(plan, RESTORER_RSEQ, rc, thread->rseq);
}

/* A policy other than the usual one needs CAP_SYS_NICE or a limit; whoever relies on it must not run without. */
static void set_scheduling(const struct restorer_plan *plan, const struct mpir_image_thread *thread) {
  const uint32_t policy = (uint32_t)(thread->scheduling[0] >> 32);
  long rc = policy || thread->scheduling[1] ? sys3(SYS_sched_setattr, 0, thread->scheduling, 0) : 0;

  if (rc && policy)
    fail(plan, RESTORER_SCHEDULING, rc, (uint64_t)thread->tid);
  if (rc || !policy)
    sys3(SYS_setpriority, 0, 0, thread->nice);
  if (thread->io_priority)
    sys3(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, thread->io_priority);
}

/* The main thread had ended: it ends, with nobody to tell.  What the process has from it the others have got. */
static _Noreturn void end_again(const struct restorer_plan *plan) {
  sys1(SYS_set_tid_address, 0);
  sys2(SYS_prctl, PR_SET_NAME, plan->threads[0].name);
  if (mpir_restorer_credentials(plan, &plan->credentials[0]))
    fail(plan, RESTORER_CREDENTIALS, -1, (uint64_t)plan->threads[0].tid);
  for (;;)
    sys1(SYS_exit, 0);
}

/* The calling thread becomes 'thread' and goes back to where that was parked; mpir_context_save returns 1 there. */
static _Noreturn void become(const struct restorer_plan *plan, const struct mpir_image_thread *thread) {
  const struct mpir_context *c = &thread->context;
  long rc;

  sys2(SYS_arch_prctl, ARCH_SET_FS, thread->fs_base);
  sys2(SYS_arch_prctl, ARCH_SET_GS, thread->gs_base);
  sys1(SYS_set_tid_address, thread->clear_tid);
  sys2(SYS_set_robust_list, thread->robust_list, thread->robust_length);
  register_rseq(plan, thread);
  sys2(SYS_prctl, PR_SET_NAME, thread->name);
  sys3(SYS_sched_setaffinity, 0, sizeof(thread->affinity), thread->affinity);
  set_scheduling(plan, thread);
  sys2(SYS_prctl, PR_SET_TIMERSLACK, thread->timer_slack_ns);
  if (mpir_restorer_credentials(plan, &plan->credentials[thread - plan->threads]))
    fail(plan, RESTORER_CREDENTIALS, -1, (uint64_t)thread->tid);
  sys5(SYS_prctl, PR_SET_DUMPABLE, plan->dumpable, 0, 0, 0); /* changes of credentials take it away */
  if (plan->parent_death_signals)
    sys2(SYS_prctl, PR_SET_PDEATHSIG, thread->parent_death_signal);
  rc = mpir_restorer_filters(plan, &plan->credentials[thread - plan->threads]); /* the last calls: filters may permit none of the others */
  if (rc)
    fail(plan, RESTORER_FILTER, rc, (uint64_t)thread->tid);
  __asm__ volatile("movq 0(%0), %%rbx\n\t"
                   "movq 8(%0), %%rbp\n\t"
                   "movq 16(%0), %%r12\n\t"
                   "movq 24(%0), %%r13\n\t"
                   "movq 32(%0), %%r14\n\t"
                   "movq 40(%0), %%r15\n\t"
                   "movq 48(%0), %%rsp\n\t"
                   "movl $1, %%eax\n\t"
                   "jmpq *56(%0)"
                   :
                   : "c"(c)
                   : "memory");
  __builtin_unreachable();
}

SELF _Noreturn void mpir_restorer_thread(const struct restorer_plan *plan, const struct mpir_image_thread *thread);
_Noreturn void mpir_restorer_thread(const struct restorer_plan *plan, const struct mpir_image_thread *thread) { become(plan, thread); }

/* clone3; the new thread has an empty stack, so it goes straight on to mpir_restorer_thread. */
static long clone_thread(const struct restorer_plan *plan, const struct mpir_image_thread *thread, struct clone_args *args) {
  register const void *p __asm__("r12") = plan;
  register const void *t __asm__("r13") = thread;
  long ret;

  __asm__ volatile("syscall\n\t"
                   "testq %%rax, %%rax\n\t"
                   "jnz 1f\n\t"
                   "movq %%r12, %%rdi\n\t"
                   "movq %%r13, %%rsi\n\t"
                   "xorl %%ebp, %%ebp\n\t"
                   "call mpir_restorer_thread\n\t"
                   "1:"
                   : "=a"(ret)
                   : "a"(SYS_clone3), "D"(args), "S"(sizeof(*args)), "r"(p), "r"(t)
                   : "rcx", "r11", "memory");
  return ret;
}

static void make_threads(const struct restorer_plan *plan) {
  for (uint64_t i = 1; i < plan->thread_count; i++) {
    const struct mpir_image_thread *thread = &plan->threads[i];
    int32_t tid = thread->tid;
    struct clone_args args;
    long rc;

    memset(&args, 0, sizeof(args));
    args.flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
    args.tls = thread->fs_base;
    args.stack = plan->stacks + i * RESTORER_STACK;
    args.stack_size = RESTORER_STACK;
    args.set_tid = (uint64_t)&tid;
    args.set_tid_size = 1;
    rc = clone_thread(plan, thread, &args);
    if (rc != thread->tid)
      fail(plan, RESTORER_THREAD, rc, (uint64_t)thread->tid);
  }
}

static long timer_create_as(const struct mpir_image_timer *timer) {
  struct {
    uint64_t value;
    int32_t signo, notify, tid, pad[11];
  } event; /* struct sigevent of the kernel: 64 bytes */
  int32_t id = timer->id;
  long rc;

  memset(&event, 0, sizeof(event));
  event.value = timer->value;
  event.signo = timer->signo;
  event.notify = timer->notify;
  event.tid = timer->tid;
  rc = sys5(SYS_prctl, PR_TIMER_CREATE_RESTORE_IDS, PR_TIMER_CREATE_RESTORE_IDS_ON, 0, 0, 0);
  if (!rc) {
    rc = sys3(SYS_timer_create, timer->clock, &event, &id);
    sys5(SYS_prctl, PR_TIMER_CREATE_RESTORE_IDS, PR_TIMER_CREATE_RESTORE_IDS_OFF, 0, 0, 0);
    return rc;
  }
  do { /* older kernels give numbers in ascending order: take and drop until it is ours */
    if ((rc = sys3(SYS_timer_create, timer->clock, &event, &id)))
      return rc;
    if (id != timer->id)
      sys1(SYS_timer_delete, id);
  } while (id < timer->id);
  return id == timer->id ? 0 : -17 /* EEXIST */;
}

static void set_timers(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->timer_count; i++) {
    const struct mpir_image_timer *timer = &plan->timers[i];
    int64_t setting[4] = {timer->interval_ns / 1000000000, timer->interval_ns % 1000000000, timer->left_ns / 1000000000,
                          timer->left_ns % 1000000000};
    long rc = timer_create_as(timer);

    if (!rc && timer->left_ns)
      rc = sys4(SYS_timer_settime, timer->id, 0, setting, NULL);
    if (rc)
      fail(plan, RESTORER_TIMER, rc, (uint64_t)timer->id);
  }
  for (int i = 0; i < 3; i++)
    sys3(SYS_setitimer, i, plan->itimers[i], NULL);
}

static void set_memory_rules(const struct restorer_plan *plan) {
  for (uint64_t i = 0; i < plan->region_count; i++) {
    const struct restorer_region *r = &plan->regions[i];
    long rc = r->hints & MPIR_MAP_SEALED ? sys3(SYS_MSEAL, r->start, r->size, 0) : 0;

    if (rc)
      fail(plan, RESTORER_SEAL, rc, r->start);
  }
  if (plan->no_exec_gain)
    sys5(SYS_prctl, 65 /* PR_SET_MDWE */, plan->no_exec_gain, 0, 0, 0);
  for (uint32_t bit = 1; bit; bit <<= 1)
    if (plan->barriers & bit)
      sys3(SYS_membarrier, bit, 0, 0);
}

SELF _Noreturn void mpir_restorer_main(const struct restorer_plan *plan);
_Noreturn void mpir_restorer_main(const struct restorer_plan *plan) {
  unmap_all(plan);
  sys5(SYS_prctl, PR_SET_THP_DISABLE, plan->no_huge_pages, 0, 0, 0);
  map_all(plan);
  read_all(plan);
  guard_all(plan);
  protect_all(plan);
  protect_by_keys(plan);
  register_watched(plan);
  place_kernel_maps(plan);
  memory_layout(plan);
  memcpy((void *)plan->restart_info, &plan->info, sizeof(plan->info));
  for (uint64_t i = 0; i < plan->close_count; i++)
    sys1(SYS_close, plan->close_fds[i]);
  for (int i = 0; i < 16 && plan->restore_limits; i++)
    sys4(SYS_prlimit64, 0, i, plan->rlimits[i], NULL);
  lock_all(plan);
  sys5(SYS_prctl, PR_SET_CHILD_SUBREAPER, plan->subreaper, 0, 0, 0);
  set_memory_rules(plan);
  make_threads(plan);
  set_timers(plan);
  if (!plan->threads[0].context.rip)
    end_again(plan);
  become(plan, &plan->threads[0]);
}
