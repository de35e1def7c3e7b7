/* A fine and a coarse grid are made by one declaration, executed twice: each is distributed for itself. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#define N 8

static double *create(int n) {
#pragma dvm array distribute[block]
  double *grid = malloc(n * sizeof(double));
  return grid;
}

#pragma dvm inherit(fine, coarse)
static void restrict_to(int n, double *fine, double *coarse) {
#ifdef RIGHT
#pragma dvm parallel([i] on coarse[i]) remote_access(fine[2 * i], fine[2 * i + 1])
#else
#pragma dvm parallel([i] on coarse[i])
#endif
  for (int i = 0; i < n; i++) {
    double even = fine[2 * i];
    //            ^ error dvm-nonlocal-access 'grid[0]'
    // help add 'remote_access\(fine\[2 \* i\]\)' to the directive
    double odd = fine[2 * i + 1];
    //           ^ error dvm-nonlocal-access 'grid[1]'
    // help add 'remote_access\(fine\[2 \* i \+ 1\]\)' to the directive
    coarse[i] = (even + odd) / 2;
  }
}

#pragma dvm inherit(grid)
static void fill(int n, double *grid) {
#pragma dvm parallel([i] on grid[i])
  for (int i = 0; i < n; i++)
    grid[i] = i;
}

int main(void) {
  double *fine = create(2 * N), *coarse = create(N);
  fill(2 * N, fine);
  restrict_to(N, fine, coarse);
  free(fine);
  free(coarse);
  printf("done\n");
  return 0;
}
