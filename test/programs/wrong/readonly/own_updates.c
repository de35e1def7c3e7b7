/* A replicated array of which each iteration changes an element of its own: 'consistent' is missing; nothing is added up. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][*]
double a[N][N];
double row[N], both[N][N], sums[N];

int main(void) {
  for (int i = 0; i < N; i++) {
    row[i] = sums[i] = 1;
    for (int j = 0; j < N; j++)
      both[i][j] = 1;
  }
#ifdef RIGHT
#pragma dvm parallel([i] on a[i][0]) consistent(row[i]) consistent(both[i][])
#else
#pragma dvm parallel([i] on a[i][0])
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      a[i][j] = i + j;
      row[i] += a[i][j];
// expect -1:7 error dvm-readonly-write 'row[0]'
      // help add 'consistent\(row\[i\]\)' to the directive
      both[i][j] = 2 * both[i][j];
// expect -1:7 error dvm-readonly-write 'both[0][0]'
      // help add 'consistent\(both\[i\]\[\]\)' to the directive
    }
#ifdef RIGHT
#pragma dvm parallel([i][j] on a[i][j]) reduction(sum(sums))
#else
#pragma dvm parallel([i][j] on a[i][j])
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sums[j] += a[i][j]; /* iterations add to one element */
// expect -1:7 error dvm-readonly-write 'sums[0]'
  // help add 'reduction\(sum\(sums\)\)' to the directive
  printf("%g %g %g\n", row[3], both[3][4], sums[2]);
  return 0;
}
