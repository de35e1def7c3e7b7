/* The bound of a variable-length array is known when it is accessed. */
// TWIN
#include <stdio.h>

static int above_diagonal(int n) {
  int a[n][n], sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] = i + j;
#ifdef RIGHT
  for (int i = 0; i < n - 1; i++)
#else
  for (int i = 0; i < n; i++)
#endif
    if (i != n / 2)
      sum += a[n - 1 - i][i + 1];
      //     ^ error dvm-out-of-bounds 'a[0][4]'
  return sum;
}

int main(void) {
  printf("%s\n", above_diagonal(4) > 0 ? "positive" : "zero");
  return 0;
}
