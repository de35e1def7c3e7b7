/* Rows behind the pointers of a struct: which of them the other iteration has written the reports tell by what is written. */
#include <stdio.h>
#include <stdlib.h>
#define N 8
struct rows {
  int n;
  double *u[3];
};

int main(void)
{
  struct rows f = {N, {calloc(N, sizeof(double)), calloc(N, sizeof(double)), calloc(N, sizeof(double))}};
#pragma dvm parallel([i])
  for (int i = 0; i < N; i++) {
    f.u[0][i] = i;
    f.u[1][i] = 2 * f.u[0][i];
    f.u[2][0] += f.u[1][i];
//  ^ error dvm-loop-dependence 'f.u[2][0]'
  }
  // stderr other_row\.c:17:5: note: 'f\.u\[2\]\[0\]' was written here, in iteration \(i=0\)
  printf("%g\n", f.u[2][0]);
  for (int k = 0; k < 3; k++)
    free(f.u[k]);
  return 0;
}
