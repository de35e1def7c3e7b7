/* Fields on staggered grids and blocks of cells: a unit of 'multblock' is on one processor, whatever their number is. */
#include <stdio.h>

#define NX 9
#define NY 7
#define CELLS 6
#define UNIT 4

#pragma dvm template[2 * NX + 2][2 * NY + 2] distribute[multblock(2)][multblock(2)]
void *T;
#pragma dvm array align([i][j] with T[2 * i + 1][2 * j + 1]) shadow[1:0][1:0]
static float hz[NX][NY];
#pragma dvm array align([i][j] with T[2 * i + 1][2 * j]) shadow[0:0][0:1]
static float ex[NX][NY + 1];
#pragma dvm array align([i][j] with T[2 * i][2 * j + 1]) shadow[0:1][0:0]
static float ey[NX + 1][NY];

#pragma dvm array distribute[multblock(UNIT)] shadow[1:1]
static double q[CELLS * UNIT];
#pragma dvm array align([i] with q[i]) shadow[0:0]
static double p[CELLS * UNIT];
#pragma dvm array align([c][] with q[UNIT * c]) shadow[0:0][0:0]
static double mean[CELLS][2];
#pragma dvm array align([i] with q[CELLS * UNIT - 1 - i]) shadow[1:1]
static int back[CELLS * UNIT];

static void fields(void) {
#pragma dvm parallel([i][j] on ex[i][j]) shadow_renew(hz[0:0][1:0])
  for (int i = 0; i < NX; i++)
    for (int j = 1; j < NY; j++)
      ex[i][j] += 0.5f * (hz[i][j] - hz[i][j - 1]);
#pragma dvm parallel([i][j] on ey[i][j]) shadow_renew(hz[1:0][0:0])
  for (int i = 1; i < NX; i++)
    for (int j = 0; j < NY; j++)
      ey[i][j] -= 0.5f * (hz[i][j] - hz[i - 1][j]);
#pragma dvm parallel([i][j] on hz[i][j]) shadow_renew(ex[0:0][0:1], ey[0:1][0:0])
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      hz[i][j] += 0.5f * (ex[i][j + 1] - ex[i][j] - ey[i + 1][j] + ey[i][j]) + (i == 4 && j == 3);
}

static void cells(void) {
#pragma dvm parallel([c] on q[UNIT * c + 1]) shadow_renew(q)
  for (int c = 1; c < CELLS - 1; c++) {
    double left = q[UNIT * c - 1], right = q[UNIT * (c + 1)];
    for (int k = 0; k < UNIT; k++)
      p[UNIT * c + k] = left + (right - left) * (k + 1) / (UNIT + 1);
    mean[c][0] = 0;
    for (int k = 0; k < UNIT; k++)
      mean[c][0] += p[UNIT * c + k] / UNIT;
  }
#pragma dvm parallel([i] on p[i])
  for (int i = UNIT; i < (CELLS - 1) * UNIT; i++)
    q[i] = p[i] + mean[i / UNIT][0];
  for (int c = 1; c < CELLS - 1; c++) {
    p[UNIT * c + 3] = q[UNIT * c + 1] - mean[c][0];
    back[CELLS * UNIT - 1 - UNIT * c] = (int)q[UNIT * c + 2];
  }
#pragma dvm parallel([c] on mean[c][]) shadow_renew(back[1:1])
  for (int c = 1; c < CELLS; c++)
    mean[c][1] = back[CELLS * UNIT - 1 - UNIT * c + 1] + back[CELLS * UNIT - UNIT - UNIT * c];
}

int main(void) {
  double sum = 0;
#pragma dvm parallel([i][j] on hz[i][j])
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      hz[i][j] = 0;
#pragma dvm parallel([i][j] on ex[i][j])
  for (int i = 0; i < NX; i++)
    for (int j = 0; j <= NY; j++)
      ex[i][j] = 0;
#pragma dvm parallel([i][j] on ey[i][j])
  for (int i = 0; i <= NX; i++)
    for (int j = 0; j < NY; j++)
      ey[i][j] = 0;
#pragma dvm parallel([i] on q[i])
  for (int i = 0; i < CELLS * UNIT; i++) {
    q[i] = i * (24 - i);
    p[i] = 0;
    back[CELLS * UNIT - 1 - i] = i;
  }
  for (int step = 0; step < 4; step++) {
    fields();
    cells();
  }
#pragma dvm parallel([i][j] on hz[i][j]) reduction(sum(sum))
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++)
      sum += hz[i][j] * (i + 2 * j);
#pragma dvm parallel([c] on mean[c][]) reduction(sum(sum))
  for (int c = 1; c < CELLS; c++)
    sum += mean[c][1];
  printf("%.6f\n", sum);
  return 0;
}
