/* Prolongation: of the fine grid every second point has a coarse one.  An iteration between two of them has none, a block of two
 * points always has one, and what it lacks is in the edge. */
#include <stdio.h>
enum { N = 9, F = 2 * N - 1 };

#pragma dvm array distribute[block] shadow[1:1]
double u[F];
#pragma dvm array align([i] with u[2 * i]) shadow[1:1]
double e[N];
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double U[F][F];
#pragma dvm array align([i][j] with U[2 * i][2 * j]) shadow[1:1][1:1]
double E[N][N];

int main(void) {
#pragma dvm parallel([i] on e[i])
  for (int i = 0; i < N; i++)
    e[i] = i * i;
#pragma dvm parallel([i] on u[2 * i])
  for (int i = 0; i < N; i++)
    u[2 * i] = e[i];
#pragma dvm parallel([i] on u[2 * i + 1]) shadow_renew(e)
  for (int i = 0; i < N - 1; i++)
    u[2 * i + 1] = (e[i] + e[i + 1]) / 2;
#pragma dvm parallel([i][j] on E[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      E[i][j] = i + j;
#pragma dvm parallel([i][j] on U[2 * i][2 * j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      U[2 * i][2 * j] = E[i][j];
#pragma dvm parallel([i][j] on U[2 * i + 1][2 * j]) shadow_renew(E)
  for (int i = 0; i < N - 1; i++)
    for (int j = 0; j < N; j++)
      U[2 * i + 1][2 * j] = (E[i][j] + E[i + 1][j]) / 2;
#pragma dvm parallel([i][j] on U[2 * i][2 * j + 1])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N - 1; j++)
      U[2 * i][2 * j + 1] = (E[i][j] + E[i][j + 1]) / 2;
#pragma dvm parallel([i][j] on U[2 * i + 1][2 * j + 1]) shadow_renew(E (corner))
  for (int i = 0; i < N - 1; i++)
    for (int j = 0; j < N - 1; j++)
      U[2 * i + 1][2 * j + 1] = (E[i][j] + E[i + 1][j] + E[i][j + 1] + E[i + 1][j + 1]) / 4;
  double s = 0;
#pragma dvm parallel([i] on u[i]) reduction(sum(s))
  for (int i = 0; i < F; i++)
    s += u[i] + 0;
  printf("%g\n", s);
  return 0;
}
