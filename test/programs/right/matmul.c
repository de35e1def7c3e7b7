/* Matrix product, rows of the result distributed, the right factor held by all; then the same with a remote factor. */
#include <stdio.h>
#define N 14

#pragma dvm array distribute[block][] shadow[0:0][0:0]
double x[N][N];
#pragma dvm array align([i][j] with x[i][j])
double z[N][N];
#pragma dvm array distribute[*][*]
double y[N][N];
#pragma dvm array align([i][j] with x[i][j])
double w[N][N];

int main(void) {
  double sum = 0, difference = 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      y[i][j] = (i * N + j) % 13 - 6;
#pragma dvm parallel([i][j] on x[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      x[i][j] = (i * N + j) % 17;
      w[i][j] = (i * N + j) % 13 - 6;
      z[i][j] = 0;
    }
#pragma dvm parallel([i] on z[i][])
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      double f = x[i][k];
      for (int j = 0; j < N; j++)
        z[i][j] += f * y[k][j];
    }
#pragma dvm parallel([i][j] on z[i][j]) remote_access(w[][]) reduction(sum(sum), max(difference))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double s = 0;
      for (int k = 0; k < N; k++)
        s += x[i][k] * w[k][j];
      sum += z[i][j];
      if (difference < s - z[i][j])
        difference = s - z[i][j];
    }
  printf("%g %g\n", sum, difference);
  return 0;
}
