/* Asynchronous exchanges and reductions, corners, wide edges. */
#include <stdio.h>
#define N 20
#pragma dvm array distribute[block][block] shadow[2:2][2:2]
int a[N][N];
#pragma dvm array align([i][j] with a[i][j])
int b[N][N];
int main(void) {
  int sum = 5, least = 1000;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * i + 3 * j, b[i][j] = 0;
#pragma dvm shadow_group(g: a[2:2][2:2] (corner))
  for (int step = 0; step < 3; step++) {
#pragma dvm shadow_start(g)
#pragma dvm parallel([i][j] on b[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        b[i][j] += a[i][j];
#pragma dvm shadow_wait(g)
#pragma dvm parallel([i][j] on b[i][j])
    for (int i = 2; i < N - 2; i++)
      for (int j = 2; j < N - 2; j++)
        b[i][j] += a[i - 2][j - 2] - a[i + 2][j + 1] + a[i - 1][j + 2];
#pragma dvm parallel([i][j] on b[i][j]) reduction(r: sum(sum), min(least)) shadow_start(g)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        sum += b[i][j] + step;
        least = b[i][j] < least ? b[i][j] : least;
      }
#pragma dvm reduction_start(r)
#pragma dvm parallel([i][j] on b[i][j]) shadow_wait(g)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        b[i][j] += a[i - 1][j] + a[i][j + 1];
#pragma dvm reduction_wait(r)
    printf("%d %d\n", sum, least);
#pragma dvm parallel([i][j] on a[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        a[i][j] = (a[i][j] + step) % 31;
  }
  return 0;
}
