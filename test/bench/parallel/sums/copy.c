/* Loops that only copy, by rows; -DCOLUMNS: by columns; -DTYPE=.. of other elements. */
#include <stdio.h>
#include <stdlib.h>
#ifndef TYPE
#define TYPE double
#endif
struct padded {
  double d;
  int i;
};
#ifdef COLUMNS
#define LOOPS(i, j) for (int j = 0; j < N; j++) for (int i = 0; i < N; i++)
#define NEST [j][i]
#else
#define LOOPS(i, j) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)
#define NEST [i][j]
#endif
#pragma dvm array distribute[block][block]
static TYPE A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static TYPE B[N][N];

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 1;
  for (int step = 0; step < steps; step++) {
#pragma dvm parallel(NEST on B[i][j])
    LOOPS(i, j)
      B[i][j] = A[i][j];
#pragma dvm parallel(NEST on A[i][j])
    LOOPS(i, j)
      A[i][j] = B[i][j];
  }
  printf("%d\n", steps);
}
