/* Memory and mutual exclusion of the runtime.  malloc is never called: the checked program may have been interrupted inside
 * it, may have replaced it, and the replacement may be instrumented. */
#ifndef DVMRT_MEM_H
#define DVMRT_MEM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/single_threaded.h>

/* 0 outside, 1 inside, 2 inside with the lock: a process without threads needs none, and it costs half of a slow path. */
extern __thread int dvmrt_mem_state __attribute__((tls_model("initial-exec")));
bool dvmrt_mem_enter_shared(void);
void dvmrt_mem_leave_shared(void);

/* Enters the runtime's own code on this thread and takes the lock.  False: the thread is inside already (a signal handler
 * or a hook that we called has come back to us); then nothing may be changed and dvmrt_mem_leave not be called. */
static inline bool dvmrt_mem_enter(void) {
  if (dvmrt_mem_state || !__libc_single_threaded)
    return dvmrt_mem_enter_shared();
  dvmrt_mem_state = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return true;
}
static inline void dvmrt_mem_leave(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (dvmrt_mem_state == 2)
    dvmrt_mem_leave_shared();
  else
    dvmrt_mem_state = 0;
}
static inline bool dvmrt_mem_inside(void) { return dvmrt_mem_state != 0; }
/* The process has one thread, and it is not inside: what is read without dvmrt_mem_enter does not change. */
static inline bool dvmrt_mem_alone(void) { return !dvmrt_mem_state && __libc_single_threaded; }
/* dvmrt_mem_enter and dvmrt_mem_leave where that has been asked. */
static inline void dvmrt_mem_enter_alone(void) {
  dvmrt_mem_state = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void dvmrt_mem_leave_alone(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  dvmrt_mem_state = 0;
}

/* Zeroed memory; inside dvmrt_mem_enter only.  Never NULL: without memory for its own tables the runtime says so and ends
 * the program with status 2. */
void *dvmrt_mem_alloc(size_t size);
void dvmrt_mem_free(void *p, size_t size);
/* Doubles an array of '*cap' elements of 'size' bytes until it holds 'need'. */
void *dvmrt_mem_grow(void *p, uint32_t *cap, uint32_t need, size_t size);
char *dvmrt_mem_strndup(const char *s, size_t n);

/* Writes to standard error, all of it.  Nothing if that was closed when the process started: what is open there now is a file
 * of the program.  async-signal-safe */
void dvmrt_mem_say(const char *text, size_t n);
/* At the start of the process. */
void dvmrt_mem_init(void);

/* Pages straight from the kernel, zero, left out of core dumps.  NULL when there are none: callers that keep words go on
 * without (the data count as assigned); the first failure is told once. */
void *dvmrt_mem_map(size_t size);
/* Tells that, at the first time. */
void dvmrt_mem_scarce(void);
void dvmrt_mem_unmap(void *p, size_t size);
/* A file without a name of 'times' times the page at 'page', for private mappings; -1: none is to be had. */
int dvmrt_mem_file(const char *name, const void *page, size_t times);
/* Copies 'n' words from 'from', a multiple of 8, as far as they can be read, whatever the address is; returns the words copied.
 * Costs a short system call for every page, or, where there are threads, a long one for every few. */
size_t dvmrt_mem_read(uint64_t *to, uintptr_t from, size_t n);
/* The most bytes that were mapped at one time, own tables included. */
uint64_t dvmrt_mem_peak(void);
#endif
