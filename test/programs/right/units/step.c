#include <math.h>
#include "field.h"

double field_step(void) {
  double eps = 0;
#pragma dvm parallel([i][j] on buffer[i][j]) shadow_renew(field)
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      buffer[i][j] = (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]) / 4;
#pragma dvm parallel([i][j] on field[i][j]) reduction(max(eps))
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++) {
      eps = fmax(eps, fabs(field[i][j] - buffer[i][j]));
      field[i][j] = buffer[i][j];
    }
  return eps;
}
