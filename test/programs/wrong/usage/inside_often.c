/* Parallel loops inside of another one, of one and of three loops, entered in each of its iterations: what follows them is of the
 * iteration that it was. */
#include <stdio.h>
#define N 6

#pragma dvm array distribute[block][block] shadow[1:1][1:1]
static double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
static double b[N][N];
static double last;

static __attribute__((noinline)) double one(double x)
{
#pragma dvm parallel(1)
//          ^ error dvm-usage
  for (int i = 0; i < 2; i++)
    x++;
  return x;
}

static __attribute__((noinline)) double three(double x)
{
#pragma dvm parallel(3)
//          ^ error dvm-usage
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 2; k++)
        x += k;
  return x;
}

int main(void)
{
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = b[i][j] = 0;
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i][j] on a[i][j])
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++) {
        a[i][j] = one(i) + three(j);
        if (i == 2 && j == 3)
          last = a[i][j];
//        ^ warning dvm-undeclared-private
// stderr iteration \(i=2, j=3\)
        a[i][j] += three(1);
        if (j == 4)
          b[i][j + 1] = one(j);
//        ^ error dvm-shadow-write
// stderr iteration \(i=1, j=4\)
      }
  }
  printf("%g\n", a[2][3]);
  return 0;
}
// stderr dvm-usage\] 60 times
// stderr dvm-usage\] 96 times
