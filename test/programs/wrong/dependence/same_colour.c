/* Every other element of each row, but the rows begin at the same one: neighbours of the next row are of the same colour. */
#include <stdio.h>
#define N 12

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static double a[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a)
  for (int i = 1; i < N - 1; i++)
#ifdef RIGHT
    for (int j = 1 + i % 2; j < N - 1; j += 2)
#else
    for (int j = 1; j < N - 1; j += 2)
#endif
      a[i][j] = a[i - 1][j] + a[i][j - 1];
  //            ^ error dvm-loop-dependence 'a[1][1]'
  printf("%g\n", a[3][3]);
  return 0;
}
// TWIN
