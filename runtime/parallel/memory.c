/* The program's allocations: what was asked for, exactly, since the shape of an array behind a pointer follows from it and must be the same
 * on all ranks (what malloc gives may be larger, by chance). */
#include "runtime/parallel/array.h"
#include "runtime/parallel/emit.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/plan.h"
#include "runtime/parallel/poison.h"
#include "runtime/export.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Open addressing; a removed entry keeps its place (size GONE) until the table is made anew.  For leak checkers addresses are not to be found here. */
struct entry {
  uintptr_t not_at; /* the address, inverted; 0: empty */
  size_t size;
  bool mapped; /* not the C library's */
};
#define GONE ((size_t)-1)
static struct entry *table;
static size_t room, used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uintptr_t address_of(const struct entry *e) { return ~e->not_at; }

static struct entry *find(uintptr_t at) {
  size_t i = (at >> 4) * 0x9e3779b97f4a7c15ull >> 32 & (room - 1);
  while (table[i].not_at && address_of(&table[i]) != at)
    i = (i + 1) & (room - 1);
  return &table[i];
}

static bool grow(void) {
  struct entry *old = table;
  size_t n = room, live = 0;
  for (size_t i = 0; i < n; i++)
    live += old[i].not_at && old[i].size != GONE;
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
    if (old[i].not_at && old[i].size != GONE) {
      *find(address_of(&old[i])) = old[i];
      used++;
    }
  free(old);
  return true;
}

static void *note(void *p, size_t size, bool mapped) {
  if (!p)
    return p;
  pthread_mutex_lock(&lock);
  if (2 * (used + 1) < room || grow()) {
    struct entry *e = find((uintptr_t)p);
    used += !e->not_at;
    *e = (struct entry){~(uintptr_t)p, size, mapped};
  }
  pthread_mutex_unlock(&lock);
  return p;
}

/* Its size if it was mapped, else 0. */
static size_t drop(void *p) {
  struct entry e = {0, 1, false};
  if (!p)
    return 0;
  pthread_mutex_lock(&lock);
  if (table && find((uintptr_t)p)->not_at) {
    e = *find((uintptr_t)p);
    find((uintptr_t)p)->size = GONE;
  }
  pthread_mutex_unlock(&lock);
  if (e.size == GONE)
    e = (struct entry){0, 1, false};
  dvmp_array_forget((uintptr_t)p, e.size);
  return e.mapped ? e.size : 0;
}

/* What is larger than the memory may still be an array of which each rank touches a part. */
static void *map(size_t n) {
  void *p = n < PTRDIFF_MAX ? mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) : MAP_FAILED;
  return p == MAP_FAILED ? NULL : p;
}

/* Given by malloc and its like; where that has failed, mapped. */
static void *give(void *p, size_t n) {
  bool mapped = !p && n >= 1 << 20 && dvmp_job.size > 1;
  if (mapped && (p = map(n)))
    errno = 0;
  return note(p, n, mapped);
}

uint64_t dvmp_plan_heap_size(uintptr_t address) {
  pthread_mutex_lock(&lock);
  const struct entry *e = table ? find(address) : NULL;
  uint64_t size = e && e->not_at && e->size != GONE ? e->size : 0;
  pthread_mutex_unlock(&lock);
  if (size)
    return size;
  int64_t least = (int64_t)malloc_usable_size((void *)address); /* another object's: at most so many bytes on each rank */
  dvmp_job_combine(&least, 1, 'm', 'i', 8, NULL);
  return (uint64_t)least;
}

/* The block in which the address lies. Blocks that another object has freed are still here: the nearest one counts. */
static const struct entry *around(uintptr_t address) {
  const struct entry *e = table ? find(address) : NULL, *found = NULL;
  if (e && e->not_at && e->size != GONE)
    return e;
  for (size_t i = 0; i < room; i++)
    if (table[i].not_at && table[i].size != GONE && address_of(&table[i]) <= address && address - address_of(&table[i]) < table[i].size &&
        (!found || address_of(&table[i]) > address_of(found)))
      found = &table[i];
  return found;
}

uint64_t dvmp_plan_heap_left(uintptr_t address) {
  pthread_mutex_lock(&lock);
  const struct entry *e = around(address);
  uint64_t left = e ? address_of(e) + e->size - address : 0;
  pthread_mutex_unlock(&lock);
  return left;
}

/* What nobody assigns would differ from run to run: it begins as zeros in a run that is recorded, as in the sequential one. */
static void *begin_as(void *p, size_t n) {
  if (p && dvmp_job.poison)
    memset(p, DVMP_POISON_BYTE, n);
  else if (p && dvmp_emit_wanted() && n <= DVMT_CLEARED)
    memset(p, 0, n);
  return p;
}

DVMRT_EXPORT void *__dvmp_malloc(size_t n);
void *__dvmp_malloc(size_t n) { return begin_as(give(malloc(n), n), n); }

DVMRT_EXPORT void *__dvmp_calloc(size_t n, size_t size);
void *__dvmp_calloc(size_t n, size_t size) {
  void *p = calloc(n, size);
  return size && n > SIZE_MAX / size ? p : give(p, n * size);
}

DVMRT_EXPORT void *__dvmp_aligned_alloc(size_t alignment, size_t n);
void *__dvmp_aligned_alloc(size_t alignment, size_t n) { return begin_as(note(aligned_alloc(alignment, n), n, false), n); }

DVMRT_EXPORT int __dvmp_posix_memalign(void **to, size_t alignment, size_t n);
int __dvmp_posix_memalign(void **to, size_t alignment, size_t n) {
  int result = posix_memalign(to, alignment, n);
  if (!result)
    begin_as(note(*to, n, false), n);
  return result;
}

DVMRT_EXPORT void __dvmp_free(void *p);
void __dvmp_free(void *p) {
  size_t mapped = drop(p);
  if (mapped)
    munmap(p, mapped);
  else
    free(p);
}

DVMRT_EXPORT void *__dvmp_realloc(void *p, size_t n);
void *__dvmp_realloc(void *p, size_t n) {
  size_t mapped = drop(p);
  if (!mapped)
    return give(realloc(p, n), n);
  void *q = mremap(p, mapped, n, MREMAP_MAYMOVE);
  return q == MAP_FAILED ? note(p, mapped, true), NULL : note(q, n, true);
}
