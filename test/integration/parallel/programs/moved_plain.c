/* Arrays that are given a place, or another one, though no directive says 'dynamic'. */
#include <stdio.h>
#define N 12

#pragma dvm array
double late[N][N];
#pragma dvm array
static double later[N][N];
#pragma dvm array distribute[block][*]
double a[N][N];
#pragma dvm array distribute[*][block]
static double b[N][N];
#pragma dvm array align([i][j] with b[i][j])
static double with[N][N];

static double sum(void) {
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += a[i][j];
#pragma dvm parallel([i][j] on with[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += b[i][j] * with[i][j];
  return s;
}

int main(void) {
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i * N + j;
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      b[i][j] = i - j;
      with[i][j] = 2 * i;
    }
  printf("%g\n", sum());
#pragma dvm redistribute(a[*][block])
#pragma dvm redistribute(b[block][block])
  printf("%g\n", sum());
#pragma dvm realign(with[i][j] with a[j][i])
#pragma dvm parallel([i][j] on with[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += with[i][j];
#pragma dvm redistribute(late[block][block])
#pragma dvm realign(later[i][j] with late[i][j])
#pragma dvm parallel([i][j] on late[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      late[i][j] = later[i][j] = i + j;
#pragma dvm parallel([i][j] on later[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      s += later[i][j];
  printf("%g\n", s);
  return 0;
}
