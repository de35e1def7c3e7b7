#include "sides.h"
double weight[3];
#pragma dvm array distribute[*]
double side[2];

void prepare(int it) {
  for (int k = 0; k < 3; k++)
    weight[k] = it + k;
#ifdef RIGHT
#pragma dvm actual(weight)
#endif
  side[0] = 0;
#pragma dvm actual(side)
}

double weighed(int i) { return weight[i % 3] * i; }
//                             ^ error dvm-device-stale 'weight[0]'
// help .*actual.weight.
