/* The same piece of stack or heap serves one thing after the other; scopes, recursion, alloca, variable-length arrays. */
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 16

static double with_array(int n) {
#pragma dvm array distribute[block] shadow[1:1]
  double a[N];
  double sum = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i + n;
#pragma dvm parallel([i] on a[i]) shadow_renew(a) reduction(sum(sum))
  for (int i = 1; i < N; i++)
    sum += a[i - 1];
  return sum;
}

static double plain(int n) {
  double b[N], sum = 0;
  for (int i = 0; i < N; i++)
    b[i] = i * n;
  for (int i = 0; i < N; i++)
    if (b[(i * 7) % N] > 3)
      sum += b[(i * 5) % N];
  return sum;
}

static int recurse(int n) {
  int here[4] = {n, n + 1, n + 2, n + 3};
  return n ? recurse(n - 1) + here[n % 4] : here[0];
}

int main(void) {
  double sum = 0;
  for (int round = 0; round < 4; round++) {
    int *p = alloca(8 * sizeof *p);
    for (int k = 0; k < 8; k++)
      p[k] = k;
    {
      int n = 3 + round, scope[n];
      for (int k = 0; k < n; k++)
        scope[k] = p[k];
      sum += scope[n - 1];
    }
    {
      char other[40];
      memset(other, round, sizeof other);
      sum += other[39];
    }
    sum += with_array(round) + plain(round) + recurse(round + 3);
    double *h = malloc(N * sizeof *h);
    if (!h)
      return 1;
    for (int k = 0; k < N / 2; k++)
      h[k] = k;
    h = realloc(h, 4 * N * sizeof *h);
    if (!h)
      return 1;
    for (int k = N / 2; k < 4 * N; k++)
      h[k] = -k;
    for (int k = 0; k < 4 * N; k++)
      sum += h[k];
    h = realloc(h, 2 * sizeof *h);
    sum += h[1];
    free(h);
  }
  printf("%g\n", sum);
  return 0;
}
