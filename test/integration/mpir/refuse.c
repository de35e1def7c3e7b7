/* A process with something that no checkpoint can carry; waits to be killed.  refuse KIND
 * Or one that traces process PID while it runs a command, and ends as that ends.  refuse trace PID COMMAND... */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void have(const char *kind)
{
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
  else if (!strcmp(kind, "queue"))
    mq_open("/dvm-refuse", O_RDWR | O_CREAT, 0600, NULL), mq_unlink("/dvm-refuse");
  else if (!strcmp(kind, "sysv"))
    shmat(shmget(IPC_PRIVATE, 4096, 0600), NULL, 0);
  else if (!strcmp(kind, "child") && fork() == 0)
    prctl(PR_SET_PDEATHSIG, SIGKILL), wait_for_ever(NULL);
  else if (!strcmp(kind, "shared")) { /* the child is to be saved: its parent is outside */
    mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      fprintf(stderr, "child %d\n", getpid());
      wait_for_ever(NULL);
    }
  } else if (!strcmp(kind, "main-ended") && !pthread_create(&id, NULL, wait_for_ever, NULL))
    fprintf(stderr, "ready\n"), pthread_exit(NULL);
  else if (!strcmp(kind, "blocked") && !pthread_create(&id, NULL, blocks_signals, NULL))
    while (!blocked)
      sched_yield();
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
  have(argv[1]);
  fprintf(stderr, "ready\n");
  wait_for_ever(NULL);
}
