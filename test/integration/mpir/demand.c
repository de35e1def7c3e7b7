/* A program with one thread has one: the checkpointer's helper is there only while it is at work.  demand KIND: works until SIGUSR1, then says what it
 * has found.
 *   memory: malloc, free and stdio all the time, which have no locks then; closed: the same, with all descriptors closed; fork: children that come and
 *   go; sleep: in a system call whose number stood in a register; blocked: lets no signal in, by a bare system call. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PIECES 500

static volatile sig_atomic_t finish;
static unsigned char *pieces[PIECES];
static size_t sizes[PIECES];

static void on_user(int sig) {
  (void)sig;
  finish = 1;
}

static void broken(const char *what) {
  printf("broken: %s\n", what);
  exit(1);
}

static void memory_step(void) {
  static unsigned long seed = 1;
  size_t i;
  char text[64];

  seed = seed * 6364136223846793005ul + 1442695040888963407ul;
  i = (seed >> 33) % PIECES;
  for (size_t k = 0; pieces[i] && k < sizes[i]; k++)
    if (pieces[i][k] != (unsigned char)i)
      broken("memory");
  free(pieces[i]);
  sizes[i] = 1 + (seed >> 40) % 5000;
  pieces[i] = malloc(sizes[i]);
  memset(pieces[i], (int)i, sizes[i]);
  FILE *f = fmemopen(text, sizeof(text), "w");
  fprintf(f, "%zu", i);
  fclose(f);
  if (strtoul(text, NULL, 10) != i)
    broken("stdio");
}

static void fork_step(void) {
  int status = 0;
  pid_t child = fork();

  if (child == 0)
    _exit(7);
  const pid_t got = child < 0 ? child : waitpid(child, &status, 0);

  if (got < 0 || got != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
    fprintf(stderr, "child %d, got %d, status %x: %s\n", (int)child, (int)got, (unsigned)status, strerror(errno));
    broken("child");
  }
}

/* nanosleep, with its number in another register until just before. */
static void sleep_step(void) {
  const struct timespec t = {0, 300000000};
  struct timespec left = {0, 0};
  long rc, number = SYS_nanosleep;

  __asm__ volatile("movq %1, %%rax\n\tnop\n\tsyscall" : "=&a"(rc) : "r"(number), "D"(&t), "S"(&left) : "rcx", "r11", "memory");
  if (rc && !finish)
    broken("sleep");
}

static int count_tasks(void) {
  DIR *dir = opendir("/proc/self/task");
  int n = 0;

  for (struct dirent *d; (d = readdir(dir));)
    n += *d->d_name != '.';
  closedir(dir);
  return n;
}

static void *thread_main(void *arg) { return arg; }

int main(int argc, char **argv) {
  const char *kind = argc > 1 ? argv[1] : "memory";
  const unsigned long all = ~0ul;
  struct sigaction user = {.sa_handler = on_user, .sa_flags = SA_RESTART};
  pthread_t thread;
  void *result = NULL;
  int tasks = 2, rc;

  sigaction(SIGUSR1, &user, NULL);
  if (strcmp(kind, "blocked") == 0)
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
  fprintf(stderr, "ready %d\n", (int)getpid());
  if (strcmp(kind, "closed") == 0)
    closefrom(3);
  while (!finish)
    strcmp(kind, "fork") == 0 ? fork_step() : strcmp(kind, "sleep") == 0 ? sleep_step() : memory_step();
  for (int i = 0; i < 5000 && (tasks = count_tasks()) > 1; i++) /* one that was just at work ends */
    usleep(1000);
  rc = unshare(CLONE_NEWUSER) ? errno : 0;
  if (pthread_create(&thread, NULL, thread_main, &tasks) || pthread_join(thread, &result) || result != &tasks)
    broken("thread");
  printf("whole, %d thread, unshare(CLONE_NEWUSER): %s\n", tasks, rc == 0 ? "done" : rc == EINVAL ? "there are threads" : "not permitted");
  return 0;
}
