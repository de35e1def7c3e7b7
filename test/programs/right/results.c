// Extremes in all their forms, of variables that others know the address of, and one that is read by another name too.
#include <math.h>
#include <stdio.h>
#define N 64
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#pragma dvm array distribute[block]
static double A[N];
#pragma dvm array align([i] with A[i])
static double B[N];
static double widest, least = 1e9;
static unsigned most;

static void fill(int sweep) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = (i * 7 + sweep) % N, B[i] = N - A[i] / 2;
}

int main(void) {
  double eps = -1, far = -1, near = 1e9, *other = &far;
  int last = -1;
  for (int sweep = 0; sweep < 3; sweep++) {
    fill(sweep);
#pragma dvm actual(A, B, eps, widest, least)
#pragma dvm region inout(A, B)
    {
#pragma dvm parallel([i] on A[i]) reduction(max(eps), max(widest), min(least))
      for (int i = 0; i < N; i++) {
        eps = MAX(fabs(A[i] - B[i]), eps);
        if (A[i] > widest)
          widest = A[i];
        least = fmin(least, B[i]);
        B[i] = A[i];
      }
    }
#pragma dvm get_actual(eps, widest, least, A)
    *other = *other + 1;
#pragma dvm parallel([i] on A[i]) reduction(max(far), min(near), max(most), max(last))
    for (int i = 0; i < N; i++) {
      double d = A[i];
      far = d <= far ? far : d;
      if (near > d)
        near = d;
      most = MAX(most, (unsigned)d);
      if (i > last)
        last = i;
    }
    printf("%g %g %g %g %g %u %d\n", eps, widest, least, far, near, most, last);
  }
  return 0;
}
