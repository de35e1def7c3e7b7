/* Extremes with their places, met several times: the place is that of the sequential run, by the order of the iterations. */
#include <stdio.h>
#define N 12
#pragma dvm array distribute[block][block]
int a[N][N];
int main(void) {
  int best, where[2], first, at = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = (i * 5 + j * 7) % 9;
  best = -1, where[0] = where[1] = -1;
#pragma dvm parallel([i][j] on a[i][j]) reduction(maxloc(best, where, 2))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      if (a[i][j] > best) {
        best = a[i][j];
        where[0] = i;
        where[1] = j;
      }
  printf("first %d at %d %d\n", best, where[0], where[1]);
  best = -1;
#pragma dvm parallel([i][j] on a[i][j]) reduction(maxloc(best, where, 2))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      if (a[i][j] >= best) {
        best = a[i][j];
        where[0] = i;
        where[1] = j;
      }
  printf("last %d at %d %d\n", best, where[0], where[1]);
  best = 100;
#pragma dvm parallel([i][j] on a[i][j]) reduction(minloc(best, where, 2))
  for (int i = N - 1; i >= 0; i--)
    for (int j = N - 1; j >= 0; j--)
      if (best > a[i][j]) {
        best = a[i][j];
        where[0] = i;
        where[1] = j;
      }
  printf("from behind %d at %d %d\n", best, where[0], where[1]);
  first = 0, at = 77;
#pragma dvm parallel([i] on a[i][0]) reduction(minloc(first, at))
  for (int i = 0; i < N; i++)
    if (a[i][0] < first) {
      first = a[i][0];
      at = i;
    }
  printf("none %d at %d\n", first, at);
  return 0;
}
