/* Counters that wrap around: of types without a sign below zero, of narrow types above their largest value. */
#include <stdio.h>
#define N 6
#define M 5
#pragma dvm array distribute[block]
static double s[N];
#pragma dvm array align([i][] with s[i])
static double u[N][M];
static double buf[M], large[300];
static unsigned long none;

int main(void) {
#pragma dvm parallel([i] on u[i][])
  for (int i = 0; i < N; i++)
    for (int m = 0; m < M; m++)
      u[i][m] = i;
#pragma dvm parallel([i] on s[i]) private(buf, large)
  for (int i = 0; i < N; i++) { /* right: nothing wraps */
    s[i] = 0;
    for (signed char m = 0; m < M; m++)
      buf[m] = i;
    for (unsigned m = M - 1; m > 0; m--)
      s[i] += buf[m] + u[i][m];
    for (unsigned char m = 0; m < 200; m++)
      large[m] = m;
    for (unsigned char m = 199; m > 190; m--)
      s[i] += large[m];
  }
#pragma dvm parallel([i] on s[i]) private(large)
  for (int i = 0; i < N; i++) {
    s[i] = 0;
    for (unsigned char m = 199; m > 190; m--)
      s[i] += large[m];
    //        ^ error dvm-private-uninitialized 'large[199]'
  }
#pragma dvm parallel([i] on s[i]) private(large)
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int m = 0; m < 300; m++)
      large[m] = m;
    for (signed char m = 126; m <= 127; m++) {
      sum += large[m];
      //     ^ error dvm-out-of-bounds 'large[-128]'
      if (m < 0)
        break;
    }
    s[i] = sum;
  }
#pragma dvm parallel([i] on s[i])
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (unsigned char m = 3; m >= 1; m -= 2) {
      sum += u[i][m];
      //     ^ error dvm-out-of-bounds 'u[0][255]'
      if (m > M)
        break;
    }
    s[i] = sum;
  }
#pragma dvm parallel([i] on s[i])
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (unsigned long m = 0; m <= none - 1; m++) {
      sum += u[i][m];
      //     ^ error dvm-out-of-bounds 'u[0][5]'
      if (m == M)
        break;
    }
    s[i] = sum;
  }
  printf("done\n");
  return 0;
}
