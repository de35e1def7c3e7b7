/* Many tridiagonal systems, one for each column, solved with private work arrays; results through pointers of the C library. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#define N 10
#define SYSTEMS 14
#pragma dvm array distribute[][block]
static double x[N][SYSTEMS];
static void solve(int n, const double *lower, double *diagonal, const double *upper, double *b) {
  for (int i = 1; i < n; i++) {
    double f = lower[i] / diagonal[i - 1];
    diagonal[i] -= f * upper[i - 1];
    b[i] -= f * b[i - 1];
  }
  b[n - 1] /= diagonal[n - 1];
  for (int i = n - 2; i >= 0; i--)
    b[i] = (b[i] - upper[i] * b[i + 1]) / diagonal[i];
}
int main(void) {
  double lower[N], diagonal[N], upper[N], b[N];
#pragma dvm parallel([s] on x[][s]) private(lower, diagonal, upper, b)
  for (int s = 0; s < SYSTEMS; s++) {
    int n = N - s % 3; /* the rest of the work arrays is not used */
    for (int i = 0; i < n; i++) {
      lower[i] = upper[i] = -1;
      diagonal[i] = 4;
      int e;
      b[i] = frexp(i + s + 1, &e) + e;
    }
    solve(n, lower, diagonal, upper, b);
    for (int i = 0; i < N; i++)
      x[i][s] = i < n ? b[i] : 0;
  }
  double sum = 0, whole, part;
#pragma dvm parallel([s] on x[][s]) reduction(sum(sum))
  for (int s = 0; s < SYSTEMS; s++)
    for (int i = 0; i < N; i++)
      sum += x[i][s];
  part = modf(sum, &whole);
  printf("%.0f %d\n", whole, part < 1);
  return 0;
}
