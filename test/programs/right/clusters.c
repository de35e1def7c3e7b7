/* Clusters of points: structs that are distributed, centres that all have, sizes and sums by reductions of arrays; labels are consistent. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N 203
#define K 5
#define DIM 3

struct point {
  double at[DIM];
  int cluster;
  char tag;
};

#pragma dvm array distribute[block]
struct point points[N];
#pragma dvm array align([i] with points[i])
double distance[N];

static double centre[K][DIM], sum[K][DIM];
static int size[K];
static unsigned char label[N];

static unsigned scramble(unsigned i) {
  i = (i ^ 61) ^ (i >> 16);
  i *= 9;
  i ^= i >> 4;
  i *= 0x27d4eb2d;
  return i ^ i >> 15;
}

static void make_points(void) {
#pragma dvm parallel([i] on points[i])
  for (int i = 0; i < N; i++) {
    struct point p;
    memset(&p, 0, sizeof(p));
    for (int d = 0; d < DIM; d++)
      p.at[d] = (i % K) * (d + 1) * 3 + (int)(scramble(3u * (unsigned)i + (unsigned)d) % 1000) / 400.0;
    p.tag = (char)('a' + i % 26);
    points[i] = p;
  }
}

static int assign(void) {
  int moved = 0;
#pragma dvm parallel([i] on points[i]) reduction(sum(moved)) consistent(label[i])
  for (int i = 0; i < N; i++) {
    int best = 0;
    double least = DBL_MAX;
    for (int k = 0; k < K; k++) {
      double s = 0;
      for (int d = 0; d < DIM; d++)
        s += (points[i].at[d] - centre[k][d]) * (points[i].at[d] - centre[k][d]);
      if (s < least) {
        least = s;
        best = k;
      }
    }
    moved += points[i].cluster != best;
    points[i].cluster = best;
    distance[i] = sqrt(least);
    label[i] = (unsigned char)best;
  }
  return moved;
}

static void average(void) {
  memset(sum, 0, sizeof(sum));
  memset(size, 0, sizeof(size));
#pragma dvm parallel([i] on points[i]) reduction(sum(sum), sum(size))
  for (int i = 0; i < N; i++) {
    int k = points[i].cluster;
    size[k]++;
    for (int d = 0; d < DIM; d++)
      sum[k][d] += points[i].at[d];
  }
  for (int k = 0; k < K; k++)
    for (int d = 0; d < DIM; d++)
      centre[k][d] = size[k] ? floor(sum[k][d] / size[k] * 1e6) / 1e6 : 0;
}

int main(void) {
  int round = 0, moved;
  make_points();
  for (int k = 0; k < K; k++) {
#pragma dvm remote_access(points[k * 7])
    memcpy(centre[k], points[k * 7].at, sizeof(centre[k]));
  }
  do {
    moved = assign();
    average();
    printf("round %d: %d moved\n", round, moved);
  } while (moved && ++round < 20);
  for (int k = 0; k < K; k++)
    printf("%d: %.4f %.4f %.4f\n", size[k], centre[k][0], centre[k][1], centre[k][2]);
  int runs = 1;
  for (int i = 1; i < N; i++)
    runs += label[i] != label[i - 1];
  double far = 0;
  int who = -1;
#pragma dvm parallel([i] on distance[i]) reduction(maxloc(far, who))
  for (int i = 0; i < N; i++)
    if (distance[i] > far) {
      far = distance[i];
      who = i;
    }
  printf("%d runs, farthest %d at %.4f, %c\n", runs, who, far, points[who].tag);
  return 0;
}
