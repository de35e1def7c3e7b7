/* A function of another file takes results from functions of its own, in the iterations of a nest that only this file has. */
#include <stdio.h>
#define N 50
#pragma dvm array distribute[block]
double a[N];
double width(double x);
double middle(int n);

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = width(i);
  double sum = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i] + middle(i);
  printf("%g\n", sum);
  return 0;
}
