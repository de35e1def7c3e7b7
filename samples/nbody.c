/* Bodies that attract each other: an iteration moves one body and reads the places of all, which come by remote_access.
 * The elements are structures. */
#include <math.h>
#include <stdio.h>

#define N 100
#define STEPS 5

struct body {
  double x[3], v[3], m;
};

#pragma dvm array distribute[block]
static struct body B[N];
#pragma dvm array align([i][] with B[i])
static double F[N][3];

int main(void)
{
  double energy = 0;

#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < 3; c++) {
      B[i].x[c] = (i * (c + 3)) % 17 + 0.1 * i;
      B[i].v[c] = 0;
    }
    B[i].m = 1 + i % 3;
  }

  for (int step = 0; step < STEPS; step++) {
#pragma dvm parallel([i] on B[i]) remote_access(B[])
    for (int i = 0; i < N; i++) {
      double f[3] = {0, 0, 0};
      for (int j = 0; j < N; j++) {
        double d[3], r2 = 0.01;
        for (int c = 0; c < 3; c++) {
          d[c] = B[j].x[c] - B[i].x[c];
          r2 += d[c] * d[c];
        }
        for (int c = 0; c < 3; c++)
          f[c] += B[j].m * d[c] / (r2 * sqrt(r2));
      }
      for (int c = 0; c < 3; c++)
        F[i][c] = f[c];
    }
#pragma dvm parallel([i] on B[i])
    for (int i = 0; i < N; i++)
      for (int c = 0; c < 3; c++) {
        B[i].v[c] += 0.01 * F[i][c];
        B[i].x[c] += 0.01 * B[i].v[c];
      }
  }

#pragma dvm parallel([i] on B[i]) reduction(sum(energy))
  for (int i = 0; i < N; i++)
    energy += B[i].m * (B[i].v[0] * B[i].v[0] + B[i].v[1] * B[i].v[1] + B[i].v[2] * B[i].v[2]) / 2;
  printf("%d bodies, energy of motion %.9e\n", N, energy);
  return 0;
}
