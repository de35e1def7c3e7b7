/* malloc gives no values. */
// TWIN
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  (void)argv;
  int n = argc + 9;
  double *v = malloc(n * sizeof *v), sum = 0;
  if (!v)
    return 1;
#ifdef RIGHT
  v[0] = 0;
#endif
  for (int i = 1; i < n; i++)
    v[i] = i;
  for (int i = n - 1; i >= 0; i--)
    sum += v[i];
    //     ^ error dvm-uninitialized 'v[0]'
  puts(sum < 1e300 ? "done" : "large");
  free(v);
  return 0;
}
