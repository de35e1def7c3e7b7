/* Alternating directions: across in one dimension after the other, forwards and backwards, a stage for the pipeline. */
#include <math.h>
#include <stdio.h>
#define NX 8
#define NY 9
#define NZ 10
#define Max(a, b) ((a) > (b) ? (a) : (b))

#pragma dvm array distribute[block][block][block]
double a[NX][NY][NZ];

static void init(void) {
#pragma dvm region out(a)
  {
#pragma dvm parallel([i][j][k] on a[i][j][k])
    for (int i = 0; i < NX; i++)
      for (int j = 0; j < NY; j++)
        for (int k = 0; k < NZ; k++)
          if (k == 0 || k == NZ - 1 || j == 0 || j == NY - 1 || i == 0 || i == NX - 1)
            a[i][j][k] = 10.0 * i / (NX - 1) + 10.0 * j / (NY - 1) + 10.0 * k / (NZ - 1);
          else
            a[i][j][k] = 0;
  }
}

int main(void) {
  double eps;
  int it, i, j, k;
  init();
  for (it = 1; it <= 5; it++) {
    eps = 0;
#pragma dvm actual(eps)
#pragma dvm region
    {
#pragma dvm parallel([i][j][k] on a[i][j][k]) across(a[1:1][0:0][0:0]) stage(2)
      for (i = 1; i < NX - 1; i++)
        for (j = 1; j < NY - 1; j++)
          for (k = 1; k < NZ - 1; k++)
            a[i][j][k] = (a[i - 1][j][k] + a[i + 1][j][k]) / 2;
#pragma dvm parallel([i][j][k] on a[i][j][k]) across(a[0:0][1:1][0:0])
      for (i = 1; i < NX - 1; i++)
        for (j = NY - 2; j >= 1; j--)
          for (k = 1; k < NZ - 1; k++)
            a[i][j][k] = (a[i][j - 1][k] + a[i][j + 1][k]) / 2;
#pragma dvm parallel([i][j][k] on a[i][j][k]) across(a[0:0][0:0][1:1]), reduction(max(eps))
      for (i = 1; i < NX - 1; i++)
        for (j = 1; j < NY - 1; j++)
          for (k = 1; k < NZ - 1; k++) {
            double tmp1 = (a[i][j][k - 1] + a[i][j][k + 1]) / 2;
            double tmp2 = fabs(a[i][j][k] - tmp1);
            eps = Max(eps, tmp2);
            a[i][j][k] = tmp1;
          }
    }
#pragma dvm get_actual(eps)
    printf(" IT = %4d   EPS = %14.7E\n", it, eps);
  }
  return 0;
}
