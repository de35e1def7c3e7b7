/* Every form of update of a reduction variable that the clause allows, over the types: no report. */
#include <math.h>
#include <stdio.h>
#define N 37

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
int k[N];

double gsum;
static int gcount;
static void add(double x) { gsum += x; }
static double plus(double s, double x) { return s + x; }
static void add_to(double *s, double x) { *s += x; }

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = ((i * 17) % 37 - 11) * 0.37;
    k[i] = (i * 29) % 37;
  }
  double s = 0.1, s2 = 1, s3 = 0, p = 1, mx = -1e30, mn = 1e30, mx2 = -5, mn2 = 100, s4 = 0, s5 = 0, t;
  float fs = 0.5f, fm = -100;
  long double ls = 0;
  int c = 3, band = -1, bor = 0, bxor = 5, all = 1, any = 0, imax = -1, imin = 99;
  unsigned u = 0, umax = 0;
  short sh = 0;
  unsigned char uc = 0;
  long long big = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s), sum(s2), sum(s3), product(p), max(mx), min(mn), max(mx2), min(mn2)) private(t) reduction(sum(s4), sum(s5))
  for (int i = 0; i < N; i++) {
    s += a[i];
    s2 = s2 + a[i] * 2;
    s3 = a[i] + s3;
    s3 -= 0.25;
    p *= 1 + a[i] * 0.01;
    if (a[i] > mx)
      mx = a[i];
    mn = fmin(mn, a[i]);
    mx2 = mx2 > a[i] ? mx2 : a[i];
    if (mn2 >= a[i]) {
      mn2 = a[i];
    }
    t = s4 + a[i];
    s4 = t;
    for (int j = 0; j < 3; j++)
      s5 += j * a[i];
  }
#pragma dvm parallel([i] on k[i]) reduction(sum(c), and(band), or(bor), xor(bxor), and(all), or(any), max(imax), min(imin), sum(u), max(umax), sum(sh), sum(uc), sum(big), sum(fs), max(fm), sum(ls))
  for (int i = 0; i < N; i++) {
    c++;
    c += k[i] > 3;
    band &= k[i] | 64;
    bor = bor | k[i];
    bxor ^= k[i];
    all = all && k[i] < 40;
    any = any || k[i] == 12;
    if (imax < k[i])
      imax = k[i];
    imin = k[i] < imin ? k[i] : imin;
    u += (unsigned)k[i];
    umax = (unsigned)k[i] > umax ? (unsigned)k[i] : umax;
    sh += (short)k[i];
    uc += (unsigned char)k[i];
    big += (long long)k[i] << 30;
    fs += (float)k[i] * 0.1f;
    fm = fmaxf(fm, (float)k[i]);
    ls += k[i] / 3.0L;
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(gsum), sum(gcount))
  for (int i = 0; i < N; i++) {
    add(a[i]);
    gcount++;
    gsum = gsum + 1;
  }
  double cs = 0, ps = 2;
#pragma dvm parallel([i] on a[i]) reduction(sum(cs), sum(ps))
  for (int i = 0; i < N; i++) {
    cs = plus(cs, a[i]);
    add_to(&ps, a[i]);
  }
  double best = -1e9, worst = 1e9;
  int where = -1, at[2] = {-1, -1};
#pragma dvm parallel([i] on a[i]) reduction(maxloc(best, where), minloc(worst, at, 2))
  for (int i = 0; i < N; i++) {
    if (a[i] > best) {
      best = a[i];
      where = i;
    }
    if (a[i] < worst) {
      worst = a[i];
      at[0] = i;
      at[1] = 2 * i;
    }
  }
  double hist[4] = {0, 1, 2, 3};
  int ok = 1;
#pragma dvm parallel([i] on k[i]) reduction(sum(hist), and(ok))
  for (int i = 0; i < N; i++) {
    hist[k[i] & 3] += 1;
    if (k[i] > 50)
      ok = 0;
  }
  double none = 7;
#pragma dvm parallel([i] on k[i]) reduction(max(none))
  for (int i = 5; i < 5; i++)
    none = fmax(none, k[i]);
  double nan_max = 0;
#pragma dvm parallel([i] on k[i]) reduction(sum(nan_max))
  for (int i = 0; i < N; i++)
    nan_max += k[i] == 4 ? (double)NAN : 1.0;
  printf("%d %d %d\n", (int)(s + s2 + s3 + s4 + s5), (int)(p * 100), (int)(mx + mn + mx2 + mn2));
  printf("%d %d %d %d %d %d %d %d %u %u %d %d %lld %g %g %Lg\n", c, band, bor, bxor, all, any, imax, imin, u, umax, sh, uc, big, fs, fm, ls);
  printf("%g %d %g %g %g %d %g %d %d\n", gsum, gcount, cs, ps, best, where, worst, at[0], at[1]);
  printf("%g %g %d %g %d\n", hist[0], hist[3], ok, none, isnan(nan_max));
  return 0;
}
