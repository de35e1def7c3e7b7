/* Flow in a box on staggered cells: pressures in the middle, velocities on the sides; red and black halves with steps; walls by constant subscripts. */
#include <math.h>
#include <stdio.h>

#define NX 18
#define NY 15

#pragma dvm template[NX + 2][NY + 2] distribute[block][block]
void *G;
#pragma dvm array align([i][j] with G[i][j]), shadow[1:1][1:1]
double p[NX + 2][NY + 2];
#pragma dvm array align([i][j] with G[i][j]), shadow[1:1][1:1]
double u[NX + 1][NY + 2];
#pragma dvm array align([i][j] with G[i][j]), shadow[1:1][1:1]
double v[NX + 2][NY + 1];
#pragma dvm array align([i][j] with G[i + 1][j + 1])
double div_[NX][NY];

static const double dt = 0.05;

static void walls(double lid) {
#pragma dvm parallel([i] on u[i][0])
  for (int i = 0; i <= NX; i++)
    u[i][0] = 0;
#pragma dvm parallel([i] on u[i][NY + 1]) shadow_renew(u)
  for (int i = 0; i <= NX; i++)
    u[i][NY + 1] = 2 * lid - u[i][NY];
#pragma dvm parallel([j] on v[0][j]) shadow_renew(v)
  for (int j = 0; j <= NY; j++)
    v[0][j] = -v[1][j];
#pragma dvm parallel([j] on v[NX + 1][j]) shadow_renew(v)
  for (int j = 0; j <= NY; j++)
    v[NX + 1][j] = -v[NX][j];
}

static double pressure(int sweeps) {
  double change = 0;
#pragma dvm parallel([i][j] on div_[i][j]) shadow_renew(u, v)
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      div_[i][j] = u[i + 1][j + 1] - u[i][j + 1] + v[i + 1][j + 1] - v[i + 1][j];
  for (int s = 0; s < sweeps; s++) {
    change = 0;
    for (int c = 0; c < 2; c++) {
#pragma dvm parallel([i][j] on p[i][j]) shadow_renew(p) reduction(max(change))
      for (int i = 1; i <= NX; i++)
        for (int j = 1 + (i + c) % 2; j <= NY; j += 2) {
          int n = (i > 1) + (i < NX) + (j > 1) + (j < NY);
          double q = ((i > 1 ? p[i - 1][j] : 0) + (i < NX ? p[i + 1][j] : 0) + (j > 1 ? p[i][j - 1] : 0) + (j < NY ? p[i][j + 1] : 0) -
                      div_[i - 1][j - 1] / dt) / n;
          double d = fabs(q - p[i][j]);
          if (d > change)
            change = d;
          p[i][j] += 1.5 * (q - p[i][j]);
        }
    }
  }
  return change;
}

int main(void) {
#pragma dvm parallel([i][j] on G[i][j])
  for (int i = 0; i < NX + 2; i++)
    for (int j = 0; j < NY + 2; j++) {
      p[i][j] = 0;
      if (i <= NX)
        u[i][j] = 0;
      if (j <= NY)
        v[i][j] = 0;
    }
  for (int t = 0; t < 6; t++) {
    walls(1);
#pragma dvm parallel([i][j] on u[i][j]) across(u[1:1][1:1])
    for (int i = 1; i < NX; i++)
      for (int j = 1; j <= NY; j++)
        u[i][j] += dt * 0.5 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j]);
#pragma dvm parallel([i][j] on v[i][j]) across(v[1:1][1:1])
    for (int i = NX; i >= 1; i--)
      for (int j = NY - 1; j >= 1; j--)
        v[i][j] += dt * 0.5 * (v[i - 1][j] + v[i + 1][j] + v[i][j - 1] + v[i][j + 1] - 4 * v[i][j]);
    double c = pressure(8), kin = 0;
#pragma dvm parallel([i][j] on u[i][j]) shadow_renew(p[0:1][0:0])
    for (int i = 1; i < NX; i++)
      for (int j = 1; j <= NY; j++)
        u[i][j] -= dt * (p[i + 1][j] - p[i][j]);
#pragma dvm parallel([i][j] on v[i][j]) shadow_renew(p[0:0][0:1])
    for (int i = 1; i <= NX; i++)
      for (int j = 1; j < NY; j++)
        v[i][j] -= dt * (p[i][j + 1] - p[i][j]);
#pragma dvm parallel([i][j] on p[i][j]) shadow_renew(u[1:0][0:0], v[0:0][1:0]) reduction(sum(kin))
    for (int i = 1; i <= NX; i++)
      for (int j = 1; j <= NY; j++)
        kin += (u[i][j] + u[i - 1][j]) * (u[i][j] + u[i - 1][j]) + (v[i][j] + v[i][j - 1]) * (v[i][j] + v[i][j - 1]);
    printf("%d %.9f %.9f\n", t, c, kin / 8);
  }
  for (int i = 1; i < NX; i += 4)
    printf("%.6f%c", u[i][NY / 2], i + 4 < NX ? ' ' : '\n');
  return 0;
}
