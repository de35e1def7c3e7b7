/* Multigrid, V-cycles: each level is aligned with every second point of the finest one, so that transfers need edges alone. */
#include <math.h>
#include <stdio.h>

#define L0 33
#define L1 17
#define L2 9

#pragma dvm template[36][36] distribute[multblock(4)][multblock(4)]
void *T;
#pragma dvm array align([i][j] with T[i][j]), shadow[1:1][1:1]
double u0[L0][L0];
#pragma dvm array align([i][j] with T[i][j]), shadow[2:2][2:2]
double f0[L0][L0];
#pragma dvm array align([i][j] with T[i][j]), shadow[2:2][2:2]
double r0[L0][L0];
#pragma dvm array align([i][j] with T[2 * i][2 * j]), shadow[1:1][1:1]
double u1[L1][L1];
#pragma dvm array align([i][j] with T[2 * i][2 * j]), shadow[1:1][1:1]
double f1[L1][L1];
#pragma dvm array align([i][j] with T[2 * i][2 * j]), shadow[1:1][1:1]
double r1[L1][L1];
#pragma dvm array align([i][j] with T[4 * i][4 * j]), shadow[1:1][1:1]
double u2[L2][L2];
#pragma dvm array align([i][j] with T[4 * i][4 * j]), shadow[1:1][1:1]
double f2[L2][L2];

#pragma dvm inherit(u, f)
static void smooth(int n, double (*u)[n], double (*f)[n], int sweeps) {
  for (int s = 0; s < sweeps; s++)
    for (int colour = 0; colour < 2; colour++) {
#pragma dvm parallel([i][j] on u[i][j]) shadow_renew(u[1:1][1:1])
      for (int i = 1; i < n - 1; i++)
        for (int j = 1 + (i + colour) % 2; j < n - 1; j += 2)
          u[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] + f[i][j]) / 4;
    }
}

#pragma dvm inherit(u, f, r)
static double residual(int n, double (*u)[n], double (*f)[n], double (*r)[n]) {
  double norm = 0;
#pragma dvm parallel([i][j] on r[i][j]) shadow_renew(u[1:1][1:1]) reduction(max(norm))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i == 0 || j == 0 || i == n - 1 || j == n - 1)
        r[i][j] = 0;
      else {
        r[i][j] = f[i][j] + u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
        norm = fmax(norm, fabs(r[i][j]));
      }
  return norm;
}

/* Full weighting: corners. */
#pragma dvm inherit(f, u, r)
static void restrict_to(int n, double (*f)[n], double (*u)[n], int m, double (*r)[m]) {
#pragma dvm parallel([i][j] on f[i][j]) shadow_renew(r[1:1][1:1] (corner))
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      f[i][j] = (4 * r[2 * i][2 * j] + 2 * (r[2 * i - 1][2 * j] + r[2 * i + 1][2 * j] + r[2 * i][2 * j - 1] + r[2 * i][2 * j + 1]) +
                 r[2 * i - 1][2 * j - 1] + r[2 * i - 1][2 * j + 1] + r[2 * i + 1][2 * j - 1] + r[2 * i + 1][2 * j + 1]) / 4;
    }
#pragma dvm parallel([i][j] on u[i][j])
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      u[i][j] = 0;
}

/* The fine points beside a coarse one are in its neighbours' edges: it is written by the fine point's owner. */
#pragma dvm inherit(u, e)
static void prolong(int n, double (*u)[n], int m, double (*e)[m]) {
#pragma dvm parallel([i][j] on u[i][j]) shadow_renew(e[1:1][1:1] (corner))
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      int a = i / 2, b = j / 2;
      u[i][j] += (e[a][b] + e[a + i % 2][b] + e[a][b + j % 2] + e[a + i % 2][b + j % 2]) / 4;
    }
}

#pragma dvm inherit(a)
static double total(int n, double (*a)[n]) {
  double s = 0;
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(s))
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s += a[i][j] > 0;
  return s;
}

int main(void) {
#pragma dvm parallel([i][j] on u0[i][j])
  for (int i = 0; i < L0; i++)
    for (int j = 0; j < L0; j++) {
      u0[i][j] = 0;
      f0[i][j] = i == 8 && j == 20 ? 1 : i == 25 && j == 6 ? -1 : 0;
    }
  for (int cycle = 0; cycle < 4; cycle++) {
    smooth(L0, u0, f0, 2);
    printf("%d: %.10e\n", cycle, residual(L0, u0, f0, r0));
    restrict_to(L1, f1, u1, L0, r0);
    smooth(L1, u1, f1, 2);
    residual(L1, u1, f1, r1);
    restrict_to(L2, f2, u2, L1, r1);
    smooth(L2, u2, f2, 20);
    prolong(L1, u1, L2, u2);
    smooth(L1, u1, f1, 2);
    prolong(L0, u0, L1, u1);
    smooth(L0, u0, f0, 2);
  }
  printf("%g %g\n", total(L0, u0), total(L1, u1));
  return 0;
}
