#include "runtime/trace/ring.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Between processes, so not private.  Waits while *word == seen. */
static void futex_wait(_Atomic uint32_t *word, uint32_t seen, int timeout_ms) {
  struct timespec t = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
  syscall(SYS_futex, word, FUTEX_WAIT, seen, &t, NULL, 0);
}
static void futex_wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0); }

int dvmt_ring_create(struct dvmt_ring **ring) {
  int fd = memfd_create("dvm-trace", 0);
  if (fd < 0)
    return -errno;
  void *p = ftruncate(fd, sizeof(struct dvmt_ring)) ? MAP_FAILED
                                                    : mmap(NULL, sizeof(struct dvmt_ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED) {
    int rc = -errno;
    close(fd);
    return rc;
  }
  *ring = p;
  (*ring)->magic = DVMT_RING_MAGIC;
  (*ring)->collector = (uint32_t)getpid();
  return fd;
}

bool dvmt_ring_wait(struct dvmt_ring *ring, int timeout_ms) {
  uint32_t head = atomic_load(&ring->head);
  if (head == atomic_load(&ring->tail))
    futex_wait(&ring->head, head, timeout_ms);
  return atomic_load(&ring->head) != atomic_load(&ring->tail);
}

const uint64_t *dvmt_ring_take(struct dvmt_ring *ring, size_t *words) {
  uint32_t tail = atomic_load(&ring->tail);
  if (atomic_load(&ring->head) == tail)
    return NULL;
  size_t used = ring->used[tail % DVMT_RING_CHUNKS];
  *words = (used < DVMT_RING_CHUNK ? used : DVMT_RING_CHUNK) / 8;
  return (const uint64_t *)(const void *)ring->chunk[tail % DVMT_RING_CHUNKS];
}

void dvmt_ring_give_back(struct dvmt_ring *ring) {
  uint32_t tail = atomic_load(&ring->tail);
  memset(ring->chunk[tail % DVMT_RING_CHUNKS], 0, DVMT_RING_CHUNK);
  atomic_store(&ring->tail, tail + 1);
  futex_wake(&ring->tail);
}

const uint64_t *dvmt_ring_rest(struct dvmt_ring *ring, size_t *words) {
  const char *p = ring->chunk[atomic_load(&ring->tail) % DVMT_RING_CHUNKS];
  *words = DVMT_RING_CHUNK / 8;
  return (const uint64_t *)(const void *)p;
}

void dvmt_ring_close(struct dvmt_ring *ring) {
  if (!ring)
    return;
  atomic_store(&ring->collector, 0);
  atomic_fetch_add(&ring->tail, 0);
  futex_wake(&ring->tail);
  munmap(ring, sizeof(*ring));
}

void dvmt_ring_wake(struct dvmt_ring *ring) { futex_wake(&ring->head); }

struct dvmt_ring *dvmt_ring_attach(int fd) {
  struct stat st;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size != (off_t)sizeof(struct dvmt_ring))
    return NULL;
  struct dvmt_ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (ring == MAP_FAILED)
    return NULL;
  uint32_t none = 0;
  if (ring->magic != DVMT_RING_MAGIC || !atomic_compare_exchange_strong(&ring->program, &none, (uint32_t)getpid())) {
    munmap(ring, sizeof(*ring));
    return NULL;
  }
  madvise(ring, sizeof(*ring), MADV_DONTFORK);
  close(fd);
  return ring;
}

/* A collector that was killed can say nothing; a zombie is gone too. */
static bool is_alive(uint32_t pid) {
  char path[32] = "/proc/", line[256];
  size_t n = 6;
  char digits[12];
  int k = 0;
  for (uint32_t v = pid; v; v /= 10)
    digits[k++] = (char)('0' + v % 10);
  while (k)
    path[n++] = digits[--k];
  memcpy(path + n, "/stat", 6);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t got = read(fd, line, sizeof(line) - 1);
  close(fd);
  if (got <= 0)
    return false;
  line[got] = 0;
  const char *end = strrchr(line, ')');
  return end && end[1] && end[2] != 'Z' && end[2] != 'X';
}

char *dvmt_ring_next(struct dvmt_ring *ring, size_t used) { return dvmt_ring_push(ring, used, false); }

char *dvmt_ring_push(struct dvmt_ring *ring, size_t used, bool settle) {
  uint32_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
  ring->used[head % DVMT_RING_CHUNKS] = (uint32_t)used;
  atomic_store(&ring->head, ++head);
  futex_wake(&ring->head);
  for (;;) {
    uint32_t tail = atomic_load(&ring->tail), collector = atomic_load(&ring->collector);
    if (!collector)
      return NULL;
    if (settle ? head == tail : head - tail < DVMT_RING_CHUNKS)
      return ring->chunk[head % DVMT_RING_CHUNKS];
    futex_wait(&ring->tail, tail, 200);
    if (atomic_load(&ring->tail) == tail && !is_alive(collector))
      return NULL;
  }
}

void dvmt_ring_note_unrecorded(struct dvmt_ring *ring, uint64_t site, unsigned why) {
  uint32_t n = atomic_load(&ring->nunrecorded);
  while (n < DVMT_RING_UNRECORDED)
    if (atomic_compare_exchange_weak(&ring->nunrecorded, &n, n + 1)) {
      atomic_store(&ring->unrecorded[n], site | why);
      return;
    }
}
