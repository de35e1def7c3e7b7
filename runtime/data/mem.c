#include "runtime/data/mem.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CLASS_MIN = 4, CLASS_MAX = 16, CHUNK = 1 << 18 };

struct free_block {
  struct free_block *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__thread int dvmrt_mem_state __attribute__((tls_model("initial-exec")));
static struct free_block *free_lists[CLASS_MAX + 1];
static char *chunk_at, *chunk_end;
static uint64_t mapped, mapped_peak;

bool dvmrt_mem_enter_shared(void) {
  if (dvmrt_mem_state)
    return false;
  dvmrt_mem_state = 2;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  pthread_mutex_lock(&lock);
  return true;
}

void dvmrt_mem_leave_shared(void) {
  pthread_mutex_unlock(&lock);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  dvmrt_mem_state = 0;
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

void dvmrt_mem_scarce(void) {
  static bool told;
  if (!told)
    say("dvm: warning: no memory left for checking: some data count as assigned from here on\n");
  told = true;
}

void *dvmrt_mem_map(size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) {
    dvmrt_mem_scarce();
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

/* A limit to the size of files would end the program. */
static bool may_write_file(size_t size) {
  struct rlimit limit;
  return !getrlimit(RLIMIT_FSIZE, &limit) && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size);
}

int dvmrt_mem_file(const char *name, const void *page, size_t times) {
  enum { PAGE = 4096 };
  int kept = errno, fd = may_write_file(times * PAGE) ? memfd_create(name, MFD_CLOEXEC) : -1;
  for (size_t i = 0; fd >= 0 && i < times; i++)
    if (write(fd, page, PAGE) != PAGE) {
      close(fd);
      fd = -1;
    }
  errno = kept;
  return fd;
}

enum { PAGE_WORDS = 4096 / 8 };

static size_t words_on_page(uintptr_t from, size_t n) {
  size_t rest = PAGE_WORDS - from / 8 % PAGE_WORDS;
  return rest < n ? rest : n;
}

/* Of memory that is not ours, with whatever a sanitizer has put there. */
__attribute__((no_sanitize("address", "thread", "undefined"))) static void copy_words(uint64_t *to, const uint64_t *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] = ((const volatile uint64_t *)from)[i];
}

/* Where nobody else can unmap a page behind the question, which costs a tenth of a copy by the kernel, or where a filter of system calls refuses to copy.
 * The kernel reads the set before it sees that 'how' is none. */
static size_t read_by_hand(uint64_t *to, uintptr_t from, size_t n) {
  for (size_t i = 0, some; i < n; i += some) {
    const void *p = (const void *)(from + i * 8);
    if (syscall(SYS_rt_sigprocmask, ~0, p, NULL, 8) < 0 && errno == EFAULT)
      return i;
    some = words_on_page(from + i * 8, n - i);
    copy_words(to + i, p, some);
  }
  return n;
}

/* One piece per page: what lies before a page that cannot be read is copied for certain. */
size_t dvmrt_mem_read(uint64_t *to, uintptr_t from, size_t n) {
  enum { PIECES = 8 };
  int kept = errno;
  size_t done = 0;
  if (__libc_single_threaded) {
    done = read_by_hand(to, from, n);
    errno = kept;
    return done;
  }
  for (ssize_t want = 0, got = 0; done < n && got == want; done += (size_t)got / 8) {
    struct iovec piece[PIECES], all = {to + done, 0};
    unsigned k = 0;
    for (size_t at = done, size; k < PIECES && at < n; k++, at += size) {
      size = words_on_page(from + at * 8, n - at);
      piece[k] = (struct iovec){(void *)(from + at * 8), size * 8};
      all.iov_len += size * 8;
    }
    want = (ssize_t)all.iov_len;
    got = process_vm_readv(getpid(), &all, 1, piece, k, 0);
    if (got < 0 && errno != EFAULT)
      got = (ssize_t)read_by_hand(to + done, from + done * 8, (size_t)want / 8) * 8;
    if (got < 0)
      break;
  }
  errno = kept;
  return done;
}

static void *map_or_die(size_t size) {
  void *p = dvmrt_mem_map(size);
  if (!p) {
    say("dvm: error: no memory left for the checker's own tables; ending the program\n");
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
