/* Subscripts that the data decide, of elements and of ordinary arrays: the nest is proved for all of a dimension that is not divided, and each
 * subscript is asked for; the third execution alone has one outside. */
#include <stdio.h>
#define N 20
#define M 12
#pragma dvm array distribute[block][*]
static double A[N][M];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][M];
static int to[M];
static double weight[4] = {1, 2, 3, 4};

int main(void) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      A[i][j] = i + j;
  for (int j = 0; j < M; j++)
    to[j] = j * 5 % M;
  for (int s = 0; s < 4; s++) {
    to[5] = s == 2 ? M : 1;
#pragma dvm parallel([i] on A[i][])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < M; j++)
        B[i][j] = A[i][to[j]] * weight[j % (s == 3 ? 5 : 4)];
  //              ^ error dvm-out-of-bounds 'A[0][12]'
  //                            ^ error dvm-out-of-bounds 'weight[4]'
  }
#pragma dvm get_actual(B[3][3])
  printf("%g\n", B[3][3]);
  return 0;
}
