/* Branches on a partial maximum or a partial 'and' that decide about something else than its update. */
// TWIN
#include <math.h>
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block]
double a[N];

static double half(double x) { return x / 2; }

int main(void)
{
  double m = 0, n = 0, q = 0;
  int all = 1, hits = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 5;
#pragma dvm parallel([i] on a[i]) reduction(max(m), max(n), max(q), and(all), sum(hits))
  for (int i = 0; i < N; i++) {
    double d = fabs(a[i]);
    m = d > m ? d : m;
    n = fmax(n, d);
    if (d > q)
      q = d;
    all = all && d < 4 && half(d) < 2;
#ifndef RIGHT
    if (m > 2)
    //  ^ error dvm-reduction-escape 'm'
      a[i] = 0;
    a[i] += n > 3 ? half(a[i]) : 1;
    //      ^ error dvm-reduction-escape 'n'
    if (d == q)
    //       ^ error dvm-reduction-escape 'q'
      hits++;
    if (!all)
    //   ^ error dvm-reduction-escape 'all'
      printf("no\n");
#else
    if (d <= q)
      continue;
    q = d;
    a[i] = d;
#endif
  }
  printf("%g %g %g %d %d\n", m, n, q, all, hits);
  return 0;
}
