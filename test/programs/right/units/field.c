#include "field.h"
#pragma dvm array distribute[block][block] shadow[1:1][1:1]
double field[N][N];
#pragma dvm array align([i][j] with field[i][j])
double buffer[N][N];

#pragma dvm inherit(f)
void field_set(double f[N][N], double value) {
#pragma dvm parallel([i][j] on f[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      f[i][j] = value * (i + 1) / (j + 1);
}
