/* A net without order: nodes by a map, neighbours by a named edge that two arrays have; a graph's ranks by repeated averages, then colours. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define N 120
#define D 4


#pragma dvm array distribute[block]
double rank_[N];
#pragma dvm array align([i] with rank_[i])
double next_[N];
#pragma dvm array align([i][] with rank_[i])
int to[N][D];
#pragma dvm array align([i] with rank_[i])
int colour[N];
#pragma dvm array align([i] with rank_[i])
int degree[N];

static int neighbour(int i, int k) {
  switch (k) {
  case 0:
    return (i * 7 + 3) % N;
  case 1:
    return (i + N / 2) % N;
  case 2:
    return i % 3 ? (i * i) % N : -1;
  default:
    return i + 1 < N ? i + 1 : -1;
  }
}

int main(void) {
#pragma dvm parallel([i] on rank_[i])
  for (int i = 0; i < N; i++) {
    degree[i] = 0;
    for (int k = 0; k < D; k++) {
      to[i][k] = neighbour(i, k);
      degree[i] += to[i][k] >= 0;
    }
    rank_[i] = 1.0 / (1 + i % 5);
    colour[i] = i;
  }
#pragma dvm shadow_add(rank_[to[d][0], to[d][1], to[d][2], to[d][3] with rank_[@d]] = "next") include_to(colour)
  for (int t = 0; t < 10; t++) {
    double change = 0;
#pragma dvm parallel([i] on rank_[i]) shadow_renew(rank_["next"]) reduction(max(change))
    for (int i = 0; i < N; i++) {
      double s = 0;
      for (int k = 0; k < D; k++)
        if (to[i][k] >= 0)
          s += rank_[to[i][k]];
      next_[i] = 0.15 + 0.85 * s / degree[i];
      change = fmax(change, fabs(next_[i] - rank_[i]));
    }
#pragma dvm parallel([i] on rank_[i])
    for (int i = 0; i < N; i++)
      rank_[i] = next_[i];
    if (t % 3 == 0)
      printf("%d %.10f\n", t, change);
  }
  int changed = 1, rounds = 0;
  while (changed && rounds < 50) {
    changed = 0;
#pragma dvm parallel([i] on colour[i]) shadow_renew(colour["next"]) reduction(sum(changed))
    for (int i = 0; i < N; i++) {
      int least = colour[i];
      for (int k = 0; k < D; k++)
        if (to[i][k] >= 0 && colour[to[i][k]] < least)
          least = colour[to[i][k]];
      next_[i] = least;
      changed += least != colour[i];
    }
#pragma dvm parallel([i] on colour[i])
    for (int i = 0; i < N; i++)
      colour[i] = (int)next_[i];
    rounds++;
  }
  double sum = 0;
  int ones = 0;
#pragma dvm parallel([i] on rank_[i]) reduction(sum(sum), sum(ones))
  for (int i = 0; i < N; i++) {
    sum += rank_[i] * (1 + i % 7);
    ones += colour[i] == 0;
  }
  printf("%d rounds, %.8f, %d\n", rounds, sum, ones);
  return 0;
}
