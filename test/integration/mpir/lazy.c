/* Much memory with known content, looked at when SIGUSR1 comes: all of it, or with 'half' every second MiB, or by a system call and in a child;
 * with 'forks' it forks all the time from SIGUSR2 on.  lazy all|half|child|kernel|forks: prints the sum. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (16u << 20)
#define PIECE (1u << 20)

static volatile sig_atomic_t go, forks;

static void on_user(int sig)
{
  if (sig == SIGUSR1)
    go = 1;
  else
    forks = 1;
}

static void fork_once(void)
{
  const pid_t pid = fork();

  if (pid == 0)
    _exit(0);
  waitpid(pid, NULL, 0);
}

static uint64_t sum(const unsigned char *memory, unsigned step)
{
  uint64_t s = 0;

  for (unsigned at = 0; at < SIZE; at += step * PIECE)
    for (unsigned i = at; i < at + PIECE; i++)
      s = s * 31 + memory[i];
  return s;
}

/* By the kernel, which reads for us. */
static uint64_t sum_through_file(unsigned char *memory)
{
  FILE *f = tmpfile();
  uint64_t s;

  if (!f || write(fileno(f), memory, SIZE) != SIZE)
    exit(5);
  memset(memory, 0, SIZE);
  if (pread(fileno(f), memory, SIZE, 0) != SIZE)
    exit(6);
  s = sum(memory, 1);
  fclose(f);
  return s;
}

int main(int argc, char **argv)
{
  unsigned char *memory = malloc(SIZE);
  const char *kind = argc > 1 ? argv[1] : "all";
  uint64_t seed = 1;
  int status = 0;

  for (unsigned i = 0; memory && i < SIZE; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    memory[i] = (unsigned char)(seed >> 56);
  }
  signal(SIGUSR1, on_user);
  signal(SIGUSR2, on_user);
  fprintf(stderr, "ready\n");
  while (!go)
    if (forks)
      fork_once();
    else
      usleep(1000);
  if (strcmp(kind, "child") == 0) {
    if (fork() == 0) { /* what nobody has touched is in the child as well */
      printf("sum %016lx\n", (unsigned long)sum(memory, 1));
      return 0;
    }
    wait(&status);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  }
  printf("sum %016lx\n", (unsigned long)(strcmp(kind, "kernel") == 0 ? sum_through_file(memory) : sum(memory, kind[0] == 'h' ? 2 : 1)));
  return 0;
}
