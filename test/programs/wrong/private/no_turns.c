/* A private array that loops fill which may have no turn at all: of a variable, of the index variable, of constants. */
#include <stdio.h>
#define N 6
#define M 5
#pragma dvm array distribute[block]
static double s[N];
static double buf[M];
static int few;

int main(void) {
#pragma dvm parallel([i] on s[i]) private(buf)
  for (int i = 0; i < N; i++) { /* right: three times all of them */
    for (int k = 0; k < 3; k++)
      for (int m = 0; m < M; m++)
        buf[m] = k;
    s[i] = buf[2];
  }
#pragma dvm parallel([i] on s[i]) private(buf)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < few; k++)
      for (int m = 0; m < M; m++)
        buf[m] = k;
    s[i] = buf[2];
    //     ^ error dvm-private-uninitialized 'buf[2]'
  }
#pragma dvm parallel([i] on s[i]) private(buf)
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < i; k++)
      for (int m = 0; m < M; m++)
        buf[m] = k;
    s[i] = buf[3];
    //     ^ error dvm-private-uninitialized 'buf[3]'
  }
#pragma dvm parallel([i] on s[i]) private(buf)
  for (int i = 0; i < N; i++) {
    for (int k = 2; k < 2; k++)
      buf[1] = k;
    s[i] = buf[1];
    //     ^ error dvm-private-uninitialized 'buf[1]'
  }
#pragma dvm parallel([i] on s[i])
  for (int i = 0; i < N; i++) {
    double t[M];
    for (int k = 0; k < few; k++)
      for (int m = 0; m < M; m++)
        t[m] = k;
    s[i] = 0;
    for (int m = 0; m < M; m++)
      s[i] += t[m];
    //        ^ error dvm-uninitialized 't[0]'
  }
  printf("done\n");
  return 0;
}
