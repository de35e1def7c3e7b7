/* Every operation of reduction, in every form of update, with several element types and an array of results. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#define N 30

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
int b[N];

static void larger(int *m, int v) {
  if (v > *m)
    *m = v;
}

int main(void) {
  int i;
  double sum = 1, product = 1, max = -DBL_MAX, min = DBL_MAX, loc_value = -1, low_value = 1e9;
  float fsum = 0;
  long long lsum = 0;
  int all = 1, any = 0, odd = 0, imax = 0, where = -1, low_where[1] = {-1};
  unsigned bits = ~0u, some = 0, parity = 0;
  double moments[3] = {0, 0, 0};
#pragma dvm parallel([i] on a[i])
  for (i = 0; i < N; i++) {
    a[i] = 1 + (i * 7 % 11) / 16.0 + i / 1024.0;
    b[i] = i * 13 % 17 + 1;
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(sum), product(product), max(max), min(min), sum(fsum), sum(lsum))
  for (i = 0; i < N; i++) {
    sum += a[i];
    product = product * a[i];
    if (a[i] > max)
      max = a[i];
    min = fmin(min, a[i]);
    fsum = (float)a[i] + fsum;
    lsum -= b[i];
  }
#pragma dvm parallel([i] on b[i]) reduction(and(all), or(any), xor(odd)), reduction(and(bits), or(some), xor(parity), max(imax))
  for (i = 0; i < N; i++) {
    all = all && b[i] > 0;
    any = any || b[i] == 5;
    odd ^= b[i] & 1;
    bits &= b[i] | 8u;
    some |= b[i];
    parity = parity ^ (unsigned)b[i];
    larger(&imax, b[i]);
  }
#pragma dvm parallel([i] on a[i]) reduction(maxloc(loc_value, where), minloc(low_value, low_where, 1), sum(moments))
  for (i = 0; i < N; i++) {
    if (a[i] > loc_value) {
      loc_value = a[i];
      where = i;
    }
    if (a[i] < low_value) {
      low_value = a[i];
      low_where[0] = i;
    }
    moments[0] += 1;
    moments[1] += a[i];
    moments[2] += a[i] * a[i];
  }
  printf("%.9g %.9g %.9g %.9g %.6g %lld\n", sum, product, max, min, fsum, lsum);
  printf("%d %d %d %u %u %u %d\n", all, any, odd, bits, some, parity, imax);
  printf("%.9g %d %.9g %d\n", loc_value, where, low_value, low_where[0]);
  printf("%g %g %g\n", moments[0], moments[1], moments[2]);
  return 0;
}
