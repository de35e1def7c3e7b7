/* What the rows of features.c need beside what is in the standard headers. */
#ifndef DVM_TEST_FEATURES_H
#define DVM_TEST_FEATURES_H
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include "self.h"

static char *memory, path[4096];
static const char *folder;
static FILE *stream;
static DIR *listing;
static __thread int thread_value;
static struct sigaction action;
static sem_t *semaphore;
static pthread_t thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static volatile int in_main, is_locked;

/* Whether the kernel's flags of the mapping at 'memory' have this one. */
static int vm_flag(const char *flag)
{
  FILE *f = fopen("/proc/self/smaps", "r");
  unsigned long start, end;
  char line[4096], text[8];
  int inside = 0, found = -1;

  snprintf(text, sizeof(text), " %s", flag);
  while (f && fgets(line, sizeof(line), f)) {
    if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
      inside = (unsigned long)memory >= start && (unsigned long)memory < end;
    if (inside && strncmp(line, "VmFlags:", 8) == 0)
      found = strstr(line, text) != NULL;
  }
  if (f)
    fclose(f);
  return found;
}

static int child_reads_zero(void)
{
  pid_t child = fork();
  int status = 1;

  if (child == 0)
    _exit(memory[0] != 0);
  waitpid(child, &status, 0);
  return status == 0;
}

static struct sockaddr_un *named(void)
{
  static struct sockaddr_un name;

  name.sun_family = AF_UNIX;
  snprintf(name.sun_path, sizeof(name.sun_path), "%.90s/socket", folder);
  return &name;
}

static int option(int fd, int level, int name)
{
  int value[4] = { -1 };
  socklen_t size = sizeof(value);

  return getsockopt(fd, level, name, value, &size) ? -1 : value[0];
}

static int next_value(void)
{
  siginfo_t info;

  return sigtimedwait(&(sigset_t){ { 1ul << (SIGRTMIN - 1) } }, &info, &(struct timespec){ 0, 0 }) == SIGRTMIN ? info.si_value.sival_int : -1;
}

static long bare4(long number, long a, long b, long c, long d)
{
  register long r10 __asm__("r10") = d;
  long rc;

  __asm__ volatile("syscall" : "=a"(rc) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return rc;
}

static void called(union sigval value) { (void)value; }

static long thread_time(void)
{
  struct timespec t;

  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1000000000 + t.tv_nsec;
}

static long used_time(int who)
{
  struct rusage r;

  getrusage(who, &r);
  return (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000 + r.ru_utime.tv_usec + r.ru_stime.tv_usec;
}

static void child_burns(void)
{
  pid_t child = fork();

  if (child == 0) {
    while (clock() < CLOCKS_PER_SEC / 10)
      ;
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

static int proc_has(const char *name, const char *text)
{
  char line[4096];
  FILE *f = fopen(name, "r");
  size_t n = f ? fread(line, 1, sizeof(line), f) : 0;

  if (f)
    fclose(f);
  return memmem(line, n, text, strlen(text)) != NULL;
}

static void proc_write(const char *name, const char *text)
{
  int fd = open(name, O_WRONLY);

  CHECK(fd >= 0 && write(fd, text, strlen(text)) > 0 && !close(fd));
}

static void install_filter(void)
{
  struct sock_filter code[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgid, 0, 1),
                                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
  struct sock_fprog program = { 4, code };

  CHECK(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static int unshare_uts(void) { return unshare(CLONE_NEWUTS) || sethostname("features", 8); }

static void make_mutex(int type, int kind)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  if (kind == 1)
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  if (kind == 2)
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&mutex, &attributes);
}

static void in_thread(void *(*run)(void *)) { CHECK(!pthread_create(&thread, NULL, run, NULL)); }

static void *lock_and_wait(void *arg)
{
  pthread_mutex_lock(&mutex);
  is_locked = 1;
  while (!dvmcr_restarted_from()[0])
    usleep(1000);
  return arg;
}

static void wait_for_lock(void)
{
  while (!is_locked)
    usleep(1000);
}

static void *wait_condition(void *arg)
{
  pthread_mutex_lock(&mutex);
  while (!in_main)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return arg ? arg : (void *)7;
}

static void *wait_barrier(void *arg)
{
  pthread_barrier_wait(&barrier);
  return arg ? arg : (void *)7;
}
#endif
