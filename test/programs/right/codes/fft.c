/* Fast Fourier transform of complex numbers, in place, against the slow one. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#define N 32
static void fft(double complex *x, int n) {
  if (n == 1)
    return;
  double complex even[N / 2], odd[N / 2];
  for (int i = 0; i < n / 2; i++) {
    even[i] = x[2 * i];
    odd[i] = x[2 * i + 1];
  }
  fft(even, n / 2);
  fft(odd, n / 2);
  for (int k = 0; k < n / 2; k++) {
    double complex t = cexp(-2 * I * M_PI * k / n) * odd[k];
    x[k] = even[k] + t;
    x[k + n / 2] = even[k] - t;
  }
}
#pragma dvm array distribute[block]
static double complex slow[N];
int main(void) {
  double complex x[N], y[N];
  double worst = 0;
  for (int i = 0; i < N; i++)
    x[i] = sin(i) + I * (i % 3);
  memcpy(y, x, sizeof y);
  fft(y, N);
#pragma dvm parallel([k] on slow[k])
  for (int k = 0; k < N; k++) {
    double complex s = 0;
    for (int i = 0; i < N; i++)
      s += x[i] * cexp(-2 * I * M_PI * k * i / N);
    slow[k] = s;
  }
#pragma dvm parallel([k] on slow[k]) reduction(max(worst))
  for (int k = 0; k < N; k++)
    worst = fmax(worst, cabs(slow[k] - y[k]));
  printf("%d\n", worst < 1e-9);
  return 0;
}
