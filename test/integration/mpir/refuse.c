/* A process with something that no checkpoint can carry; waits to be killed.  refuse KIND
 * Or one that traces process PID while it runs a command, and ends as that ends.  refuse trace PID COMMAND... */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "mpir/crs/sys.h"

static void *wait_for_ever(void *arg)
{
  for (;;)
    pause();
  return arg;
}

static volatile int blocked;

static void *blocks_signals(void *arg)
{
  unsigned long all = ~0ul;

  (void)arg;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8); /* not through libc: nobody can stop this thread */
  blocked = 1;
  for (;;)
    pause();
  return NULL;
}

/* A filter that ends the process when 'number' is called; by the bare instruction if 'unseen'. */
static void forbid(unsigned number, int unseen)
{
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (unseen)
    sys3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
  else
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Only reads, writes and ends from now on. */
static void *strict(void *arg)
{
  char c;

  prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
  blocked = 1;
  while (read(*(int *)arg, &c, 1) >= 0)
    ;
  return NULL;
}

static void have(const char *kind)
{
  static int never[2];
  pthread_t id;
  int fds[2];
  char byte;

  if (!strcmp(kind, "socket"))
    socket(AF_NETLINK, SOCK_RAW, 0);
  else if (!strcmp(kind, "outside") && !socketpair(AF_UNIX, SOCK_STREAM, 0, fds)) {
    if (fork() == 0) { /* the child is to be saved alone: the other end is its parent's */
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(fds[0]);
      fprintf(stderr, "child %d\n", getpid());
      read(fds[1], &byte, 1);
      fprintf(stderr, "read: %s\n", strerror(errno));
      exit(0);
    }
    close(fds[1]);
  }
  else if (!strcmp(kind, "inotify"))
    inotify_init();
  else if (!strcmp(kind, "queue")) { /* who waits to be told of messages would be told of those that are put back */
    const mqd_t queue = mq_open("/dvm-refuse", O_RDWR | O_CREAT, 0600, NULL);

    mq_send(queue, "kept", 4, 1), mq_notify(queue, &(struct sigevent){.sigev_notify = SIGEV_NONE}), mq_unlink("/dvm-refuse");
  }
  else if (!strcmp(kind, "sysv")) {
    const int segment = shmget(IPC_PRIVATE, 8192, 0600);

    munmap(shmat(segment, NULL, 0), 4096);
    shmctl(segment, IPC_RMID, NULL);
  }
  else if (!strcmp(kind, "child") && fork() == 0)
    prctl(PR_SET_PDEATHSIG, SIGKILL), wait_for_ever(NULL);
  else if (!strcmp(kind, "shared")) { /* the child is to be saved: its parent is outside */
    mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      fprintf(stderr, "child %d\n", getpid());
      wait_for_ever(NULL);
    }
  } else if (!strcmp(kind, "blocked") && !pthread_create(&id, NULL, blocks_signals, NULL))
    while (!blocked)
      sched_yield();
  else if (!strcmp(kind, "strict") && !pipe(never) && !pthread_create(&id, NULL, strict, &never[0]))
    while (!blocked)
      sched_yield();
  else if (!strcmp(kind, "unseen"))
    forbid(SYS_swapon, 1);
  else if (!strcmp(kind, "forbids"))
    forbid(SYS_sched_getattr, 0);
  else if (!strcmp(kind, "secret"))
    mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, (ftruncate(fds[0] = (int)syscall(447 /* memfd_secret */, 0), 4096), fds[0]), 0);
  else if (!strcmp(kind, "both"))
    have("socket"), have("child");
}

/* Signals that the traced process gets stop it until we pass them on. */
static int trace(pid_t pid, char **command)
{
  pid_t child, got;
  int status;

  if (ptrace(PTRACE_SEIZE, pid, NULL, NULL)) {
    perror("refuse: trace");
    return 3;
  }
  child = fork();
  if (child == 0) {
    execv(command[0], command);
    _exit(127);
  }
  while ((got = waitpid(-1, &status, __WALL)) != child && got > 0)
    if (WIFSTOPPED(status))
      ptrace(PTRACE_CONT, got, NULL, (void *)(long)(status >> 16 ? 0 : WSTOPSIG(status)));
  return got == child && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

int main(int argc, char **argv)
{
  if (argc > 3 && !strcmp(argv[1], "trace"))
    return trace(atoi(argv[2]), argv + 3);
  if (argc != 2)
    return 2;
  if (!strcmp(argv[1], "has-secret"))
    return syscall(447 /* memfd_secret */, 0) < 0;
  have(argv[1]);
  fprintf(stderr, "ready\n");
  wait_for_ever(NULL);
}
