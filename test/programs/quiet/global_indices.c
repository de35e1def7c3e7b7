/* Index variables that are no locals of the function, also where others look at them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 12

static int i;
int j, k;
static unsigned char narrow;
static int *const to_k = &k;

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
double b[N][N];
#pragma dvm array distribute[block]
double c[N];

static double of_k(void) { return k * 2 + *to_k; }

static int by_value(const void *p, const void *q) { return (*(const int *)p > *(const int *)q) - (*(const int *)p < *(const int *)q) + 0 * k; }

static void inside_region(void) {
  static int row, column;
#pragma dvm region
  {
#pragma dvm parallel([row][column] on b[row][column]) shadow_renew(a)
    for (row = 1; row < N - 1; row++)
      for (column = N - 2; column > 0; column--)
        b[row][column] = a[row - 1][column] + a[row + 1][column] + a[row][column - 1] + a[row][column + 1];
  }
#pragma dvm get_actual(b)
  row = column = 2;
  printf("%g %d\n", b[row][column], row);
}

int main(void) {
  double s = 0, most = -1;
  int where = -1;
#pragma dvm parallel([i][j] on a[i][j]) private(i)
  for (i = 0; i < N; ++i)
    for (j = 0; j < N; ++j)
      a[i][j] = b[i][j] = i * N + fabs(-1.0 * j);
#pragma dvm parallel([k] on c[k])
  for (k = 0; k < N; k++)
    c[k] = of_k() + k;
#pragma dvm parallel([narrow] on c[narrow]) reduction(sum(s), maxloc(most, where))
  for (narrow = 1; narrow < N; narrow += 2) {
    s += c[narrow];
    if (c[narrow] > most) {
      most = c[narrow];
      where = narrow;
    }
  }
#pragma dvm parallel([k] on c[k])
  for (k = N - 1; k >= 0; k--) {
    int three[3] = {2, k, 1};
    qsort(three, 3, sizeof(three[0]), by_value);
    c[k] += three[0];
  }
#pragma dvm parallel([k] on c[k]) remote_access(a[k][2])
  for (k = 3; k < 3; k++)
    c[k] = a[k][2];
  inside_region();
  for (i = 0; i < N; i++)
    s += i;
  k = 4;
  printf("%g %g %d %d %g\n", s, most, where, k, of_k());
  return 0;
}
