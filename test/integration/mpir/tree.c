/* Processes that share all that processes can share, and look at it when they have been restarted.  tree
 * The first process saves nobody itself: it says "ready" on standard error and waits until the file GO is there. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: process %d failed: %s (errno %d)\n", __FILE__, __LINE__, getpid(), #condition, errno); \
      exit(3); \
    } \
  } while (0)

struct common {
  atomic_int ready, go, grandchild, answered;
};

static struct common *common;
static char *segment; /* of System V */
static volatile sig_atomic_t hits;

static void on_usr1(int sig) { hits += sig == SIGUSR1; }

static void wait_until(atomic_int *value, int wanted)
{
  while (atomic_load(value) < wanted)
    usleep(1000);
}

/* Reads exactly this text. */
static void expect(int fd, const char *text)
{
  char got[64] = "";
  size_t n = 0;

  while (n < strlen(text)) {
    ssize_t step = read(fd, got + n, strlen(text) - n);

    CHECK(step > 0);
    n += (size_t)step;
  }
  CHECK(strcmp(got, text) == 0);
}

/* In a session of its own, with a child in a group of its own. */
static int leader(const int *down, const int *up, int log, char *memory)
{
  pid_t parent = getppid(), self = getpid(), child;
  int status;

  CHECK(setsid() == self);
  child = fork();
  if (child == 0) {
    CHECK(!setpgid(0, 0));
    atomic_store(&common->grandchild, getpid());
    atomic_fetch_add(&common->ready, 1);
    wait_until(&common->go, 1);
    CHECK(getppid() == self && getsid(0) == self && getpgid(0) == getpid());
    return 5;
  }
  CHECK(child > 0);
  atomic_fetch_add(&common->ready, 1);
  wait_until(&common->go, 1);
  CHECK(getpid() == self && getppid() == parent && getsid(0) == self && getpgid(0) == self && getpgid(child) == child);
  expect(down[0], "sent before");
  expect(down[0], "sent after");
  CHECK(lseek(log, 0, SEEK_CUR) == 10); /* one position for both */
  CHECK(strcmp(memory, "from the parent") == 0);
  strcpy(memory, "from the child");
  CHECK(strcmp(segment, "a segment") == 0 && strcpy(segment, "two have it"));
  CHECK(write(up[1], "answer", 6) == 6);
  atomic_store(&common->answered, 1);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
  return 7;
}

int main(int argc, char **argv)
{
  int down[2], up[2], log, status;
  pid_t child, ended, killed, self = getpid();
  siginfo_t info;
  char *memory;

  if (argc != 3)
    return 2;
  log = open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(log >= 0 && write(log, "0123456789", 10) == 10 && !flock(log, LOCK_EX));
  common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  status = shmget(IPC_PRIVATE, 10000, 0600);
  segment = shmat(status, NULL, 0);
  CHECK(segment != (void *)-1 && !shmctl(status, IPC_RMID, NULL) && strcpy(segment, "a segment"));
  CHECK(!pipe(down) && !pipe(up));
  signal(SIGUSR1, on_usr1);
  CHECK((ended = fork()) >= 0);
  if (!ended)
    _exit(11);
  CHECK((killed = fork()) >= 0);
  if (!killed)
    kill(getpid(), SIGTERM), pause();
  CHECK(!waitid(P_PID, (id_t)ended, &info, WEXITED | WNOWAIT) && !waitid(P_PID, (id_t)killed, &info, WEXITED | WNOWAIT));
  CHECK((child = fork()) >= 0);
  if (child == 0)
    return leader(down, up, log, memory);
  strcpy(memory, "from the parent");
  CHECK(write(down[1], "sent before", 11) == 11);
  wait_until(&common->ready, 2);
  fprintf(stderr, "ready\n");
  while (access(argv[1], F_OK))
    usleep(1000);
  CHECK(getpid() == self && write(down[1], "sent after", 10) == 10);
  CHECK(!kill(common->grandchild, 0) && getpgid(common->grandchild) == common->grandchild);
  atomic_store(&common->go, 1);
  wait_until(&common->answered, 1);
  expect(up[0], "answer");
  CHECK(strcmp(memory, "from the child") == 0 && strcmp(segment, "two have it") == 0);
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  CHECK(waitpid(ended, &status, 0) == ended && WIFEXITED(status) && WEXITSTATUS(status) == 11);
  CHECK(waitpid(killed, &status, 0) == killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  CHECK(waitpid(-1, &status, 0) < 0 && errno == ECHILD);
  puts("as before");
  return 0;
}
