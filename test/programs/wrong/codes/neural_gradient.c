/* One of two gradients is no reduction. */
// TWIN
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define IN 4
#define HIDDEN 6
#define SAMPLES 32
struct net {
  double w1[HIDDEN][IN], w2[HIDDEN];
};
#pragma dvm array distribute[block][]
static double sample[SAMPLES][IN];
#pragma dvm array align([s] with sample[s][])
static double wanted[SAMPLES];
static double w1[HIDDEN][IN], w2[HIDDEN], g1[HIDDEN][IN], g2[HIDDEN];
int main(void) {
  struct net best;
  unsigned seed = 1;
  for (int h = 0; h < HIDDEN; h++) {
    for (int i = 0; i < IN; i++)
      w1[h][i] = ((seed = seed * 1103515245u + 12345u) >> 16) % 100 / 100.0 - 0.5;
    w2[h] = ((seed = seed * 1103515245u + 12345u) >> 16) % 100 / 100.0 - 0.5;
  }
#pragma dvm parallel([s] on sample[s][])
  for (int s = 0; s < SAMPLES; s++) {
    for (int i = 0; i < IN; i++)
      sample[s][i] = (s >> i) & 1;
    wanted[s] = (s & 1) ^ ((s >> 1) & 1);
  }
  double error = 0, least = 1e9;
  for (int round = 0; round < 5; round++) {
    error = 0;
    memset(g1, 0, sizeof g1);
    memset(g2, 0, sizeof g2);
#ifdef RIGHT
#pragma dvm parallel([s] on sample[s][]) reduction(sum(error), sum(g1), sum(g2))
#else
#pragma dvm parallel([s] on sample[s][]) reduction(sum(error), sum(g1))
#endif
    for (int s = 0; s < SAMPLES; s++) {
      double hidden[HIDDEN], out = 0;
      for (int h = 0; h < HIDDEN; h++) {
        double a = 0;
        for (int i = 0; i < IN; i++)
          a += w1[h][i] * sample[s][i];
        hidden[h] = tanh(a);
        out += w2[h] * hidden[h];
      }
      double d = out - wanted[s];
      error += d * d;
      for (int h = 0; h < HIDDEN; h++) {
        g2[h] += d * hidden[h];
// expect -1:9 error dvm-readonly-write 'g2[0]'
        for (int i = 0; i < IN; i++)
          g1[h][i] += d * w2[h] * (1 - hidden[h] * hidden[h]) * sample[s][i];
      }
    }
    if (error < least) {
      least = error;
      memcpy(best.w1, w1, sizeof w1);
      memcpy(best.w2, w2, sizeof w2);
    }
    for (int h = 0; h < HIDDEN; h++) {
      w2[h] -= 0.01 * g2[h];
      for (int i = 0; i < IN; i++)
        w1[h][i] -= 0.01 * g1[h][i];
    }
  }
  printf("%.6f %.6f\n", least, best.w1[0][0] + best.w2[HIDDEN - 1]);
  return 0;
}
