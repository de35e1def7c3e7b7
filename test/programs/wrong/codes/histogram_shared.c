/* Bins that all iterations share. */
// TWIN
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 500
#define BINS 10
#pragma dvm array distribute[block]
static float data[N];
static int up(const void *a, const void *b) { return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b); }
int main(void) {
  int bins[BINS] = {0};
  float least = FLT_MAX, most = -FLT_MAX, kept[2 * N];
  size_t n = 0;
#pragma dvm parallel([i] on data[i]) reduction(min(least), max(most))
  for (int i = 0; i < N; i++) {
    data[i] = (float)((i * 7919) % 1000) / 10;
    if (data[i] < least)
      least = data[i];
    if (data[i] > most)
      most = data[i];
  }
#ifdef RIGHT
#pragma dvm parallel([i] on data[i]) reduction(sum(bins))
#else
#pragma dvm parallel([i] on data[i])
#endif
  for (int i = 0; i < N; i++) {
    int k = (int)((data[i] - least) / (most - least) * BINS);
    bins[k < BINS ? k : BINS - 1]++;
// expect -1:5 error dvm-readonly-write 'bins[0]'
  }
  for (int i = 0; i < N; i += 5) {
    float one;
#pragma dvm remote_access(data[i])
    { one = data[i]; }
    kept[n++] = one;
  }
  qsort(kept, n, sizeof *kept, up);
  printf("%g %g %g %zu:", least, most, kept[n / 2], n);
  for (int k = 0; k < BINS; k++)
    printf(" %d", bins[k]);
  putchar('\n');
  return 0;
}
