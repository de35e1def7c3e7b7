/* Ordinary data that functions write and read in a loop are shared by its iterations, or read by a mapped one before they are written. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 8
#define M 4
#ifdef RIGHT
#define NEXT k
#define LINE private(line)
#define KEPT private(kept)
#define FIRST 0
#else
#define NEXT k + 1
#define LINE
#define KEPT
#define FIRST 1
#endif

#pragma dvm array distribute[block]
double a[N];
int table[N + 1][M], line[M];
double kept[2];

static int up(const void *p, const void *q) { return *(const int *)p - *(const int *)q; }

int main(void) {
  int out[N] = {0};
  for (int k = 0; k < N; k++)
    for (int j = 0; j < M; j++)
      table[k][j] = (j * 3 + k) % 5;
  for (int j = 0; j < M; j++)
    line[j] = j;
#pragma dvm parallel(1)
  for (int k = 0; k < N; k++) {
    memcpy(table[NEXT], table[k], sizeof line);
    //                  ^ error dvm-loop-dependence 'table[k]'
    qsort(table[k], M, sizeof(int), up);
    //    ^ error dvm-loop-dependence 'table[k]'
  }
#pragma dvm parallel(1) LINE
  for (int k = 0; k < N; k++) {
    memcpy(line, table[k], sizeof line);
    //     ^ error dvm-loop-dependence 'line'
    out[k] = line[0];
  }
#pragma dvm parallel([i] on a[i]) KEPT
  for (int i = 0; i < N; i++) {
    double old[2] = {0};
    if (FIRST)
      memcpy(old, kept, sizeof old);
    memset(kept, 0, sizeof kept);
    //     ^ error dvm-readonly-write 'kept'
    a[i] = old[0] + kept[1];
  }
  printf("%d\n", out[0]);
  return 0;
}
