/* 'inherit' says that callers give a distributed array; this one does not. */
#include <stdio.h>
#include <stdlib.h>
#define N 12

#pragma dvm inherit(v)
static void fill(int n, double *v) {
#pragma dvm parallel([i] on v[i])
//^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ error dvm-usage 'v'
  for (int i = 0; i < n; i++)
    v[i] = i;
}

int main(void) {
  double plain[N];
#pragma dvm array distribute[block]
  double a[N];
  fill(N, a);
  fill(N, plain);
  return 0;
}
