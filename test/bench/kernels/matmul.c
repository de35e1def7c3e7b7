/* Dense matrix product; rows of two factors distributed, the third held by all. */
#include <stdio.h>
#include <stdlib.h>
#define N 400

#pragma dvm array distribute[block][]
static double x[N][N];
#pragma dvm array align([i][j] with x[i][j])
static double z[N][N];
static double y[N][N];

int main(int argc, char **argv) {
  int times = argc > 1 ? atoi(argv[1]) : 5;
  double sum = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      y[i][j] = (i * N + j) % 13 - 6;
#pragma dvm parallel([i][j] on x[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      x[i][j] = (i * N + j) % 17;
  for (int it = 0; it < times; it++) {
#pragma dvm parallel([i] on z[i][])
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++)
        z[i][j] = 0;
      for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
          z[i][j] += x[i][k] * y[k][j];
    }
  }
#pragma dvm parallel([i][j] on z[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += z[i][j];
  printf("%.15g\n", sum);
  return 0;
}
