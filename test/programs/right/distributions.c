/* All distributions: generalised, weighted, multiplied blocks, indirect; the verdicts do not depend on weights, sizes and maps. */
#include <stdio.h>
#define N 12

double weights[4] = {1, 2, 2, 1};
int sizes[1] = {N};
#pragma dvm array distribute[wgtblock(weights, 4)]
int w[N];
#pragma dvm array distribute[genblock(sizes)]
int g[N];
#pragma dvm array distribute[multblock(3)][block]
int m[N][N];
int owner[N];
#pragma dvm array distribute[indirect(owner)]
int q[N];
#pragma dvm array distribute[*][block]
int s[N][N];

int main(void) {
  int sum = 0;
#pragma dvm parallel([i] on w[i])
  for (int i = 0; i < N; i++)
    w[i] = i;
#pragma dvm parallel([i] on g[i])
  for (int i = 0; i < N; i++)
    g[i] = i;
#pragma dvm parallel([i] on q[i])
  for (int i = 0; i < N; i++)
    q[i] = 2 * i;
#pragma dvm parallel([i][j] on m[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      m[i][j] = i - j;
#pragma dvm parallel([j] on s[][j])
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++)
      s[i][j] = i + j;
#pragma dvm parallel([i] on w[i]) shadow_renew(w) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    sum += w[i - 1] * w[i + 1];
#pragma dvm parallel([i] on g[i]) shadow_renew(g) reduction(sum(sum))
  for (int i = 1; i < N; i++)
    sum += g[i - 1];
#pragma dvm parallel([i][j] on m[i][j]) shadow_renew(m) reduction(sum(sum))
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += m[i - 1][j];
#pragma dvm parallel([j] on s[][j]) reduction(sum(sum))
  for (int j = 0; j < N; j++)
    for (int i = 1; i < N; i++)
      sum += s[i - 1][j] * s[i][j];
#pragma dvm parallel([i] on q[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += q[i];
  printf("%d\n", sum);
  return 0;
}
