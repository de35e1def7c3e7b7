/* The zeros of calloc are no values of a distributed array. */
#include <stdlib.h>
#define N 8

int main(void) {
  double *plain = calloc(N, sizeof *plain);
#pragma dvm array distribute[block]
  double *a;
  a = calloc(N, sizeof *a);
  //  ^ compile-warning 'calloc' gives the distributed array 'a' no value
#pragma dvm array distribute[block]
  float *b = (float *)calloc(N, sizeof *b);
  //                  ^ compile-warning 'calloc' gives the distributed array 'b' no value
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 1;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = 1;
  free(plain);
  free(a);
  free(b);
  return 0;
}
