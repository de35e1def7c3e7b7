/* The program's allocations: what was asked for, exactly, since the shape of an array behind a pointer follows from it and must be the same
 * on all ranks (what malloc gives may be larger, by chance). */
#include "runtime/parallel/array.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/plan.h"
#include "runtime/export.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

/* Open addressing; a removed entry keeps its place (size GONE) until the table is made anew. */
struct entry {
  uintptr_t at;
  size_t size;
};
#define GONE ((size_t)-1)
static struct entry *table;
static size_t room, used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry *find(uintptr_t at) {
  size_t i = (at >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (room - 1);
  while (table[i].at && table[i].at != at)
    i = (i + 1) & (room - 1);
  return &table[i];
}

static bool grow(void) {
  struct entry *old = table;
  size_t n = room, live = 0;
  for (size_t i = 0; i < n; i++)
    live += old[i].at && old[i].size != GONE;
  room = 1024;
  while (room < 4 * live)
    room *= 2;
  table = calloc(room, sizeof(*table));
  if (!table) {
    table = old;
    room = n;
    return false;
  }
  used = 0;
  for (size_t i = 0; i < n; i++)
    if (old[i].at && old[i].size != GONE) {
      *find(old[i].at) = old[i];
      used++;
    }
  free(old);
  return true;
}

static void *note(void *p, size_t size) {
  if (!p)
    return p;
  pthread_mutex_lock(&lock);
  if (2 * (used + 1) < room || grow()) {
    struct entry *e = find((uintptr_t)p);
    used += !e->at;
    *e = (struct entry){(uintptr_t)p, size};
  }
  pthread_mutex_unlock(&lock);
  return p;
}

static void drop(void *p) {
  if (!p)
    return;
  pthread_mutex_lock(&lock);
  if (table && find((uintptr_t)p)->at)
    find((uintptr_t)p)->size = GONE;
  pthread_mutex_unlock(&lock);
  struct dvmp_array *a = dvmp_array_at((uintptr_t)p);
  if (a && a->address == (uintptr_t)p)
    dvmp_array_forget((uintptr_t)p, 1);
}

uint64_t dvmp_plan_heap_size(uintptr_t address) {
  pthread_mutex_lock(&lock);
  const struct entry *e = table ? find(address) : NULL;
  uint64_t size = e && e->at && e->size != GONE ? e->size : 0;
  pthread_mutex_unlock(&lock);
  if (size)
    return size;
  int64_t least = (int64_t)malloc_usable_size((void *)address); /* another object's: at most so many bytes on each rank */
  dvmp_job_combine(&least, 1, 'm', 'i', 8, NULL);
  return (uint64_t)least;
}

DVMRT_EXPORT void *__dvmp_malloc(size_t n);
void *__dvmp_malloc(size_t n) { return note(malloc(n), n); }

DVMRT_EXPORT void *__dvmp_calloc(size_t n, size_t size);
void *__dvmp_calloc(size_t n, size_t size) { return note(calloc(n, size), n * size); }

DVMRT_EXPORT void *__dvmp_aligned_alloc(size_t alignment, size_t n);
void *__dvmp_aligned_alloc(size_t alignment, size_t n) { return note(aligned_alloc(alignment, n), n); }

DVMRT_EXPORT int __dvmp_posix_memalign(void **to, size_t alignment, size_t n);
int __dvmp_posix_memalign(void **to, size_t alignment, size_t n) {
  int result = posix_memalign(to, alignment, n);
  if (!result)
    note(*to, n);
  return result;
}

DVMRT_EXPORT void __dvmp_free(void *p);
void __dvmp_free(void *p) {
  drop(p);
  free(p);
}

DVMRT_EXPORT void *__dvmp_realloc(void *p, size_t n);
void *__dvmp_realloc(void *p, size_t n) {
  drop(p);
  return note(realloc(p, n), n);
}
