/* Conjugate gradients on a tridiagonal matrix.  MISTAKE as in jacobi.c; ORDER: the sums in another order; NOISE: a relative
 * error in one sum. */
#include <stdio.h>
#define N 200
#ifndef MISTAKE
#define MISTAKE 0
#endif
#ifndef NOISE
#define NOISE 0
#endif
#pragma dvm array distribute[block], shadow[1:1]
static double p[N];
#pragma dvm array align([i] with p[i])
static double q[N];
#pragma dvm array align([i] with p[i])
static double r[N];
#pragma dvm array align([i] with p[i])
static double x[N];
int main(void) {
  int i, step;
  double rho = 0, old, pq, alpha;
#pragma dvm parallel([i] on p[i]) reduction(sum(rho))
  for (i = 0; i < N; i++) {
    x[i] = 0;
    r[i] = p[i] = 1.0 / (1 + i);
    rho += r[i] * r[i];
  }
  for (step = 0; step < 8; step++) {
#pragma dvm parallel([i] on q[i]) shadow_renew(p)
    for (i = 1; i < N - 1 - (MISTAKE == 1); i++)
      q[i] = 2.5 * p[i] - p[i - 1] - (MISTAKE == 2 ? -1 : 1) * p[i + 1];
    pq = 0;
#pragma dvm parallel([i] on p[i]) reduction(sum(pq))
#ifdef ORDER
    for (i = N - 2; i >= 1; i--)
#else
    for (i = 1; i < N - 1; i++)
#endif
      pq += p[i] * q[i];
    alpha = rho / (pq * (1 + NOISE)) * (MISTAKE == 4 ? 1.00001 : 1);
    old = rho;
    rho = 0;
#pragma dvm parallel([i] on p[i]) reduction(sum(rho))
    for (i = 1; i < N - 1; i++) {
      if (MISTAKE != 3 || step != 3 || i != 100)
        x[i] = x[i] + alpha * p[i];
      r[i] = r[i] - alpha * q[i];
      rho += r[i] * r[i];
    }
#pragma dvm parallel([i] on p[i])
    for (i = 1; i < N - 1; i++)
      p[i] = r[i] + rho / old * p[i];
  }
  printf("%.9g\n", x[N / 2]);
  return 0;
}
