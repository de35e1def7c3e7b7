/* Local arrays that lie as a parameter does: 'align .. with' what 'inherit' names, and 'realign' to it. */
#include <stdio.h>
#include <stdlib.h>
#define N 20
#define M 6
#pragma dvm array distribute[block] shadow[1 : 1] dynamic
double line[N];
#pragma dvm array distribute[block][block] dynamic
double plane[N][M];
#pragma dvm array distribute[block] dynamic
double *moving;

#pragma dvm inherit(a)
static double smooth(double *a, int n) {
  double s = 0;
#pragma dvm array align([i] with a[i]) shadow[1 : 1]
  double next[N];
#pragma dvm parallel([i] on a[i]) shadow_renew(a)
  for (int i = 1; i < n - 1; i++)
    next[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 1; i < n - 1; i++) {
    a[i] = next[i];
    s += a[i] * i;
  }
  return s;
}

#pragma dvm inherit(p, row)
static double rows(double (*p)[M], double row[N], int turned) {
  double s = 0;
#pragma dvm array align([j][i] with p[i][j])
  double across[M][N];
#pragma dvm array align([i] with row[i]) dynamic
  double *own;
  own = malloc(N * sizeof(double));
#pragma dvm parallel([i][j] on p[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      across[j][i] = p[i][j] + turned;
#pragma dvm parallel([i] on row[i])
  for (int i = 0; i < N; i++)
    own[i] = row[i] + i;
#pragma dvm realign(own[i] with p[i][])
#pragma dvm parallel([i][j] on p[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      s += across[j][i] * own[i] + j;
  free(own);
  return s;
}

int main(void) {
#pragma dvm parallel([i] on line[i])
  for (int i = 0; i < N; i++)
    line[i] = i % 7;
#pragma dvm parallel([i][j] on plane[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      plane[i][j] = i * j % 5;
  moving = malloc(N * sizeof(double));
#pragma dvm parallel([i] on moving[i])
  for (int i = 0; i < N; i++)
    moving[i] = i % 3;
  printf("%.9g\n", smooth(line, N));
  printf("%.9g\n", rows(plane, line, 1));
#pragma dvm redistribute(plane[*][block])
  printf("%.9g\n", rows(plane, moving, 2));
  free(moving);
  return 0;
}
