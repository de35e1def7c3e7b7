/* Subscripts outside of small arrays of a nest's body, by constants and by counters of loops. */
#include <stdio.h>
#define N 40
#define M 5
#pragma dvm array distribute[block]
static double s[N];

int main(void) {
#pragma dvm parallel([i] on s[i])
  for (int i = 0; i < N; i++) {
    double t[M];
    for (int m = 0; m < M; m++)
      t[m] = i;
    s[i] = 0;
    for (int m = 0; m <= M; m++)
      s[i] += m < M ? t[m] : 0;
    for (int m = 0; m < M; m++)
      s[i] += t[m + 1];
    //        ^ error dvm-out-of-bounds 't[5]'
  }
#pragma dvm parallel([i] on s[i])
  for (int i = 0; i < N; i++) {
    double k[2][M];
    for (int l = 0; l < 2; l++)
      for (int m = 0; m < M; m++)
        k[l][m] = i;
    for (int m = 0; m < 2 * M; m++)
      s[i] += k[0][m];
    //        ^ error dvm-out-of-bounds 'k[0][5]'
  }
  printf("%g\n", s[3]);
  return 0;
}
