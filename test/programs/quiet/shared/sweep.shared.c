#include "field.h"

#pragma dvm inherit(f, r)
void sweep(double f[FIELD_N], double r[FIELD_N]) {
#pragma dvm parallel([i] on r[i]) shadow_renew(f)
  for (int i = 1; i < FIELD_N - 1; i++)
    r[i] = (f[i - 1] + f[i + 1]) * i;
}

#pragma dvm inherit(f)
double scale(double f[FIELD_N]) {
  double sum = 0;
#pragma dvm parallel([i] on f[i]) reduction(sum(sum))
  for (int i = 0; i < FIELD_N; i++)
    sum += f[i];
  return sum;
}
