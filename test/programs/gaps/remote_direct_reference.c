/* Gap: "Loops with remote_access: too narrow section or wrong index through direct reference missed". */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block] shadow[0:0]
double x[N];
#pragma dvm array align([i] with x[i]) shadow[0:0]
double y[N];

int main(void) {
  int k = 2;
#pragma dvm parallel([i] on x[i])
  for (int i = 0; i < N; i++)
    x[i] = i;
#pragma dvm parallel([i] on y[i]) remote_access(x[k])
  for (int i = 0; i < N - 1; i++)
#ifdef RIGHT
    y[i] = x[k] * x[i];
#else
    y[i] = x[k] * x[i + 1];
    //            ^ error dvm-remote-uncovered 'x[1]'
#endif
  printf("%g\n", y[3]);
  return 0;
}
