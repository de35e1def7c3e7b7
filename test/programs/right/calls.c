/* Functions called from the loops, two deep, with elements, rows and addresses; static functions and recursion. */
#include <stdio.h>
#define N 9

#pragma dvm array distribute[block][] shadow[1:1][0:0]
double grid[N][N];
#pragma dvm array align([i][j] with grid[i][j])
double next[N][N];

static double mean(double x, double y) {
  return (x + y) / 2;
}

static double power(double x, int n) {
  return n == 0 ? 1 : x * power(x, n - 1);
}

static double row_sum(const double *row, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += row[k];
  return sum;
}

static void store(double *where, double value) {
  *where = value;
}

static double update(int i, int j) {
  double up = i > 0 ? grid[i - 1][j] : 0, down = i < N - 1 ? grid[i + 1][j] : 0;
  return mean(up, down) + power(grid[i][j] / 100, 3);
}

int main(void) {
  double total = 0;
#pragma dvm parallel([i][j] on grid[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      store(&grid[i][j], i * N + j);
#pragma dvm parallel([i][j] on next[i][j]) shadow_renew(grid)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      next[i][j] = update(i, j);
#pragma dvm parallel([i] on next[i][]) reduction(sum(total))
  for (int i = 0; i < N; i++)
    total += row_sum(next[i], N);
  printf("%.9g\n", total);
  return 0;
}
