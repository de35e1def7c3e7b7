/* Long rows of which one element is wrong: the rows before and behind it are right, and the one is found all the same. */
// TWIN
#include <stdio.h>
#define N 120

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
#ifndef RIGHT
      if (i == 57 && j == 91)
        continue;
#endif
      a[i][j] = i + j;
    }
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      b[i][j] = a[i][j - 1] +
                a[i][j + 1];
  //            ^ error dvm-uninitialized 'a[57][91]'
  // expect -3:17 error dvm-uninitialized 'a[57][91]'
#pragma dvm parallel([i][j] on b[i][j]) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      sum += b[i][j];
  puts(sum < 1e300 ? "done" : "large");
  return 0;
}
