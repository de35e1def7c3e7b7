/* The first element that a row of an innermost loop reads has no value; the rest of the row is read and written by neighbours. */
#include <stdio.h>
#define N 40

#pragma dvm array distribute[block] shadow[2:1]
static double f[N];

int main(void) {
#pragma dvm parallel([i] on f[i])
  for (int i = 1; i < N; i++)
    f[i] = i;
#pragma dvm parallel([i] on f[i]) across(f)
  for (int i = 1; i < N - 1; i++) {
    f[i] = f[i - 1] + f[i] + 1;
    //     ^ error dvm-uninitialized 'f[0]'
  }
  return 0;
}
