/* What the debugger tests debug: no MPI; the rank comes from the launcher's environment.  "hang N": rank N waits, "crash N":
 * it aborts, "fail N": it ends with 7. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pair {
  int x, y;
};

static volatile int gate = 1;
int total;

static int add(int a, int b) {
  int sum = a + b;
  return sum;
}

static void wait_here(void) {
  while (gate)
    usleep(1000);
}

static int work(int rank, int steps) {
  struct pair p = { rank, 2 * rank };
  int kind = rank % 2;
  for (int i = 0; i < steps; i++)
    total = add(total, p.x + kind);
  return total;
}

int main(int argc, char **argv) {
  const char *text = getenv("OMPI_COMM_WORLD_RANK");
  if (!text)
    text = getenv("SDM_RANK");
  int rank = text ? atoi(text) : 0;
  int result = work(rank, 10);
  printf("hello from everybody\n");
  fprintf(stderr, "rank %d has %d\n", rank, result);
  if (argc > 2 && !strcmp(argv[1], "hang") && atoi(argv[2]) == rank)
    wait_here();
  if (argc > 2 && !strcmp(argv[1], "crash") && atoi(argv[2]) == rank)
    abort();
  if (argc > 2 && !strcmp(argv[1], "fail") && atoi(argv[2]) == rank)
    return 7;
  if (argc > 1 && !strcmp(argv[1], "echo")) {
    char line[256];
    while (fgets(line, sizeof(line), stdin))
      printf("got %s", line);
    printf("end of input\n");
  }
  return 0;
}
