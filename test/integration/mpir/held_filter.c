/* A process forks while another thread installs a seccomp filter; the child installs one too and ends.  That the other thread is on the way
 * is certain: a filter with a listener holds its call. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int listener;
static sem_t listens, held, go_on;

static int install(unsigned what, unsigned flags)
{
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, what),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void let_go(unsigned long long id)
{
  struct seccomp_notif_resp answer = { .id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };

  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer))
    perror("answer");
}

/* Not under the filter: it was there before.  The first call is held until the child's is over. */
static void *supervise(void *arg)
{
  unsigned long long first;

  sem_wait(&listens);
  struct seccomp_notif call = { 0 };
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
    perror("first");
  first = call.id;
  sem_post(&held);
  call = (struct seccomp_notif){ 0 };
  if (!ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
    let_go(call.id);
  sem_wait(&go_on);
  let_go(first);
  return arg;
}

static void *install_one(void *arg)
{
  if (install(SECCOMP_RET_ALLOW, 0))
    perror("second filter");
  return arg;
}

int main(void)
{
  pthread_t supervisor, other;
  int status = 0;
  pid_t child;

  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  sem_init(&listens, 0, 0);
  sem_init(&held, 0, 0);
  sem_init(&go_on, 0, 0);
  pthread_create(&supervisor, NULL, supervise, NULL);
  listener = install(SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  if (listener < 0)
    return printf("no listener: %d\n", errno), 77;
  sem_post(&listens);
  pthread_create(&other, NULL, install_one, NULL);
  sem_wait(&held);
  child = fork();
  if (child == 0) {
    alarm(20);
    _exit(install(SECCOMP_RET_ALLOW, 0) ? 1 : 0);
  }
  waitpid(child, &status, 0);
  if (status)
    return printf("the child ended with %#x\n", status), 1;
  sem_post(&go_on);
  pthread_join(other, NULL);
  puts("both filters are installed");
  return 0;
}
