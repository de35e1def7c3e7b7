/* A runtime that serves all signals itself, by bare system calls, on the alternate stacks of its threads, whose own stacks are small; its
 * handler ends the process on a thread that it does not know.  takeover IMAGE */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include "self.h"

#define THREADS 4
#define SMALL 1536 /* bytes of stack: less than what a frame of ours needs */
#define ALTERNATE 32768

struct action { /* as the kernel has it */
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

static __thread int known;
static atomic_int running, finish, seen;
static atomic_ulong work;

static void serve(int sig, siginfo_t *info, void *frame)
{
  (void)info;
  (void)frame;
  if (!known)
    _exit(100);
  if (sig == SIGUSR1)
    atomic_fetch_add(&seen, 1);
}

static void serve_all(void)
{
  struct sigaction usual = { .sa_sigaction = serve, .sa_flags = SA_SIGINFO };
  struct action action;

  CHECK(!sigaction(SIGUSR1, &usual, NULL) && !syscall(SYS_rt_sigaction, SIGUSR1, NULL, &action, 8));
  action.flags |= SA_ONSTACK | SA_RESTART;
  action.mask = ~0ul;
  for (int sig = 1; sig <= 64; sig++)
    if (sig != SIGKILL && sig != SIGSTOP && sig != 32 && sig != 33)
      CHECK(!syscall(SYS_rt_sigaction, sig, &action, NULL, 8));
}

static void on_small_stack(void)
{
  while (!atomic_load(&finish))
    atomic_fetch_add(&work, 1);
}

static void *thread_main(void *arg)
{
  stack_t alternate = { .ss_sp = malloc(ALTERNATE), .ss_size = ALTERNATE };
  char *pages = mmap(NULL, 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static __thread ucontext_t back, small;

  known = 1;
  CHECK(!sigaltstack(&alternate, NULL) && pages != MAP_FAILED && !mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE));
  CHECK(!getcontext(&small));
  small.uc_stack.ss_sp = pages + 4096; /* below it lies what cannot be written */
  small.uc_stack.ss_size = SMALL;
  small.uc_link = &back;
  makecontext(&small, on_small_stack, 0);
  atomic_fetch_add(&running, 1);
  CHECK(!swapcontext(&back, &small));
  sigaltstack(&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
  free(alternate.ss_sp);
  return arg;
}

static void checkpoints(const char *path, int count)
{
  struct dvmcr_options options = { .size = sizeof(options), .path = path, .flags = DVMCR_NO_SYNC };

  for (int i = 0; i < count; i++) {
    int ticket = dvmcr_request(&options);

    CHECK(ticket > 0 && dvmcr_wait(ticket, NULL, 0, -1) == 0);
  }
}

int main(int argc, char **argv)
{
  static char stack[ALTERNATE];
  stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
  pthread_t ids[THREADS];
  char other[4096];

  if (argc < 2)
    return 2;
  snprintf(other, sizeof(other), "%s.other", argv[1]);
  known = 1;
  CHECK(!sigaltstack(&alternate, NULL));
  serve_all();
  for (int i = 0; i < THREADS; i++)
    CHECK(!pthread_create(&ids[i], NULL, thread_main, NULL));
  while (atomic_load(&running) < THREADS)
    sched_yield();
  checkpoints(other, 3);
  serve_all(); /* once more: runtimes do so when a library is loaded */
  self_save(argv[1]);
  checkpoints(other, 2);
  for (int i = 0; i < THREADS; i++)
    CHECK(!pthread_kill(ids[i], SIGUSR1));
  while (atomic_load(&seen) < THREADS)
    sched_yield();
  for (unsigned long before = atomic_load(&work); atomic_load(&work) == before;)
    sched_yield();
  atomic_store(&finish, 1);
  for (int i = 0; i < THREADS; i++)
    pthread_join(ids[i], NULL);
  puts("as before");
  return 0;
}
