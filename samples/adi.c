/* Alternating directions: a line of the grid is swept forwards and backwards in one dimension, then in the other. */
#include <stdio.h>

#define N 48
#define STEPS 10

#pragma dvm array distribute[block][block]
static double U[N][N];
#pragma dvm array align([i][j] with U[i][j])
static double C[N][N];

int main(void)
{
  double sum = 0;
  int i, j, step;

#pragma dvm parallel([i][j] on U[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) {
      U[i][j] = i == 0 || j == 0 ? 10 : 0;
      C[i][j] = 1.0 / (4 + (i + j) % 3);
    }

  for (step = 0; step < STEPS; step++) {
#pragma dvm parallel([i][j] on U[i][j]) across(U[1:0][0:0])
    for (i = 1; i < N; i++)
      for (j = 0; j < N; j++)
        U[i][j] += C[i][j] * U[i - 1][j];
#pragma dvm parallel([i][j] on U[i][j]) across(U[0:1][0:0])
    for (i = N - 2; i >= 0; i--)
      for (j = 0; j < N; j++)
        U[i][j] = (U[i][j] + C[i][j] * U[i + 1][j]) / 2;
#pragma dvm parallel([i][j] on U[i][j]) across(U[0:0][1:0])
    for (i = 0; i < N; i++)
      for (j = 1; j < N; j++)
        U[i][j] += C[i][j] * U[i][j - 1];
#pragma dvm parallel([i][j] on U[i][j]) across(U[0:0][0:1])
    for (i = 0; i < N; i++)
      for (j = N - 2; j >= 0; j--)
        U[i][j] = (U[i][j] + C[i][j] * U[i][j + 1]) / 2;
  }

#pragma dvm parallel([i][j] on U[i][j]) reduction(sum(sum))
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++)
      sum += U[i][j];
  printf("%d steps, sum %.9f\n", STEPS, sum);
  return 0;
}
