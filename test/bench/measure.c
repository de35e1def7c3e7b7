/* measure PROGRAM..: runs it, then writes "user-seconds peak-KiB status" to standard error.  A small parent: the peak of a
 * process that a large one starts is never below the parent's own. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  (void)argc;
  pid_t child = fork();
  if (!child) {
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status;
  struct rusage r;
  if (child < 0 || wait4(child, &status, 0, &r) != child)
    return 1;
  double user_s = (double)r.ru_utime.tv_sec + 1e-6 * (double)r.ru_utime.tv_usec;
  fprintf(stderr, "%.6f %ld %d\n", user_s, r.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}
