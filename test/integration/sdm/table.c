/* A launcher of the shape that debuggers know: it runs a program once for each HOST, and says in its MPIR process table where.
 * table HOST... -- PROGRAM ARGUMENT... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct row {
  char *host, *executable;
  int pid;
};

struct row *MPIR_proctable;
int MPIR_proctable_size;
volatile int MPIR_being_debugged, MPIR_debug_state;

int main(int argc, char **argv) {
  int n = 0;
  while (n + 1 < argc && strcmp(argv[n + 1], "--"))
    n++;
  struct row *rows = calloc((size_t)n + 1, sizeof(*rows));
  for (int i = 0; i < n; i++) {
    pid_t pid = fork();
    if (!pid) {
      char rank[16];
      snprintf(rank, sizeof(rank), "%d", i);
      setenv("SDM_RANK", rank, 1);
      execv(argv[n + 2], argv + n + 2);
      _exit(127);
    }
    rows[i] = (struct row){ argv[i + 1], argv[n + 2], pid };
  }
  MPIR_proctable = rows;
  MPIR_proctable_size = n;
  while (wait(NULL) > 0)
    ;
  return 0;
}
