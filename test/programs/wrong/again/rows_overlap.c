/* A range that goes into the next row: the first element there depends on another iteration, those behind it in their own row do not. */
// TWIN
// OUTPUT any
#include <stdio.h>
#include <string.h>
#define N 12
#define M 6
#ifdef RIGHT
#define SIZE M
#else
#define SIZE (M + 1)
#endif

#pragma dvm array distribute[block][*]
short a[N][M];

int main(void) {
  long sum = 0;
#pragma dvm parallel([i] on a[i][])
  for (int i = 0; i < N - 1; i++)
    memset(a[i], 1, SIZE * sizeof(short));
//         ^ error dvm-shadow-write 'a'
//         ^ error dvm-loop-dependence 'a'
#pragma dvm parallel([i] on a[i][]) reduction(sum(sum))
  for (int i = 0; i < N - 1; i++)
    for (int j = 0; j < M; j++)
      sum += a[i][j];
  printf("%ld\n", sum);
  return 0;
}
