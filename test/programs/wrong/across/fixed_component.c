/* Components come first and are not divided; the loops are mapped on one of them and carry their dependences in all. */
// TWIN
#include <stdio.h>
#define N 8
#define M 3

#pragma dvm array distribute[*][block][block]
double u[M][N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([m][i][j] on u[m][i][j])
  for (int m = 0; m < M; m++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        u[m][i][j] = m + i * j % 7;
#pragma dvm parallel([i][j] on u[0][i][j]) across(u[0:0][0:1][0:1])
  for (int i = N - 2; i >= 0; i--)
    for (int j = N - 2; j >= 0; j--)
      for (int m = 0; m < M; m++)
        u[m][i][j] += (u[m][i + 1][j] + u[m][i][j + 1]) / 4;
#ifdef RIGHT
#pragma dvm parallel([i][j] on u[2][i][j]) across(u[0:0][1:0][1:0])
#else
#pragma dvm parallel([i][j] on u[2][i][j]) across(u[0:0][1:0][0:0])
// help write 'across\(u\[0:0\]\[1:0\]\[1:0\]\)' in the directive at fixed_component\.c:\d+$
#endif
  for (int i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      u[1][i][j] += (u[1][i - 1][j] + u[1][i][j - 1]) / 4;
      //                              ^ error dvm-across-distance 'u[1][1][1]'
#pragma dvm parallel([i][j] on u[][i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int m = 0; m < M; m++)
        sum += u[m][i][j];
  printf("%g\n", sum);
  return 0;
}
