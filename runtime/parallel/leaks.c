#include "runtime/parallel/leaks.h"
#include "runtime/parallel/guard.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Of the sanitizer's library, which is in the program. */
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));
int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void *, size_t), void (*freed)(const volatile void *))
    __attribute__((weak));

static bool pausing; /* other threads that allocate now are MPI's */
static pthread_t pauses;

static void allocated(const volatile void *p, size_t n) {
  (void)p;
  (void)n;
  if (__atomic_load_n(&pausing, __ATOMIC_ACQUIRE) && !pthread_equal(pthread_self(), pauses))
    __lsan_disable();
}

static void freed(const volatile void *p) { (void)p; }

void dvmp_leaks_pause(void) {
  if (!__lsan_disable || !__lsan_enable)
    return;
  __lsan_disable();
  pauses = pthread_self();
  if (__sanitizer_install_malloc_and_free_hooks)
    __sanitizer_install_malloc_and_free_hooks(allocated, freed);
  __atomic_store_n(&pausing, true, __ATOMIC_RELEASE);
}

void dvmp_leaks_resume(void) {
  if (!__atomic_exchange_n(&pausing, false, __ATOMIC_RELAXED))
    return;
  __lsan_enable();
}

static int keep(struct dl_phdr_info *object, size_t size, void *arg) {
  (void)size;
  (void)arg;
  if (object->dlpi_name && *object->dlpi_name)
    dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  return 0;
}

void dvmp_leaks_end(void) {
  if (!__lsan_disable)
    return;
  for (struct dvmp_array *a = dvmp_array_first(); a; a = a->next)
    dvmp_guard_drop(a);
  dl_iterate_phdr(keep, NULL);
}
