/* Room that is not filled is read. */
// TWIN
#include <stdio.h>
#include <string.h>
#define CELLS 12
#define ROOM 8
struct molecule {
  float x, v;
};
struct cell {
  int n;
  struct molecule m[ROOM];
};
#pragma dvm array distribute[block] shadow[1:1]
static struct cell cell[CELLS];
#pragma dvm array align([c] with cell[c])
static double force[CELLS];
int main(void) {
#pragma dvm parallel([c] on cell[c])
  for (int c = 0; c < CELLS; c++) {
    cell[c].n = 1 + c % 3;
    for (int k = 0; k < cell[c].n; k++) {
      cell[c].m[k].x = (float)(c + k * 0.1);
      cell[c].m[k].v = 1;
    }
  }
#pragma dvm parallel([c] on cell[c]) shadow_renew(cell)
  for (int c = 0; c < CELLS; c++) {
    double f = 0;
    for (int d = -1; d <= 1; d++) {
      if (c + d < 0 || c + d >= CELLS)
        continue;
      struct cell other = cell[c + d];
#ifdef RIGHT
      for (int k = 0; k < other.n; k++)
#else
      for (int k = 0; k < ROOM; k++)
#endif
        f += other.m[k].x - cell[c].m[0].x;
// expect -1:14 error dvm-uninitialized 'other.m[k].x'
    }
    force[c] = f;
  }
  double sum = 0;
#pragma dvm parallel([c] on cell[c]) reduction(sum(sum))
  for (int c = 0; c < CELLS; c++)
    sum += force[c] * force[c];
  printf("%.4f\n", sum);
  return 0;
}
