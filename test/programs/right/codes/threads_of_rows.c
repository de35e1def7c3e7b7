/* Rows of different lengths in one pool; offsets, a transposed copy, results of lgamma_r, remquo and strtol through pointers. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ROWS 9
int main(void) {
  int start[ROWS + 1], used = 0;
  double *pool = NULL;
  for (int r = 0; r < ROWS; r++) {
    start[r] = used;
    pool = realloc(pool, (size_t)(used + r + 1) * sizeof *pool);
    for (int k = 0; k <= r; k++)
      pool[used++] = r * 10 + k;
  }
  start[ROWS] = used;
  double out[ROWS];
#pragma dvm parallel([r])
  for (int r = 0; r < ROWS; r++) {
    double s = 0;
    int sign, quotient;
    for (int k = start[r]; k < start[r + 1]; k++)
      s += pool[k];
    s += lgamma_r(r + 1.5, &sign) * sign;
    s += remquo(s, 3, &quotient) + (quotient & 3);
    out[r] = s;
  }
  const char *line = "12 30 -4 x";
  char *end;
  long sum = 0;
  for (const char *p = line;; p = end) {
    long v = strtol(p, &end, 10);
    if (end == p)
      break;
    sum += v;
  }
  double total = 0;
  for (int r = 0; r < ROWS; r++)
    total += out[r];
  printf("%.6f %ld %s\n", total, sum, end);
  free(pool);
  return 0;
}
