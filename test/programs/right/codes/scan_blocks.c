/* Prefix sums: local ones, block totals, offsets; lengths that differ from block to block. */
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
  offset[0] = 0;
  for (int b = 1; b < N / BLOCK; b++)
    offset[b] = offset[b - 1] + totals[b - 1];
  long check = 0;
#pragma dvm parallel([b] on block[b]) reduction(sum(check))
  for (int b = 0; b < N / BLOCK; b++)
    for (int k = 0; k < BLOCK; k++) {
      part[b][k] += offset[b];
      check += part[b][k] * (k + 1);
    }
  printf("%ld\n", check);
  return 0;
}
