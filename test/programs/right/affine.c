/* Subscripts of 'on' and 'with' however the affine form is written. */
#include <stdio.h>
#define N 20

#pragma dvm array distribute[block]
double a[4 * N];
#pragma dvm array align([i] with a[2 * (i + 1)])
double b[N];

int main(void) {
  int k = 2, shift = 3;
#pragma dvm parallel([i] on a[i + N - 1])
  for (int i = 0; i < N; i++)
    a[i + N - 1] = i;
#pragma dvm parallel([i] on a[k * i + (N - 1)])
  for (int i = 0; i < N; i++)
    a[N - 1 + k * i] = i;
#pragma dvm parallel([i] on a[N + i - shift])
  for (int i = 0; i < N; i++)
    a[N + i - 3] = i;
#pragma dvm parallel([i] on a[N - 1 - i])
  for (int i = 0; i < N; i++)
    a[N - 1 - i] = i;
#pragma dvm parallel([i] on a[2 * (i + 1)])
  for (int i = 0; i < N; i++)
    b[i] = a[2 * i + 2] = i;
#pragma dvm parallel([i] on a[(i - shift) * k + shift + 9])
  for (int i = 0; i < N; i++)
    a[2 * i + 6] = i;
  double s = 0;
#pragma dvm parallel([i] on b[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += b[i];
  printf("%g\n", s);
  return 0;
}
