/* N bodies: every iteration needs all positions, which come by remote access; structures as elements. */
#include <math.h>
#include <stdio.h>
#define N 15

typedef struct {
  double x[3];
  double m;
} body;

#pragma dvm array distribute[block]
body p[N];
#pragma dvm array align([i][] with p[i])
double v[N][3];
#pragma dvm array align([i][] with p[i])
double f[N][3];

int main(void) {
  double energy = 0;
  int i;
#pragma dvm parallel([i] on p[i])
  for (i = 0; i < N; i++) {
    for (int c = 0; c < 3; c++) {
      p[i].x[c] = (i * (c + 3)) % 7 + 0.1 * i;
      v[i][c] = 0;
    }
    p[i].m = 1 + i % 3;
  }
  for (int step = 0; step < 4; step++) {
#pragma dvm parallel([i] on p[i]) remote_access(p[])
    for (i = 0; i < N; i++) {
      double s[3] = {0, 0, 0};
      for (int j = 0; j < N; j++) {
        if (j == i)
          continue;
        double d[3], r2 = 1e-3;
        for (int c = 0; c < 3; c++) {
          d[c] = p[j].x[c] - p[i].x[c];
          r2 += d[c] * d[c];
        }
        for (int c = 0; c < 3; c++)
          s[c] += p[j].m * d[c] / (r2 * sqrt(r2));
      }
      for (int c = 0; c < 3; c++)
        f[i][c] = s[c];
    }
#pragma dvm parallel([i] on p[i])
    for (i = 0; i < N; i++)
      for (int c = 0; c < 3; c++) {
        v[i][c] += 0.01 * f[i][c];
        p[i].x[c] += 0.01 * v[i][c];
      }
  }
#pragma dvm parallel([i] on p[i]) reduction(sum(energy))
  for (i = 0; i < N; i++)
    energy += p[i].m * (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]) / 2;
  printf("%.12g\n", energy);
  return 0;
}
