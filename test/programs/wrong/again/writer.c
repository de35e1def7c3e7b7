/* A note names the last write of an array, also where the write itself was reported before and is only counted. */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#pragma dvm array align([j] with a[][j])
double c[N];

int main(void) {
#pragma dvm parallel([j] on c[j])
  for (int j = 0; j < N; j++) {
    a[2][j] = 1;
    // expect -1:5 error dvm-nonlocal-access 'a[2][0]'
    a[0][j] = 1;
    // expect -1:5 error dvm-nonlocal-access 'a[0][0]'
  }
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 1; i <= 1; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = a[i - 1][j];
      //        ^ error dvm-shadow-stale 'a[0][0]'
      // stderr writer\.c:17:5: note: 'a' was last written here
  printf("%g\n", b[1][1]);
  return 0;
}
