/* Arrays of one dimension that are long enough to be written in several turns where their sums are taken meanwhile. */
#include <stdio.h>
#define N 100003
#pragma dvm array distribute[block]
double A[N];
#pragma dvm array align([i] with A[i])
float F[N];
#pragma dvm array align([i] with A[2 * i + 1])
int H[N / 2 - 1];

int main(void) {
  double sum = 0;
  int greatest = -1;
  long n = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i % 1000 * 0.25, F[i] = 0;
  for (int t = 0; t < 3; t++) {
#pragma dvm parallel([i] on A[i])
    for (int i = N - 1; i >= 0; i--)
      A[i] += t;
#pragma dvm parallel([i] on A[i])
    for (int i = 3; i < N - 2; i += 7)
      A[i] -= 1;
#pragma dvm parallel([i] on F[i])
    for (long i = N - 5; i > 4; i -= 3)
      F[i] = (float)(i + t);
#pragma dvm parallel([i] on A[2 * i + 1])
    for (int i = 0; i < N / 2 - 1; i++)
      H[i] = i ^ t, A[2 * i + 1] += 1;
#pragma dvm parallel([i] on A[i]) reduction(sum(sum), max(greatest))
    for (int i = 0; i < N; i++) {
      sum += A[i];
      greatest = i > greatest ? i : greatest;
    }
#pragma dvm parallel([i] on A[i]) reduction(sum(n))
    for (int i = 40000; i < 39999; i++)
      n += 1;
#pragma dvm parallel([i] on A[i])
    for (int i = 40000; i < 40001 + t; i++)
      A[i] = 5;
  }
  printf("%.10g %d %ld\n", sum, greatest, n);
  return 0;
}
