/* Gap: "control is switched off at 1000": repeats are counted, one report; the exit status tells. */
#include <stdio.h>
#define N 60

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i - j;
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      b[i][j] = a[i - 1][j] + a[i + 1][j];
      //        ^ error dvm-shadow-stale 'a[0][1]'
  // stderr smallest clause: shadow_renew\(a\[1:1\]\[0:0\]\)
  // stderr ^dvm: many_errors\.c:18:17 \[dvm-shadow-stale\] (3364|6728) times
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 2; j++)
      b[i][j] += a[i][j + 2];
      //         ^ error dvm-nonlocal-access 'a[1][3]'
  printf("%g\n", b[2][2]);
  return 0;
}
