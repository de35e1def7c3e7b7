/* A replicated array of which each iteration assigns an element of its own: 'consistent' is missing, not 'private'. */
// TWIN
#include <stdio.h>
#define N 8

#pragma dvm array distribute[block][block]
double a[N][N];
double row[2 * N], both[N][N], scratch[N];

int main(void) {
  double sum = 0;
#ifdef RIGHT
#pragma dvm parallel([i] on a[i][0]) consistent(row[2 * i + 1])
#else
#pragma dvm parallel([i] on a[i][0])
#endif
  for (int i = 0; i < N; i++) {
    row[2 * i + 1] = i;
// expect -1:5 warning dvm-undeclared-private 'row[1]'
    // help add 'consistent\(row\[2 \* i \+ 1\]\)' to the directive
    row[2 * i + 1] += 1;
  }
  sum += row[3];
  //     ^ error dvm-private-uninitialized 'row[3]'
  // help add 'consistent\(row\[2 \* i \+ 1\]\)' to the directive
#ifdef RIGHT
#pragma dvm parallel([i][j] on a[i][j]) consistent(both[j][i]) private(scratch)
#else
#pragma dvm parallel([i][j] on a[i][j])
#endif
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      both[j][i] = i + j;
// expect -1:7 warning dvm-undeclared-private 'both[0][0]'
      // help add 'consistent\(both\[j\]\[i\]\)' to the directive
      scratch[j] = i; /* iterations assign one element */
// expect -1:7 warning dvm-undeclared-private 'scratch[0]'
      // help add 'private\(scratch\)' to the directive
      a[i][j] = scratch[j];
    }
  printf("%g\n", sum);
  return 0;
}
