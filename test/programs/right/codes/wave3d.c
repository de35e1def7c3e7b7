/* A wave in three dimensions on allocated memory, pointers swapped by copying; wide edges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 12
#pragma dvm array distribute[block][block][block] shadow[2:2][2:2][2:2]
static float (*u)[N][N];
#pragma dvm array align([i][j][k] with u[i][j][k])
static float (*v)[N][N];
#pragma dvm array align([i][j][k] with u[i][j][k])
static float (*w)[N][N];
int main(void) {
  u = malloc(N * sizeof *u);
  v = malloc(N * sizeof *v);
  w = malloc(N * sizeof *w);
#pragma dvm parallel([i][j][k] on u[i][j][k])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        u[i][j][k] = v[i][j][k] = w[i][j][k] = i == N / 2 && j == N / 2 ? 1 : 0;
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i][j][k] on u[i][j][k]) shadow_renew(u)
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++)
        for (int k = 2; k < N - 2; k++) {
          float lap = -7.5f * u[i][j][k];
          for (int d = 1; d <= 2; d++) {
            float c = d == 1 ? 4.0f / 3 : -1.0f / 12;
            lap += c * (u[i - d][j][k] + u[i + d][j][k] + u[i][j - d][k] + u[i][j + d][k] + u[i][j][k - d] + u[i][j][k + d]);
          }
          w[i][j][k] = 2 * u[i][j][k] - v[i][j][k] + 0.1f * lap;
        }
#pragma dvm parallel([i][j][k] on u[i][j][k])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) {
          v[i][j][k] = u[i][j][k];
          u[i][j][k] = w[i][j][k];
        }
  }
  double e = 0;
#pragma dvm parallel([i][j][k] on u[i][j][k]) reduction(sum(e))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        e += u[i][j][k] * u[i][j][k];
  printf("%.5f\n", e);
  free(u);
  free(v);
  free(w);
  return 0;
}
