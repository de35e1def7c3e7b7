/* Products, quotients and sums of complex numbers of each precision: in steps, through a local variable, of elements and members. */
#include <complex.h>
#include <stdio.h>
enum { N = 100 };

#pragma dvm array distribute[block]
static double complex real8[N];
static struct { int k; double complex z[2]; } real8_of;

static void run_real8(void) {
  double complex p = 1.5 + I, q[3] = {1, 2, 3}, r = 1, s = 0;
  real8_of.z[1] = 2;
#pragma dvm parallel([i] on real8[i])
  for (int i = 0; i < N; i++)
    real8[i] = 1 + 0.01 * I * (i % 17) + 0.002 * i;
#pragma dvm parallel([i] on real8[i]) reduction(product(p), product(q), product(r), sum(s))
  for (int i = 0; i < N; i++) {
    if (i % 3) {
      p = p * real8[i] * (1 - 0.01 * I);
    } else {
      p = real8[i] * p;
      p *= 0.99;
    }
    q[i % 3] *= real8[i];
    q[1] /= real8[i];
    r = r / real8[i];
    double complex t = s;
    t += real8[i] * real8[i];
    s = t;
    for (int k = 0; k < 3; k++)
      p *= 1 + 0.001 * real8[i];
  }
#pragma dvm parallel([i] on real8[i]) reduction(product(real8_of.z[1]))
  for (int i = 0; i < N; i++)
    real8_of.z[1] *= real8[i];
  printf("%.3g %.3g %.3g %.3g\n", (double)creal(p), (double)cimag(p), (double)creal(q[1]), (double)cimag(q[2]));
  printf("%.3g %.3g %.3g %.3g\n", (double)creal(r), (double)cimag(real8_of.z[1]), (double)creal(s), (double)cimag(s));
}

#pragma dvm array distribute[block]
static float complex real4[N];
static struct { int k; float complex z[2]; } real4_of;

static void run_real4(void) {
  float complex p = 1.5 + I, q[3] = {1, 2, 3}, r = 1, s = 0;
  real4_of.z[1] = 2;
#pragma dvm parallel([i] on real4[i])
  for (int i = 0; i < N; i++)
    real4[i] = 1 + 0.01 * I * (i % 17) + 0.002 * i;
#pragma dvm parallel([i] on real4[i]) reduction(product(p), product(q), product(r), sum(s))
  for (int i = 0; i < N; i++) {
    if (i % 3) {
      p = p * real4[i] * (1 - 0.01 * I);
    } else {
      p = real4[i] * p;
      p *= 0.99;
    }
    q[i % 3] *= real4[i];
    q[1] /= real4[i];
    r = r / real4[i];
    float complex t = s;
    t += real4[i] * real4[i];
    s = t;
    for (int k = 0; k < 3; k++)
      p *= 1 + 0.001 * real4[i];
  }
#pragma dvm parallel([i] on real4[i]) reduction(product(real4_of.z[1]))
  for (int i = 0; i < N; i++)
    real4_of.z[1] *= real4[i];
  printf("%.3g %.3g %.3g %.3g\n", (double)creal(p), (double)cimag(p), (double)creal(q[1]), (double)cimag(q[2]));
  printf("%.3g %.3g %.3g %.3g\n", (double)creal(r), (double)cimag(real4_of.z[1]), (double)creal(s), (double)cimag(s));
}

#pragma dvm array distribute[block]
static long double complex real16[N];
static struct { int k; long double complex z[2]; } real16_of;

static void run_real16(void) {
  long double complex p = 1.5 + I, q[3] = {1, 2, 3}, r = 1, s = 0;
  real16_of.z[1] = 2;
#pragma dvm parallel([i] on real16[i])
  for (int i = 0; i < N; i++)
    real16[i] = 1 + 0.01 * I * (i % 17) + 0.002 * i;
#pragma dvm parallel([i] on real16[i]) reduction(product(p), product(q), product(r), sum(s))
  for (int i = 0; i < N; i++) {
    if (i % 3) {
      p = p * real16[i] * (1 - 0.01 * I);
    } else {
      p = real16[i] * p;
      p *= 0.99;
    }
    q[i % 3] *= real16[i];
    q[1] /= real16[i];
    r = r / real16[i];
    long double complex t = s;
    t += real16[i] * real16[i];
    s = t;
    for (int k = 0; k < 3; k++)
      p *= 1 + 0.001 * real16[i];
  }
#pragma dvm parallel([i] on real16[i]) reduction(product(real16_of.z[1]))
  for (int i = 0; i < N; i++)
    real16_of.z[1] *= real16[i];
  printf("%.3g %.3g %.3g %.3g\n", (double)creal(p), (double)cimag(p), (double)creal(q[1]), (double)cimag(q[2]));
  printf("%.3g %.3g %.3g %.3g\n", (double)creal(r), (double)cimag(real16_of.z[1]), (double)creal(s), (double)cimag(s));
}

int main(void) {
  run_real8();
  run_real4();
  run_real16();
  return 0;
}
