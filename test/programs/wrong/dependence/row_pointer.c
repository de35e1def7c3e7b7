/* The note of the other side names it as it is written there: an element, where the reading goes through a pointer. */
#include <stdio.h>
#define N 40
#define M 20
#pragma dvm array distribute[block][*] shadow[1:1][0:0]
static double a[N][M];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      a[i][j] = i + j;
#pragma dvm parallel([i] on a[i][]) shadow_renew(a)
  for (int i = 1; i < N - 1; i++) {
    double *row = a[i - 1];
    for (int j = 0; j < M; j++)
      a[i][j] = row[j] + 1;
    //          ^ error dvm-loop-dependence
  }
  // stderr :17:7: note: 'a\[1\]\[0\]' was written here, in iteration \(i=1\)
  printf("%g\n", a[3][4]);
  return 0;
}
