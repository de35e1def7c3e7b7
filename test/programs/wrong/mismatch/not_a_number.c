/* A result that is no number in one order of evaluation and a number in another depends on the processors; rounding explains neither that
 * nor an infinite one.  Where both are NaN they agree. */
// TWIN
#include <float.h>
#include <math.h>
#include <stdio.h>
#define N 8
#ifdef RIGHT
#define ODD 0.0
#define HUGE_PART 1.0
#else
#define ODD NAN
#define HUGE_PART DBL_MAX
#endif

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
float z[N];
#pragma dvm array align([i] with a[i])
double parts[N];

static double pick(double m, double x) {
  return m > x ? m : x;
}

int main(void) {
  double kept = -1, sum = 0, none = 0, from_none = NAN, always = NAN, dropped = 0, product = 1, balance = -HUGE_PART, plain = -HUGE_PART;
  float least = 100;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i == N - 1 ? ODD : i;
    z[i] = i == 2 ? NAN : i + 1;
  }
  /* The last iteration's NaN stays; among partial values it is dropped. */
#pragma dvm parallel([i] on a[i]) reduction(max(kept))
  //^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'kept'
  for (int i = 0; i < N; i++)
    kept = pick(kept, a[i]);
  /* A sum in one order, lost in the other. */
#pragma dvm parallel([i] on a[i]) reduction(sum(balance))
  //^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'balance'
  for (int i = 0; i < N; i++)
    balance += i < 2 ? HUGE_PART : i * 0.125;
  /* The same where every update only adds. */
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    parts[i] = i < 2 ? HUGE_PART : i * 0.125;
#pragma dvm parallel([i] on a[i]) reduction(sum(plain))
  //^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-reduction-mismatch 'plain'
  for (int i = 0; i < N; i++)
    plain += parts[i];
  /* Right: NaN in any order. */
#pragma dvm parallel([i] on a[i]) reduction(sum(sum), product(product))
  for (int i = 0; i < N; i++) {
    sum += z[i];
    product *= z[i];
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(none))
  for (int i = 0; i < N; i++)
    none += i == 1 ? INFINITY : i == 5 ? -INFINITY : 1;
  /* Right: fmax drops them, comparisons keep the first one. */
#pragma dvm parallel([i] on a[i]) reduction(max(from_none), max(always), max(dropped))
  for (int i = 0; i < N; i++) {
    from_none = fmax(from_none, z[i]);
    if (z[i] > always)
      always = z[i];
    dropped = z[i] > dropped ? z[i] : dropped;
  }
#pragma dvm parallel([i] on a[i]) reduction(min(least))
  for (int i = 0; i < N; i++)
    if (z[i] < least)
      least = z[i];
  printf("%d %d %d %g %g %g\n", isnan(sum), isnan(product), isnan(none), from_none, dropped, least);
  printf("%d %d %g %g\n", isnan(always), isnan(kept), balance, plain);
  return 0;
}
