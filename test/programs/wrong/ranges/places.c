/* What memcpy and its kin reach in a loop is judged as the elements are: the neighbour's part, edges that were not renewed, arrays that
 * lie elsewhere. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define N 8
#define M 6
#ifdef RIGHT
#define TO i
#define RENEW(x) shadow_renew(x)
#define NEAR 1
#else
#define TO i + 1
#define RENEW(x)
#define NEAR 3
#endif

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
#pragma dvm array distribute[block][*]
double g[N][M];
#pragma dvm array align([i][j] with g[i][j])
double h[N][M];

static void take(double *to, const double *from, size_t n) {
  memmove(to, from, n * sizeof *to);
  //          ^ error dvm-shadow-stale 'g[2][0]'
}

int main(void) {
  double row[M], sum = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i;
    bzero(&b[i], sizeof b[i]);
  }
#pragma dvm parallel([i][j] on g[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      g[i][j] = h[i][j] = i + j;
#pragma dvm parallel([i] on g[i][]) RENEW(g)
  for (int i = 1; i < N - 1; i++)
    take(h[i], g[i + 1], M);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N - 1; i++)
    memcpy(&b[TO], &a[i], sizeof(double));
    //      ^ error dvm-shadow-write 'b[1]'
#pragma dvm parallel([i] on b[i]) RENEW(a)
  for (int i = 1; i < N; i++)
    memcpy(&b[i], a + i - 1, sizeof(double));
    //            ^ error dvm-shadow-stale 'a[0]'
#pragma dvm parallel([i] on g[i][]) private(row) RENEW(g)
  for (int i = 0; i < N - 3; i++) {
    memcpy(row, g[i + NEAR], sizeof row);
    //          ^ error dvm-nonlocal-access 'g[3][0]'
    h[i][0] = row[0];
  }
#pragma dvm parallel([i] on g[i][])
  for (int i = 0; i < N - 1; i++)
    memset(h[TO], 0, sizeof h[0]);
    //     ^ error dvm-shadow-write 'h[1][0]'
#pragma dvm parallel([i] on g[i][]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      sum += h[i][j];
#pragma dvm parallel([i] on b[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += b[i];
  printf("%d\n", sum > 0);
  return 0;
}
