/* Jacobi in one dimension: outer index variables, regions, actual / get_actual, a reduction, default shadow edges. */
#include <math.h>
#include <stdio.h>

#define N 40
#define STEPS 12

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];

int main(void) {
  int i, step;
  double eps = 0;
#pragma dvm region out(a, b)
  {
#pragma dvm parallel([i] on a[i])
    for (i = 0; i < N; i++) {
      a[i] = 0;
      b[i] = i == 0 || i == N - 1 ? 0 : 1 + i;
    }
  }
  for (step = 0; step < STEPS; step++) {
    eps = 0;
#pragma dvm actual(eps)
#pragma dvm region inout(a), in(b) inout(eps)
    {
#pragma dvm parallel([i] on a[i]) reduction(max(eps)), cuda_block(64)
      for (i = 1; i < N - 1; i++) {
        double change = fabs(b[i] - a[i]);
        eps = change > eps ? change : eps;
        a[i] = b[i];
      }
    }
#pragma dvm region
    {
#pragma dvm parallel([i] on b[i]) shadow_renew(a)
      for (i = 1; i < N - 1; i++)
        b[i] = (a[i - 1] + a[i + 1]) / 2;
    }
#pragma dvm get_actual(eps)
    printf("step %d eps %.9g\n", step, eps);
  }
#pragma dvm get_actual(b)
  for (i = 0; i < N; i++)
    printf("%.6g ", b[i]);
  printf("\n");
  return 0;
}
