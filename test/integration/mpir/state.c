/* What belongs to the process and its threads: signals, timers, limits, memory, registers, locks.  state IMAGE */
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include "self.h"

static pthread_mutex_t recursive, robust, checked;
static pthread_barrier_t ready, go;
static __thread char mine[5000] = "tls";
static char *memory, *sparse, *readonly, *hole, *shared;
static timer_t timers[3];
static volatile sig_atomic_t alarms;
static pid_t worker_tid;
static void *program_break;
static char alternate[65536];

static void on_alarm(int sig) { alarms += sig; }

static void make_locks(void)
{
  pthread_mutexattr_t a;

  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&recursive, &a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&checked, &a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &a);
  CHECK(!pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&recursive) && !pthread_mutex_lock(&checked));
}

static void look_at_locks(void)
{
  CHECK(!pthread_mutex_lock(&recursive) && !pthread_mutex_unlock(&recursive) && !pthread_mutex_unlock(&recursive) &&
        !pthread_mutex_unlock(&recursive) && pthread_mutex_unlock(&recursive) == EPERM);
  CHECK(pthread_mutex_lock(&checked) == EDEADLK && !pthread_mutex_unlock(&checked));
}

/* A second thread with a state of its own; it ends holding the robust lock. */
static void *worker(void *arg)
{
  sigset_t set, pending;
  siginfo_t info;
  cpu_set_t cpus;
  char name[16];

  (void)arg;
  worker_tid = gettid();
  strcpy(mine, "worker");
  prctl(PR_SET_NAME, "worker-thread");
  setpriority(PRIO_PROCESS, 0, 7);
  CPU_ZERO(&cpus);
  CPU_SET(0, &cpus);
  sched_setaffinity(0, sizeof(cpus), &cpus);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_kill(pthread_self(), SIGUSR2); /* pending for this thread */
  fesetround(FE_UPWARD);
  CHECK(!pthread_mutex_lock(&robust));
  pthread_barrier_wait(&ready);
  pthread_barrier_wait(&go); /* the checkpoint is here */
  CHECK(gettid() == worker_tid && strcmp(mine, "worker") == 0);
  CHECK(!prctl(PR_GET_NAME, name) && strcmp(name, "worker-thread") == 0);
  CHECK(getpriority(PRIO_PROCESS, 0) == 7 && fegetround() == FE_UPWARD);
  CHECK(!sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) == 1 && CPU_ISSET(0, &cpus));
  CHECK(!sigpending(&pending) && sigismember(&pending, SIGUSR2) && sigwaitinfo(&set, &info) == SIGUSR2);
  CHECK(info.si_pid == getpid() && info.si_code == SI_USER); /* as libc tells SI_TKILL */
  return NULL;
}

static void make_signals(void)
{
  struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART | SA_ONSTACK | SA_NODEFER };
  stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
  union sigval value;

  sigaltstack(&stack, NULL);
  sigaddset(&action.sa_mask, SIGHUP);
  sigaction(SIGVTALRM, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
  for (value.sival_int = 1; value.sival_int <= 5; value.sival_int++)
    CHECK(!sigqueue(getpid(), SIGRTMIN + 1, value));
  CHECK(!kill(getpid(), SIGUSR1));
}

static void look_at_signals(void)
{
  struct sigaction action;
  stack_t stack;
  sigset_t set;
  siginfo_t info;

  CHECK(!sigaltstack(NULL, &stack) && stack.ss_sp == alternate && stack.ss_size == sizeof(alternate));
  CHECK(!sigaction(SIGVTALRM, NULL, &action) && action.sa_handler == on_alarm && sigismember(&action.sa_mask, SIGHUP));
  CHECK((action.sa_flags & (SA_RESTART | SA_ONSTACK | SA_NODEFER)) == (SA_RESTART | SA_ONSTACK | SA_NODEFER));
  CHECK(!sigaction(SIGPIPE, NULL, &action) && action.sa_handler == SIG_IGN);
  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 1);
  for (int i = 1; i <= 5; i++)
    CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 1 && info.si_value.sival_int == i && info.si_code == SI_QUEUE);
  sigaddset(&set, SIGUSR1);
  CHECK(sigwaitinfo(&set, &info) == SIGUSR1 && info.si_pid == getpid() && info.si_code == SI_USER);
  CHECK(sigtimedwait(&set, &info, &(struct timespec){ 0, 0 }) == -1 && errno == EAGAIN);
}

static void make_timers(void)
{
  struct sigevent none = { .sigev_notify = SIGEV_NONE }, to_thread = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGVTALRM };
  const struct itimerspec far = { { 5000, 0 }, { 4000, 0 } };
  const struct itimerval virtual = { { 3000, 0 }, { 2000, 0 } };
  timer_t dropped;

  to_thread._sigev_un._tid = gettid();
  CHECK(!timer_create(CLOCK_MONOTONIC, &none, &dropped) && !timer_create(CLOCK_REALTIME, &none, &timers[0]));
  CHECK(!timer_delete(dropped)); /* so that the numbers have a gap */
  CHECK(!timer_create(CLOCK_BOOTTIME, &to_thread, &timers[1]) && !timer_create(CLOCK_MONOTONIC, &none, &timers[2]));
  CHECK(!timer_settime(timers[0], 0, &far, NULL) && !timer_settime(timers[2], 0, &far, NULL));
  CHECK(!setitimer(ITIMER_VIRTUAL, &virtual, NULL));
}

static void look_at_timers(void)
{
  const struct itimerspec now = { { 0, 0 }, { 0, 1 } };
  struct itimerspec setting;
  struct itimerval virtual;

  for (int i = 0; i < 3; i += 2)
    CHECK(!timer_gettime(timers[i], &setting) && setting.it_interval.tv_sec == 5000 && setting.it_value.tv_sec > 3500 &&
          setting.it_value.tv_sec <= 4000);
  CHECK(!getitimer(ITIMER_VIRTUAL, &virtual) && virtual.it_interval.tv_sec == 3000 && virtual.it_value.tv_sec > 1500);
  CHECK(!timer_settime(timers[1], 0, &now, NULL));
  while (alarms != SIGVTALRM)
    sched_yield();
  for (int i = 0; i < 3; i++)
    CHECK(!timer_delete(timers[i]));
}

static void make_memory(const char *self)
{
  memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(memory, 'm', 1 << 20);
  sparse = mmap(NULL, 64ul << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(sparse != MAP_FAILED);
  sparse[40ul << 30] = 's';
  readonly = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(readonly + 4096, self);
  mprotect(readonly, 8192, PROT_READ);
  hole = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(hole, "behind a wall");
  mprotect(hole, 16384, PROT_NONE);
  shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  strcpy(shared + 4096, "shared");
  program_break = sbrk(123456);
}

static void look_at_memory(const char *self)
{
  for (int i = 0; i < 1 << 20; i += 4096)
    CHECK(memory[i] == 'm');
  CHECK(sparse[40ul << 30] == 's' && sparse[0] == 0 && sparse[(64ul << 30) - 1] == 0);
  CHECK(strcmp(readonly + 4096, self) == 0 && !mprotect(hole, 16384, PROT_READ) && strcmp(hole, "behind a wall") == 0);
  CHECK(strcmp(shared + 4096, "shared") == 0);
  CHECK(sbrk(0) == (char *)program_break + 123456 && sbrk(4096) != (void *)-1);
  if (fork() == 0) {
    strcpy(shared, "from the child");
    _exit(9);
  }
  int status;
  CHECK(wait(&status) > 0 && WEXITSTATUS(status) == 9 && strcmp(shared, "from the child") == 0);
}

static __attribute__((noinline)) int deep(int n)
{
  volatile char frame[4000];

  frame[0] = (char)n;
  return n ? deep(n - 1) + frame[0] - (char)n : 0;
}

static void *small_thread(void *arg) { return strcmp(mine, "tls") ? NULL : arg; }

static void look_at_process(const char *cwd, pid_t pid, pid_t parent)
{
  char text[4096], name[16];
  struct rlimit limit;
  pthread_t id;
  void *result;
  FILE *f;
  ssize_t n;

  (void)parent;
  CHECK(getpid() == pid && gettid() == pid && (pid_t)syscall(SYS_getpid) == pid);
  CHECK(getcwd(text, sizeof(text)) && strcmp(text, cwd) == 0 && umask(0) == 031);
  CHECK(!getrlimit(RLIMIT_CORE, &limit) && limit.rlim_cur == 4096);
  CHECK(!prctl(PR_GET_NAME, name) && strcmp(name, "renamed") == 0);
  CHECK((n = readlink("/proc/self/exe", text, sizeof(text) - 1)) > 0);
  text[n] = '\0';
  CHECK(strstr(text, "mpir_state"));
  CHECK((f = fopen("/proc/self/cmdline", "r")) && fread(text, 1, sizeof(text), f) > 0 && strstr(text, "mpir_state"));
  CHECK((f = fopen("/proc/self/environ", "r")) && fread(text, 1, sizeof(text), f) > 0);
  CHECK(sched_getcpu() >= 0 && sched_getcpu() < 4096);
  CHECK(deep(1000) == 0); /* the stack still grows */
  CHECK(!pthread_create(&id, NULL, small_thread, text) && !pthread_join(id, &result) && result == text);
}

int main(int argc, char **argv)
{
  const struct rlimit limit = { 4096, 8192 };
  char cwd[4096];
  pid_t pid = getpid();
  pthread_t id;
  void *block = malloc(100000);
  sigset_t set;

  if (argc < 2)
    return 2;
  CHECK(getcwd(cwd, sizeof(cwd)) && (umask(031), !setrlimit(RLIMIT_CORE, &limit)) && !prctl(PR_SET_NAME, "renamed"));
  printf("in the buffer, ");
  pthread_barrier_init(&ready, NULL, 2);
  pthread_barrier_init(&go, NULL, 2);
  make_locks();
  sigemptyset(&set); /* in all threads */
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGRTMIN + 1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  CHECK(!pthread_create(&id, NULL, worker, NULL));
  pthread_barrier_wait(&ready);
  make_signals();
  make_timers();
  make_memory(argv[0]);
  errno = 77;
  self_save(argv[1]);
  CHECK(errno == 77 || errno == EAGAIN || errno == EINTR || errno == ETIMEDOUT); /* a library call lies between */
  look_at_signals();
  look_at_locks();
  look_at_memory(argv[0]);
  look_at_timers();
  pthread_barrier_wait(&go);
  CHECK(!pthread_join(id, NULL) && pthread_mutex_lock(&robust) == EOWNERDEAD);
  look_at_process(cwd, pid, getppid());
  free(realloc(block, 10000000));
  puts("as before");
  return 0;
}
