/* In a nest outside of parallel loops, elements of a distributed array beside ordinary data that all have values. */
#include <stdio.h>
#define N 40
#pragma dvm array distribute[block][*]
static double A[N][N];
static double row[N], table[N][N];

static void start(void) {
#pragma dvm parallel([i][j] on A[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] = i;
}

static void fill(int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      table[i][j] = i + j;
}

static double weigh(int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
#ifdef RIGHT
      s += table[i][j] * table[j][i] + row[j];
#else
      s += table[i][j] * A[i][j] + row[j];
  //                     ^ error dvm-sequential-access 'A[0][0]'
#endif
  return s;
}

int main(int argc, char **argv) {
  const int n = N - argc + 1;
  start();
  for (int j = 0; j < n; j++)
    row[j] = j;
  fill(n);
  printf("%g\n", weigh(n) + weigh(n));
}
