/* Moves the children of a thread from processor to processor as fast as it can, until the process ends.  shake PROCESS THREAD */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int child_of(const char *path)
{
  FILE *children = fopen(path, "r");
  int child;

  if (!children || fscanf(children, "%d", &child) != 1)
    child = 0;
  if (children)
    fclose(children);
  return child;
}

int main(int argc, char **argv)
{
  int pid = argc == 3 ? atoi(argv[1]) : 0, child;
  cpu_set_t all, one;
  char path[64];

  if (pid <= 0 || sched_getaffinity(0, sizeof(all), &all))
    return 2;
  snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, atoi(argv[2]));
  while (!kill(pid, 0)) {
    child = child_of(path);
    for (int cpu = 0; child && cpu < CPU_SETSIZE; cpu++) {
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      if (CPU_ISSET(cpu, &all))
        sched_setaffinity(child, sizeof(one), &one);
    }
  }
  return 0;
}
