/* A tableau in one allocated block with rows by pointers; the pivot by minloc over replicated data. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#define ROWS 4
#define COLUMNS 7
int main(void) {
  double **t = malloc(ROWS * sizeof *t);
  double *block = malloc(ROWS * COLUMNS * sizeof *block);
  for (int i = 0; i < ROWS; i++) {
    t[i] = block + i * COLUMNS;
    for (int j = 0; j < COLUMNS; j++)
      t[i][j] = i == ROWS - 1 ? -(j < 3 ? j + 1 : 0) : j == 3 + i ? 1 : j == COLUMNS - 1 ? 10 + i : (i + j) % 3;
  }
  for (int step = 0; step < 10; step++) {
    int enter = -1, leave = -1;
    double least = -1e-9, ratio = DBL_MAX;
#pragma dvm parallel([j]) reduction(minloc(least, enter))
    for (int j = 0; j < COLUMNS - 1; j++)
      if (t[ROWS - 1][j] < least) {
        least = t[ROWS - 1][j];
        enter = j;
      }
    if (enter < 0)
      break;
    for (int i = 0; i < ROWS - 1; i++)
      if (t[i][enter] > 1e-9 && t[i][COLUMNS - 1] / t[i][enter] < ratio) {
        ratio = t[i][COLUMNS - 1] / t[i][enter];
        leave = i;
      }
    if (leave < 0)
      break;
    double pivot = t[leave][enter];
    for (int j = 0; j < COLUMNS; j++)
      t[leave][j] /= pivot;
    for (int i = 0; i < ROWS; i++) {
      double f = t[i][enter];
      for (int j = 0; j < COLUMNS && i != leave; j++)
        t[i][j] -= f * t[leave][j];
    }
  }
  printf("%.6f\n", t[ROWS - 1][COLUMNS - 1]);
  free(block);
  free(t);
  return 0;
}
