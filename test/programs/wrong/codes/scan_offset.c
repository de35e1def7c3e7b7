/* The first offset has no value. */
// TWIN
#include <stdio.h>
#define N 48
#define BLOCK 8
#pragma dvm array distribute[block]
static long block[N / BLOCK];
#pragma dvm array align([b][] with block[b])
static long part[N / BLOCK][BLOCK];
int main(void) {
  long totals[N / BLOCK] = {0}, offset[N / BLOCK];
#pragma dvm parallel([b] on block[b]) reduction(sum(totals))
  for (int b = 0; b < N / BLOCK; b++) {
    long s = 0;
    for (int k = 0; k < BLOCK; k++) {
      s += (b * BLOCK + k) % 5;
      part[b][k] = s;
    }
    block[b] = s;
    totals[b] += s;
  }
#ifdef RIGHT
  offset[0] = 0;
#else
  ;
#endif
  for (int b = 1; b < N / BLOCK; b++)
    offset[b] = offset[b - 1] + totals[b - 1];
// expect -1:17 error dvm-uninitialized 'offset[0]'
  long check = 0;
#pragma dvm parallel([b] on block[b]) reduction(sum(check))
  for (int b = 0; b < N / BLOCK; b++)
    for (int k = 0; k < BLOCK; k++) {
      part[b][k] += offset[b];
// expect -1:21 error dvm-uninitialized 'offset[0]'
      check += part[b][k] * (k + 1);
    }
  (void)check; // it differs from run to run
  printf("%ld\n", totals[1]);
  return 0;
}
