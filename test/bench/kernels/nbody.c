/* N bodies: every iteration needs all positions, which come by remote access; the force by a function. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#define N 1000

#pragma dvm array distribute[block]
static double px[N];
#pragma dvm array align([i] with px[i])
static double py[N];
#pragma dvm array align([i] with px[i])
static double vx[N];
#pragma dvm array align([i] with px[i])
static double vy[N];
static double mass[N];

static double pull(double dx, double dy, double m) {
  double r2 = dx * dx + dy * dy + 1e-3;
  return m / (r2 * sqrt(r2));
}

int main(int argc, char **argv) {
  int steps = argc > 1 ? atoi(argv[1]) : 20;
  double energy = 0;
  for (int i = 0; i < N; i++)
    mass[i] = 1 + i % 3;
#pragma dvm parallel([i] on px[i])
  for (int i = 0; i < N; i++) {
    px[i] = i % 31 + 0.1 * (i % 7);
    py[i] = i / 31 + 0.1 * (i % 5);
    vx[i] = vy[i] = 0;
  }
  for (int step = 0; step < steps; step++) {
#pragma dvm parallel([i] on px[i]) remote_access(px[], py[])
    for (int i = 0; i < N; i++) {
      double fx = 0, fy = 0;
      for (int j = 0; j < N; j++) {
        double dx = px[j] - px[i], dy = py[j] - py[i], f = pull(dx, dy, mass[j]);
        fx += f * dx;
        fy += f * dy;
      }
      vx[i] += 1e-4 * fx;
      vy[i] += 1e-4 * fy;
    }
#pragma dvm parallel([i] on px[i])
    for (int i = 0; i < N; i++) {
      px[i] += vx[i];
      py[i] += vy[i];
    }
  }
#pragma dvm parallel([i] on px[i]) reduction(sum(energy))
  for (int i = 0; i < N; i++)
    energy += mass[i] * (vx[i] * vx[i] + vy[i] * vy[i]) / 2;
  printf("%.10g\n", energy);
  return 0;
}
