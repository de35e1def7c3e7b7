/* Gap: "Index wrong in an inner dimension inside the linear size: missed".  Reading and writing, both ends. */
// TWIN
#include <stdio.h>
#define N 5
#ifdef RIGHT
#define LOW 1
#define HIGH 4
#else
#define LOW 0
#define HIGH 5
#endif

#pragma dvm array distribute[block][*][*] shadow[0:0][0:0][0:0]
int a[N][N][N];

int main(void) {
#pragma dvm parallel([i] on a[i][][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        a[i][j][k] = i + j + k;
#pragma dvm parallel([i] on a[i][][])
  for (int i = 0; i < N; i++)
    for (int j = LOW; j < 3; j++)
      for (int k = 1; k < N - 1; k++)
        a[i][j][k] += a[i][j + 1][k - 1] +
          a[i][j - 1][k];
  //      ^ error dvm-out-of-bounds 'a[0][-1][1]'
#pragma dvm parallel([i] on a[i][][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < HIGH; k++)
        a[i][j][k + 1 - 1 + (k == 4)] = 0;
//      ^ error dvm-out-of-bounds 'a[0][0][5]'
  printf("%d\n", a[1][1][1]);
  return 0;
}
