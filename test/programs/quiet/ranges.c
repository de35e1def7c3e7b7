/* Loops whose iterations do not fill a rectangle, that run backwards, in steps, or not at all; some of them twice, so that the
 * second time everything has a value. */
#include <stdio.h>
#define N 24

#pragma dvm array distribute[block][block] shadow[2:2][2:2]
static double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
static double b[N][N];
static double weight[N];
#pragma dvm array distribute[block][]
static double c[N][N];
#pragma dvm array align([i][j] with c[i][j])
static double d[N][N];

static double total(void) {
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(s))
  for (int i = N - 1; i >= 0; i--)
    for (int j = 0; j < N; j += 3)
      s += a[i][j] - b[i][j];
  return s;
}

static void triangle(int low) {
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a)
  for (int i = 2; i < N - 2; i++)
    for (int j = i > 3 ? low : i; j <= i; j++)
      b[i][j] = a[i - 2][j] + a[i][j + 2] + weight[N - 1 - i];
}

static void colours(void) {
  for (int k = 0; k < 2; k++) {
#pragma dvm parallel([i][j] on a[i][j]) shadow_renew(a)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1 + (i + k) % 2; j < N - 1; j += 2)
        a[i][j] = (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]) / 4;
  }
}

static void upwards(int n) {
#pragma dvm parallel([i] on c[i][])
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < N; j++)
      c[i][j] = weight[j];
    for (int j = N - 1; j > i; j--)
      row += c[i][j] * c[i][j - 1];
    d[i][i] = row;
  }
}

int main(void) {
  for (int i = 0; i < N; i++)
    weight[i] = i % 5;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = N - 1; j >= 0; j--) {
      a[i][j] = i * 3 + j;
      b[i][j] = 0;
    }
  for (int it = 0; it < 3; it++) {
    triangle(2);
    colours();
    printf("%.10g\n", total());
  }
  upwards(0);
  upwards(N);
  printf("%.10g\n", total());
  printf("%.10g\n", d[3][3]);
  return 0;
}
