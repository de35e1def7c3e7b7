/* Every call that may wait, as libc's function, through syscall(2), and as a bare instruction with its number in the code or in a register:
 * over checkpoints and a restart each gives what it gives undisturbed, and takes no less time, nor the whole time again for each checkpoint.
 * waits IMAGE */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include "self.h"

#define WAIT_MS 700
#define BIG (1 << 20) /* bytes: more than a pipe holds */
#define A(x) ((long)(x))

static const struct timespec span = { 0, WAIT_MS * 1000000l };
static int silent[2], gate[2], epoll, semaphores, queue, again_gate;
static aio_context_t aio;
static atomic_int inside, broken;

/* The number in the code. */
#define BARE(name, number) \
  static __attribute__((noinline)) long name(long a, long b, long c, long d, long e, long f) \
  { \
    register long r10 __asm__("r10") = d; \
    register long r8 __asm__("r8") = e; \
    register long r9 __asm__("r9") = f; \
    long ret; \
    __asm__ volatile("movl %1, %%eax\n\tsyscall" \
                     : "=&a"(ret) : "i"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory"); \
    return ret; \
  }
BARE(bare_poll, SYS_poll)
BARE(bare_nanosleep, SYS_nanosleep)
BARE(bare_semop, SYS_semop)
BARE(bare_msgrcv, SYS_msgrcv)
BARE(bare_epoll, SYS_epoll_wait)
BARE(bare_futex, SYS_futex)
BARE(bare_getevents, SYS_io_getevents)

/* The number in a register. */
static __attribute__((noinline)) long any(long number, long a, long b, long c, long d, long e, long f)
{
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  long ret;

  __asm__ volatile("xchgq %%rax, %%rax\n\tsyscall"
                   : "=a"(ret) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return ret;
}

static struct pollfd watch(int fd) { return (struct pollfd){ fd, POLLIN, 0 }; }
static long expect(long rc, int error) { return rc == -1 && errno == error ? 0 : rc ? rc : -1000; }

static struct timespec from_now(clockid_t clock)
{
  struct timespec t;

  clock_gettime(clock, &t);
  t.tv_nsec += WAIT_MS * 1000000l;
  t.tv_sec += t.tv_nsec / 1000000000;
  t.tv_nsec %= 1000000000;
  return t;
}

/* Those that end by their time: 0 is right. */
static long t_nanosleep(void) { return syscall(SYS_nanosleep, &span, NULL); }
static long t_nanosleep_rest(void)
{
  struct timespec rest = { 0, 0 };

  return syscall(SYS_nanosleep, &span, &rest);
}
static long t_bare_nanosleep(void)
{
  struct timespec rest = { 0, 0 };

  return bare_nanosleep(A(&span), A(&rest), 0, 0, 0, 0);
}
static long t_any_nanosleep(void)
{
  struct timespec rest = { 0, 0 };

  return any(SYS_nanosleep, A(&span), A(&rest), 0, 0, 0, 0);
}
static long t_clock_nanosleep(void) { return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL); }
static long t_clock_absolute(void)
{
  struct timespec t = from_now(CLOCK_MONOTONIC);

  return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}
static long t_poll(void)
{
  struct pollfd p = watch(silent[0]);

  return syscall(SYS_poll, &p, 1, WAIT_MS);
}
static long t_ppoll(void)
{
  struct pollfd p = watch(silent[0]);
  struct timespec t = span;

  return syscall(SYS_ppoll, &p, 1, &t, NULL, 8);
}
static long t_select(void)
{
  struct timeval t = { 0, WAIT_MS * 1000 };

  return syscall(SYS_select, 0, NULL, NULL, NULL, &t);
}
static long t_pselect(void)
{
  struct timespec t = span;

  return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &t, NULL);
}
static long t_epoll_wait(void)
{
  struct epoll_event e;

  return syscall(SYS_epoll_wait, epoll, &e, 1, WAIT_MS);
}
static long t_epoll_pwait(void)
{
  struct epoll_event e;
  uint64_t all = ~0ul;

  return syscall(SYS_epoll_pwait, epoll, &e, 1, WAIT_MS, &all, 8l);
}
static long t_epoll_pwait2(void)
{
  struct epoll_event e;

  return syscall(SYS_epoll_pwait2, epoll, &e, 1, &span, NULL, 8);
}
static long t_futex(void)
{
  int word = 0;

  return expect(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &span, NULL, 0), ETIMEDOUT);
}
static long t_futex_bitset(void)
{
  struct timespec t = from_now(CLOCK_MONOTONIC);
  int word = 0;

  return expect(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &t, NULL, FUTEX_BITSET_MATCH_ANY), ETIMEDOUT);
}
static long t_sigtimedwait(void)
{
  uint64_t set = 1ul << (SIGRTMIN + 5 - 1);

  return expect(syscall(SYS_rt_sigtimedwait, &set, NULL, &span, 8), EAGAIN);
}
static long t_semtimedop(void) { return expect(semtimedop(semaphores, &(struct sembuf){ 0, -1, 0 }, 1, &span), EAGAIN); }
static long t_semtimedop_call(void)
{
  return expect(syscall(SYS_semtimedop, semaphores, &(struct sembuf){ 0, -1, 0 }, 1, &span), EAGAIN);
}
static long t_io_getevents(void)
{
  struct io_event e;
  struct timespec t = span;

  return syscall(SYS_io_getevents, aio, 1, 1, &e, &t);
}
static long t_mutex(void)
{
  static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;
  struct timespec t = from_now(CLOCK_REALTIME);

  pthread_mutex_trylock(&taken);
  return pthread_mutex_timedlock(&taken, &t) == ETIMEDOUT ? 0 : -1;
}
static long t_condition(void)
{
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  struct timespec t = from_now(CLOCK_REALTIME);
  int rc;

  pthread_mutex_lock(&m);
  rc = pthread_cond_timedwait(&c, &m, &t);
  pthread_mutex_unlock(&m);
  return rc == ETIMEDOUT ? 0 : -1;
}

/* Those that end by an event, which comes after the restart: the gate has something to read then. */
static long e_read(void)
{
  char c;

  return read(gate[0], &c, 1) == 1 ? 0 : -1;
}
static long e_readv(void)
{
  char c;

  return syscall(SYS_readv, gate[0], &(struct iovec){ &c, 1 }, 1) == 1 ? 0 : -1;
}
static long e_poll(void)
{
  struct pollfd p = watch(gate[0]);

  return syscall(SYS_poll, &p, 1, -1) == 1 ? 0 : -1;
}
static long e_bare_poll(void)
{
  struct pollfd p = watch(gate[0]);

  return bare_poll(A(&p), 1, -1, 0, 0, 0) == 1 ? 0 : -1;
}
static long e_any_poll(void)
{
  struct pollfd p = watch(gate[0]);

  return any(SYS_poll, A(&p), 1, -1, 0, 0, 0) == 1 ? 0 : -1;
}
static long e_ppoll(void)
{
  struct pollfd p = watch(gate[0]);

  return any(SYS_ppoll, A(&p), 1, 0, 0, 0, 0) == 1 ? 0 : -1;
}
static long e_select(void)
{
  fd_set in;

  FD_ZERO(&in);
  FD_SET(gate[0], &in);
  return any(SYS_select, gate[0] + 1, A(&in), 0, 0, 0, 0) == 1 ? 0 : -1;
}
static int watched_epoll;
static long e_epoll(void)
{
  struct epoll_event e;

  return syscall(SYS_epoll_wait, watched_epoll, &e, 1, -1) == 1 ? 0 : -1;
}
static long e_bare_epoll(void)
{
  struct epoll_event e;

  return bare_epoll(watched_epoll, A(&e), 1, -1, 0, 0) == 1 ? 0 : -1;
}
static long e_futex(void)
{
  while (!*(volatile int *)&again_gate)
    if (syscall(SYS_futex, &again_gate, FUTEX_WAIT, 0, NULL, NULL, 0) && errno != EAGAIN)
      return -1;
  return 0;
}
static long e_bare_futex(void)
{
  long rc;

  while (!*(volatile int *)&again_gate)
    if ((rc = bare_futex(A(&again_gate), FUTEX_WAIT, 0, 0, 0, 0)) && rc != -EAGAIN)
      return rc;
  return 0;
}
static long e_semop(void) { return semop(semaphores, &(struct sembuf){ 1, -1, 0 }, 1); }
static long e_semop_call(void) { return syscall(SYS_semop, semaphores, &(struct sembuf){ 1, -1, 0 }, 1); }
static long e_bare_semop(void) { return bare_semop(semaphores, A((&(struct sembuf){ 1, -1, 0 })), 1, 0, 0, 0); }
static long e_any_semop(void) { return any(SYS_semop, semaphores, A((&(struct sembuf){ 1, -1, 0 })), 1, 0, 0, 0); }
struct message { long type; char text[8]; };
static long e_msgrcv(void)
{
  struct message m;

  return msgrcv(queue, &m, sizeof(m.text), 7, 0) == 8 ? 0 : -1;
}
static long e_msgrcv_call(void)
{
  struct message m;

  return syscall(SYS_msgrcv, queue, &m, sizeof(m.text), 7, 0) == 8 ? 0 : -1;
}
static long e_bare_msgrcv(void)
{
  struct message m;

  return bare_msgrcv(queue, A(&m), sizeof(m.text), 7, 0, 0) == 8 ? 0 : -1;
}
static int full_queue;
static long e_msgsnd(void)
{
  struct message m = { 9, "message" };

  return msgsnd(full_queue, &m, sizeof(m.text), 0);
}
static long e_msgsnd_call(void)
{
  struct message m = { 9, "message" };

  return syscall(SYS_msgsnd, full_queue, &m, sizeof(m.text), 0);
}
static long t_bare_getevents(void)
{
  struct io_event e;

  return bare_getevents(A(aio), 1, 1, A(&e), A(&span), 0);
}
static const char *lock_name;
static int locked;
static long lock_of(int command)
{
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  int fd = open(lock_name, O_RDWR);
  long rc = fd < 0 ? -1 : command ? fcntl(fd, command, &whole) : flock(fd, LOCK_EX);

  if (!rc && !*(volatile int *)&again_gate)
    rc = -2000; /* it was not free yet */
  if (!command || command == F_OFD_SETLKW)
    close(fd);
  return rc;
}
static long e_ofd_lock(void) { return lock_of(F_OFD_SETLKW); }
static long e_flock(void) { return lock_of(0); }
static long e_sigwait(void)
{
  sigset_t all;
  int sig = 0;

  sigfillset(&all); /* ours are in the set, too */
  return sigwait(&all, &sig) == 0 && sig == SIGRTMIN + 6 ? 0 : sig ? sig : -1;
}
static long e_sigwaitinfo(void)
{
  uint64_t all = ~0ul;
  long sig;

  do
    sig = syscall(SYS_rt_sigtimedwait, &all, NULL, NULL, 8);
  while (sig < 0 && errno == EINTR && *(volatile int *)&again_gate); /* two wait for the same: the kernel wakes both */

  return sig == SIGRTMIN + 6 ? 0 : sig;
}

/* Writes that are longer than the pipe: they end when all has been read, and return all of it. */
static int long_pipes[4][2];
static char *big;
static long w_write(void) { return write(long_pipes[0][1], big, BIG) == BIG ? 0 : -1; }
static long w_write_call(void) { return syscall(SYS_write, long_pipes[1][1], big, BIG) == BIG ? 0 : -1; }
static long w_writev(void)
{
  struct iovec parts[3] = { { big, BIG / 4 }, { big + BIG / 4, BIG / 2 }, { big + BIG / 4 * 3, BIG / 4 } };

  return writev(long_pipes[2][1], parts, 3) == BIG ? 0 : -1;
}
static long w_stdio(void)
{
  FILE *f = fdopen(long_pipes[3][1], "w");
  const long rc = fwrite(big, 1, BIG, f) == BIG ? 0 : -1;

  return fclose(f) ? -2 : rc;
}

enum kind { BY_TIME, BY_EVENT, BY_READER };
#define CALL(f, kind) { #f, f, kind, 0 }
static struct call {
  const char *name;
  long (*run)(void);
  enum kind kind;
  pthread_t id;
} calls[] = {
  CALL(t_nanosleep, BY_TIME), CALL(t_nanosleep_rest, BY_TIME), CALL(t_bare_nanosleep, BY_TIME), CALL(t_any_nanosleep, BY_TIME),
  CALL(t_clock_nanosleep, BY_TIME), CALL(t_clock_absolute, BY_TIME), CALL(t_poll, BY_TIME), CALL(t_ppoll, BY_TIME), CALL(t_select, BY_TIME),
  CALL(t_pselect, BY_TIME), CALL(t_epoll_wait, BY_TIME), CALL(t_epoll_pwait, BY_TIME), CALL(t_epoll_pwait2, BY_TIME),
  CALL(t_futex, BY_TIME), CALL(t_futex_bitset, BY_TIME), CALL(t_sigtimedwait, BY_TIME), CALL(t_semtimedop, BY_TIME),
  CALL(t_semtimedop_call, BY_TIME), CALL(t_io_getevents, BY_TIME), CALL(t_mutex, BY_TIME), CALL(t_condition, BY_TIME),
  CALL(t_bare_getevents, BY_TIME), CALL(e_read, BY_EVENT), CALL(e_readv, BY_EVENT), CALL(e_poll, BY_EVENT), CALL(e_bare_poll, BY_EVENT),
  CALL(e_any_poll, BY_EVENT), CALL(e_ppoll, BY_EVENT), CALL(e_select, BY_EVENT), CALL(e_epoll, BY_EVENT), CALL(e_bare_epoll, BY_EVENT),
  CALL(e_futex, BY_EVENT), CALL(e_bare_futex, BY_EVENT), CALL(e_semop, BY_EVENT), CALL(e_semop_call, BY_EVENT),
  CALL(e_bare_semop, BY_EVENT), CALL(e_any_semop, BY_EVENT), CALL(e_msgrcv, BY_EVENT), CALL(e_msgrcv_call, BY_EVENT),
  CALL(e_bare_msgrcv, BY_EVENT), CALL(e_msgsnd, BY_EVENT), CALL(e_msgsnd_call, BY_EVENT), CALL(e_ofd_lock, BY_EVENT),
  CALL(e_flock, BY_EVENT), CALL(e_sigwait, BY_EVENT), CALL(e_sigwaitinfo, BY_EVENT), CALL(w_write, BY_READER),
  CALL(w_write_call, BY_READER), CALL(w_writev, BY_READER), CALL(w_stdio, BY_READER),
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static void *run(void *arg)
{
  struct call *call = arg;
  struct timespec from, to;
  long rc, ms;

  clock_gettime(CLOCK_MONOTONIC, &from);
  atomic_fetch_add(&inside, 1);
  errno = 0;
  rc = call->run();
  clock_gettime(CLOCK_MONOTONIC, &to);
  ms = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000;
  if (rc || (call->kind == BY_TIME && ms < WAIT_MS - 2)) {
    fprintf(stderr, "waits: %s gives %ld, errno %s, after %ld ms\n", call->name, rc, strerror(errno), ms);
    atomic_fetch_add(&broken, 1);
  }
  return NULL;
}

static void checkpoints(const char *path, int count)
{
  struct dvmcr_options options = { .size = sizeof(options), .path = path, .flags = DVMCR_NO_SYNC };
  char text[4096];

  for (int i = 0; i < count; i++) {
    int ticket = dvmcr_request(&options), rc = ticket > 0 ? dvmcr_wait(ticket, text, sizeof(text), -1) : ticket;

    if (rc)
      fprintf(stderr, "waits: no checkpoint: %s\n", text);
    CHECK(!rc);
    sched_yield();
  }
}

/* In the call, as far as /proc tells. */
static void all_wait(void)
{
  for (size_t i = 0; i < CALLS; i++)
    for (bool asleep = false; !asleep; sched_yield()) {
      char path[64], text[512];
      FILE *f;

      snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)*(pid_t *)((char *)calls[i].id + 720)); /* struct pthread of glibc */
      f = fopen(path, "re");
      asleep = !f || !fgets(text, sizeof(text), f) || strstr(text, ") S") || pthread_tryjoin_np(calls[i].id, NULL) == 0;
      if (f)
        fclose(f);
    }
}

static void drain(void)
{
  char *seen = malloc(BIG);

  for (int i = 0; i < 4; i++) {
    size_t have = 0;
    ssize_t n;

    while (have < BIG && (n = read(long_pipes[i][0], seen + have, BIG - have)) > 0)
      have += (size_t)n;
    CHECK(have == BIG && memcmp(seen, big, BIG) == 0);
  }
  free(seen);
}

int main(int argc, char **argv)
{
  struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
  struct message filler = { 8, "filler" };
  char other[4096], name[4096];
  int flocked;
  sigset_t set;
  FILE *list;

  if (argc < 2)
    return 2;
  snprintf(other, sizeof(other), "%s.other", argv[1]);
  snprintf(name, sizeof(name), "%s.lock", argv[1]);
  lock_name = name;
  sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  CHECK(!pipe(silent) && !pipe(gate) && (epoll = epoll_create1(0)) >= 0 && (watched_epoll = epoll_create1(0)) >= 0);
  CHECK(!epoll_ctl(watched_epoll, EPOLL_CTL_ADD, gate[0], &(struct epoll_event){ EPOLLIN, { NULL } }));
  CHECK((semaphores = semget(IPC_PRIVATE, 2, 0600)) >= 0 && (queue = msgget(IPC_PRIVATE, 0600)) >= 0);
  CHECK((full_queue = msgget(IPC_PRIVATE, 0600)) >= 0);
  while (!msgsnd(full_queue, &filler, sizeof(filler.text), IPC_NOWAIT))
    ;
  snprintf(name, sizeof(name), "%s.ipc", argv[1]);
  CHECK((list = fopen(name, "w")) && fprintf(list, "-s %d -q %d -q %d\n", semaphores, queue, full_queue) > 0 && !fclose(list));
  snprintf(name, sizeof(name), "%s.lock", argv[1]);
  CHECK(!syscall(SYS_io_setup, 1, &aio));
  CHECK((locked = open(name, O_RDWR | O_CREAT, 0600)) >= 0 && !fcntl(locked, F_OFD_SETLK, &whole));
  CHECK((flocked = open(name, O_RDWR)) >= 0 && !flock(flocked, LOCK_EX));
  CHECK((big = malloc(BIG)) != NULL);
  for (int i = 0; i < BIG; i++)
    big[i] = (char)(i * 7 + i / 251);
  for (int i = 0; i < 4; i++)
    CHECK(!pipe(long_pipes[i]));
  for (size_t i = 0; i < CALLS; i++)
    CHECK(!pthread_create(&calls[i].id, NULL, run, &calls[i]));
  while (atomic_load(&inside) < (int)CALLS)
    sched_yield();
  all_wait();
  checkpoints(other, 3);
  self_save(argv[1]);
  checkpoints(other, 3);
  for (size_t i = 0; i < CALLS; i++)
    if (calls[i].kind == BY_TIME)
      pthread_join(calls[i].id, NULL);
  again_gate = 1;
  syscall(SYS_futex, &again_gate, FUTEX_WAKE, 100, NULL, NULL, 0);
  CHECK(!flock(flocked, LOCK_UN));
  whole.l_type = F_UNLCK;
  CHECK(!fcntl(locked, F_OFD_SETLK, &whole));
  for (int i = 0; i < 8; i++) { /* the readers take two; those that watch are to see something */
    CHECK(write(gate[1], "x", 1) == 1);
    CHECK(!semop(semaphores, &(struct sembuf){ 1, 1, 0 }, 1));
    filler.type = 7;
    CHECK(i >= 3 || !msgsnd(queue, &filler, sizeof(filler.text), 0));
    CHECK(i >= 4 || msgrcv(full_queue, &filler, sizeof(filler.text), 8, 0) == 8);
    CHECK(i >= 2 || !sigqueue(getpid(), SIGRTMIN + 6, (union sigval){ 0 }));
  }
  drain();
  for (size_t i = 0; i < CALLS; i++)
    if (calls[i].kind != BY_TIME)
      pthread_join(calls[i].id, NULL);
  CHECK(!atomic_load(&broken));
  CHECK(!semctl(semaphores, 1, SETVAL, 0)); /* as the image has them, for the next restart; the script removes them */
  filler.type = 8;
  while (msgrcv(queue, &filler, sizeof(filler.text), 0, IPC_NOWAIT) > 0 || msgrcv(full_queue, &filler, sizeof(filler.text), 9, IPC_NOWAIT) > 0)
    ;
  filler.type = 8;
  while (!msgsnd(full_queue, &filler, sizeof(filler.text), IPC_NOWAIT))
    ;
  printf("as before: %zu calls\n", CALLS);
  return 0;
}
