/* Extremes with their places in an asynchronous group; equal ones too, by loops of both directions. */
#include <stdio.h>
#define N 37
#pragma dvm array distribute[block][block]
int a[N][N];
#pragma dvm array distribute[block]
double v[N];

int main(void) {
  int most = -1, least = 1000, up = -1, sum = 3, at_most[2] = {-1, -1}, at_least[2] = {-1, -1}, at_up = -1;
  double low = 1e9;
  long at_low = -1;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 7 + j * 11) % 50;
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i++)
    v[i] = (i * 5) % 9 - 4;
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i][j] on a[i][j]) reduction(g: maxloc(most, at_most, 2), sum(sum), minloc(least, at_least, 2))
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        if (a[i][j] > most) {
          most = a[i][j];
          at_most[0] = i;
          at_most[1] = j;
        }
        sum += a[i][j];
        if (a[i][j] <= least) {
          least = a[i][j];
          at_least[0] = i;
          at_least[1] = j;
        }
      }
#pragma dvm parallel([i] on v[i]) reduction(g: minloc(low, at_low, 1))
    for (int i = N - 1; i >= 0; i--)
      if (v[i] < low) {
        low = v[i];
        at_low = i;
      }
#pragma dvm reduction_start(g)
#pragma dvm parallel([i] on v[i]) reduction(h: maxloc(up, at_up, 1))
    for (int i = 0; i < N; i++)
      if (i % 6 + step > up) {
        up = i % 6 + step;
        at_up = i;
      }
#pragma dvm reduction_start(h)
#pragma dvm reduction_wait(g)
#pragma dvm reduction_wait(h)
    printf("%d at %d %d, %d at %d %d, %g at %ld, %d at %d, %d\n", most, at_most[0], at_most[1], least, at_least[0], at_least[1], low, at_low, up,
           at_up, sum);
#pragma dvm parallel([i][j] on a[i][j])
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        a[i][j] += (i + j) % 3 == step ? step : -step;
  }
  return 0;
}
