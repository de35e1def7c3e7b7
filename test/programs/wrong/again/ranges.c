/* Wrong ranges, row by row: what the first element of a row has been reported for is counted for those that follow. */
// TWIN
// OUTPUT any
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 12
#define M 40
#ifdef RIGHT
#define RENEW(...) shadow_renew(__VA_ARGS__)
#define FAR(...) remote_access(__VA_ARGS__)
#define NEXT 0
#define FROM 0
#define MINE(a, b) b
#define COPY array_copy
#else
#define RENEW(...)
#define FAR(...)
#define NEXT 1
#define FROM 7
#define MINE(a, b) a
#endif

#pragma dvm array distribute[block][*] shadow[1:1][0]
double g[N][M];
#pragma dvm array align([i][j] with g[i][j])
double h[N][M];
#pragma dvm array distribute[block] shadow[2:1]
float line[M];
#pragma dvm array align([i] with line[i])
float other[M];
#pragma dvm array distribute[*][block]
int across[3][M];
#pragma dvm array align([j][i] with across[j][i])
int turned[3][M];
#pragma dvm array distribute[block]
struct both {
  int n;
  double x;
} pairs[M];
#pragma dvm array distribute[block][*] shadow[1:1][0]
char names[N][8];
#pragma dvm array align([i] with names[i][])
char first[N];

int main(void) {
  FILE *f = tmpfile();
  float copy[M];
  double row[M], mine[M];
  int part[3][M];
#pragma dvm parallel([i][j] on g[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      g[i][j] = h[i][j] = i + j;
#pragma dvm parallel([i] on g[i][]) RENEW(g)
  for (int i = 0; i < N - 1; i++)
    memcpy(h[i], g[i + 1], sizeof h[i]);
    //           ^ error dvm-shadow-stale 'g[1][0]'
#pragma dvm parallel([i] on g[i][]) private(row) FAR(g[0][])
  for (int i = 0; i < N; i++) {
    memmove(row, MINE(g[N - 1 - i], g[0]), sizeof row);
    //                ^ error dvm-nonlocal-access 'g[11][0]'
    //                ^ error dvm-shadow-stale 'g[6][0]'
    h[i][0] = row[3];
  }
#pragma dvm parallel([i] on g[i][])
  for (int i = 0; i < N - 1; i++)
    memset(h[i + NEXT], 0, sizeof h[i]);
    //     ^ error dvm-shadow-write 'h[1][0]'
#pragma dvm parallel([i] on line[i])
  for (int i = FROM; i < M; i++)
    line[i] = i;
  fwrite(line, sizeof *line, M, f);
  //     ^ error dvm-uninitialized 'line[0]'
#pragma dvm parallel([i] on line[i])
  for (int i = 0; i < M; i++)
    line[i] = i;
#pragma dvm parallel([i] on line[i]) private(copy) FAR(line[])
  for (int i = 0; i < M; i++) {
    memcpy(copy, line, sizeof copy);
    //           ^ error dvm-shadow-stale 'line[1]'
    //           ^ error dvm-nonlocal-access 'line[2]'
    other[i] = copy[M / 2];
  }
  fwrite(other, sizeof *other, M, f);
#ifndef RIGHT
  memcpy(copy, line, sizeof line);
  //           ^ error dvm-sequential-access 'line[0]'
  memcpy(other, line + 1, sizeof line - sizeof *line);
  //            ^ error dvm-sequential-access 'line[1]'
#endif
  memcpy(other, line, sizeof line);
#pragma dvm parallel([i] on across[][i])
  for (int i = 0; i < M; i++)
    for (int k = 0; k < 3; k++)
      across[k][i] = i + k;
#pragma dvm parallel([i] on across[][i]) private(part) FAR(across[][])
  for (int i = 0; i < M; i++) {
    memcpy(part, across, sizeof part);
    //           ^ error dvm-shadow-stale 'across[0][1]'
    //           ^ error dvm-nonlocal-access 'across[0][2]'
    turned[1][i] = part[0][i];
  }
#ifndef RIGHT
#pragma dvm parallel([i] on across[][i]) private(part) remote_access(across[][])
  for (int i = 0; i < M; i++) {
    memcpy(part, across, sizeof part);
    //           ^ error dvm-loop-dependence 'across[1][0]'
    across[1][i] = part[0][i];
  }
#endif
#pragma dvm parallel([i] on pairs[i])
  for (int i = FROM; i < M; i++) {
    pairs[i].n = i;
    if (NEXT == 0 || i % 5)
      pairs[i].x = i;
  }
  fwrite(pairs, sizeof *pairs, M, f);
  //     ^ error dvm-uninitialized 'pairs[0].n'
#pragma dvm parallel([i] on names[i][])
  for (int i = 0; i < N - 1; i++)
    strcpy(names[i + NEXT], "name");
    //     ^ error dvm-shadow-write 'names[1][0]'
#pragma dvm parallel([i] on names[i][])
  for (int i = 0; i < N; i++)
    memset(names[i], 'a', 8);
#pragma dvm parallel([i] on first[i]) RENEW(names)
  for (int i = 1; i < N; i++)
    first[i] = memcmp(names[i - 1], "aaaaaaaa", 8);
    //                ^ error dvm-shadow-stale 'names[0][0]'
  for (int i = FROM; i < M; i++)
    mine[i] = i;
  fwrite(mine, sizeof *mine, M, f);
  //     ^ error dvm-uninitialized 'mine'
  printf("%d\n", names[0][0]);
  return 0;
}
