/* Products of complex numbers that are none, or under another operation. */
// TWIN
#include <complex.h>
#include <stdio.h>
enum { N = 50 };
#ifdef RIGHT
#define PLUS(x)
#define SUM product
#else
#define PLUS(x) +(x)
#define SUM sum
#endif

#pragma dvm array distribute[block]
double complex A[N];
static double complex sums[2] = {1, 1};

int main(void) {
  double complex p = 1, q = 1, r = 1;
  float complex f = 1;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = 1 + 0.01 * I * i;
#pragma dvm parallel([i] on A[i]) reduction(product(p))
  // expect -1:13 error dvm-reduction-mismatch 'p'
  for (int i = 0; i < N; i++)
    p = p * A[i] PLUS(0.5);
#pragma dvm parallel([i] on A[i]) reduction(SUM(q))
  // expect -1:13 error dvm-reduction-mismatch 'q'
  for (int i = 0; i < N; i++)
    q *= A[i];
#pragma dvm parallel([i] on A[i]) reduction(product(f), product(sums))
  // expect -1:13 error dvm-reduction-mismatch 'f'
  // expect -2:13 error dvm-reduction-mismatch 'sums[1]'
  for (int i = 0; i < N; i++) {
    f = A[i] * (f PLUS(0.25));
    sums[1] = sums[1] * A[i] PLUS(I);
  }
#pragma dvm parallel([i] on A[i]) reduction(product(r))
  // expect -1:13 error dvm-reduction-mismatch 'r'
  for (int i = 0; i < N; i++)
#ifdef RIGHT
    r *= A[i];
#else
    r += A[i];
#endif
  puts(creal(p + q + r + f + sums[1]) > 1e300 ? "large" : "done");
  return 0;
}
