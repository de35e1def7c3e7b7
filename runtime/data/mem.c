#include "runtime/data/mem.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

enum { CLASS_MIN = 4, CLASS_MAX = 16, CHUNK = 1 << 18 };

struct free_block {
  struct free_block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* 0 outside, 1 inside, 2 inside with the lock: a process without threads needs none, and it costs half of a slow path. */
static __thread int inside __attribute__((tls_model("initial-exec")));
static struct free_block *free_lists[CLASS_MAX + 1];
static char *chunk_at, *chunk_end;
static uint64_t mapped, mapped_peak;

bool dvmrt_mem_enter(void) {
  if (inside)
    return false;
  if (__libc_single_threaded) {
    inside = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
  }
  inside = 2;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  pthread_mutex_lock(&lock);
  return true;
}

bool dvmrt_mem_inside(void) { return inside != 0; }

bool dvmrt_mem_alone(void) { return !inside && __libc_single_threaded; }

void dvmrt_mem_leave(void) {
  if (inside == 2)
    pthread_mutex_unlock(&lock);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  inside = 0;
}

static bool mute;

void dvmrt_mem_init(void) { mute = fcntl(2, F_GETFD) < 0; }

void dvmrt_mem_say(const char *text, size_t n) {
  int kept = errno;
  while (n && !mute) {
    ssize_t done = write(2, text, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      break; /* nobody reads: the exit status still tells */
    text += done;
    n -= (size_t)done;
  }
  errno = kept;
}

static void say(const char *text) { dvmrt_mem_say(text, strlen(text)); }

void *dvmrt_mem_map(size_t size) {
  static bool told;
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    if (!told)
      say("dvm: warning: no memory left for checking: some data count as assigned from here on\n");
    told = true;
    return NULL;
  }
  madvise(p, size, MADV_DONTDUMP);
  mapped += size;
  mapped_peak = mapped > mapped_peak ? mapped : mapped_peak;
  return p;
}

uint64_t dvmrt_mem_peak(void) { return mapped_peak; }

void dvmrt_mem_unmap(void *p, size_t size) {
  if (!p)
    return;
  munmap(p, size);
  mapped -= size;
}

static void *map_or_die(size_t size) {
  void *p = dvmrt_mem_map(size);
  if (!p) {
    say("dvm: error: no memory left for the checker's own tables, the program is ended\n");
    _exit(2);
  }
  return p;
}

static unsigned size_class(size_t size) {
  unsigned c = CLASS_MIN;
  while (((size_t)1 << c) < size)
    c++;
  return c;
}

void *dvmrt_mem_alloc(size_t size) {
  unsigned c = size_class(size);
  if (c > CLASS_MAX)
    return map_or_die(size);
  size_t bytes = (size_t)1 << c;
  struct free_block *b = free_lists[c];
  if (b) {
    free_lists[c] = b->next;
    return memset(b, 0, bytes);
  }
  if ((size_t)(chunk_end - chunk_at) < bytes) {
    chunk_at = map_or_die(CHUNK);
    chunk_end = chunk_at + CHUNK;
    madvise(chunk_at, CHUNK, MADV_DODUMP); /* our own tables are small, and a core file without them tells nothing */
  }
  void *p = chunk_at;
  chunk_at += bytes;
  return p;
}

void dvmrt_mem_free(void *p, size_t size) {
  if (!p)
    return;
  unsigned c = size_class(size);
  if (c > CLASS_MAX) {
    dvmrt_mem_unmap(p, size);
    return;
  }
  struct free_block *b = p;
  b->next = free_lists[c];
  free_lists[c] = b;
}

void *dvmrt_mem_grow(void *p, uint32_t *cap, uint32_t need, size_t size) {
  if (need <= *cap)
    return p;
  uint32_t want = *cap ? *cap : 4;
  while (want < need)
    want *= 2;
  void *q = dvmrt_mem_alloc(want * size);
  if (p)
    memcpy(q, p, *cap * size);
  dvmrt_mem_free(p, *cap * size);
  *cap = want;
  return q;
}

char *dvmrt_mem_strndup(const char *s, size_t n) {
  char *p = dvmrt_mem_alloc(n + 1);
  memcpy(p, s, n);
  return p;
}
