/* Counters of inner loops that go on where they were: at the next turn of the loop around there are none of their turns, or others. */
#include <stdio.h>
#define N 6
#define M 5
#pragma dvm array distribute[block]
static double s[N];
#pragma dvm array align([i][] with s[i])
static double u[N][M];
static double buf[M];

int main(void) {
#pragma dvm parallel([i] on s[i])
  for (int i = 0; i < N; i++) {
    double sum = 0;
    int k = 0;
    for (int l = 0; l < 2; l++) {
      double t[M];
      for (; k < M; k++)
        t[k] = l;
      sum += t[2];
      //     ^ error dvm-uninitialized 't[2]'
    }
    s[i] = sum;
  }
#pragma dvm parallel([i] on s[i]) private(buf)
  for (int i = 0; i < N; i++) {
    double sum = 0;
    int k = 0;
    for (int l = 0; l < 2; l++) {
      for (; k < M; k++)
        buf[k] = l;
// expect -1:9 error dvm-out-of-bounds 'buf[-1]'
      sum += buf[2];
      k = -1;
    }
    s[i] = sum;
  }
#pragma dvm parallel([i] on u[i][])
  for (int i = 0; i < N; i++) {
    int k = 0;
    for (int l = 0; l < 2; l++) {
      for (; k < M; k++)
        u[i][k] = l;
// expect -1:9 error dvm-out-of-bounds 'u[0][-1]'
      k = -1;
    }
  }
  printf("done\n");
  return 0;
}
