/* A note names the last write of an array, also where the write itself was reported before and is only counted. */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#pragma dvm array align([j] with a[][j])
double c[N];
#pragma dvm array align([i] with a[i][]) shadow[1:0]
double d[N];

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
      // stderr writer\.c:19:5: note: 'a' was last written here
  for (int i = 0; i < N; i++)
    d[i] = 1;
  /* Copies of one element: each iteration writes its own. */
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      b[i][j] = d[i];
      d[i] += 1;
      // expect -1:7 error dvm-readonly-write 'd[0]'
      if (i > 3)
        b[i][j] += d[i - 1];
      //           ^ error dvm-shadow-stale 'd[3]'
      // stderr writer\.c:35:7: note: 'd' was last written here
      d[i] = 2;
      // expect -1:7 error dvm-readonly-write 'd[0]'
    }
  printf("%g\n", b[1][1]);
  return 0;
}
