/* A parallel sum whose value does not depend on the number of threads or their order.  openmp STEPS */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
  int steps = argc > 1 ? atoi(argv[1]) : 100;
  static uint64_t cells[4096];
  uint64_t sum = 0;

  fprintf(stderr, "ready\n");
  for (int step = 0; step < steps; step++) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < 4096; i++)
      for (int k = 0; k < 50; k++)
        cells[i] = cells[i] * 6364136223846793005ull + (uint64_t)(i + step);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 4096; i++)
      sum += cells[i] >> 7;
  }
  printf("%llu with %d threads\n", (unsigned long long)sum, omp_get_max_threads());
  return 0;
}
