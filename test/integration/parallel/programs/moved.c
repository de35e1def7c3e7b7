/* Distributions that change: of templates, with aligned arrays, by sizes and maps that the program computes; allocated arrays. */
#include <stdio.h>
#include <stdlib.h>
#define N 24
#pragma dvm template[N][N] distribute[block][block] dynamic
void *T;
#pragma dvm array align([i][j] with T[i][j]) dynamic
int a[N][N];
#pragma dvm array align([i][j] with a[j][i]) dynamic
int b[N][N];
#pragma dvm array distribute[block] dynamic shadow[1:1]
int v[N];
int map[N];
static long sum_of(void) {
  long sum = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += a[i][j] * (i + 3L * j) - b[j][i];
#pragma dvm parallel([i] on v[i]) shadow_renew(v) reduction(sum(sum))
  for (int i = 1; i < N - 1; i++)
    sum += v[i - 1] * 2 + v[i + 1];
  return sum;
}
int main(void) {
#pragma dvm parallel([i][j] on T[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i * 2 + j;
      b[j][i] = a[i][j] * 3;
    }
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i++)
    v[i] = i * i;
  printf("%ld\n", sum_of());
#pragma dvm redistribute(T[*][block])
  printf("%ld\n", sum_of());
#pragma dvm redistribute(T[block][*])
  for (int i = 0; i < N; i++)
    map[i] = i / 5 % 2;
#pragma dvm redistribute(v[indirect(map)])
  printf("%ld\n", sum_of());
#pragma dvm realign(b[i][j] with a[i][j])
#pragma dvm realign(b[i][j] with a[j][i])
  printf("%ld\n", sum_of());
#pragma dvm redistribute(v[*])
#pragma dvm parallel([i] on v[i])
  for (int i = 0; i < N; i++)
    v[i] += i;
#pragma dvm redistribute(v[multblock(4)])
  printf("%ld\n", sum_of());
  for (int round = 1; round < 4; round++) {
#pragma dvm array distribute[block][*]
    double(*p)[3] = malloc(round * 5 * sizeof *p);
    double s = 0;
#pragma dvm parallel([i][j] on p[i][j])
    for (int i = 0; i < round * 5; i++)
      for (int j = 0; j < 3; j++)
        p[i][j] = i + j / 4.0;
    p = realloc(p, round * 7 * sizeof *p);
#pragma dvm parallel([i][j] on p[i][j])
    for (int i = 0; i < round * 7; i++)
      for (int j = 0; j < 3; j++)
        p[i][j] = i * j;
#pragma dvm parallel([i][j] on p[i][j]) reduction(sum(s))
    for (int i = 0; i < round * 7; i++)
      for (int j = 0; j < 3; j++)
        s += p[i][j];
    printf("%g\n", s);
    free(p);
  }
  return 0;
}
